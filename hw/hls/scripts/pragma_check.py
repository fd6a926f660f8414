#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Reads the pragmas of the HLS twin and says which would not do: old names, false dependences, ports
# without an interface, bursts that are too long, partitioned ports, streams without a depth, loops
# that say neither how often they run nor that they are unrolled; and calls that would not block.
#
#   pragma_check.py FILE...     exit 1: a finding
import re
import sys

# What the tools of 2021 and later take, of what the twin uses.
KNOWN = {"INTERFACE", "PIPELINE", "UNROLL", "LOOP_TRIPCOUNT", "INLINE", "ARRAY_PARTITION",
         "ARRAY_RESHAPE", "DEPENDENCE", "STREAM"}
OLD = {"RESOURCE": "BIND_STORAGE or BIND_OP", "DATA_PACK": "AGGREGATE", "CLOCK": "the project",
       "FUNCTION_INSTANTIATE": "templates", "ALLOCATION": "nothing", "DATAFLOW": "separate tops"}
BURST = 16  # beats; AXI3, Zynq-7000
NOT_BLOCKING = re.compile(r"\b(read_nb|write_nb|empty|full|size)\s*\(\s*\)|\bhls::task\b")


def options(pragma):
    """('INTERFACE', {'m_axi': True, 'port': 'gmem', ...}) of the text behind '#pragma HLS'."""
    text = re.sub(r"\s*=\s*", "=", pragma.strip())
    words = text.split()
    values = {}
    for word in words[1:]:
        key, _, value = word.partition("=")
        values[key.lower()] = value if value else True
    return words[0].upper() if words else "", values


def arguments(head):
    """Names of a function's arguments from the text between its parentheses."""
    return [re.sub(r"\[.*", "", a).strip().split()[-1].lstrip("*&") for a in head.split(",")]


def check_pragma(name, value, where):
    if name in OLD:
        return ["%s: %s is old; use %s" % (where, name, OLD[name])]
    if name not in KNOWN:
        return ["%s: %s is no pragma that the twin uses" % (where, name)]
    found = []
    if name == "DEPENDENCE":
        if value.get("dependent") != "true" or "false" in value:
            found.append("%s: DEPENDENCE must say dependent=true; a false one gives wrong sums" % where)
        if not str(value.get("distance", "")).isdigit():
            found.append("%s: DEPENDENCE without a distance" % where)
    if name == "STREAM" and "depth" not in value:
        found.append("%s: STREAM without a depth" % where)
    if name == "INTERFACE" and "m_axi" in value:
        lengths = [v for k, v in value.items() if k.endswith("_burst_length")]
        if not lengths or any(int(v) > BURST for v in lengths):
            found.append("%s: m_axi must limit its bursts to %d beats" % (where, BURST))
        if value.get("offset") != "slave" or "bundle" not in value:
            found.append("%s: m_axi needs offset=slave and a bundle" % where)
    return found


def check_top(path, name, args, pragmas):
    """Every argument of a top has one interface, and none is partitioned."""
    found, modes = [], {}
    for line, kind, value in pragmas:
        where = "%s:%d" % (path, line)
        port = value.get("port")
        if kind == "INTERFACE":
            mode = next((m for m in ("m_axi", "s_axilite", "axis", "ap_memory") if m in value), "?")
            if port not in args + ["return"]:
                found.append("%s: %s has no argument %s" % (where, name, port))
            modes.setdefault(port, []).append(mode)
        if kind == "ARRAY_PARTITION" and value.get("variable") in args:
            found.append("%s: ARRAY_PARTITION of port %s makes many ports of one"
                         % (where, value["variable"]))
    for arg in args + ["return"]:
        mode = sorted(modes.get(arg, []))
        if mode not in (["m_axi", "s_axilite"], ["s_axilite"], ["axis"], ["ap_memory"]):
            found.append("%s: %s: argument %s has the interfaces %s" % (path, name, arg, mode))
    return found


def check_file(path, text):
    found, lines = [], text.split("\n")
    pragmas = []
    for n, line in enumerate(lines, 1):
        where = "%s:%d" % (path, n)
        pragma = re.match(r"\s*#\s*pragma\s+HLS\b(.*)", line, re.I)
        if pragma:
            if line.endswith("\\"):
                found.append("%s: a pragma on two lines" % where)
            kind, value = options(pragma.group(1))
            pragmas.append((n, kind, value))
            found += check_pragma(kind, value, where)
            continue
        code = line.split("//")[0]
        if NOT_BLOCKING.search(code):
            found.append("%s: what does not block: %s" % (where, code.strip()))
        if re.match(r"\s*(for|while) \(", code):
            after = [options(m.group(1))[0] for m in
                     (re.match(r"\s*#\s*pragma\s+HLS\b(.*)", l) for l in lines[n:n + 4]) if m]
            if not {"UNROLL", "LOOP_TRIPCOUNT"} & set(after) and not constant_loop(code):
                found.append("%s: a loop without LOOP_TRIPCOUNT or UNROLL" % where)
    for top in re.finditer(r"^void (tsr_hls_\w+)\(([^)]*)\) \{(.*?)^\}", text, re.S | re.M):
        begin = text[:top.start()].count("\n") + 1
        end = text[:top.end()].count("\n") + 1
        inside = [p for p in pragmas if begin < p[0] < end]
        found += check_top(path, top.group(1), arguments(top.group(2)), inside)
    return found, len(pragmas)


def constant_loop(code):
    """for (.. < a number or a constant of the header): its count is known."""
    return re.search(r"< (\d+|k[A-Z]\w*);", code) is not None


def main():
    if len(sys.argv) < 2:
        print("usage: pragma_check.py FILE...", file=sys.stderr)
        return 2
    bad = pragmas = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            found, count = check_file(path, file.read())
        for text in found:
            print(text)
        bad += len(found)
        pragmas += count
    print("%d pragmas in %d files, %d findings" % (pragmas, len(sys.argv) - 1, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
