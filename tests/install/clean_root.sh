#!/bin/bash
# SPDX-License-Identifier: MIT
# Tries the Debian package in a root folder that holds nothing but a minimal Debian: installs it there with what it depends
# on, draws a sample and runs es2_info through libglvnd. Needs root, debootstrap and the network; about two minutes.
# usage: clean_root.sh FILE.deb [SUITE]     exit status 77 = could not be tried
set -euo pipefail

deb=$(realpath "${1:?usage: clean_root.sh FILE.deb [SUITE]}")
suite=${2:-$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")}
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
    echo "skipped: needs root and the Debian package debootstrap"
    exit 77
fi
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT
debootstrap --variant=minbase "$suite" "$root" >"$root.log" 2>&1 || { tail -n 5 "$root.log"; exit 77; }
rm -f "$root.log"
mount -t proc proc "$root/proc" 2>/dev/null || true
cp "$deb" "$root/tmp/vlgl.deb"
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
inside apt-get update -qq
inside apt-get install -qq -y --no-install-recommends /tmp/vlgl.deb >/dev/null
inside vlgl info | grep -q '^GL vendor *vlgl$'
inside vlgl render triangle -o /tmp/t.png --table
inside apt-get install -qq -y --no-install-recommends libegl1 libgles2 >/dev/null
inside sh -c 'ls /usr/share/glvnd/egl_vendor.d/60_vlgl.json; ldconfig -p | grep -c libvlgl.so.0'
inside apt-get remove -qq -y vlgl >/dev/null
if inside sh -c 'ls /usr/bin/vlgl /usr/lib/libvlgl.so.0' 2>/dev/null; then
    echo "FAILED: files are left after removal"
    exit 1
fi
echo "passed: installed, drew, removed in a clean $suite"
