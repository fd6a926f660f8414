#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: hw/scripts/sweep.sh with stand-ins for yosys, isa_gen and netlist_report, on three points of its own: the
# table that it makes, that it goes on where it stopped, keeps to its minutes, makes rows of other designs again, and passes
# over a point that yosys refuses. Then the real list of points: all are legal, and no two are equal. Not tested here: the
# rows (netlist_test), the netlists.
#
#   sweep_test.sh HW_SCRIPTS BUILD
set -eu
scripts=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad() {
  echo "sweep_test: $1"
  cat "$work/said"
  exit 1
}
mkdir -p "$work/tree/hw/scripts" "$work/build/bin" "$work/tools"
cp "$scripts/sweep.sh" "$scripts/synth.sh" "$work/tree/hw/scripts"
cp "$scripts/../parts.txt" "$work/tree/hw"
ln -s "$(cd "$scripts/../rtl" && pwd)" "$work/tree/hw/rtl"
ln -s "$(cd "$scripts/../../scripts" && pwd)" "$work/tree/scripts"
cat > "$work/tree/hw/scripts/sweep_points.awk" <<'POINTS'
BEGIN {
  print "b xc7 1 4 1 1 1 1 1 2 64 2 1 1 256 1 1"
  print "a xc7 2 8 2 2 2 2 2 4 128 4 3 2 0 2 0"
  print "a xcup 2 8 2 2 2 2 2 4 128 4 3 2 0 2 0"
}
POINTS
# The package is the configuration, and so is the design, so keys differ as configurations do.
printf '#!/bin/sh\ncat "$3"\n' > "$work/build/bin/isa_gen"
cat > "$work/build/bin/netlist_report" <<'REPORT'
#!/bin/sh
if [ "$1" = key ]; then sha256sum < "$2"; exit; fi
[ "$1 $3" = "rows 2" ] && [ -r "$2" ] && printf 'total 1 2 3 4\nns %s - 5.00\narea - 1 2\n' "$4"
REPORT
cat > "$work/tools/yosys" <<'YOSYS'
#!/bin/sh
case $1 in -V) echo "Yosys 0.70+0"; exit ;; esac
if [ -n "${UNMAPPED:-}" ] && [ "$3" = synth.ys ]; then echo "ERROR: no"; exit 1; fi
if [ -n "${REFUSES:-}" ] && grep -q "$REFUSES" tsr_pkg.sv; then echo "ERROR: no"; exit 1; fi
cp tsr_pkg.sv design.json
echo "{}" > netlist.json
YOSYS
chmod +x "$work/build/bin/"* "$work/tools/yosys"
printf '# a comment\n' > "$work/tree/hw/silicon_table.txt"
export TESSERA_YOSYS="$work/tools/yosys"
sweep() {
  status=0
  "$work/tree/hw/scripts/sweep.sh" "$work/build" "$@" > "$work/said" 2>&1 || status=$?
}
rows() { cut -d ' ' -f 1-6 "$work/tree/hw/silicon_table.txt" | tr '\n' '/'; }
rest="total 1 2 3 4/"
a="config a family xc7 batch 2/${rest}ns xc7,xcup - 5.00/area - 1 2/config a family xcup batch 2/${rest}ns xcup - 5.00/area - 1 2/"
b="config b family xc7 batch 1/${rest}ns xc7,xcup - 5.00/area - 1 2/"

sweep 0
[ $status -eq 1 ] || bad "an empty table misses nothing"
grep -q "missing 3 of 3" "$work/said" || bad "does not say what is missing"
REFUSES='"a"' sweep
[ $status -eq 1 ] || bad "a refused point is no failure"
grep -q "a cannot be elaborated for xc7z020: .*\"batch\": 2" "$work/said" || bad "does not name the refused point"
grep -q "made 1 in .* missing 2 of 3, 2 of them failed" "$work/said" || bad "does not count the refused points"
[ "$(rows)" = "# a comment/$b" ] || bad "other rows: $(rows)"
UNMAPPED=yes sweep
grep -q "a cannot be synthesised for xc7z020: .*\"batch\": 2" "$work/said" || bad "does not name what is not synthesised"
grep -q "made 0 in .* missing 2 of 3, 2 of them failed" "$work/said" || bad "does not count what is not synthesised"
sweep
[ $status -eq 0 ] || bad "the rest is not made"
grep -q "made 2 in" "$work/said" || bad "what was there is made again"
[ "$(rows)" = "# a comment/$a$b" ] || bad "other rows: $(rows)"
[ -z "$(ls "$work/build/hw/mapped/" | grep 'json$')" ] || bad "netlists are left"
sweep
grep -q "made 0 in" "$work/said" || bad "a whole table is made again"
sed -i 's/key [0-9a-f]*$/key 0123456789abcdef/' "$work/tree/hw/silicon_table.txt"
sweep 0
grep -q "missing 3 of 3" "$work/said" || bad "rows of other designs count"
sed -i '/^config a family xc7 /,/^area/d' "$work/tree/hw/silicon_table.txt"
sweep
[ "$(sed 's/ in .*//; 4d' "$work/said" | tr '\n' '/')" = "a for xc7/b for xc7/a for xcup/" ] || bad "missing rows are not made first"
[ "$(rows)" = "# a comment/$a$b" ] || bad "rows of other designs are not replaced: $(rows)"

awk -f "$scripts/sweep_points.awk" > "$work/points"
[ "$(wc -l < "$work/points")" -ge 60 ] || bad "fewer than 60 points"
[ -z "$(cut -d ' ' -f 2- "$work/points" | sort | uniq -d)" ] || bad "two points are equal"
while read -r name family batch block uop wgt inp acc out prm bus queue token lane_passes tab passes windows; do
  [ "$family" = xc7 ] || continue
  printf '{"batch": %s, "block": %s, "uop_kib": %s, "wgt_kib": %s, "inp_kib": %s, "acc_kib": %s, "out_kib": %s, "prm_depth": %s, ' \
    "$batch" "$block" "$uop" "$wgt" "$inp" "$acc" "$out" "$prm" > "$work/point.json"
  printf '"bus_bits": %s, "queue_depth": %s, "token_depth": %s, "vector_passes": %s, "tab_bytes": %s, "array_passes": %s, "depthwise": %s}' \
    "$bus" "$queue" "$token" "$lane_passes" "$tab" "$passes" "$windows" >> "$work/point.json"
  "$build/bin/isa_gen" sv --config "$work/point.json" > /dev/null 2> "$work/said" || bad "$name is not legal"
done < "$work/points"
echo "ok"
