#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares ort_abi.h with ONNX Runtime's own headers: every position, and the order of the entries of every table that the
provider fills in.

  check_abi.py FOLDER    FOLDER: has onnxruntime_c_api.h and onnxruntime_ep_c_api.h of version 1.23 or later

Exit status 1: something differs. Entries that are newer than the headers are listed as not checked.
"""

import pathlib
import re
import sys

TABLES = {"TESSERA_ORT_API": "OrtApi", "TESSERA_ORT_EP_API": "OrtEpApi", "TESSERA_ORT_EP_API_25": "OrtEpApi",
          "TESSERA_ORT_MODEL_EDITOR_API": "OrtModelEditorApi"}
STRUCTS = ["OrtNodeFusionOptions", "OrtNodeComputeInfo", "OrtEpProfilerImpl", "OrtEp", "OrtEpFactory", "OrtApiBase"]


def plain(text):
    """The text without comments and preprocessor lines."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^#if defined\(ORT_MINIMAL_BUILD\).*?^#else", "", text, flags=re.S | re.M)
    return re.sub(r"^\s*#.*$|//.*$", "", text, flags=re.M)


def entries(text, struct):
    """The names of the members of |struct|, in order; None: it is not there."""
    begin = re.search(rf"\bstruct {struct} \{{", text)
    if not begin:
        return None
    body = text[begin.end():text.index("\n};", begin.end())]
    names = []
    for part in body.split(";"):
        part = " ".join(part.split())
        for form, made in [(r"ORT_CLASS_RELEASE\((\w+)\)", "Release{}"), (r"ORT_API2_STATUS\((\w+)", "{}"),
                           (r"ORT_API_T\([^,]+, (\w+)", "{}"), (r"\( ?(?:ORT_API_CALL ?)?\* ?(\w+)\)", "{}"), (r"(\w+)$", "{}")]:
            if found := re.search(form, part):
                names.append(made.format(found[1]))
                break
    return names


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    theirs = "".join(plain((folder / name).read_text()) for name in ["onnxruntime_c_api.h", "onnxruntime_ep_c_api.h"])
    text = (pathlib.Path(__file__).parent / "ort_abi.h").read_text()
    wrong, checked, newer = [], 0, []
    for macro, struct in TABLES.items():
        names = entries(theirs, struct)
        body = re.search(rf"#define {macro}\(ENTRY\)(.*?[^\\])\n(?!\s*ENTRY)", text, flags=re.S)[1]
        for position, name in re.findall(r"ENTRY\((\d+), (\w+)", body):
            if int(position) >= len(names):
                newer.append(name)
            elif names[int(position)] != name:
                wrong.append(f"{struct}[{position}] is {names[int(position)]}, ort_abi.h has {name}")
            else:
                checked += 1
    for struct in STRUCTS:
        own, other = entries(plain(text), struct), entries(theirs, struct)
        if other is None:
            newer.append(struct)
            continue
        newer += own[len(other):]
        for position, (mine, their) in enumerate(zip(own, other)):
            checked += 1
            if mine != their:
                wrong.append(f"{struct}: entry {position} is {their}, ort_abi.h has {mine}")
    for line in wrong:
        print(f"check_abi.py: {line}")
    print(f"{checked} entries agree" if not wrong else f"{len(wrong)} entries differ",
          f"; newer than these headers and not checked: {', '.join(newer)}" if newer else "", sep="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
