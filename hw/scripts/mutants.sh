#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks that `tessera regress` finds a wrong machine. For each mutant of hw/mutants.txt, verilates the RTL with that one line
# changed for `tiny` and compares it with func. The table names what caught each mutant; a mutant that nothing catches fails.
#
#   mutants.sh --check            every mutant applies: its line stands exactly once in its file
#   mutants.sh BUILD [NUMBER...]  all mutants, or those; BUILD is a build folder with bin/tessera
#
# Environment: TESSERA_MUTANT_BUDGET (time for each, 60s), TESSERA_MUTANT_OUT (a file that gets the table too), and those of
# sim/rtl/build_machine.sh
# Exit status 0: all were caught, or apply; 1: some not; 2: bad use; 3: a mutant could not be built.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
list=$root/hw/mutants.txt
usage() {
  sed -n '/^#   mutants/,/^set/p' "$0" | sed '$d' >&2
  exit 2
}
[ $# -ge 1 ] || usage

# Reads mutant $1 into unit, file, from and to; false if a part of it is missing.
read_mutant() {
  unit=$(block "$1" unit) file=$(block "$1" file) from=$(block "$1" -) to=$(block "$1" +)
  [ -n "$unit" ] && [ -n "$file" ] && [ -n "$from" ] && [ -n "$to" ]
}
block() {
  awk -v wanted="$1" -v key="$2" '$1 == "unit" { n++ } n == wanted && $1 == key { sub(/^[^ ]+ /, ""); print; exit }' "$list"
}
count=$(grep -c '^unit ' "$list")
# Prints $root's file with the line changed; false if the line does not occur exactly once.
mutate() {
  FROM=$from TO=$to awk '{ line = $0; sub(/^ +/, "", line) }
    line == ENVIRON["FROM"] { found++; match($0, /^ */); $0 = substr($0, 1, RLENGTH) ENVIRON["TO"] }
    { print } END { exit found != 1 }' "$root/hw/rtl/$file"
}

if [ "$1" = --check ]; then
  [ $# -eq 1 ] || usage
  bad=0
  for ((n = 1; n <= count; n++)); do
    read_mutant "$n" || { echo "mutant $n of hw/mutants.txt lacks a line: unit, file, - or +"; bad=1; continue; }
    [ -f "$root/hw/rtl/$file" ] || { echo "mutant $n ($unit): there is no hw/rtl/$file"; bad=1; continue; }
    [ "$from" != "$to" ] || { echo "mutant $n ($unit): changes nothing"; bad=1; continue; }
    mutate > /dev/null || { echo "mutant $n ($unit): not exactly once in hw/rtl/$file: $from"; bad=1; }
  done
  units=$(sed -n 's/^unit //p' "$list" | sort -u | wc -l)
  echo "$count mutants of $units units"
  exit $bad
fi

build=$1
shift
command=$build/bin/tessera
[ -x "$command" ] || { echo "$command: not found; build the project first" >&2; exit 2; }
package=$build/rtl/tiny/tsr_pkg.sv
[ -f "$package" ] || { echo "$package: not found; build target rtl_plugin_tiny first" >&2; exit 2; }
if [ $# -gt 0 ]; then numbers=("$@"); else mapfile -t numbers < <(seq "$count"); fi

export TESSERA_OPTIMISE=${TESSERA_OPTIMISE:--O0}  # each machine runs some programs only
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree"
for folder in base isa runtime sim; do ln -s "$root/$folder" "$work/tree/$folder"; done
out=${TESSERA_MUTANT_OUT:-/dev/null}
: > "$out"
say() { printf '%s\n' "$*" | tee -a "$out"; }
status=0 caught=0
for n in "${numbers[@]}"; do
  read_mutant "$n" || { echo "mutant $n: hw/mutants.txt has $count" >&2; exit 2; }
  rm -rf "$work/tree/hw" "$work/corpus"
  cp -r "$root/hw" "$work/tree/hw"
  mutate > "$work/tree/hw/rtl/$file" || { echo "mutant $n ($unit) does not apply: mutants.sh --check" >&2; exit 3; }
  "$work/tree/sim/rtl/build_machine.sh" "$work/tree" "$package" "$work/machine" "$work/machine.so" none ||
    { echo "mutant $n ($unit, $file) cannot be verilated: $to" >&2; exit 3; }
  code=0
  TESSERA_DUMP_DIR= "$command" regress --devices "func,rtl:machine=$work/machine.so" --config tiny --suite corpus,random \
    --budget "${TESSERA_MUTANT_BUDGET:-60s}" --findings 1 --no-shrink > "$work/page" 2>&1 || code=$?
  case $code in
    1) caught=$((caught + 1))
       say "$n $unit $file: caught by $(sed -n '/^What differed:/{n;s/:$//;h;n;s/^ */: /;H;x;s/\n//;s/\(.\{200\}\).*/\1.../;p}' "$work/page")" ;;
    0) say "$n $unit $file: NOT CAUGHT: $to"
       status=1 ;;
    *) say "$n $unit $file: tessera regress ended with $code: $(tail -n 1 "$work/page")"
       status=1 ;;
  esac
done
say "$caught of ${#numbers[@]} mutants caught"
exit $status
