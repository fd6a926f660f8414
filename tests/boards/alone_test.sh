#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: build.sh for a board without a processor, with stand-ins for yosys, nextpnr and ecppack: the whole top is
# synthesised and routed with the board's pins for its part and clock, the bitstream says its configuration, the folder is one
# that `tessera flash` takes; a part that is too small, a clock that is not met, a top with other numbers than board.json and a
# bitstream of another configuration stop it in one line. Not tested here: the programs themselves.
#
#   alone_test.sh BUILD WORK      BUILD: has bin/tessera and bin/isa_gen
set -euo pipefail
build=$(realpath "$1") work=$2
rm -rf "$work" && mkdir -p "$work/build/bin" "$work/tools"
work=$(realpath "$work")
fail() { echo "alone_test: $*" >&2; cat "$work/said" >&2; exit 1; }
ln -s "$build/bin/tessera" "$build/bin/isa_gen" "$work/build/bin/"
printf '#!/bin/sh\necho 16.00\n' > "$work/build/bin/netlist_report"
cat > "$work/tools/yosys" <<'END'
#!/bin/sh
case $1 in -V) echo "Yosys 0.70+0"; exit ;; esac
[ "$3" != key.ys ] || { cat ./*.sv > design.json; exit; }
grep -q "synth_ecp5 -top ulx3s" "$3" && grep -q "tsr_serial_top" ulx3s.sv && [ -f tsr_top.sv ] && echo "{}" > netlist.json
END
cat > "$work/tools/nextpnr-ecp5" <<'END'
#!/bin/sh
case $1 in --version) echo '(Version nextpnr-0.99)' >&2; exit ;; esac
for word; do
  case $last in --textcfg) config=$word ;; --lpf) grep -q 'COMP "ftdi_txd" SITE "M1"' "$word" || exit 9 ;; esac
  last=$word
done
echo "$*" > words
blocks=202 mhz=62.50
[ "${CASE:-}" != small ] || blocks=209
[ "${CASE:-}" != slow ] || mhz=44.00
printf 'Info: \t DP16KD: %7d/ 208 35%%\nInfo: \t TRELLIS_FF: 22666/ 83640 27%%\n' $blocks
[ $blocks = 202 ] || { echo "ERROR: Unable to place" >&2; exit 125; }
echo "Info: Max frequency for clock 'clk': $mhz MHz"
[ $mhz = 62.50 ] || { echo "ERROR: Max frequency for clock 'clk': $mhz MHz (FAIL at 50.00 MHz)" >&2; exit 1; }
printf '.device LFE5U-85F\n\n.comment Part: LFE5U-85F-6CABGA381\n' > "$config"
END
# As ecppack: comments, preamble, the part's idcode.
cat > "$work/tools/ecppack" <<'END'
#!/bin/sh
[ "$1" = --compress ] && shift
{ printf '\377\000'
  sed -n 's/^\.comment //p' "$1" | tr '\n' '\000'
  printf '\377\377\377\275\263\377\377\377\377\073\000\000\000\342\000\000\000\101\021\060\103'
  head -c 64 /dev/zero; } > "$2"
END
chmod +x "$work/tools/"* "$work/build/bin/netlist_report"
export TESSERA_BUILD=$work/build TESSERA_YOSYS=$work/tools/yosys TESSERA_NEXTPNR=$work/tools/nextpnr-ecp5
built() { boards/scripts/build.sh ulx3s "$work/out" > "$work/said" 2>&1; }
stops() {  # WORDS: build.sh stops, and its last line has the words; no bitstream is left
  if built; then fail "it goes on: $1"; fi
  tail -n 1 "$work/said" | grep -qF -- "$1" || fail "it does not say: $1"
  [ ! -f "$work/out/tessera.bit" ] || fail "a bitstream is left after: $1"
}
CASE=small stops "lfe5u-85f is too small for ulx3s of tiny: DP16KD: needs 209, there are 208, 1 too few"
CASE=slow stops "44.00 MHz (FAIL at 50.00 MHz)"
built || fail "build.sh failed"
grep -q -- "--85k --package CABGA381 --speed 6 --freq 50 --lpf ulx3s.lpf " "$work"/build/hw/routed/ulx3s-*/words ||
  fail "nextpnr is called with $(cat "$work"/build/hw/routed/ulx3s-*/words)"
grep -q -- "--placer static" "$work"/build/hw/routed/ulx3s-*/words || fail "another placer than the one that routes this top"
grep -q "50.000 MHz, 4.000 ns to spare, by nextpnr-0.99" "$work/said" || fail "no image"
grep -q "^routed ulx3s tiny lfe5u-85f " "$work/out/routed.txt" || fail "no row for hw/routed.txt"
"$build/bin/tessera" flash "$work/out" --check > "$work/said" 2>&1 || fail "flash does not take the build"
built || fail "build.sh fails when all is kept"
# The bitstream of another configuration in its place.
hash=$("$build/bin/tessera" boards ulx3s --print tcl | sed -n 's/.*config_hash) {\(.*\)}/\1/p')
grep -aq "Tessera configuration $hash" "$work/out/tessera.bit" || fail "the bitstream does not say its configuration"
sed -i "s/Tessera configuration $hash/Tessera configuration 0123456789abcdef/" "$work/out/tessera.bit"
if "$build/bin/tessera" boards ulx3s --collect "$work/out" > "$work/said" 2>&1; then fail "it takes another configuration"; fi
grep -q "it holds configuration 0123456789abcdef, tiny of this tessera is $hash" "$work/said" || fail "it does not name both"
# The top has the numbers of board.json; if not, nothing is built.
mkdir -p "$work/boards/ulx3s"
sed 's/"baud": 2000000/"baud": 1000000/' boards/ulx3s/board.json > "$work/boards/ulx3s/board.json"
printf '#!/bin/sh\nexec %s/bin/tessera "$@" --boards %s/boards\n' "$build" "$work" > "$work/tessera"
chmod +x "$work/tessera" && ln -sf "$work/tessera" "$work/build/bin/tessera"
stops "boards/ulx3s/ulx3s.sv has another ClocksPerBit than board.json, which means 50"
echo "ok"
