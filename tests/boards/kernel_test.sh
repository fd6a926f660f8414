#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: the commands of boards/scripts/kernel.tcl against kernel.golden; its registers are those of
# docs/isa.md, which isa_gen prints from isa/regs.def; kernel.sh with the recording interpreter, and with programs that
# record their arguments, in the tools' places, the linker's against kernel_link.golden; its stops. Not tested here, and
# not run: the tools, and so whether they accept the commands.
#
#   kernel_test.sh BUILD WORK     BUILD: has bin/tessera and bin/isa_gen. TESSERA_GOLDEN_WRITE=1 writes the goldens anew
set -euo pipefail
build=$(realpath "$1") here=$(realpath "$(dirname "${BASH_SOURCE[0]}")") work=$2
rm -rf "$work" && mkdir -p "$work"
work=$(realpath "$work")
unset TESSERA_RECORD_FAIL TESSERA_MHZ TESSERA_MEMORY TESSERA_BOARD_JOBS
export TESSERA_RECORD_ANSWERS=$here/vivado.answers TESSERA_BUILD=$build HERE=$here WORK=$work
fail() { echo "kernel_test: $*" >&2; exit 1; }
golden() {
  [ -z "${TESSERA_GOLDEN_WRITE:-}" ] || cp "$2" "$here/$1"
  diff "$here/$1" "$2" || fail "other commands than those of $here/$1"
}

# Stand-ins for the tools.
mkdir "$work/tools"
cat > "$work/tools/platforminfo" <<'END'
#!/bin/sh
case "$*" in *missing*) echo "no such platform" >&2; exit 1 ;; esac
echo xcu250-figd2104-2L-e
END
cat > "$work/tools/vivado" <<'END'
#!/usr/bin/env bash
set -euo pipefail
tclsh hw/scripts/record.tcl "$HERE/vivado.commands" boards/scripts/kernel.tcl > "$WORK/calls"
[ -n "${NO_XO:-}" ] || echo xo > "$TESSERA_BOARD_DIR/tessera.xo"
END
cat > "$work/tools/v++" <<'END'
#!/usr/bin/env bash
set -euo pipefail
printf '%s\n' "v++" "$@" > "$WORK/link"
[ -z "${VPP_FAILS:-}" ] || { echo "ERROR: [v++ 60-602] no clock" >&2; exit 1; }
while [ "$1" != --output ]; do shift; done
"$TESSERA_BUILD/bin/tessera" xclbin --config tiny -o "$2" > /dev/null
[ -z "${VPP_CUTS:-}" ] || truncate -s 1000 "$2"
END
chmod +x "$work"/tools/*
export PATH=$work/tools:$PATH
run() { boards/scripts/kernel.sh "${platform:-card}" "${config:-default}" "$work/out" > "$work/said" 2>&1; }

run || { cat "$work/said" >&2; fail "kernel.sh failed"; }
tail -n 1 "$work/said" | grep -q "next: tessera run MODEL --device xrt:xclbin=$work/out/default.xclbin" || fail "no next step"
grep -q '^kernel tessera, instance tessera_1: registers at 0x10000' "$work/said" || fail "the file was not looked at"
sed "s|@${work#"$PWD"}|WORK|g; s|$work|WORK|g" "$work/calls" > "$work/calls.golden"
golden kernel.golden "$work/calls.golden"
sed "s|$work|WORK|g" "$work/link" > "$work/link.golden"
golden kernel_link.golden "$work/link.golden"
cmp "$work/out/rtl/tsr_pkg.sv" <("$build/bin/isa_gen" sv --config default) || fail "another configuration's package"
if head -n 1 "$work/out/rtl/tessera.v" | grep -q TESSERA_AXI3; then fail "a card's port is AXI4"; fi
for file in $(sed -n 's|^[a-z].*/||p' hw/rtl/files.f); do [ -s "$work/out/rtl/$file" ] || fail "rtl/$file was not copied"; done

# Registers: names and offsets are those that isa_gen prints into docs/isa.md, except the 64 bits of the kernel's
# argument.
awk '/^ipx::add_register / {name = $2} /^set_property address_offset/ {print $3, name}' "$work/calls" > "$work/ip"
python3 - docs/isa.md > "$work/doc" <<'END'
import re, sys
row = re.compile(r"\| 0x([0-9a-f]+)(?: \+ (\d+) n, n < (\d+))? \| ([A-Z_]+) \| read")
for line in open(sys.argv[1]):
    found = row.match(line)
    if not found: continue
    offset, stride, count, name = found.groups()
    for i in range(int(count or 1)):
        text = "0x%03x %s" % (int(offset, 16) + i * int(stride or 0), name + ("_%d" % i if count else ""))
        if text != "0x104 SEGMENT_BASE_HI_0": print(text.replace("0x100 SEGMENT_BASE_LO_0", "0x100 memory"))
END
[ "$(wc -l < "$work/doc")" -gt 60 ] || fail "docs/isa.md has only $(wc -l < "$work/doc") registers"
diff <(sort "$work/doc") <(sort "$work/ip") || fail "the kernel has other registers than docs/isa.md"

# The port has the bus width of another configuration too.
config=ultra96 run || { cat "$work/said" >&2; fail "kernel.sh failed for ultra96"; }
[ "$(grep -c '^set_property value 128 ' "$work/calls")" = 2 ] || fail "the port's width is not the configuration's"

# stops WORDS SETTING...: kernel.sh stops, and its last line has WORDS.
stops() {
  local words=$1; shift
  rm -f "$work"/out/*.xclbin
  if (export "$@"; run); then fail "kernel.sh went on: $words"; fi
  tail -n 1 "$work/said" | grep -q -- "$words" || { cat "$work/said" >&2; fail "it does not say: $words"; }
  [ ! -f "$work/out/default.xclbin" ] || [ -n "${VPP_LEFT:-}" ] || fail "a file is left after: $words"
}
stops "no_vivado is not on PATH: source settings64.sh of Vitis" TESSERA_VIVADO=no_vivado
stops "no_vpp is not on PATH" TESSERA_VPP=no_vpp
stops "TESSERA_MHZ is fast, must be a clock" TESSERA_MHZ=fast
stops "has no tessera and isa_gen: cmake --build" TESSERA_BUILD="$work"
stops "platforminfo knows no part of platform missing: is it installed" platform=missing
stops "there is no configuration nosuch" config=nosuch
stops "vivado failed: its last lines say why" TESSERA_RECORD_FAIL=package_xo
stops "package_xo left no .*tessera.xo" NO_XO=1
stops "v++ failed: its last lines say why" VPP_FAILS=1
VPP_LEFT=1 stops "no driver would take .*default.xclbin" VPP_CUTS=1
grep -q 'truncated' "$work/said" || { cat "$work/said" >&2; fail "it does not say what is wrong with the file"; }
# The Tcl stops at a register that it cannot read.
mkdir -p "$work/tree/isa" && ln -s "$PWD/boards" "$PWD/hw" "$work/tree/"
sed 's/^REG(kError,/REG( kError,/' isa/regs.def > "$work/tree/isa/regs.def"
if (cd "$work/tree" && TESSERA_BOARD_DIR=$work/out tclsh hw/scripts/record.tcl "$here/vivado.commands" boards/scripts/kernel.tcl) \
  > "$work/calls" 2> "$work/said"; then fail "a register is left out in silence"; fi
grep -q 'has a register that registers.tcl does not read: REG( kError' "$work/said" || { cat "$work/said" >&2; fail "no word of it"; }
echo "the calls are those of the goldens: $(cat "$here"/kernel*.golden | wc -l) in number, $(wc -l < "$work/ip") registers"
