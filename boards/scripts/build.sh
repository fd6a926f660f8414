#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the bitstream of a board: with Vivado in about an hour; of a board without a processor
# with open tools from PyPI, in a quarter of an hour. DIR then has the reports and the files for
# `tessera flash` and PYNQ: board.json, tessera.bit, and with Vivado tessera.hwh, the overlay.
#
#   boards/scripts/build.sh NAME [DIR]     NAME: a folder of boards/; DIR: build/boards/NAME
#
# TESSERA_BUILD   the build with bin/tessera and bin/isa_gen (build)
# TESSERA_VIVADO  the program (vivado)
# TESSERA_SEED    open tools: the seed of place and route (1)
#
# Exit status 0: built, timing met; 1: a step failed, its message is the last line; 2: bad use.
set -euo pipefail
stop() { echo "build.sh: $*" >&2; exit 1; }
if [ $# -lt 1 ] || [ $# -gt 2 ]; then sed -n '/^#   boards/,/^# Exit/p' "$0" >&2; exit 2; fi
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. boards/scripts/sources.sh
. boards/scripts/alone.sh
name=$1 build=${TESSERA_BUILD:-build} vivado=${TESSERA_VIVADO:-vivado}
dir=${2:-build/boards/$name}
[ -x "$build/bin/tessera" ] && [ -x "$build/bin/isa_gen" ] ||
  stop "$build/bin has no tessera and isa_gen: cmake --build $build --target tessera isa_gen"

mkdir -p "$dir"
rm -f "$dir"/tessera.bit "$dir"/tessera.hwh "$dir"/*.dtbo "$dir"/build.txt "$dir"/routed.txt
tessera() { "$build/bin/tessera" "$@"; }
tessera boards "$name" --print json > "$dir/board.json" || stop "there is no board $name"
tessera boards "$name" --print tcl > "$dir/board.tcl"
value() { sed -n "s/^set board($1) {\(.*\)}$/\1/p" "$dir/board.tcl"; }

if [ "$(value family)" = ecp5 ]; then
  build_alone "$name" "$build" "$dir"
  tessera boards "$name" --collect "$dir"
  echo "build.sh: next: tessera flash $dir"
  exit 0
fi
command -v "$vivado" > /dev/null || stop "$vivado is not on PATH: source settings64.sh of its installation"
command -v dtc > /dev/null || stop "dtc is not on PATH: install device-tree-compiler"
stage_rtl "$build" "$(value config)" "$(value axi)" "$dir"

tessera boards "$name" --print overlay > "$dir/tessera-$name.dts"
dtc -q -@ -I dts -O dtb -o "$dir/tessera.dtbo" "$dir/tessera-$name.dts" || stop "dtc refuses $dir/tessera-$name.dts"

TESSERA_BOARD_DIR=$dir "$vivado" -mode batch -notrace -nojournal -log "$dir/vivado.log" -source boards/scripts/build.tcl ||
  stop "$vivado failed: its last lines say why, all of them are in $dir/vivado.log"
tessera boards "$name" --collect "$dir"
echo "build.sh: next: tessera flash $dir, and the row of $dir/routed.txt into hw/routed.txt"
