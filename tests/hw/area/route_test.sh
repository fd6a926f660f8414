#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: hw/scripts/route.sh, pins.awk, route_report.awk and route_compare.awk with stand-ins for yosys, nextpnr and
# ecppack: the row and the worst path read from a log, every difference from the table, what it says of a part that is too
# small, of a seed that does not route, of one that takes too long and of bad use, that a routed seed is kept, and that every
# port goes through a flip-flop. Not tested here: the programs themselves (hw_route_tiny runs them).
#
#   route_test.sh HW_SCRIPTS
set -eu
scripts=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad() {
  echo "route_test: $1"
  [ ! -f "$work/said" ] || cat "$work/said"
  exit 1
}

# ---- pins.awk: of two inputs beside the clock and two outputs, with all their bits
cat > "$work/ports" <<'PORTS'
module toy
input [0:0] clk_i
input [2:0] a_i
output [1:0] y_o
input [0:0] b_i
output [0:0] z_o
PORTS
awk -v top=toy -v clock=clk_i -f "$scripts/pins.awk" "$work/ports" > "$work/pins.v"
for text in "reg [3:0] input_q;" "reg [2:0] output_q, fold_q;" ".clk_i(clk_i)" ".a_i(input_q[2:0])" ".b_i(input_q[3:3])" \
            ".y_o(output_w[1:0])" ".z_o(output_w[2:2])" "adds 10 FF and 3 LUT"; do
  grep -qF -- "$text" "$work/pins.v" || bad "pins.v has no '$text'"
done
cat > "$work/toy.v" <<'TOY'
module toy(input wire clk_i, input wire [2:0] a_i, output wire [1:0] y_o, input wire b_i, output reg z_o);
  assign y_o = a_i[1:0];
  always @(posedge clk_i) z_o <= a_i[2] ^ b_i;
endmodule
TOY
"${VERILATOR:-verilator}" --lint-only -Wall -Wno-DECLFILENAME -Wno-WIDTH "$work/pins.v" "$work/toy.v" --top-module pins \
  > "$work/said" 2>&1 || bad "Verilator does not read pins.v"
awk -v top=toy -v clock=ck -f "$scripts/pins.awk" "$work/ports" > "$work/said" 2>&1 && bad "pins.awk takes a clock that is no port"
grep -q "toy needs a clock ck" "$work/said" || bad "pins.awk does not name the clock"

# ---- stand-ins
mkdir -p "$work/build/bin" "$work/tools"
printf '#!/bin/sh\necho "package tsr_pkg; // $*"\n' > "$work/build/bin/isa_gen"
printf '#!/bin/sh\nif [ "$1" = key ]; then sha256sum < "$2"; exit; fi\n[ "$1 $3" = "worst ecp5" ] && [ -r "$2" ] && echo 16.00\n' > "$work/build/bin/netlist_report"
cat > "$work/tools/yosys" <<'YOSYS'
#!/bin/sh
case $1 in -V) echo "Yosys 0.70+0"; exit ;; esac
if grep -q portlist "$3"; then
  printf 'input [0:0] ap_clk\ninput [0:0] clk_i\ninput [2:0] a_i\noutput [1:0] y_o\n' > ports.txt
elif [ "$3" = key.ys ]; then
  cat ./*.sv > design.json
else
  grep -q "synth_ecp5 -top pins" "$3" && grep -q "u_top" pins.v && echo "{}" > netlist.json
fi
YOSYS
# The seed says what happens. The log is cut from nextpnr's.
cat > "$work/tools/nextpnr-ecp5" <<'NEXTPNR'
#!/bin/sh
case $1 in --version) echo '"nextpnr-ecp5" -- Next Generation Place and Route (Version nextpnr-0.99)' >&2; exit ;; esac
echo run >> runs
for word; do
  case $last in --seed) seed=$word ;; --textcfg) config=$word ;; --json) cat "$word" > /dev/null || exit 9 ;; esac
  last=$word
done
echo "$*" > "seed-$seed.words"
echo "Info: Packing constants.."
echo "Info: Device utilisation:"
blocks=73
[ "$seed" != 7 ] || blocks=209
printf 'Info: \t              DP16KD: %7d/    208    35%%\n' $blocks
printf 'Info: \t          MULT18X18D:      56/    156    35%%\n'
printf 'Info: \t          TRELLIS_FF:   22666/  83640    27%%\n'
printf 'Info: \t        TRELLIS_COMB:   28519/  83640    34%%\n\n'
if [ "$seed" = 7 ]; then echo "ERROR: Unable to place cell 'x', no BELs remaining to implement cell type 'DP16KD'" >&2; exit 125; fi
path() {
  cat <<PATH_REPORT
Info: Critical path report for clock '\$glbnet\$clk_i' (posedge -> posedge):
Info:       type curr  total name
Info:   clk-to-q  0.52  0.52 Source u_top.first.Q
Info:    routing  $1  1.50 Net u_top.one (1,2) -> (3,4)
Info:                         Sink u_top.lut.A
Info:      logic  0.20  1.70 Source u_top.lut.F
Info:    routing  0.00  1.70 Net u_top.carry (3,4) -> (3,4)
Info:                         Sink u_top.lut.CIN
Info:      logic  0.04  1.74 Source u_top.lut.COUT
Info:    routing  3.50  5.24 Net u_top.two (3,4) -> (9,9)
Info:                         Sink u_top.last.DI
Info:      setup  0.10  5.34 Source u_top.last.DI
Info: Critical path report for cross-domain path '<async>' -> 'posedge \$glbnet\$clk_i':
Info:       type curr  total name
Info:    routing  9.00  9.00 Net scan_i (1,2) -> (3,4)
Info:                         Sink u_top.other.DI
PATH_REPORT
}
path 5.00
echo "Info: Max frequency for clock '\$glbnet\$clk_i': 60.00 MHz (FAIL at 100.00 MHz)"
echo "Info: Routing 30412 arcs."
echo "Info:    IterCnt |  w/ripup   wo/ripup |  w/r  wo/r |      arcs| batch(sec) total(sec)|"
echo "Info:      10000 |       32       9967 |   32   967 |     20445|       0.4       4.4|"
[ "$seed" != 8 ] || { echo "ERROR: Routing failed" >&2; exit 1; }
[ "$seed" != 9 ] || exec sleep 100
echo "Info: Routing complete."
path 0.98
echo "Info: Max frequency for clock '\$glbnet\$clk_i': 7$seed.50 MHz (FAIL at 100.00 MHz)"
echo config > "$config"
NEXTPNR
printf '#!/bin/sh\n[ "$(cat "$1")" = config ] && echo bits > "$2"\n' > "$work/tools/ecppack"
printf '#!/bin/sh\n# The minute is a second.\nshift\nexec /usr/bin/timeout 1 "$@"\n' > "$work/tools/timeout"
chmod +x "$work/build/bin/"* "$work/tools/"*
export TESSERA_YOSYS="$work/tools/yosys" TESSERA_NEXTPNR="$work/tools/nextpnr-ecp5" TESSERA_ROUTED="$work/table"

# routes STATUS ARG ...: the exit status; what it says is in said
routes() {
  wanted=$1
  shift
  result=0
  "$scripts/route.sh" "$@" > "$work/said" 2>&1 || result=$?
  [ "$result" = "$wanted" ] || bad "route.sh $*: exit status $result, not $wanted"
}
says() {
  grep -qF -- "$1" "$work/said" || bad "route.sh does not say: $1"
}
row1="routed tessera tiny lfe5um5g-85f 28519 22666 56 73 71.5 62.5 nextpnr-0.99 1"
row2="routed tessera tiny lfe5um5g-85f 28519 22666 56 73 72.5 62.5 nextpnr-0.99 2"
printf '# a comment\n%s\n%s\n' "$row1" "$row2" > "$TESSERA_ROUTED"
routes 0 "$work/build" tiny 1 2
says "$row1"
says "$row2"
says "worst path 5.34 ns: clock to output 0.52, cells 0.24, 2 wires 4.48 (the longest 3.50, u_top.two), set-up 0.10"
says "from u_top.first.Q"
says "to   u_top.last.DI"
says "seed 1: 60.00 MHz"
says "seed 1: routes 30412 arcs"
says "seed 1: 20445 connections are left"
says "tessera of tiny, seed 2: LUT 28519, table 28519; FF 22666, table 22666; DSP 56, table 56; RAM 73, table 73; MHz 72.5, table 72.5; estimate 62.5, table 62.5"
says "routed 71.5 MHz, estimated before placement 62.5: -13 %"
out=$(echo "$work"/build/hw/routed/tessera-*-lfe5um5g-85f-*)
[ "$(cat "$out/seed-1.bit")" = bits ] || bad "there is no bitstream"
grep -q -- "--um5g-85k .*--speed 8 .*--placer heap --router router1" "$out/seed-1.words" || bad "nextpnr is called with $(cat "$out/seed-1.words")"
routes 0 "$work/build" tiny 1 2
[ "$(wc -l < "$out/runs")" = 2 ] || bad "what is routed is routed again"
routes 0 --part lfe5u-85f --no-compare "$work/build" tiny 1
grep -q -- "--85k .*--speed 6 " "$work"/build/hw/routed/tessera-*-lfe5u-85f-*/seed-1.words || bad "the part lfe5u-85f is not asked for"

# ---- the table
differs() {
  sed "$1" "$TESSERA_ROUTED" > "$work/table2"
  TESSERA_ROUTED=$work/table2 routes 1 "$work/build" tiny 1
  says "FAIL: $2"
}
differs 's/28519/27000/' "LUT of tessera of tiny, seed 1 went up from 27000 to 28519; find out why, or write: $row1"
differs 's/28519/30100/' "LUT of tessera of tiny, seed 1 went down from 30100 to 28519; write it down: $row1"
differs 's/ 73 / 69 /' "RAM of tessera of tiny, seed 1 went up from 69 to 73"
differs 's/71\.5/75.4/' "MHz of tessera of tiny, seed 1 went down from 75.4 to 71.5; find out why, or write: $row1"
differs 's/71\.5/68.0/' "MHz of tessera of tiny, seed 1 went up from 68.0 to 71.5; write it down: $row1"
differs 's/62\.5/66.0/' "estimate of tessera of tiny, seed 1 went down from 66.0 to 62.5; find out why, or write: $row1"
differs 's/0\.99/0.98/' "the row for tessera of tiny, seed 1 is of nextpnr-0.98, this is nextpnr-0.99"
differs '/ 1$/d' "no row for tessera of tiny, seed 1 on lfe5um5g-85f; if this is meant, add: $row1"
sed 's/28519/27300/' "$TESSERA_ROUTED" > "$work/table2"
TESSERA_ROUTED=$work/table2 routes 0 "$work/build" tiny 1

# ---- what does not route
routes 1 "$work/build" tiny 7 1
says "lfe5um5g-85f is too small for tessera of tiny: DP16KD: needs 209, there are 208, 1 too few"
! grep -q "$row1" "$work/said" || bad "it goes on with a part that is too small"
routes 1 "$work/build" tiny 8 1
says "seed 8 does not route: Routing failed; 20445 connections are left; log: $out/seed-8.log"
says "$row1"
PATH=$work/tools:$PATH routes 1 --minutes 1 "$work/build" tiny 9
says "seed 9 does not route in 1 minutes: 20445 connections are left"
printf '#!/bin/sh\necho no memory >&2\nexit 1\n' > "$work/tools/ecppack"
routes 1 "$work/build" tiny 3
says "seed 3: ecppack makes no bitstream: no memory"
[ ! -f "$out/seed-3.bit" ] || bad "a bitstream is left after a failure"

# ---- bad use
routes 2 "$work/build"
routes 2 "$work/build" tiny one
says "the seed 'one' is not a number from 1"
routes 2 --minutes 0 "$work/build" tiny
says "--minutes is '0', not a number from 1"
routes 2 --part xc7z020 "$work/build" tiny
says "xc7z020 is of family xc7; routed is for family ecp5 only"
routes 2 --part lfe5 "$work/build" tiny
says "hw/parts.txt has no part lfe5; of family ecp5 it has lfe5um5g-85f lfe5u-85f"
routes 2 --fast "$work/build" tiny
says "there is no option --fast"
routes 2 "$work/nothing" tiny
says "nothing has no bin/isa_gen"
routes 0 --help
says "route.sh [OPTION...] BUILD CONFIG [SEED...]"
