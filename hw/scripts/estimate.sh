#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Says how far the clock that is estimated before placement is from the routed one. It fits the wires of hw/netlist/delays.h to
# the designs that hw/routed.txt has for family ecp5 (the median of their seeds), and prints for each design the error of the fit, and
# the error of a fit to all others. Compares the medians and the largest errors with the line `error` of hw/routed.txt.
#
#   estimate.sh BUILD           BUILD: has bin/isa_gen, bin/netlist_report
#   estimate.sh BUILD --write   writes the line and the column `estimate` of hw/routed.txt
#
# Exit status 0: within 2 per cent of the line; 1: not, or a design is not synthesised. CPU time: that of synth.sh, once
# for each design, and a minute.
set -eu
if [ $# -lt 1 ]; then
  sed -n '/^#   estimate/,/^# Exit/p' "$0" >&2
  exit 2
fi
build=$1
scripts=$(cd "$(dirname "$0")" && pwd)
table=${TESSERA_ROUTED:-$scripts/../routed.txt}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# MODULE CONFIG PART and the median MHz of the seeds.
awk '
  $1 == "part" { family[$2] = $3 }
  $1 != "routed" || NF != 12 || family[$4] != "ecp5" { next }
  {
    key = $2 " " $3 " " $4
    if (!(key in seeds)) order[++n] = key
    for (at = ++seeds[key]; at > 1 && mhz[key, at - 1] > $9; at--) mhz[key, at] = mhz[key, at - 1]
    mhz[key, at] = $9
  }
  END {
    for (o = 1; o <= n; o++) {
      key = order[o]
      print key, (mhz[key, int((seeds[key] + 1) / 2)] + mhz[key, int(seeds[key] / 2) + 1]) / 2
    }
  }' "$scripts/../parts.txt" "$table" > "$work/designs"
while read -r module config part mhz; do
  [ ! -f "$scripts/../../boards/$module/$module.sv" ] || continue  # routed for its board's clock, not for the fastest
  echo "estimate.sh: synthesises $module of $config for $part, at once if it is kept" >&2
  netlist=$("$scripts/synth.sh" "$build" "$config" "$module" "$part")
  echo "$module-$config $mhz $netlist" >> "$work/list"
  echo "$module $config $part $("$build/bin/netlist_report" worst "$netlist" ecp5)" >> "$work/worst"
done < "$work/designs"
"$build/bin/netlist_report" fit "$work/list" ecp5 | tee "$work/fit"
if [ "${2:-}" = --write ]; then
  awk '
    FILENAME ~ /worst$/ { estimate[$1, $2, $3] = 1000 / $4; next }
    FILENAME ~ /fit$/ { if ($1 == "error") error = $0; next }
    $1 == "error" { print error; next }
    $1 == "routed" && NF == 12 && ($2, $3, $4) in estimate {
      printf "routed %-15s %-14s %s %6d %6d %4d %4d %7.1f %9.1f  %s %4d\n", $2, $3, $4, $5, $6, $7, $8, $9, estimate[$2, $3, $4], $11, $12
      next
    }
    { print }' "$work/worst" "$work/fit" "$table" > "$work/new"
  cp "$work/new" "$table"
  exit 0
fi
awk '
  $1 != "error" { next }
  FILENAME == ARGV[1] { was = $0; next }
  {
    split(was, row, " ")
    for (i = 2; i <= 6; i++) {
      off = $i - row[i]
      if (i == 2 ? off != 0 : off > 2 || off < -2) failed = 1
    }
  }
  END {
    if (failed || was == "") print "FAIL: hw/routed.txt has the line \047" was "\047; write down the new one: estimate.sh BUILD --write"
    exit failed || was == ""
  }' "$table" "$work/fit"
