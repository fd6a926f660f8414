#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Reads the log of a ctest run and prints one line of totals, and a line for each case that was skipped, with its reason.
#
#   scripts/test_summary.sh LOG [EXPECTED]
#
#   LOG       build/Testing/Temporary/LastTest.log
#   EXPECTED  a file with lines "N tests" and "N cases", one or both: what a full run must contain
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
    if (!("tests" in want)) {
      print expected ": no line \"N tests\""
      exit 1
    }
    got["tests"] = tests
    got["cases"] = cases
    for (what in want) {
      if (want[what] == got[what]) continue;
      printf "%s: a full run has %d %s, this one has %d; when that is meant, write the new number there\n",
             expected, want[what], what, got[what]
      bad = 1
    }
    exit bad
  }' "$1"
