#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Lints the machine with `verilator -Wall` for every named configuration,
# as simulated and as synthesised.
#
#   lint.sh ISA_GEN [CONFIG ...]    ISA_GEN: the program that prints tsr_pkg.sv
#
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
find "$rtl" \( -name '*.sv' -o -name '*.svh' \) ! -path "$rtl/gen/*" | sort > "$work/found"
if ! diff "$work/listed" "$work/found" > "$work/difference"; then
  echo "hw/rtl/files.f and the files of hw/rtl differ ('<' is only listed, '>' is only there):"
  grep '^[<>]' "$work/difference"
  status=1
fi
for config in "$@"; do
  "$isa_gen" sv --config "$config" > "$work/tsr_pkg.sv"
  # As synthesised, what only assertions and digests read is unused.
  for define in "" "-DSYNTHESIS -Wno-UNUSEDSIGNAL -Wno-UNUSEDPARAM"; do
    if "$scripts/verilate.sh" lint "$work/tsr_pkg.sv" tsr_top $define; then
      echo "lint $config ${define%% *}: clean"
    else
      status=1
    fi
  done
done
exit $status
