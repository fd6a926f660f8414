#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A compiler launcher for targets that another compiler than CMake's compiles (cmake/verilate.cmake).
#
#   compile_with.sh COMPILER CMAKES_COMPILER [LAUNCHER ...] CMAKES_COMPILER ARG ...
#
# Exit status: the compiler's.
set -eu
with=$1 instead_of=$2
shift 2
for word do
  shift
  if [ "$word" = "$instead_of" ]; then word=$with; fi
  set -- "$@" "$word"
done
exec "$@"
