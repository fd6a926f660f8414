#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: hw/scripts/area_compare.awk on a made-up table: which measurements pass, which fail, and the reason in
# the message. Space: every failure, each resource over the part. Not tested here: the measurement (tests/hw/netlist).
#
#   compare_test.sh AREA_COMPARE_AWK
set -eu
script=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/parts" <<'PARTS'
# a comment
part p fast -1 1000 2000 20 10
part q fast -1 9000 9000 90 90
for small p 100
for big p 100
for stale p 100
for other q 100
PARTS
cat > "$work/table" <<'TABLE'
# a comment
yosys 0.70
measured small top 400 100 600 10 5
measured big   top 1400 100 600 10 5 over LUT
measured stale top 400 100 600 10 5 over LUT
TABLE
variable=used
. "$(dirname "$0")/expect.sh"
expect 0 - 0.70 small "400 100 600 10 5"
expect 0 - 0.70 small "405 100 594 10 5"
expect 0 - 0.70 small "500 0 600 10 5"
expect 1 "LUT went up from 500 to 506" 0.70 small "406 100 600 10 5"
expect 1 "LUT went up from 500 to 506" 0.70 small "400 106 600 10 5"
expect 1 "FF went up from 600 to 607" 0.70 small "400 100 607 10 5"
expect 1 "DSP went up from 10 to 11" 0.70 small "400 100 600 11 5"
expect 1 "BRAM36 went up from 5 to 5.5" 0.70 small "400 100 600 10 5.5"
expect 1 "LUT went down from 500 to 494; write it down: measured small top 400 94 600 10 5" 0.70 small "400 94 600 10 5"
expect 1 "FF went down from 600 to 593" 0.70 small "400 100 593 10 5"
expect 1 "LUT is 1001, p has 1000" 0.70 small "901 100 600 10 5"
expect 1 "FF is 2001, p has 2000" 0.70 small "400 100 2001 10 5"
expect 1 "DSP is 21, p has 20" 0.70 small "400 100 600 21 5"
expect 1 "BRAM36 is 10.5, p has 10" 0.70 small "400 100 600 10 10.5"
expect 0 - 0.70 big "1400 100 600 10 5"
expect 1 "LUT went up from 1500 to 1516" 0.70 big "1416 100 600 10 5"
expect 1 "FF is 2001, p has 2000" 0.70 big "1400 100 2001 10 5"
expect 1 "LUT fits now" 0.70 stale "400 100 600 10 5"
expect 1 "no row for top of other; if this area is meant, add: measured other top 1 2 3 4 5" 0.70 other "1 2 3 4 5"
expect 1 "the table is for yosys 0.70, this is 0.71" 0.71 small "400 100 600 10 5"
exit $status
