#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Reads clang's syntax tree of a top, -ast-dump=json of what synthesis would see, and says what is
# outside the subset that the twin keeps to; and prints the ledger: every pipelined loop with the
# ports of memories that one iteration of it uses, and the initiation interval that these allow. The
# ledger is an estimate: accesses of both sides of a condition count, nothing is scheduled.
#
#   ast_check.py FILE.cc FILE.json [--ledger]      exit 1: a finding
import itertools
import json
import re
import sys

REFUSED = {
    "CXXNewExpr": "allocates", "CXXDeleteExpr": "frees", "CXXThrowExpr": "throws",
    "CXXTryStmt": "catches", "GotoStmt": "jumps", "IndirectGotoStmt": "jumps",
    "CXXDynamicCastExpr": "asks for a type", "CXXTypeidExpr": "asks for a type",
    "CXXReinterpretCastExpr": "takes memory for another type", "LambdaExpr": "has a lambda",
    "FloatingLiteral": "computes in floating point", "GCCAsmStmt": "has assembler",
    "CXXConstCastExpr": "casts const away",
}
COPIES = {"memcpy", "memset", "memmove"}
# Of each, a cycle moves one word in and one out: a scratchpad has a port for reads and one for
# writes a top, a memory port two channels.
MEMORIES = {"uop", "wgt", "inp", "acc", "out", "bias", "multiplier", "shift", "gmem"}


class Tree:
    def __init__(self, root):
        self.file, self.line, self.lines = "", 0, {}
        self.functions, self.records = {}, []
        self.place(root)

    def place(self, node):
        """The place of every node: the dump names file and line only where they change."""
        for loc in (node.get("loc", {}), node.get("range", {}).get("begin", {}),
                    node.get("range", {}).get("end", {})):
            for one in (loc.get("spellingLoc"), loc.get("expansionLoc"), loc):
                if not one:
                    continue
                self.file = one.get("file", self.file)
                self.line = one.get("line", self.line)
            if loc is node.get("range", {}).get("begin"):
                node["at"] = (self.file, self.line)
        node.setdefault("at", (self.file, self.line))
        kind = node.get("kind", "")
        begin = node["at"]
        for child in node.get("inner", []):
            self.place(child)
        node["ends"] = self.line
        if kind == "FunctionDecl" and any(c.get("kind") == "CompoundStmt"
                                          for c in node.get("inner", [])):
            self.functions.setdefault(node["id"], node)
        if kind == "CXXRecordDecl" and node.get("completeDefinition"):
            self.records.append(node)
        node["at"] = begin


def ours(node):
    path = node["at"][0]
    return "hw/hls/" in path and "/shim/" not in path or path.endswith("/bad.cc")


def walk(node):
    yield node
    for child in node.get("inner", []):
        yield from walk(child)


def subset(tree, sources):
    found = []
    with_pointers = set()
    for record in tree.records:
        if not ours(record):
            continue
        if record.get("tagUsed") == "union":
            found.append((record, "is a union"))
        for child in record.get("inner", []):
            if child.get("virtual"):
                found.append((child, "is virtual"))
            if child.get("kind") == "FieldDecl" and "*" in child["type"]["qualType"]:
                with_pointers.add(record.get("name", ""))
    for function in tree.functions.values():
        if not ours(function):
            continue
        for node in walk(function):
            kind = node.get("kind", "")
            if kind in REFUSED:
                found.append((node, REFUSED[kind]))
            if kind == "CStyleCastExpr" and node.get("castKind") == "BitCast":
                found.append((node, REFUSED["CXXReinterpretCastExpr"]))
            if kind == "VarDecl" and node.get("storageClass") == "static":
                found.append((node, "keeps %s from call to call" % node.get("name")))
            if kind == "DeclRefExpr" and node.get("referencedDecl", {}).get("name") in COPIES:
                found.append((node, "copies by %s, which is no burst" % node["referencedDecl"]["name"]))
            if kind == "VarDecl" and re.match(r"(float|double)\b", node["type"]["qualType"]):
                found.append((node, REFUSED["FloatingLiteral"]))
        held = [p for p in function["inner"] if p.get("kind") == "ParmVarDecl" and
                set(re.findall(r"\w+", p["type"]["qualType"])) & with_pointers]
        text = sources(function["at"][0])[function["at"][1] - 1:function["ends"]]
        if held and not any(re.match(r"\s*#pragma HLS INLINE\s*$", line) for line in text):
            found.append((function, "takes pointers in a struct and is not inlined: %s"
                          % function["name"]))
    return ["%s:%d: %s" % (n["at"][0], n["at"][1], text) for n, text in found]


def shape(node):
    """A text of an expression, to tell one index from another."""
    names = [n.get("referencedDecl", {}).get("name") or n.get("name") or n.get("value")
             or n.get("opcode") or "" for n in walk(node)]
    return " ".join(str(n) for n in names if n)


def memory_of(node):
    """The memory whose tile an array subscript names, or None."""
    base = node["inner"][0]
    while base.get("kind") in ("ImplicitCastExpr", "ParenExpr"):
        base = base["inner"][0]
    name = base.get("referencedDecl", {}).get("name") or base.get("name", "")
    return name if name in MEMORIES else None


def accesses(tree, node, used, depth=0):
    """Adds (memory, 'read' or 'write', index) of |node| and of the functions that it calls."""
    written = set()
    for one in walk(node):
        if one.get("kind") == "BinaryOperator" and one.get("opcode") == "=":
            written |= {id(n) for n in walk(one["inner"][0])
                        if n.get("kind") == "ArraySubscriptExpr"}
        if one.get("kind") == "CXXOperatorCallExpr" and any(
                n.get("referencedDecl", {}).get("name") == "operator="
                for n in walk(one["inner"][0])):
            written |= {id(n) for n in walk(one["inner"][1])
                        if n.get("kind") == "ArraySubscriptExpr"}
    for one in walk(node):
        if one.get("kind") == "ArraySubscriptExpr":
            memory = memory_of(one)
            if memory:
                way = "write" if id(one) in written else "read"
                used.add((memory, way, shape(one["inner"][1])))
        if one.get("kind") in ("CallExpr",) and depth < 6:
            target = next((n["referencedDecl"]["id"] for n in walk(one["inner"][0])
                           if n.get("referencedDecl", {}).get("kind") == "FunctionDecl"), None)
            if target in tree.functions and ours(tree.functions[target]):
                accesses(tree, tree.functions[target], used, depth + 1)


def ledger(tree, sources):
    rows = []
    for function in tree.functions.values():
        if not ours(function):
            continue
        for node in walk(function):
            if node.get("kind") not in ("ForStmt", "WhileStmt"):
                continue
            text = sources(node["at"][0])
            after = list(itertools.takewhile(lambda l: "#pragma" in l, text[node["at"][1]:]))
            wants = next((m.group(1) or "free" for m in
                          (re.match(r"\s*#pragma HLS PIPELINE(?: II = (\d+))?", l) for l in after)
                          if m), None)
            if wants is None:
                continue
            used = set()
            accesses(tree, node, used)
            ports = {}
            for memory, way, _ in used:
                ports[(memory, way)] = ports.get((memory, way), 0) + 1
            allows = max([1] + list(ports.values()))
            label = re.match(r"\s*(\w+):\s*$", text[node["at"][1] - 2])
            rows.append((node["at"][0].split("/")[-1], label.group(1) if label else "-",
                         function["name"], wants, allows,
                         " ".join("%s:%s:%d" % (m, w, n) for (m, w), n in sorted(ports.items()))))
    return rows


def main():
    if len(sys.argv) < 3:
        print("usage: ast_check.py FILE.cc FILE.json [--ledger]", file=sys.stderr)
        return 2
    cache = {}

    def sources(path):
        if path not in cache:
            with open(path, encoding="utf-8") as file:
                cache[path] = file.read().split("\n")
        return cache[path]

    sys.setrecursionlimit(20000)
    with open(sys.argv[2], encoding="utf-8") as file:
        tree = Tree(json.load(file))
    if "--ledger" in sys.argv:
        for row in sorted(set(ledger(tree, sources))):
            print(("%s %s in %s: wants II %s, ports allow %d  %s" % row).rstrip())
        return 0
    found = subset(tree, sources)
    for text in sorted(set(found)):
        print(text)
    count = sum(1 for f in tree.functions.values() if ours(f))
    print("%s: %d functions, %d findings" % (sys.argv[1], count, len(found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
