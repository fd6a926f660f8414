#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an initramfs (cpio, newc): initramfs.py OUT NAME=FILE ... ; every file is executable."""
import sys


def entry(name, mode, data):
    name = name.encode() + b"\0"
    fields = [0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0]
    head = b"070701" + b"".join(b"%08x" % f for f in fields) + name
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


with open(sys.argv[1], "wb") as out:
    for pair in sys.argv[2:]:
        name, path = pair.split("=", 1)
        with open(path, "rb") as f:
            out.write(entry(name, 0o100755, f.read()))
    out.write(entry("TRAILER!!!", 0, b""))
