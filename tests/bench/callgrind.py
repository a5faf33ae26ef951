#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instruction counts of the benchmark's workloads against the committed ones.

usage: tests/bench/callgrind.py [BUILD] [--update] [ROW...]

Runs one child of `vlgl bench` a row under valgrind's callgrind, one thread, AVX2 (valgrind has no AVX-512),
a fixed number of frames, and compares the instructions of the whole process with callgrind.json beside this
file. More than 3 % above fails; 3 % below asks for --update, which writes the file. Times tell nothing on a
busy machine; these counts are the same within a few thousand. Closes with ctest's summary line.
"""
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BASELINE = os.path.join(HERE, "callgrind.json")
LIMIT = 1.03
# Row: scale (as in samples/bench/workloads.def) and frames.
ROWS = {
    "clear": (0, 20), "fill": (0, 20), "blend": (4, 4), "tex_bilinear": (512, 2), "gouraud": (0, 3),
    "vertex_clipped": (131072, 6), "vertex_backface": (131072, 6), "mesh_tiny": (131072, 2), "mesh": (100000, 2),
    "draws_uniform": (5000, 3), "draws_state": (5000, 3), "overdraw_back": (10, 1), "points": (50000, 2), "phong": (0, 2),
    "fbm": (5, 2), "mandelbrot": (64, 2), "branches": (0, 2), "transcendental": (0, 2), "dot4": (64, 2), "mat4": (32, 2),
}


def count(build, row):
    scale, frames = ROWS[row]
    env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(build, "lib"), VLGL_THREADS="1", VLGL_SIMD="avx2")
    args = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", os.path.join(build, "bin", "vlgl"),
            "bench", "--child", row, "highp", str(scale), "1024", "1024", str(frames), "0.0"]
    run = subprocess.run(args, env=env, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.stderr.write(run.stderr[-2000:])
        return None
    return int(found.group(1))


def main():
    args = [a for a in sys.argv[1:] if a != "--update"]
    update = "--update" in sys.argv
    build = args.pop(0) if args and os.path.isdir(args[0]) else os.path.join(HERE, "..", "..", "build")
    rows = args or list(ROWS)
    if not shutil.which("valgrind"):
        print("callgrind: no valgrind\n100% tests passed, 0 tests failed out of 0")
        return 0
    with open(BASELINE, encoding="utf-8") as f:
        known = json.load(f)
    failed = 0
    for row in rows:
        now = count(os.path.abspath(build), row)
        before = known.get(row)
        if now is None:
            print(f"{row:18} did not run")
            failed += 1
            continue
        ratio = now / before if before else 1.0
        bad = ratio > LIMIT and not update
        failed += bad
        note = "  FAILED: more than 3 % above" if bad else "  fewer: run with --update" if ratio < 2 - LIMIT else ""
        print(f"{row:18} {now / 1e6:10.1f} M  {ratio:6.3f}{note}", flush=True)
        known[row] = now
    if update:
        with open(BASELINE, "w", encoding="utf-8") as f:
            json.dump(known, f, indent=1, sort_keys=True)
            f.write("\n")
    print(f"{100 * (len(rows) - failed) // len(rows)}% tests passed, {failed} tests failed out of {len(rows)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
