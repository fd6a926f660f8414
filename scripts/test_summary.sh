#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Reads the log of a ctest run. Prints one line of totals, and a line with the reason for each
# skipped case.
#
#   scripts/test_summary.sh LOG [TESTS]
#
#   LOG    build/Testing/Temporary/LastTest.log
#   TESTS  how many tests a full run contains
#
# A test is one entry of ctest; a case is one TEST of a GoogleTest program. Exit status: 0, 1 the run has another number of
# tests, 2 bad use.
set -euo pipefail
[ $# -ge 1 ] && [ -r "$1" ] || { sed -n '/^#   scripts/,/^set/p' "$0" >&2; exit 2; }
awk -v expected="${2:-}" '
  BEGIN                                        { reason = "no reason given" }
  /^[0-9]+\/[0-9]+ Test: /                     { test = $3; ++tests }
  /^\[==========\] [0-9]+ tests? from .* ran\./ { cases += $2 }
  /: Skipped$/                                 { getline reason }
  /^\[  SKIPPED \] [^ ]+ \([0-9]+ ms\)$/       { skipped[++n] = test " " $4 ": " reason; reason = "no reason given" }
  END {
    printf "%d tests, %d cases, %d skipped%s\n", tests, cases, n, (n > 0 ? ":" : "")
    for (i = 1; i <= n; ++i) print "  " skipped[i]
    if (expected == "" || expected == tests) exit 0
    printf "a full run has %d tests, this one has %d\n", expected, tests
    exit 1
  }' "$1"
