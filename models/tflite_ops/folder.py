# SPDX-License-Identifier: Apache-2.0
"""A folder of files that a script makes, whole: written, or compared. Used by make.py here and by ../field/make.py."""


def settle(folder, files, check):
    """|files|: contents by name. Afterwards |folder| has these and no others; with |check| it has to have them already."""
    if check:
        there = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        other = sorted(there ^ files.keys()) + [n for n in sorted(there & files.keys()) if (folder / n).read_bytes() != files[n]]
        if other:
            raise SystemExit(f"{folder}: {len(other)} files differ, the first is {other[0]}: run make.py and look at the difference")
        return
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name not in files:
            path.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)
