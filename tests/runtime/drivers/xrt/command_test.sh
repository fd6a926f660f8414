#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: the command on an emulated card: the Fashion-MNIST network, every value of every layer equal to the
# host's, in as many cycles as on rtl; the lines that it says where there is no card and no XRT; and that nothing is left, no
# process, socket or folder, when the host is killed, when the model of the card is, and when the launcher is ended.
# Space: two images; kills in the middle of a run. Not tested here: values beside this network (tests/cts), a real card.
#   command_test.sh TESSERA EMULATION
set -uo pipefail
tessera=$1
export TESSERA_XRT_EMULATION=$2
emulated=sim/xrt/emulated.sh
model=models/fashion/fashion_int8.onnx
images=/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz
work=$(mktemp -d)
launcher=""
trap 'rm -rf "$work"; [ -z "$launcher" ] || kill "$launcher" 2>/dev/null' EXIT
fail() { echo "FAILED: $*"; [ ! -s "$work/out" ] || cat "$work/out"; exit 1; }

# expect CODE "LINE" COMMAND...: the command ends with CODE and prints LINE alone.
expect() {
  local code=$1 line=$2 said
  shift 2
  said=$("$@" 2>&1 </dev/null)
  local got=$?
  [ "$got" = "$code" ] || fail "exit code $got, wanted $code: $*: $said"
  [ "$said" = "tessera: $line" ] || fail "$* says
  $said
wanted
  tessera: $line"
}

# 1. The network.
"$emulated" "$tessera" compare "$model" --devices cpu,rtl,xrt --input "$images" --first 2 --json "$work/c.json" >"$work/out" 2>&1 ||
  fail "compare on cpu, rtl and xrt"
grep -q '^ok: all .* compared values are equal on cpu, rtl, xrt$' "$work/out" || fail "compare does not say that all values are equal"
# As README and docs/xrt.md have it: the model's two programs, one card, which is opened once.
"$emulated" "$tessera" compare "$model" --devices cpu,xrt --input "$images" --first 1 >"$work/out" 2>&1 || fail "compare on cpu and xrt"
for line in '^ok: all 66,744 compared values are equal on cpu, xrt$' '^Not seen: the cycles of a layer on xrt; this machine shows'; do
  grep -q "$line" "$work/out" || fail "compare on cpu and xrt does not say: $line"
done
"$emulated" "$tessera" run "$model" --device xrt:2 --input "$images" --first 2 >"$work/out" 2>&1 || fail "run"
cycles=$(sed -n 's/^cycles an inference: \([0-9,]*\) .*/\1/p' "$work/out")
"$tessera" run "$model" --device rtl --input "$images" --first 2 >"$work/out" 2>&1 || fail "run on rtl"
[ -n "$cycles" ] && grep -q "^cycles an inference: $cycles " "$work/out" || fail "xrt takes '$cycles' cycles an inference, rtl other"

# 2. No card.
plain=(env -u XILINX_XRT -u XCL_EMULATION_MODE "TESSERA_XCLBIN=$TESSERA_XRT_EMULATION")
run=("$tessera" run "$model" --input "$images" --first 1)
hint="'xbutil examine' lists the cards, and XRT's setup.sh sets XILINX_XRT"
expect 2 "xrt: card 0: opening it: XRT says: XILINX_XRT not set; $hint" "${plain[@]}" "${run[@]}" --device xrt
expect 2 "xrt: card 7: opening it: XRT says: Could not open device with index '7'; $hint" \
  "${plain[@]}" "XILINX_XRT=$TESSERA_XRT_EMULATION" "${run[@]}" --device xrt:7
expect 2 "xrt: no xclbin is named: say --device xrt:xclbin=FILE, or set TESSERA_XCLBIN to a file or to a folder with default.xclbin" \
  env -u TESSERA_XCLBIN "${run[@]}" --device xrt
expect 2 "device xrt: '1' is option index, which is there twice" "${run[@]}" --device xrt:1,index=2

# 3. Kills. begin: a long run, until its model of a card works. Sets launcher, host and card (process ids).
stat_of() { { read -r line <"$1/stat"; } 2>/dev/null && rest=${line##*) }; }  # rest: state, parent, ...
child_of() { local f line rest; for f in /proc/[0-9]*; do stat_of "$f" && [[ $rest == [!Z]" $1 "* ]] && echo "${f#/proc/}"; done; }
gone() { local line rest; ! stat_of "/proc/$1" || [[ $rest == Z* ]]; }
begin() {
  "$emulated" "$tessera" run "$model" --device xrt --input "$images" --first 5000 >"$work/out" 2>&1 &
  launcher=$!
  disown  # no message when it ends
  local i
  for i in $(seq 600); do
    host=$(child_of "$launcher" | head -n 1)
    card=$([ -z "$host" ] || child_of "$host" | head -n 1)
    # The card runs: the folder of the first load exists, and the socket has been removed.
    [ -n "$card" ] && [ "$(cat "/proc/$card/comm" 2>/dev/null)" = genericpciemode ] &&
      [ -d "$TESSERA_XRT_EMULATION/.run/$host/sw_emu/device0/binary_0" ] && [ ! -e "/tmp/tessera-xrt-$launcher" ] && return
    sleep 0.05
  done
  fail "the model of the card did not start"
}
ended() {
  local i
  for i in $(seq 600); do
    if gone "$launcher" && gone "$host" && gone "$card" && [ ! -e "$TESSERA_XRT_EMULATION/.run/$host" ]; then
      [ ! -e "/tmp/tessera-xrt-$launcher" ] || fail "$1: the socket's folder is left"
      launcher=""
      return
    fi
    sleep 0.05
  done
  gone "$launcher" || fail "$1: the launcher is left"
  gone "$host" || fail "$1: the host is left"
  gone "$card" || fail "$1: the model of the card is left"
  fail "$1: $(find "$TESSERA_XRT_EMULATION/.run/$host") is left"
}
begin; sleep 0.3; kill -KILL "$host"; ended "host killed"
begin; sleep 0.3; kill -KILL "$card"; ended "card killed"
begin; sleep 0.3; kill -TERM "$launcher"; ended "launcher ended"
begin; kill -KILL "$launcher"; kill -KILL "$host"; ended "launcher and host killed"
echo "ok: equal values, $cycles cycles; nothing left after 4 kills"
