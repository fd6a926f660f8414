#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Measures which lines of the RTL programs execute: makes a machine of configuration tiny that counts, and reports its counts.
# `tessera regress --coverage` runs both.
#
#   coverage.sh build BUILD    makes the machine in BUILD/coverage, if it is not there or older than what it is made from (two
#                              minutes of CPU time), and prints its name: a plugin for device rtl. A process that runs it leaves a
#                              file in the folder that TESSERA_COVERAGE names
#   coverage.sh report FOLDER  sums these files
#   example: hw/scripts/coverage.sh report build/coverage/data
#
# Lines are those of processes and functions that Verilator counts, in files below hw/rtl and in any instance; toggles those of
# signals of up to 4 bits. hw/coverage.txt lists the lines that nothing executes, with the reason.
# Exit status 0: at least 98 % of lines, every hole has a reason and every reason a hole; 1: not so; 2: bad use.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
usage() {
  sed -n '/^#   coverage/,/^# Exit/s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
# Whether file $1 exists, and every other file exists and is not newer.
fresh() {
  machine=$1
  shift
  [ -f "$machine" ] || return 1
  for source in "$@"; do
    [ -f "$source" ] && [ ! "$source" -nt "$machine" ] || return 1
  done
}
make_machine() {
  mkdir -p "$1/coverage"
  "$1/bin/isa_gen" sv --config tiny > "$1/coverage/tsr_pkg.sv.new"
  cmp -s "$1/coverage/tsr_pkg.sv.new" "$1/coverage/tsr_pkg.sv" || mv "$1/coverage/tsr_pkg.sv.new" "$1/coverage/tsr_pkg.sv"
  if fresh "$1/coverage/tiny.so" "$1/coverage/tsr_pkg.sv" $(sed 's/^[^:]*://' "$1/coverage/tiny.d" 2> /dev/null); then
    echo "$1/coverage/tiny.so"
    return
  fi
  # Without assertions: their failures are lines that must never execute.
  TESSERA_ASSERT=0 "$root/sim/rtl/build_machine.sh" "$root" "$1/coverage/tsr_pkg.sv" "$1/coverage/tiny" "$1/coverage/tiny.so" coverage
  echo "$1/coverage/tiny.so"
}
report() {
  ls "$1"/*.dat > /dev/null 2>&1 || { echo "coverage.sh: $1 has no data: run with TESSERA_COVERAGE=$1 on a machine of coverage.sh build" >&2; exit 2; }
  awk -v rtl="$root/hw/rtl/" -v holes="${TESSERA_HOLES:-$root/hw/coverage.txt}" -f "$root/hw/scripts/coverage.awk" "$1"/*.dat
}
[ $# -ge 1 ] || usage
case $1 in
  build) [ $# -eq 2 ] && [ -x "$2/bin/isa_gen" ] || usage
    make_machine "$(cd "$2" && pwd)" ;;
  report) [ $# -eq 2 ] && [ -d "$2" ] || usage
    report "$2" ;;
  *) usage ;;
esac
