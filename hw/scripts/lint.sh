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
rtl=$(cd "$(dirname "$0")/../rtl" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

status=0
for config in "$@"; do
  "$isa_gen" sv --config "$config" > "$work/tsr_pkg.sv"
  # As synthesised, what only assertions and digests read is unused.
  for define in "" "-DSYNTHESIS -Wno-UNUSEDSIGNAL -Wno-UNUSEDPARAM"; do
    if verilator --lint-only -Wall --assert $define -I"$rtl" -y "$rtl" -y "$rtl/prim" -y "$rtl/bus" -y "$rtl/core" \
        "$work/tsr_pkg.sv" "$rtl"/core/tsr_*_pkg.sv "$rtl/tsr_top.sv" --top-module tsr_top; then
      echo "lint $config ${define%% *}: clean"
    else
      status=1
    fi
  done
done
exit $status
