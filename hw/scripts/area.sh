#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Prints the resources of the machine, or of one of its modules, module by module of the flattened netlist.
# Compares the sum with hw/area.txt, whose head lists what fails.
#
#   area.sh BUILD [CONFIG [MODULE [DEPTH]]]    default, tsr_top, 3 levels; BUILD: has bin/netlist_report
#
# Exit status 0: as the table says; 1: not, or yosys failed. CPU time: that of synth.sh.
set -eu
if [ $# -lt 1 ]; then
  sed -n '/^#   area/,/^# Exit/p' "$0" >&2
  exit 2
fi
build=$1 config=${2:-default} module=${3:-tsr_top}
scripts=$(cd "$(dirname "$0")" && pwd)
netlist=$("$scripts/synth.sh" "$build" "$config" "$module")
"$build/bin/netlist_report" area "$netlist" "${4:-3}"
used=$("$build/bin/netlist_report" total "$netlist")
awk -v yosys="$(cat "${netlist%.json}.yosys")" -v config="$config" -v module="$module" -v used="$used" \
  -f "$scripts/area_compare.awk" "$scripts/../parts.txt" "$scripts/../area.txt"
