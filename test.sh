#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Sets the project up on Debian 12, builds everything, runs every test, and ends with a summary: how many tests ran, and
# each case that was skipped with its reason.
#
#   ./test.sh              all tests
#   ./test.sh -L fast      arguments go to ctest: here only tests with the label `fast`
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. scripts/setup.sh

tessera_setup
tessera_build
say "testing"
# All that CMake knows of have to be in the log of a full run. Asked first: -N begins a log of its own.
tests=$(ctest --test-dir "$TESSERA_BUILD" -N | awk '/^Total Tests:/ {print $3}')
status=0
ctest --test-dir "$TESSERA_BUILD" --output-on-failure --parallel "$(nproc)" "$@" || status=$?
log=$TESSERA_BUILD/Testing/Temporary/LastTest.log
summary=0
if [ $# -eq 0 ]; then
  scripts/test_summary.sh "$log" "$tests" || summary=$?
else
  scripts/test_summary.sh "$log" || summary=$?
fi
if [ "$status" != 0 ]; then
  say "tests failed: their names are in the list above, everything they printed is in $log."
  say "Next: ctest --test-dir $TESSERA_BUILD --rerun-failed --output-on-failure   runs only those;"
  say "      CONTRIBUTING.md, 'Where to start when something breaks', says where to look."
  exit "$status"
fi
exit "$summary"
