#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: the commands that boards/scripts/*.tcl give Vivado for each board, against BOARD.golden; the scripts
# stop where something is missing or fails; build.sh with the recording interpreter in the tool's place, up to the
# description with the achieved clock. Not tested here, and not run: the tool.
#
#   build_test.sh BUILD WORK      BUILD: has bin/tessera and bin/isa_gen. TESSERA_GOLDEN_WRITE=1
#                                 writes the goldens anew
set -euo pipefail
build=$(realpath "$1") here=$(dirname "${BASH_SOURCE[0]}") work=$2
rm -rf "$work" && mkdir -p "$work"
work=$(realpath "$work")
unset TESSERA_BOARD_JOBS TESSERA_RECORD_FAIL
export TESSERA_RECORD_ANSWERS=$here/vivado.answers
fail() { echo "build_test: $*" >&2; exit 1; }
record() { tclsh hw/scripts/record.tcl "$here/vivado.commands" boards/scripts/build.tcl; }

# Makes the folder that build.sh makes, with the files that the tool would leave.
folder() {
  mkdir -p "$work/$1/rtl" "$work/$1/project/tessera.gen/sources_1/bd/tessera/hw_handoff"
  touch "$work/$1/rtl/tessera.v"
  "$build/bin/tessera" boards "$1" --print tcl > "$work/$1/board.tcl"
  echo '<EDKSYSTEM/>' > "$work/$1/project/tessera.gen/sources_1/bd/tessera/hw_handoff/tessera.hwh"
}
for name in pynq-z1 pynq-z2 ultra96; do
  folder $name
  TESSERA_BOARD_DIR=$work/$name record | sed "s|$work|WORK|g; s|@|ROOT|g" > "$work/$name.calls"
  sed -i "s|ROOT${work#"$PWD"}|WORK|g" "$work/$name.calls"
  [ -z "${TESSERA_GOLDEN_WRITE:-}" ] || cp "$work/$name.calls" "$here/$name.golden"
  diff "$here/$name.golden" "$work/$name.calls" || fail "$name gives other commands than $here/$name.golden"
done
grep -q '^clock_hz 142857132$' "$work/pynq-z1/build.txt" || fail "the achieved clock is not in build.txt"
diff - "$work/pynq-z1/routed.txt" <<< "routed pynq-z1 pynq xc7z020clg400-1 33210 28001 217 137.5 145.5 Vivado-2022.1"

# expect_stop WORDS SETTING...: the script stops with WORDS and writes no bitstream. with_answer puts an answer first.
export TESSERA_BOARD_DIR=$work/pynq-z1
expect_stop() {
  local words=$1; shift
  if (export "$@"; record) > "$work/calls" 2> "$work/said"; then fail "it went on: $*"; fi
  grep -q -- "$words" "$work/said" || { cat "$work/said" >&2; fail "of $* it does not say: $words"; }
  [ "$(wc -l < "$work/said")" = 1 ] || { cat "$work/said" >&2; fail "the stop of $* is not one line"; }
  if grep -q '^write_bitstream' "$work/calls" && [ "${1#TESSERA_RECORD_FAIL=write}" = "$1" ]; then
    fail "it writes a bitstream after: $words"
  fi
}
with_answer() {
  { printf '%s\n' "$2"; cat "$here/vivado.answers"; } > "$work/answers"
  expect_stop "$1" "TESSERA_RECORD_ANSWERS=$work/answers"
}
expect_stop "TESSERA_BOARD_DIR does not name" TESSERA_BOARD_DIR=
expect_stop "has no board.tcl; write it there: tessera boards" "TESSERA_BOARD_DIR=$work"
expect_stop "TESSERA_BOARD_JOBS is many" TESSERA_BOARD_JOBS=many
with_answer "Vivado 2022.1 has no part xc7z020clg400-1" '{get_parts *} {}'
with_answer "the IP catalogue has no processing_system7" '{get_ipdefs *:processing_system7:*} {}'
with_answer "the IP catalogue has no tessera" '{get_ipdefs *:tessera:*} {}'
with_answer "did not find interface m_axi_gmem" '{ipx::get_bus_interfaces -quiet m_axi*} {}'
with_answer "does not say its clock" '{get_property CONFIG.FREQ_HZ *} {}'
with_answer "synth_1 failed: synth_design ERROR; see .*/synth_1/runme.log" \
  '{get_property PROGRESS synth_1} 40% {get_property STATUS synth_1} {synth_design ERROR}'
with_answer "impl_1 failed: place_design ERROR" \
  '{get_property PROGRESS impl_1} 60% {get_property STATUS impl_1} {place_design ERROR}'
with_answer "timing failed: -0.750 ns at 142.857 MHz, 129.0.MHz would do; ask less" '{get_property SLACK setup_path} -0.750'
with_answer "timing failed: hold is -0.020 ns" '{get_property SLACK hold_path} -0.020'
with_answer "no timed path" '{get_property SLACK *} {}'
with_answer "has no row DSPs" $'{report_utilization -return_string} {\n| Slice LUTs | 1 |\n| Slice Registers | 2 |\n}'
for command in create_project ipx::package_project validate_bd_design launch_runs open_run write_bitstream; do
  expect_stop "$command failed" TESSERA_RECORD_FAIL=$command
done
rm "$work/pynq-z1/project/tessera.gen/sources_1/bd/tessera/hw_handoff/tessera.hwh"
if record > "$work/calls" 2> "$work/said"; then fail "it went on without a hand-off"; fi
grep -q "has no hw_handoff/tessera.hwh" "$work/said" || fail "no word of the hand-off"
# Missing board files do not stop the script.
folder pynq-z1
{ echo '{get_board_parts *} {}'; cat "$here/vivado.answers"; } > "$work/answers"
TESSERA_RECORD_ANSWERS=$work/answers record > "$work/calls"
grep -q 'board: board files pynq-z1 are not installed' "$work/calls" || fail "no word of board files"
if grep -q '^set_property board_part' "$work/calls"; then fail "it sets board files that are not there"; fi

# build.sh, with a program in the tool's place that records the calls and leaves the tool's files: a bitstream that
# configures nothing, and a hand-off file from our own writer.
cat > "$work/vivado" <<'END'
#!/usr/bin/env bash
set -euo pipefail
mkdir -p "$TESSERA_BOARD_DIR/project/tessera.gen/sources_1/bd/tessera/hw_handoff"
"$TESSERA_BUILD/bin/tessera" boards "$NAME" --print hwh \
  > "$TESSERA_BOARD_DIR/project/tessera.gen/sources_1/bd/tessera/hw_handoff/tessera.hwh"
tclsh hw/scripts/record.tcl "$HERE/vivado.commands" boards/scripts/build.tcl > "$TESSERA_BOARD_DIR/calls"
python3 - "$TESSERA_BOARD_DIR" <<'PYTHON'
import re, struct, sys
folder = sys.argv[1]
board = dict(re.findall(r"set board\((\w+)\) \{(.*)\}", open(folder + "/board.tcl").read()))
text = lambda letter, t: letter + struct.pack(">H", len(t) + 1) + t.encode() + b"\0"
stream = b"\xff" * 16 + bytes.fromhex("aa995566" "30018001" "23727093") + bytes(range(256)) * 8
open(folder + "/tessera.bit", "wb").write(
    bytes.fromhex("00090ff00ff00ff00ff0000001")
    + text(b"a", "tessera_wrapper;UserID=0X%s;Version=2022.1" % board["config_hash"][8:].upper())
    + text(b"b", "7z020clg400") + text(b"c", "2022/01/01") + text(b"d", "00:00:00")
    + b"e" + struct.pack(">I", len(stream)) + stream)
PYTHON
END
chmod +x "$work/vivado"
export TESSERA_BUILD=$build HERE=$here NAME=pynq-z1
run_build() { boards/scripts/build.sh pynq-z1 "$work/built" > "$work/said" 2>&1; }
TESSERA_VIVADO=$work/vivado run_build || { cat "$work/said" >&2; fail "build.sh failed"; }
grep -q "142.857 MHz, 0.125 ns to spare, by Vivado 2022.1" "$work/said" || { cat "$work/said" >&2; fail "no image"; }
grep -q '"clock_hz": 142857132' "$work/built/board.json" || fail "board.json has no achieved clock"
head -n 1 "$work/built/rtl/tessera.v" | grep -q TESSERA_AXI3 || fail "the port is not AXI3"
cmp "$work/built/rtl/tsr_pkg.sv" <("$build/bin/isa_gen" sv --config pynq) || fail "another configuration's package"
for file in $(sed -n 's|^[a-z].*/||p' hw/rtl/files.f); do
  [ -s "$work/built/rtl/$file" ] || fail "rtl/$file was not copied"
done
"$build/bin/tessera" flash "$work/built" --check --root "$work" > "$work/said" 2>&1 && fail "there is no board"
grep -q "verified for xc7z020clg400-1" "$work/said" || fail "flash does not take the build"
# build.sh stops with these words.
build_stops() {
  if run_build; then fail "build.sh went on: $1"; fi
  tail -n 1 "$work/said" | grep -q -- "$1" || { cat "$work/said" >&2; fail "build.sh does not say: $1"; }
}
TESSERA_VIVADO=no_vivado build_stops "no_vivado is not on PATH: source settings64.sh"
TESSERA_BUILD=$work build_stops "has no tessera and isa_gen: cmake --build"
TESSERA_VIVADO=$work/vivado TESSERA_RECORD_FAIL=open_run build_stops "vivado failed: its last lines say why"
[ ! -f "$work/built/tessera.bit" ] || fail "a bitstream of before is left after a failed build"
if TESSERA_VIVADO=$work/vivado boards/scripts/build.sh nosuch "$work/none" > "$work/said" 2>&1; then fail "it builds no board"; fi
grep -q "no board nosuch" "$work/said" || fail "no word of the board"

# The table of configurations on silicon accepts the row.
TESSERA_ROUTED=$work/pynq-z1/routed.txt hw/scripts/silicon.sh | grep -q \
  '^| `pynq`, routed for pynq-z1 by Vivado 2022.1 | xc7z020 | 33,210 of 53,200 .* | 145, routed | 150 |' ||
  fail "the row of a build is not in silicon.sh's table"
echo "the calls are those of the goldens: $(cat "$here"/*.golden | wc -l) in number"
