#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: docs/adding/board.md. The description on the page makes a fourth board without a change elsewhere: the
# tool lists it beside those of the tree, dtc takes its overlay, the scripts build it in the recording interpreter with
# its part, and flash names the missing files. Not tested here: the boards of the tree (build_test.sh).
#
#   adding_test.sh BUILD WORK      BUILD: has bin/tessera
set -euo pipefail
build=$(realpath "$1") here=$(dirname "${BASH_SOURCE[0]}") work=$2
rm -rf "$work" && mkdir -p "$work/boards/zedboard" "$work/dir/rtl"
work=$(realpath "$work")
fail() { echo "adding_test: $*" >&2; exit 1; }
tessera() { "$build/bin/tessera" "$@" --boards "$work/boards"; }
cp -r boards/*-z? boards/ultra96 "$work/boards/"
awk '/^```json/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/adding/board.md > "$work/boards/zedboard/board.json"

tessera boards | grep -q '^zedboard  xc7z020clg484-1 ' || fail "it is not listed"
[ "$(tessera boards | grep -c xc)" = 4 ] || fail "there are not four boards"
tessera boards zedboard --print json | diff "$work/boards/zedboard/board.json" - || fail "it is not read as it is written"
tessera boards zedboard --print overlay > "$work/overlay.dts"
dtc -q -@ -I dts -O dtb -o "$work/overlay.dtbo" "$work/overlay.dts" || fail "dtc refuses the overlay"
tessera boards zedboard --print tcl > "$work/dir/board.tcl"
touch "$work/dir/rtl/tessera.v"
hwh=$work/dir/project/tessera.gen/sources_1/bd/tessera/hw_handoff
mkdir -p "$hwh" && tessera boards zedboard --print hwh > "$hwh/tessera.hwh"
{ echo '{get_parts -quiet xc7z020clg484-1} xc7z020clg484-1'; cat "$here/vivado.answers"; } > "$work/answers"
TESSERA_BOARD_DIR=$work/dir TESSERA_RECORD_ANSWERS=$work/answers \
  tclsh hw/scripts/record.tcl "$here/vivado.commands" boards/scripts/build.tcl > "$work/calls"
grep -q '^create_project -force tessera .* -part xc7z020clg484-1$' "$work/calls" || fail "another part is built"
grep -q 'PCW_CRYSTAL_PERIPHERAL_FREQMHZ 33.333333 ' "$work/calls" || fail "another crystal"
# The board differs from a Pynq-Z1 in its description alone.
sed 's/zedboard/pynq-z1/g; s/clg484/clg400/g; s/33.333333/50/' "$work/calls" | grep '^connect_' |
  diff <(grep '^connect_' "$here/pynq-z1.golden") - || fail "its block design is another"
if tessera flash zedboard > "$work/said" 2>&1; then fail "it was flashed"; fi
grep -q "make one: boards/scripts/build.sh zedboard" "$work/said" || fail "flash does not say what is missing"
echo "a fourth board is its description alone"
