#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Sets the project up on Debian 12, builds everything, runs every test, and prints a summary: how
# many tests ran, and each skipped case with its reason.
#
#   ./test.sh              all tests
#   ./test.sh -L fast      passes the arguments to ctest: here only tests with the label `fast`
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. scripts/setup.sh

tessera_setup
tessera_build
say "testing"
# A full run's log must have all tests that CMake knows. Asks first, because -N begins a log itself.
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
