#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds what ./run.sh needs, then everything, from nothing and without ccache, and prints the CPU
# seconds (user and system) of the jobs: compilers, linkers, Verilator and makers of files.
#
#   scripts/build_seconds.sh FOLDER [JOBS]
#
#   FOLDER  a build folder that does not exist yet
#   JOBS    jobs at a time (1); the seconds of more jobs than idle cores are longer
#
# Environment: TESSERA_PRESET (release), as in scripts/setup.sh
# Exit status 0: built; 2: bad use; else CMake's.
#
# CMake puts `build_seconds.sh --job LOG NAME` in front of each job (cmake/build_seconds.cmake).
set -euo pipefail
if [ "${1:-}" = --job ]; then
  log=$2 name=$3
  shift 3
  # A job of a job, say a compiler that build_machine.sh starts, counts as part of it.
  [ -z "${TESSERA_IN_JOB:-}" ] || exec "$@"
  export TESSERA_IN_JOB=1
  TIMEFORMAT="%U %S $name"
  exec 3>&2
  { time "$@" 2>&3; } 2>> "$log"
  exit
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [ $# -lt 1 ] || [ $# -gt 2 ] || [ -e "$1" ]; then
  sed -n '/^#   scripts/,/^# Exit/p' "$0" >&2
  exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
export CCACHE_DISABLE=1 TESSERA_JOBS=${2:-1} TESSERA_BUILD_SECONDS=$folder/seconds.log
: > "$TESSERA_BUILD_SECONDS"

# The seconds so far: of each folder of objects, of links and of other commands.
print_seconds() {
  awk -v title="$1" '
    {
      what = $3
      if (what ~ /\/CMakeFiles\//) sub(/\/CMakeFiles\/.*/, "", what)
      sum[what] += $1 + $2
      all += $1 + $2
    }
    END {
      printf "%8.1f  %s\n", all, title
      for (what in sum) if (sum[what] >= 1) printf "%8.1f    %s\n", sum[what], what | "sort -rn"
    }' "$TESSERA_BUILD_SECONDS"
}
cmake -S "$root" --preset "${TESSERA_PRESET:-release}" -B "$folder" \
      -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES="$root/cmake/build_seconds.cmake" > "$folder/configure.log"
cmake --build "$folder" --target tessera -- -j "$TESSERA_JOBS" > "$folder/build.log"
print_seconds "for ./run.sh"
cmake --build "$folder" -- -j "$TESSERA_JOBS" >> "$folder/build.log"
print_seconds "for everything"
