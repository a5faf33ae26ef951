# SPDX-License-Identifier: MIT
"""pngs.py: writes PNG files of every kind with nothing but the standard library, for tests of the command."""
import struct
import zlib


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def write(path, width, height, kind, depth, pixel, palette=None, alpha=None):
    """kind: PNG's color type; pixel(x, y): the samples of one pixel, as many as the kind has."""
    rows = []
    for y in range(height):
        samples = [v for x in range(width) for v in pixel(x, y)]
        if depth == 16:
            data = struct.pack('>%dH' % len(samples), *samples)
        elif depth == 8:
            data = bytes(samples)
        else:
            bits = ''.join(format(v, '0%db' % depth) for v in samples)
            bits += '0' * (-len(bits) % 8)
            data = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
        rows.append(b'\0' + data)
    out = b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, depth, kind, 0, 0, 0))
    if palette:
        out += chunk(b'PLTE', b''.join(bytes(c) for c in palette))
    if alpha:
        out += chunk(b'tRNS', bytes(alpha))
    out += chunk(b'IDAT', zlib.compress(b''.join(rows))) + chunk(b'IEND', b'')
    with open(path, 'wb') as f:
        f.write(out)


def rgb(path, width, height, pixel):
    write(path, width, height, 2, 8, pixel)


def size(path):
    """Width and height of a PNG file."""
    with open(path, 'rb') as f:
        head = f.read(24)
    assert head[:8] == b'\x89PNG\r\n\x1a\n', path
    return struct.unpack('>II', head[16:24])


def read(path):
    """Width, height and rows of (r, g, b, a) of a PNG with 8 bits, RGB or RGBA, not interlaced."""
    with open(path, 'rb') as f:
        data = f.read()
    at, packed = 8, b''
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b'IHDR':
            width, height, depth, color = struct.unpack('>IIBB', body[:10])
            assert depth == 8 and color in (2, 6), path
        elif kind == b'IDAT':
            packed += body
        at += 12 + length
    n = 3 if color == 2 else 4
    raw, rows, above = zlib.decompress(packed), [], bytearray(width * n)
    for y in range(height):
        start = y * (width * n + 1)
        kind, line = raw[start], bytearray(raw[start + 1:start + 1 + width * n])
        for i in range(width * n):
            left = line[i - n] if i >= n else 0
            up = above[i]
            corner = above[i - n] if i >= n else 0
            if kind == 1:
                line[i] = line[i] + left & 255
            elif kind == 2:
                line[i] = line[i] + up & 255
            elif kind == 3:
                line[i] = line[i] + (left + up) // 2 & 255
            elif kind == 4:
                p = left + up - corner
                best = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))
                line[i] = line[i] + best[2] & 255
        above = line
        rows.append([tuple(line[i * n:i * n + n]) + ((255,) if n == 3 else ()) for i in range(width)])
    return width, height, rows
