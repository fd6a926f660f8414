#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Reads the log of a ctest run and prints one line of totals, and a line for each case that was skipped, with its reason.
#
#   scripts/test_summary.sh LOG [EXPECTED]
#
#   LOG       build/Testing/Temporary/LastTest.log
#   EXPECTED  a file with two numbers, "N tests" and "N cases": what a full run must contain
#
# A test is one entry of ctest; a case is one TEST of a GoogleTest program. Exit status: 0, 1 the run does not contain what
# EXPECTED says, 2 bad use.
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
    if (expected == "") exit 0
    while ((getline line < expected) > 0) {
      if (line ~ /^#/) continue
      split(line, word, " ")
      want[word[2]] = word[1]
    }
    if (tests == want["tests"] && cases == want["cases"]) exit 0
    printf "%s: a full run has %d tests and %d cases, this one has %d and %d; when that is meant, write the new numbers there\n",
           expected, want["tests"], want["cases"], tests, cases
    exit 1
  }' "$1"
