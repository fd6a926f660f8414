#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Lints the machine with `verilator -Wall` and slang for every named configuration: as simulated, and as
# synthesised in tessera.v, which is read as Verilog-2001, with AXI3 for pynq and AXI4 for the others, and
# in tsr_serial_top.
#
#   lint.sh ISA_GEN [CONFIG ...]    ISA_GEN: the program that prints tsr_pkg.sv, in the folder bin of a build
#
# slang comes from PyPI into that build (scripts/pypi_tool.sh). yosys reads the same files in hw/scripts/synth.sh.
# Exit status 0: clean; 1: a warning or an error, which is printed.
set -eu
if [ $# -lt 1 ]; then
  sed -n '/^#   lint/,/^set/p' "$0" >&2
  exit 2
fi
isa_gen=$1
shift
if [ $# -eq 0 ]; then set -- default pynq ultra96 tiny batch4 wide; fi
scripts=$(cd "$(dirname "$0")" && pwd)
rtl=$scripts/../rtl
. "$rtl/sources.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

status=0
# Every file is in the list, and every file of the list is there.
rtl_files | sort > "$work/listed"
find "$rtl" \( -name '*.sv' -o -name '*.svh' -o -name '*.v' \) ! -path "$rtl/gen/*" ! -path "$rtl/sim/*" | sort > "$work/found"
if ! diff "$work/listed" "$work/found" > "$work/difference"; then
  echo "hw/rtl/files.f and the files of hw/rtl differ ('<' is only listed, '>' is only there):"
  grep '^[<>]' "$work/difference"
  status=1
fi
# Every file makes undeclared names an error, and restores the default for the files after it.
for file in $(rtl_files | grep -v '\.svh$') "$rtl"/sim/*.sv; do
  if [ "$(grep -v '^//\|^$' "$file" | sed -n '1p')$(tail -n 1 "$file")" != '`default_nettype none`default_nettype wire' ]; then
    echo "$file: must begin with \`default_nettype none and end with \`default_nettype wire"
    status=1
  fi
done
slang=$("$scripts/../../scripts/pypi_tool.sh" "$(dirname "$isa_gen")/.." slang)
# slang_clean PACKAGE TOP ARG ...
slang_clean() {
  package=$1 top=$2
  shift 2
  "$slang" --top "$top" $(rtl_folders | sed 's/^/-I/') "$package" $(rtl_packages) $(rtl_modules) "$@"
}
for config in "$@"; do
  "$isa_gen" sv --config "$config" > "$work/tsr_pkg.sv"
  if "$scripts/verilate.sh" lint "$work/tsr_pkg.sv" tsr_top && slang_clean "$work/tsr_pkg.sv" tsr_top; then
    echo "lint $config: clean"
  else
    status=1
  fi
  # In synthesis, signals that only assertions and digests read are unused. Zynq-7000's ports are AXI3.
  case $config in pynq) axi=3 ;; *) axi=4 ;; esac
  bits=$(sed -n 's/.* BusBits = \([0-9]*\);.*/\1/p' "$work/tsr_pkg.sv")
  if "$scripts/verilate.sh" lint "$work/tsr_pkg.sv" tessera "$rtl/tessera.v" +1364-2001ext+v -DTESSERA_AXI$axi \
      "-GC_M_AXI_GMEM_DATA_WIDTH=$bits" -DSYNTHESIS -Wno-UNUSEDSIGNAL -Wno-UNUSEDPARAM &&
      slang_clean "$work/tsr_pkg.sv" tessera "$rtl/tessera.v" -DTESSERA_AXI$axi "-GC_M_AXI_GMEM_DATA_WIDTH=$bits" -DSYNTHESIS; then
    echo "lint $config, synthesised in tessera.v with AXI$axi: clean"
  else
    status=1
  fi
  if "$scripts/verilate.sh" lint "$work/tsr_pkg.sv" tsr_serial_top && slang_clean "$work/tsr_pkg.sv" tsr_serial_top; then
    echo "lint $config in tsr_serial_top: clean"
  else
    status=1
  fi
done
exit $status
