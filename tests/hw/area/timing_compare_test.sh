#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: hw/scripts/timing_compare.awk on a made-up table: which worst paths pass, which fail, and the reason
# in the message. Space: every failure. Not tested here: the estimate (tests/hw/netlist).
#
#   timing_compare_test.sh TIMING_COMPARE_AWK
set -eu
script=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/parts" <<'PARTS'
part p fast -1 1000 2000 20 10
for good p 100
for late p 100
for stale p 100
for other p 100
PARTS
cat > "$work/table" <<'TABLE'
# a comment
yosys 0.70
measured good  top 9.00
measured late  top 12.00 slow
measured stale top 10.00 slow
TABLE
variable=worst
. "$(dirname "$0")/expect.sh"
expect 0 - 0.70 good 9.00
expect 0 - 0.70 good 9.09
expect 0 - 0.70 good 8.91
expect 1 "went up from 9.00 to 9.10 ns" 0.70 good 9.10
expect 1 "went down from 9.00 to 8.90 ns; write it down: measured good top 8.90" 0.70 good 8.90
expect 1 "the worst path is 10.01 ns, 100 MHz need 10.00" 0.70 good 10.01
expect 0 - 0.70 late 12.00
expect 1 "went up from 12.00 to 12.20 ns; find out why, or write: measured late top 12.20  slow" 0.70 late 12.20
expect 1 "the clock is reached" 0.70 stale 10.00
expect 1 "no row for top of other; if this path is meant, add: measured other top 10.50  slow" 0.70 other 10.50
expect 1 "the table is for yosys 0.70, this is 0.71" 0.71 good 9.00
exit $status
