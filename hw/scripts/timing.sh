#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Estimates the clock of the machine, or of one of its modules, before placement. Prints the worst path into
# each unit, by RTL signal names, with the source of the delays, and compares the worst with hw/timing.txt.
# Places and routes too if nextpnr-xilinx is on PATH and TESSERA_CHIPDB names its data for the part.
#
#   timing.sh BUILD [CONFIG [MODULE [PATHS]]]    default, tsr_top; PATHS: how many are printed whole, 1
#
# Exit status 0: as the table says; 1: not, or a program failed. CPU time: that of synth.sh, and seconds.
set -eu
if [ $# -lt 1 ]; then
  sed -n '/^#   timing/,/^# Exit/p' "$0" >&2
  exit 2
fi
build=$1 config=${2:-default} module=${3:-tsr_top}
scripts=$(cd "$(dirname "$0")" && pwd)
netlist=$("$scripts/synth.sh" "$build" "$config" "$module")
set -- "${4:-1}" $(awk -v config="$config" '
  $1 == "part" { family[$2] = $3 }
  $1 == "for" && $2 == config { print family[$3], $4 }' "$scripts/../parts.txt")
paths=$1 family=$2 mhz=$3
# Modules that only join units are not units themselves.
"$build/bin/netlist_report" timing "$netlist" "$family" tsr_top,tsr_units,tsr_compute,tsr_load_path "$paths"
worst=$("$build/bin/netlist_report" worst "$netlist" "$family")
status=0
awk -v yosys="$(cat "${netlist%.json}.yosys")" -v config="$config" -v module="$module" -v worst="$worst" \
  -f "$scripts/timing_compare.awk" "$scripts/../parts.txt" "$scripts/../timing.txt" || status=1

if command -v nextpnr-xilinx > /dev/null && [ -n "${TESSERA_CHIPDB:-}" ]; then
  log=${netlist%.json}.nextpnr
  if nextpnr-xilinx --chipdb "$TESSERA_CHIPDB" --json "$netlist" --freq "$mhz" > "$log" 2>&1; then
    echo "nextpnr-xilinx: $(grep 'Max frequency' "$log" | tail -n 1)"
  else
    echo "nextpnr-xilinx does not route it: $(grep -i error "$log" | tail -n 1); log: $log"
    status=1
  fi
fi
exit $status
