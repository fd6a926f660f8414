#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Formats C++ sources by .clang-format.
#
#   scripts/format.sh           rewrites what differs
#   scripts/format.sh --check   changes nothing; names what differs and exits 1
#
# Other versions of clang-format break lines at other places: the tree uses Debian 12's, version 14.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
  "") mode=(-i) ;;
  --check) mode=(--dry-run --Werror --ferror-limit=1) ;;
  *) echo "usage: scripts/format.sh [--check]" >&2; exit 2 ;;
esac
formatter=$(command -v clang-format-14 || command -v clang-format) ||
  { echo "clang-format is missing: install the package clang-format" >&2; exit 2; }
"$formatter" --version | grep -q 'version 14\.' ||
  { echo "$("$formatter" --version): the tree is laid out by version 14; install clang-format-14" >&2; exit 2; }
find base isa hw sim jit compiler runtime cluster explore tools provider models bench tests -name '.*' -prune -o \
  \( -name '*.cc' -o -name '*.h' \) -print0 |
  xargs -0 -n 64 -P "$(nproc)" "$formatter" "${mode[@]}" ||
  { echo "run scripts/format.sh" >&2; exit 1; }
