#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes hw/silicon_table.txt, to which hw/predict fits area and clock: synthesises the configurations of sweep_points.awk and
# writes the rows of each (netlist_report rows) when it is done. Skips those whose rows are of this design and this yosys
# (synth.sh -n), so it may be stopped at any time and goes on where it was. Rows of another design are made again, after those
# that are missing: thirteen such rows had LUTs that were off by 0.4 % at most, and the same FF, DSP and BRAM. After it the
# errors are others:
# cmake --build BUILD -t regenerate_predicted, then hw/scripts/silicon.sh --write.
#
#   sweep.sh BUILD [MINUTES]    begins no synthesis after so many minutes; without MINUTES it does all. 0: only says what is missing,
#                               for which it elaborates each configuration of the table once
#
# Exit status 0: no row is missing; 1: some are, or yosys failed. CPU time: 80 seconds for an array of 1x4, 4 minutes for
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
awk -f "$scripts/sweep_points.awk" | awk '
  FILENAME == ARGV[1] { if ($1 == "config") there[$2 " " $4]; next }
  !(($1 " " $2) in there) { print; next }
  { older[++n] = $0 }
  END { for (i = 1; i <= n; i++) print older[i] }' "$table" - > "$work/points"
all=$(wc -l < "$work/points")
config_file() {
  printf '{"name": "%s", "batch": %s, "block": %s, "uop_kib": %s, "wgt_kib": %s, "inp_kib": %s, "acc_kib": %s, ' "$1" "$2" "$3" "$4" "$5" "$6" "$7"
  printf '"out_kib": %s, "prm_depth": %s, "bus_bits": %s, "queue_depth": %s, "token_depth": %s, ' "$8" "$9" "${10}" "${11}" "${12}"
  printf '"vector_passes": %s, "tab_bytes": %s, "array_passes": %s, "depthwise": %s}\n' "${13}" "${14}" "${15}" "${16}"
}
# A part of the family: it decides nothing else of the netlist.
part_of() {
  awk -v family="$1" '$1 == "part" && $3 == family { print $2; exit }' "$scripts/../parts.txt"
}
# Replaces the rows of configuration $1 and family $2 by the file $3: the comments first, then the configurations by name.
put_rows() {
  {
    grep '^#' "$table"
    awk -v name="$1" -v family="$2" '
      $1 == "config" { inside = $2 == name && $4 == family; block = $2 " " $4 }
      !inside && !/^#/ { print block " " NR, $0 }' "$table" > "$work/others"
    { cat "$work/others"; awk -v block="$1 $2" '{ print block " " NR, $0 }' "$3"; } |
      sort -s -k 1,1 -k 2,2 | cut -d ' ' -f 4-
  } > "$table.new"
  mv "$table.new" "$table"
}
made=0 spent=0 missing=0 failed=0
while read -r name family point; do
  start=$(date +%s)
  late=no
  if [ $((start - begin)) -ge $((60 * minutes)) ]; then late=yes; fi
  if [ $late = yes ] && ! grep -q "^config $name family $family " "$table"; then
    missing=$((missing + 1))
    continue
  fi
  config_file "$name" $point > "$work/$name.json"
  part=$(part_of "$family")
  if ! netlist=$("$scripts/synth.sh" -n "$build" "$work/$name.json" tsr_top "$part"); then
    echo "sweep.sh: $name cannot be elaborated for $part: $(cat "$work/$name.json")" >&2
    missing=$((missing + 1)) failed=$((failed + 1))
    continue
  fi
  key=${netlist##*-}
  key=${key%.json}
  if grep -q "^config $name family $family .* key $key\$" "$table"; then continue; fi
  missing=$((missing + 1))
  if [ $late = yes ]; then continue; fi
  kept=no
  if [ -f "$netlist" ]; then kept=yes; fi
  if ! "$scripts/synth.sh" "$build" "$work/$name.json" tsr_top "$part" > /dev/null; then
    echo "sweep.sh: $name cannot be synthesised for $part: $(cat "$work/$name.json")" >&2
    failed=$((failed + 1))
    continue
  fi
  {
    set -- $point
    echo "config $name family $family batch $1 block $2 uop_kib $3 wgt_kib $4 inp_kib $5 acc_kib $6 out_kib $7 prm_depth $8" \
      "bus_bits $9 queue_depth ${10} token_depth ${11} vector_passes ${12} tab_bytes ${13} array_passes ${14} depthwise ${15} key $key"
    if [ "$family" = xc7 ]; then families=xc7,xcup; else families=$family; fi
    "$build/bin/netlist_report" rows "$netlist" 2 "$families"
  } > "$work/rows"
  put_rows "$name" "$family" "$work/rows"
  if [ $kept = no ]; then rm "$netlist"; fi
  missing=$((missing - 1)) made=$((made + 1)) now=$(date +%s)
  spent=$((spent + now - start))
  echo "$name for $family in $((now - start)) s: $(grep -c '^config' "$table") of $all in the table, $(((now - begin) / 60)) min"
done < "$work/points"
echo "made $made in $spent s; missing $missing of $all, $failed of them failed"
[ $missing -eq 0 ]
