#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
#
# Reads a top of the HLS twin through libclang, as synthesis would see it, and reports code outside the twin's subset:
# expressions and declarations that have no hardware, wrong pragmas (old names, false dependences, ports without an
# interface, long bursts, partitioned ports, streams without a depth, loops with neither a trip count nor an unroll
# pragma) and calls that would not block. It checks the twin's headers that the top includes as well.
# Depends on: python3-clang-14.
#
#   clang_check.py [--ledger | --files] FILE.cc CLANG-ARGUMENT...     exit 1: a finding; 2: clang cannot read the file
#
# --ledger prints every pipelined loop with the memory ports that one iteration uses, and the initiation interval that
# these ports allow. It is an estimate: accesses on both sides of a condition count, and nothing is scheduled.
# --files prints the files of the twin that were read.
import os
import re
import sys

from clang import cindex
from clang.cindex import CursorKind as Kind
from clang.cindex import TokenKind, TypeKind

REFUSED = {
    Kind.CXX_NEW_EXPR: "allocates", Kind.CXX_DELETE_EXPR: "frees", Kind.CXX_THROW_EXPR: "throws",
    Kind.CXX_TRY_STMT: "catches", Kind.GOTO_STMT: "jumps", Kind.INDIRECT_GOTO_STMT: "jumps",
    Kind.CXX_DYNAMIC_CAST_EXPR: "asks for a type", Kind.CXX_TYPEID_EXPR: "asks for a type",
    Kind.CXX_REINTERPRET_CAST_EXPR: "takes memory for another type", Kind.LAMBDA_EXPR: "has a lambda",
    Kind.FLOATING_LITERAL: "computes in floating point", Kind.ASM_STMT: "has assembler",
    Kind.CXX_CONST_CAST_EXPR: "casts const away",
}
COPIES = {"memcpy", "memset", "memmove"}
FLOATING = {TypeKind.FLOAT, TypeKind.DOUBLE, TypeKind.LONGDOUBLE}
LOOPS = {Kind.FOR_STMT, Kind.WHILE_STMT}
FUNCTIONS = {Kind.FUNCTION_DECL, Kind.FUNCTION_TEMPLATE}
RECORDS = {Kind.STRUCT_DECL, Kind.CLASS_DECL, Kind.UNION_DECL}
# Interfaces of a top that move one word in and one word out per cycle: a scratchpad has a read port and a write port per
# top, a memory port has two channels.
MEMORIES = {"ap_memory", "m_axi"}
# KNOWN: pragmas that the twin may use; tools of 2021 and later take them. OLD: pragmas that those tools no longer take.
KNOWN = {"INTERFACE", "PIPELINE", "UNROLL", "LOOP_TRIPCOUNT", "INLINE", "ARRAY_PARTITION", "ARRAY_RESHAPE", "DEPENDENCE",
         "STREAM"}
OLD = {"RESOURCE": "BIND_STORAGE or BIND_OP", "DATA_PACK": "AGGREGATE", "CLOCK": "the project",
       "FUNCTION_INSTANTIATE": "templates", "ALLOCATION": "nothing", "DATAFLOW": "separate tops"}
BURST = 16  # beats; AXI3, Zynq-7000
NOT_BLOCKING = {"read_nb", "write_nb", "empty", "full", "size"}


class Pragma:
    """'#pragma HLS INTERFACE mode=m_axi port=x': kind INTERFACE, value {'mode': 'm_axi', 'port': 'x'}; a word alone: True."""

    def __init__(self, place, words):
        self.place, self.value, at = place, {}, 1
        self.kind = words[0].upper() if words else ""
        while at < len(words):
            if words[at + 1:at + 2] == ["="] and at + 2 < len(words):
                self.value[words[at].lower()] = words[at + 2]
                at += 3
            else:
                self.value[words[at].lower()] = True
                at += 1


class Top:
    """What libclang knows of one file and the headers of the twin that it includes."""

    def __init__(self, path, arguments):
        self.unit = cindex.Index.create().parse(path, args=["-xc++", "-fsyntax-only"] + arguments)
        self.main = self.unit.spelling
        self.functions, self.records, self.parents, self.memories = {}, [], {}, set()
        self.tokens, self.pragmas, self.lines = {}, {}, {}
        for file in {str(i.include) for i in self.unit.get_includes()} | {self.main}:
            if self.ours(file):
                self.read_tokens(file)
        self.visit(self.unit.cursor)

    def ours(self, path):
        return path == self.main or "hw/hls/" in path and "/shim/" not in path

    def errors(self):
        return ["%s:%d: clang: %s" % (d.location.file, d.location.line, d.spelling)
                for d in self.unit.diagnostics if d.severity >= cindex.Diagnostic.Error]

    def read_tokens(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.lines[path] = text.split("\n")
        handle = self.unit.get_file(path)
        ends = [cindex.SourceLocation.from_offset(self.unit, handle, n) for n in (0, len(text.encode()))]
        extent = cindex.SourceRange.from_locations(*ends)
        tokens = [t for t in self.unit.get_tokens(extent=extent) if t.kind != TokenKind.COMMENT]
        by_line, rest = {}, []
        for token in tokens:
            by_line.setdefault(token.location.line, []).append(token)
        self.pragmas[path] = []
        for line, row in sorted(by_line.items()):
            words = [t.spelling for t in row]
            if words[:2] == ["#", "pragma"] and words[2:3] and words[2].upper() == "HLS":
                self.pragmas[path].append(Pragma((path, line), words[3:]))
                if self.pragmas[path][-1].kind == "INTERFACE" and MEMORIES & self.pragmas[path][-1].value.keys():
                    self.memories.add(self.pragmas[path][-1].value.get("port"))
            else:
                rest += row
        self.tokens[path] = rest

    def visit(self, cursor):
        for child in cursor.get_children():
            if child.location.file and not self.ours(child.location.file.name) and cursor.kind == Kind.TRANSLATION_UNIT:
                continue
            self.parents[child.hash] = cursor
            if child.kind in FUNCTIONS and child.is_definition():
                self.functions[key(child)] = child
            if child.kind in RECORDS and child.is_definition():
                self.records.append(child)
            self.visit(child)

    def own_functions(self):
        return [f for f in self.functions.values() if self.ours(f.location.file.name)]

    def pragmas_of(self, cursor):
        """Those of a loop or function, and not of a loop in it."""
        path = cursor.location.file.name
        inner = [(c.extent.start.line, c.extent.end.line) for c in cursor.walk_preorder()
                 if c.kind in LOOPS and c.hash != cursor.hash]
        return [p for p in self.pragmas[path] if cursor.extent.start.line <= p.place[1] <= cursor.extent.end.line and
                not any(begin <= p.place[1] <= end for begin, end in inner)]


def place(cursor):
    return cursor.location.file.name, cursor.location.line


def key(function):
    """Of a function that has a body: an instance lies where its template does."""
    return function.location.file.name, function.location.offset


def parameters(function):
    return [c for c in function.get_children() if c.kind == Kind.PARM_DECL]


def bare(cursor):
    """Without parentheses and implicit casts."""
    while cursor.kind in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR):
        inside = list(cursor.get_children())
        if len(inside) != 1:
            break
        cursor = inside[0]
    return cursor


def casts_memory(cast):
    """A C cast between pointers to different types."""
    inside = [bare(c) for c in cast.get_children() if c.kind.is_expression()]
    if not inside or cast.type.get_canonical().kind != TypeKind.POINTER:
        return False
    source = inside[-1].type.get_canonical()
    pointee = source.get_pointee() if source.kind == TypeKind.POINTER else source.element_type \
        if source.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY) else None
    return pointee is not None and pointee.get_canonical().spelling != cast.type.get_canonical().get_pointee().spelling


def subset(top):
    """(place, text) of everything in the tree that hardware is not made of."""
    with_pointers = set()
    for record in top.records:
        if record.kind == Kind.UNION_DECL:
            yield place(record), "is a union"
        for child in record.get_children():
            if child.kind == Kind.CXX_METHOD and child.is_virtual_method():
                yield place(child), "is virtual"
            if child.kind == Kind.FIELD_DECL and child.type.get_canonical().kind == TypeKind.POINTER:
                with_pointers.add(record.get_usr())
    for function in top.own_functions():
        for node in function.walk_preorder():
            if node.kind in REFUSED:
                yield place(node), REFUSED[node.kind]
            if node.kind == Kind.CSTYLE_CAST_EXPR and casts_memory(node):
                yield place(node), REFUSED[Kind.CXX_REINTERPRET_CAST_EXPR]
            if node.kind == Kind.VAR_DECL and node.storage_class == cindex.StorageClass.STATIC:
                yield place(node), "keeps %s from call to call" % node.spelling
            if node.kind == Kind.VAR_DECL and node.type.get_canonical().kind in FLOATING:
                yield place(node), REFUSED[Kind.FLOATING_LITERAL]
            if node.kind == Kind.DECL_REF_EXPR and node.spelling in COPIES:
                yield place(node), "copies by %s, which is no burst" % node.spelling
        held = [a for a in parameters(function)
                if (a.type.get_pointee() if a.type.kind in (TypeKind.POINTER, TypeKind.LVALUEREFERENCE) else a.type)
                .get_canonical().get_declaration().get_usr() in with_pointers]
        if held and not any(p.kind == "INLINE" and not p.value for p in top.pragmas_of(function)):
            yield place(function), "takes pointers in a struct and is not inlined: %s" % function.spelling


def pragma_words(pragma):
    """What one pragma says of itself that would not do."""
    name, value = pragma.kind, pragma.value
    if name in OLD:
        yield "%s is old; use %s" % (name, OLD[name])
    elif name not in KNOWN:
        yield "%s is no pragma that the twin uses" % name
    if name == "DEPENDENCE":
        if value.get("dependent") != "true" or "false" in value:
            yield "DEPENDENCE must say dependent=true; a false one gives wrong sums"
        if not str(value.get("distance", "")).isdigit():
            yield "DEPENDENCE without a distance"
    if name == "STREAM" and "depth" not in value:
        yield "STREAM without a depth"
    if name == "INTERFACE" and "m_axi" in value:
        lengths = [v for k, v in value.items() if k.endswith("_burst_length")]
        if not lengths or any(not str(v).isdigit() or int(v) > BURST for v in lengths):
            yield "m_axi must limit its bursts to %d beats" % BURST
        if value.get("offset") != "slave" or "bundle" not in value:
            yield "m_axi needs offset=slave and a bundle"


def interfaces(top, function):
    """Every argument of a top has one interface, and none is partitioned."""
    arguments, modes = [a.spelling for a in parameters(function)], {}
    for pragma in top.pragmas_of(function):
        port = pragma.value.get("port")
        if pragma.kind == "INTERFACE":
            mode = next((m for m in ("m_axi", "s_axilite", "axis", "ap_memory") if m in pragma.value), "?")
            if port not in arguments + ["return"]:
                yield pragma.place, "%s has no argument %s" % (function.spelling, port)
            modes.setdefault(port, []).append(mode)
        if pragma.kind == "ARRAY_PARTITION" and pragma.value.get("variable") in arguments:
            yield pragma.place, "ARRAY_PARTITION of port %s makes many ports of one" % pragma.value["variable"]
    for argument in arguments + ["return"]:
        mode = sorted(modes.get(argument, []))
        if mode not in (["m_axi", "s_axilite"], ["s_axilite"], ["axis"], ["ap_memory"]):
            yield place(function), "%s: argument %s has the interfaces %s" % (function.spelling, argument, mode)


def constant_count(loop):
    """for (..; i < a number or a constant of the header; ..)."""
    head = [t.spelling for t in loop.get_tokens()]
    ends = [n for n, word in enumerate(head) if word == ";"][:2]
    return loop.kind == Kind.FOR_STMT and len(ends) == 2 and head[ends[1] - 2] == "<" and \
        re.match(r"\d+$|k[A-Z]\w*$", head[ends[1] - 1]) is not None


def pragmas(top):
    for path, found in top.pragmas.items():
        for pragma in found:
            for text in pragma_words(pragma):
                yield pragma.place, text
            if top.lines[path][pragma.place[1] - 1].endswith("\\"):
                yield pragma.place, "a pragma on two lines"
        words = top.tokens[path]
        for a, b, c in zip(words, words[1:], words[2:]):
            if a.spelling in NOT_BLOCKING and (b.spelling, c.spelling) == ("(", ")") or \
                    (a.spelling, b.spelling, c.spelling) == ("hls", "::", "task"):
                line = top.lines[path][a.location.line - 1].strip()
                yield (path, a.location.line), "what does not block: %s" % line
    for function in top.own_functions():
        if function.spelling.startswith("tsr_hls_"):
            yield from interfaces(top, function)
        for loop in function.walk_preorder():
            if loop.kind in LOOPS and not constant_count(loop) and \
                    not {"UNROLL", "LOOP_TRIPCOUNT"} & {p.kind for p in top.pragmas_of(loop)}:
                yield place(loop), "a loop without LOOP_TRIPCOUNT or UNROLL"


def memory_of(top, subscript, given):
    """The memory of the top whose tile an array subscript names, or None; given: what the parameters stand for."""
    name = bare(list(subscript.get_children())[0]).spelling
    name = given.get(name, name)
    return name if name in top.memories else None


def assigned(node):
    """The left side of an assignment, or None."""
    children = list(node.get_children())
    if node.kind == Kind.CALL_EXPR and node.spelling == "operator=" and children:
        return children[0]
    if node.kind == Kind.BINARY_OPERATOR and len(children) == 2:
        end = children[0].extent.end.offset
        sign = next((t.spelling for t in node.get_tokens() if t.extent.start.offset >= end), "")
        return children[0] if sign == "=" else None
    return None


def accesses(top, node, used, depth=0, given={}):
    """Adds (memory, 'read' or 'write', index) of |node| and of the functions that it calls."""
    written, nodes = set(), list(node.walk_preorder())
    for one in nodes:
        left = assigned(one)
        if left is not None:
            written |= {n.hash for n in left.walk_preorder() if n.kind == Kind.ARRAY_SUBSCRIPT_EXPR}
    for one in nodes:
        if one.kind == Kind.ARRAY_SUBSCRIPT_EXPR and memory_of(top, one, given):
            index = " ".join(t.spelling for t in list(one.get_children())[1].get_tokens())
            used.add((memory_of(top, one, given), "write" if one.hash in written else "read", index))
        if one.kind == Kind.CALL_EXPR and one.referenced and one.referenced.kind == Kind.FUNCTION_DECL and depth < 6:
            target = top.functions.get(key(one.referenced.get_definition() or one.referenced))
            if target is not None and top.ours(target.location.file.name):
                names = [bare(a).spelling for a in one.get_arguments()]
                names = dict(zip([p.spelling for p in parameters(target)], [given.get(n, n) for n in names]))
                accesses(top, target, used, depth + 1, names)


def ledger(top):
    for function in top.own_functions():
        for loop in function.walk_preorder():
            pipeline = [p for p in top.pragmas_of(loop) if p.kind == "PIPELINE"] if loop.kind in LOOPS else []
            if not pipeline:
                continue
            used, ports = set(), {}
            accesses(top, loop, used)
            for memory, way, _ in used:
                ports[(memory, way)] = ports.get((memory, way), 0) + 1
            above = top.parents[loop.hash]
            yield (os.path.basename(place(loop)[0]), above.spelling if above.kind == Kind.LABEL_STMT else "-",
                   function.spelling, pipeline[0].value.get("ii", "free"), max([1] + list(ports.values())),
                   " ".join("%s:%s:%d" % (m, w, n) for (m, w), n in sorted(ports.items())))


def main():
    words = sys.argv[1:]
    mode = words.pop(0) if words and words[0] in ("--ledger", "--files") else ""
    if not words:
        print("usage: clang_check.py [--ledger | --files] FILE.cc CLANG-ARGUMENT...", file=sys.stderr)
        return 2
    top = Top(words[0], words[1:])
    if mode == "--files":
        print("\n".join(sorted(os.path.relpath(p) for p in top.tokens)))
        return 0
    if mode == "--ledger":
        for row in sorted(set(ledger(top))):
            print(("%s %s in %s: wants II %s, ports allow %d  %s" % row).rstrip())
        return 0
    found = sorted({"%s:%d: %s" % (where + (text,)) for where, text in list(subset(top)) + list(pragmas(top))})
    for text in found:
        print(text)
    errors = top.errors()
    for text in errors:
        print(text, file=sys.stderr)
    print("%s: %d functions, %d pragmas, %d findings" % (words[0], len(top.own_functions()),
                                                          sum(map(len, top.pragmas.values())), len(found)))
    return 1 if found else 2 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
