#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes hw/silicon_table.txt, to which hw/predict fits area and clock: synthesises the configurations of sweep_points.awk, each
# for xc7z020, and writes the rows of each (netlist_report rows) when it is done. Skips those whose rows are of these sources and
# this yosys, so it may be stopped at any time and goes on where it was. Rows of other sources are made again.
#
#   sweep.sh BUILD [MINUTES]    begins no synthesis after so many minutes; without MINUTES it does all. 0: only says what is missing
#
# Exit status 0: no row is missing; 1: some are, or yosys failed. CPU time: 80 seconds for an array of 1x4, 6 minutes for
# 1x16, half an hour for 2x32; memory: 2 to 12 GB.
set -eu
if [ $# -lt 1 ]; then
  sed -n '/^#   sweep/,/^# Exit/p' "$0" >&2
  exit 2
fi
build=$1 minutes=${2:-1000000}
scripts=$(cd "$(dirname "$0")" && pwd)
table=$scripts/../silicon_table.txt
work=$build/hw/sweep
mkdir -p "$work"
begin=$(date +%s)
awk -f "$scripts/sweep_points.awk" > "$work/points"
all=$(wc -l < "$work/points")
config_file() {
  printf '{"name": "%s", "batch": %s, "block": %s, "uop_kib": %s, "wgt_kib": %s, "inp_kib": %s, "acc_kib": %s, ' "$1" "$2" "$3" "$4" "$5" "$6" "$7"
  printf '"out_kib": %s, "prm_depth": %s, "bus_bits": %s, "queue_depth": %s, "token_depth": %s}\n' "$8" "$9" "${10}" "${11}" "${12}"
}
# Replaces the rows of configuration $1 by the file $2: the comments first, then the configurations by name.
put_rows() {
  {
    grep '^#' "$table"
    { grep '^config' "$table" | grep -v "^config $1 " || true; head -n 1 "$2"; } | sort | while read -r word name rest; do
      if [ "$name" = "$1" ]; then cat "$2"; else
        awk -v name="$name" '$1 == "config" { inside = $2 == name } inside && !/^#/' "$table"
      fi
    done
  } > "$table.new"
  mv "$table.new" "$table"
}
made=0 spent=0 missing=0 failed=0
while read -r name point; do
  config_file $name $point > "$work/$name.json"
  netlist=$("$scripts/synth.sh" -n "$build" "$work/$name.json" tsr_top xc7z020)
  key=${netlist##*-}
  key=${key%.json}
  if grep -q "^config $name .* key $key\$" "$table"; then continue; fi
  missing=$((missing + 1))
  start=$(date +%s)
  if [ $((start - begin)) -ge $((60 * minutes)) ]; then continue; fi
  kept=no
  if [ -f "$netlist" ]; then kept=yes; fi
  if ! "$scripts/synth.sh" "$build" "$work/$name.json" tsr_top xc7z020 > /dev/null; then
    echo "sweep.sh: $name cannot be synthesised: $(cat "$work/$name.json")" >&2
    failed=$((failed + 1))
    continue
  fi
  {
    set -- $point
    echo "config $name batch $1 block $2 uop_kib $3 wgt_kib $4 inp_kib $5 acc_kib $6 out_kib $7 prm_depth $8 bus_bits $9" \
      "queue_depth ${10} token_depth ${11} key $key"
    "$build/bin/netlist_report" rows "$netlist" 2 xc7,xcup
  } > "$work/rows"
  put_rows "$name" "$work/rows"
  if [ $kept = no ]; then rm "$netlist"; fi
  missing=$((missing - 1)) made=$((made + 1)) now=$(date +%s)
  spent=$((spent + now - start))
  echo "$name in $((now - start)) s: $(grep -c '^config' "$table") of $all in the table, $(((now - begin) / 60)) min"
done < "$work/points"
echo "made $made in $spent s; missing $missing of $all, $failed of them failed"
[ $missing -eq 0 ]
