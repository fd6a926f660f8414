#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Sets the project up on Debian 12, builds it, and runs every test.
#
#   ./test.sh              all tests
#   ./test.sh -L fast      arguments go to ctest: here only tests with the label `fast`
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. scripts/setup.sh

tessera_setup
tessera_build
say "testing"
exec ctest --test-dir "$TESSERA_BUILD" --output-on-failure --parallel "$(nproc)" "$@"
