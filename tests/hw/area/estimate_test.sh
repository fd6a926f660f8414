#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: hw/scripts/estimate.sh with stand-ins for yosys and netlist_report: the designs and the medians of their
# seeds that it gives to the fit, the comparison with the line `error` in both directions, and what --write writes.
# Not tested here: the fit itself (netlist_test), and how large the error is (hw_estimate).
#
#   estimate_test.sh HW_SCRIPTS
set -eu
scripts=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad() {
  echo "estimate_test: $1"
  cat "$work/said"
  exit 1
}
mkdir -p "$work/build/bin" "$work/tools"
printf '#!/bin/sh\necho "package tsr_pkg; // $*"\n' > "$work/build/bin/isa_gen"
cat > "$work/build/bin/netlist_report" <<REPORT
#!/bin/sh
case \$1 in
  worst) echo 8.00 ;;
  fit) sed 's| [^ ]*/mapped/| |; s|-[0-9a-f]*\.json||' "\$2" > "$work/list"; cat "$work/answer" ;;
esac
REPORT
cat > "$work/tools/yosys" <<'YOSYS'
#!/bin/sh
case $1 in -V) echo "Yosys 0.70+0"; exit ;; esac
if grep -q portlist "$3"; then
  printf 'input [0:0] ap_clk\ninput [0:0] clk_i\ninput [2:0] a_i\noutput [1:0] y_o\n' > ports.txt
else
  echo "{}" > netlist.json
fi
YOSYS
chmod +x "$work/build/bin/"* "$work/tools/yosys"
# Four seeds of one design, one of another, and a row of a board.
cat > "$work/table" <<'TABLE'
# comment
error 2 5 9 20 40
routed pynq-z1 pynq xc7z020 1 2 3 4 120.0 Vivado
routed tsr_gate tiny lfe5um5g-85f 1 2 0 0 130.0 111.0 nextpnr-0.11.1 1
routed tsr_gate tiny lfe5um5g-85f 1 2 0 0 100.0 111.0 nextpnr-0.11.1 2
routed tsr_gate tiny lfe5um5g-85f 1 2 0 0 120.0 111.0 nextpnr-0.11.1 3
routed tsr_gate tiny lfe5um5g-85f 1 2 0 0 90.0 111.0 nextpnr-0.11.1 4
routed tessera tiny lfe5um5g-85f 10 20 3 4 99.5 111.0 nextpnr-0.11.1 1
TABLE
estimate() {
  TESSERA_YOSYS=$work/tools/yosys TESSERA_ROUTED=$work/table "$scripts/estimate.sh" "$work/build" "$@" > "$work/said" 2>&1
}
echo "error 2 5 9 22 38" > "$work/answer"
estimate || bad "within 2 per cent of the line, and refused"
printf '%s\n' "tsr_gate-tiny 110 tsr_gate" "tessera-tiny 99.5 tessera" | diff - "$work/list" > "$work/said" 2>&1 ||
  bad "the fit got other designs"
for answer in "error 2 5 9 23 40" "error 2 5 9 17 40" "error 2 5 12 20 40" "error 3 5 9 20 40"; do
  echo "$answer" > "$work/answer"
  if estimate; then bad "takes '$answer' for 'error 2 5 9 20 40'"; fi
  grep -q "FAIL: .*'error 2 5 9 20 40'.*--write" "$work/said" || bad "does not say what the table has"
done
estimate --write || bad "does not write"
grep -qx "error 3 5 9 20 40" "$work/table" || bad "the line is not written"
[ "$(grep -c "125.0  nextpnr-0.11.1" "$work/table")" = 5 ] || bad "not five rows have the new estimate"
grep -q "^routed pynq-z1 pynq xc7z020 1 2 3 4 120.0 Vivado$" "$work/table" || bad "the row of a board has changed"
estimate || bad "does not take what it wrote"
echo "estimate_test: passed"
