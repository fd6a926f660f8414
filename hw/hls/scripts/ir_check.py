#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Reads the LLVM IR that clang makes of a top, as synthesis would see it, and reports code that has
# no hardware: recursion, allocation, calls through pointers, functions without a body,
# thread-local or changing global state, floating point.
#
#   ir_check.py TOP FILE.ll...     TOP: what the mangled name of the top contains; exit 1: a finding
import re
import sys

# Only the ports of streams may be functions without a body.
PORT = re.compile(r"^_ZN3hls6streamI.*E(4readEv|5writeERKS?[0-9A-Z_a-z]*)$")


def functions_of(text):
    """name -> lines of every function that has a body, and the names that are only declared."""
    defined, declared = {}, set()
    name = None
    for line in text.split("\n"):
        head = re.match(r'^(define|declare) .*?@("[^"]+"|[\w.$]+)\(', line)
        if head and head.group(1) == "declare":
            declared.add(head.group(2).strip('"'))
        elif head:
            name = head.group(2).strip('"')
            defined[name] = []
        elif line == "}":
            name = None
        elif name is not None:
            defined[name].append(line)
    return defined, declared


def callees(lines):
    """Names called by name, and lines that call something else."""
    names, through = set(), []
    for line in lines:
        call = re.search(r"\b(?:call|invoke)\b(.*)", line)
        if not call or " asm " in line:
            if call:
                through.append(line.strip())
            continue
        target = re.search(r'@("[^"]+"|[\w.$]+)\(', call.group(1))
        if target:
            names.add(target.group(1).strip('"'))
        else:
            through.append(line.strip())
    return names, through


def cycle_from(top, calls):
    """A path of calls that comes back to where it was, or None."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done or name not in calls:
            return None
        path.append(name)
        for callee in sorted(calls[name]):
            found = visit(callee)
            if found:
                return found
        path.pop()
        done.add(name)
        return None

    return visit(top)


def findings(top, text):
    defined, _ = functions_of(text)
    tops = [name for name in defined if top in name]
    if len(tops) != 1:
        return ["%d functions are called %s" % (len(tops), top)], 0
    found, calls = [], {}
    for name, lines in defined.items():
        names, through = callees(lines)
        calls[name] = {n for n in names if not n.startswith("llvm.")}
        for line in through:
            found.append("%s calls through a pointer: %s" % (name, line))
        for line in lines:
            if re.search(r"= alloca [^,]+, i\d+ %", line):
                found.append("%s has an array of no constant size: %s" % (name, line.strip()))
            if re.search(r"\b(float|double|x86_fp80)\b", line):
                found.append("%s computes in floating point: %s" % (name, line.strip()))
        for callee in sorted(calls[name]):
            if callee in defined or PORT.match(callee):
                continue
            kind = "allocates by" if re.match(r"^(_Zn|_Zd|malloc|calloc|realloc|free)", callee) \
                else "calls"
            found.append("%s %s %s, which has no body here" % (name, kind, callee))
    circle = cycle_from(tops[0], calls)
    for name in sorted(calls):
        circle = circle or cycle_from(name, calls)
    if circle:
        found.append("recursion: " + " > ".join(circle))
    for line in text.split("\n"):
        if re.match(r"^@\S+ = .*\b(thread_local|global)\b", line) and " constant " not in line:
            found.append("state outside the top: " + line)
    return found, len(defined)


def main():
    if len(sys.argv) < 3:
        print("usage: ir_check.py TOP FILE.ll...", file=sys.stderr)
        return 2
    bad = 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            found, count = findings(sys.argv[1], file.read())
        for text in found:
            print("%s: %s" % (path, text))
        bad += len(found)
        if not found:
            print("%s: %d functions, nothing that hardware cannot be made of" % (path, count))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
