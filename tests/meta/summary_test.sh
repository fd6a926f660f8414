#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: scripts/test_summary.sh counts tests and cases, gives each skipped case its reason, and refuses a run
# with another number of tests than expected. Space: one log with each kind of line. Not tested here: that ctest writes
# such logs.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/log" <<'LOG'
1/3 Testing: a_test
1/3 Test: a_test
[==========] Running 3 tests from 2 test suites.
[ RUN      ] Net.Small
tests/a_test.cc:44: Skipped
2 models not found

[  SKIPPED ] Net.Small (0 ms)
[ RUN      ] Net.Bare
[  SKIPPED ] Net.Bare (0 ms)
[==========] 3 tests from 2 test suites ran. (3 ms total)
[  SKIPPED ] 2 tests, listed below:
[  SKIPPED ] Net.Small
[  SKIPPED ] Net.Bare
2/3 Test: b_test
[==========] 1 test from 1 test suite ran. (3 ms total)
3/3 Test: script
LOG
printf '3 tests, 4 cases, 2 skipped:\n  a_test Net.Small: 2 models not found\n  a_test Net.Bare: no reason given\n' > "$folder/want"
scripts/test_summary.sh "$folder/log" 3 > "$folder/got"
diff "$folder/want" "$folder/got"
status=0
scripts/test_summary.sh "$folder/log" 4 > "$folder/got" || status=$?
[ "$status" = 1 ] && grep -q 'a full run has 4 tests, this one has 3' "$folder/got"
status=0
scripts/test_summary.sh "$folder/none" 2> /dev/null || status=$?
[ "$status" = 2 ]
