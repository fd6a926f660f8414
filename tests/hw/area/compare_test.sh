#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: hw/scripts/area_compare.awk on a made-up table: which measurements pass, which fail, and that the
# message says why. Space: every failure, each resource over the part. Not tested here: the measurement (hw_area_tiny).
#
#   compare_test.sh AREA_COMPARE_AWK
set -eu
script=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/table" <<'TABLE'
# a comment
yosys 0.23
part p 1000 2000 20 10
measured small top 500 600 10 5
measured big   top 1500 600 10 5 over LUT
measured stale top 500 600 10 5 over LUT
TABLE
status=0
# expect STATUS "TEXT" YOSYS CONFIG "USED": the exit status, and what a FAIL line contains (- : no FAIL line)
expect() {
  result=0
  awk -v yosys="$3" -v config="$4" -v module=top -v used="$5" -f "$script" "$work/table" > "$work/out" || result=$?
  failures=$(grep '^FAIL' "$work/out" || true)
  bad=
  [ "$result" = "$1" ] || bad="exit status $result, not $1"
  if [ "$2" = - ]; then
    [ -z "$failures" ] || bad="$bad; failures"
  else
    echo "$failures" | grep -qF -- "$2" || bad="$bad; no failure with '$2'"
  fi
  if [ -n "$bad" ]; then
    echo "$4 with $5: $bad"
    cat "$work/out"
    status=1
  fi
}
expect 0 - 0.23 small "500 600 10 5"
expect 0 - 0.23 small "505 594 10 5"
expect 1 "LUT went up from 500 to 506" 0.23 small "506 600 10 5"
expect 1 "FF went up from 600 to 607" 0.23 small "500 607 10 5"
expect 1 "DSP went up from 10 to 11" 0.23 small "500 600 11 5"
expect 1 "BRAM36 went up from 5 to 5.5" 0.23 small "500 600 10 5.5"
expect 1 "LUT went down from 500 to 494; write it down: measured small top 494 600 10 5" 0.23 small "494 600 10 5"
expect 1 "LUT is 1001, p has 1000" 0.23 small "1001 600 10 5"
expect 1 "FF is 2001, p has 2000" 0.23 small "500 2001 10 5"
expect 1 "DSP is 21, p has 20" 0.23 small "500 600 21 5"
expect 1 "BRAM36 is 10.5, p has 10" 0.23 small "500 600 10 10.5"
expect 0 - 0.23 big "1500 600 10 5"
expect 1 "LUT went up from 1500 to 1516" 0.23 big "1516 600 10 5"
expect 1 "FF is 2001, p has 2000" 0.23 big "1500 2001 10 5"
expect 1 "LUT fits now" 0.23 stale "500 600 10 5"
expect 1 "no row for top of other; if this area is meant, add: measured other top 1 2 3 4" 0.23 other "1 2 3 4"
expect 1 "the table is for yosys 0.23, this is 0.70" 0.70 small "500 600 10 5"
exit $status
