#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: the commands that hw/hls/run_hls.tcl gives a vendor's tool, against run_hls.golden; the script stops
# where something is missing or fails; the recording interpreter refuses commands that the tool does not have. Not
# tested here, and not run: the tool.
#
#   run_hls_test.sh WORK      TESSERA_GOLDEN_WRITE=1 writes the golden anew
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}") work=$1
rm -rf "$work" && mkdir -p "$work"
record() { tclsh hw/scripts/record.tcl "$here/run_hls.commands" "${script:-hw/hls/run_hls.tcl}"; }
export TESSERA_HLS_PART=xc7z020clg400-1 TESSERA_HLS_CASES="tests/sim/hls/run_hls.commands"
unset TESSERA_HLS_GEN TESSERA_HLS_PERIOD TESSERA_HLS_STEPS TESSERA_HLS_TOPS TESSERA_RECORD_FAIL

record > "$work/calls"
[ -z "${TESSERA_GOLDEN_WRITE:-}" ] || cp "$work/calls" "$here/run_hls.golden"
diff "$here/run_hls.golden" "$work/calls"
# Every file that the calls name exists.
grep -o '@/[^ {}]*\.cc' "$work/calls" | sort -u | while read -r file; do
  [ -f "${file/@/.}" ] || { echo "$file does not exist" >&2; exit 1; }
done

# expect_stop WORDS SETTING...: with these settings in the environment the script stops with WORDS.
expect_stop() {
  local words=$1; shift
  if (export "$@"; record) > "$work/calls" 2> "$work/said"; then echo "it went on: $*" >&2; exit 1; fi
  grep -q -- "$words" "$work/said" || { echo "of $* it said:" >&2; cat "$work/said" >&2; exit 1; }
}
expect_stop "does not name a part" TESSERA_HLS_PART=
expect_stop "has no tsr_hls_isa.h; write it there: isa_gen hls" TESSERA_HLS_GEN="$work"
expect_stop "TESSERA_HLS_PERIOD is fast" TESSERA_HLS_PERIOD=fast
expect_stop "TESSERA_HLS_STEPS names route" TESSERA_HLS_STEPS="csynth route"
expect_stop "TESSERA_HLS_TOPS names pool" TESSERA_HLS_TOPS=pool
expect_stop "need case files" TESSERA_HLS_CASES=
expect_stop "case none.case does not exist" TESSERA_HLS_CASES=none.case
expect_stop "cosim needs csynth" TESSERA_HLS_STEPS="csim cosim"
expect_stop "export needs csynth" TESSERA_HLS_STEPS=export
for command in csim_design csynth_design cosim_design; do
  expect_stop "$command failed" TESSERA_RECORD_FAIL=$command
  if grep -q export_design "$work/calls"; then echo "it exports after a failed $command" >&2; exit 1; fi
done

# A partial run: one top, two steps, without cases.
TESSERA_HLS_TOPS=store TESSERA_HLS_STEPS="csynth export" TESSERA_HLS_CASES="" record > "$work/calls"
[ "$(grep -c '^csynth_design' "$work/calls")" = 1 ] && grep -q '^set_top tsr_hls_store' "$work/calls"
if grep -q '^c.sim_design\|^csim' "$work/calls"; then echo "it simulates unasked" >&2; exit 1; fi

# expect_refused WORDS SCRIPT: the interpreter refuses SCRIPT with WORDS.
expect_refused() {
  printf '%s\n' "$2" > "$work/bad.tcl"
  if script=$work/bad.tcl record > "$work/calls" 2> "$work/said"; then echo "taken: $2" >&2; exit 1; fi
  grep -q -- "$1" "$work/said" || { echo "of $2 it said:" >&2; cat "$work/said" >&2; exit 1; }
}
expect_refused 'invalid command name "set_directive_pipeline"' 'set_directive_pipeline -II 1 gemm'
expect_refused "add_files has no option -tbench" 'add_files -tbench x.cc'
expect_refused "option -period without a value" 'create_clock -period'
expect_refused "set_part takes 1 to 1 words" 'set_part'
echo "the calls are those of the golden, and $(wc -l < "$here/run_hls.golden") in number"
