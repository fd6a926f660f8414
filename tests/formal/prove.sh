#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Proves properties of RTL modules with yosys-smtbmc and boolector: from reset for a number of cycles, then by
# k-induction without a bound. Every cover must be reached, and the proof must fail for each broken version of the
# module that its file names. Prints one line a proof.
#
#   prove.sh [-1] BUILD [NAME...]    BUILD: the build folder, with isa_gen in it; NAME: tests/formal/NAME.sv, else all of them;
#                                    -1: one broken version of each, another every day
#   example: tests/formal/prove.sh build fifo
#
# A proof is a module prove_NAME around an instance called dut. The instance's TSR_REQUIREs are taken as given, its TSR_ASSERTs
# are proven with those of the proof. Lines of its first comment:
#   sources: files below hw/rtl; pkg is what isa_gen prints for tiny
#   free: of those, modules whose outputs are anything
#   depth: cycles from reset; of induction; in which every cover is reached
#   breaks: a sed command for the sources
# Exit status 0: all hold; 1: one does not: the property, and where the logs are; 2: wrong use, or a tool is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rtl=$here/../../hw/rtl
day=
if [ "${1:-}" = -1 ]; then day=$(date +%j | sed 's/^0*//'); shift; fi
[ $# -ge 1 ] && [ -x "$1/bin/isa_gen" ] || { sed -n '/^#   prove.sh/,/^# Exit/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd) out=$(cd "$1" && pwd)/formal
shift
mkdir -p "$out/bin"
yosys=$("$here/../../scripts/pypi_tool.sh" "$build" yosys) || exit 2
boolector=$("$here/../../scripts/pypi_tool.sh" "$build" boolector) || exit 2
printf '#!/bin/sh\nexec "%s" "$@"\n' "$boolector" > "$out/bin/boolector"  # smtbmc knows it by this name
chmod +x "$out/bin/boolector"
PATH=$out/bin:$PATH
[ $# -gt 0 ] || set -- $(cd "$here" && ls ./*.sv | sed 's/^\.\///; s/\.sv$//')
"$build/bin/isa_gen" sv --config tiny > "$out/tsr_pkg.sv"

field() { sed -n "s/^\/\/ $2: //p" "$here/$1.sv"; }

# model NAME FOLDER: makes FOLDER/model.smt2 from the sources in FOLDER.
model() {
  if ! (cd "$2" && "$yosys" -q -l yosys.log -p "read_verilog -sv -formal -DFORMAL -I. $(tr '\n' ' ' < list) $1.sv; \
      hierarchy -check -top prove_$1; proc; $(field "$1" free | sed 's/[a-z_][a-z_]*/cutpoint *&*;/g') flatten; opt -fast; async2sync; chformal -lower; chformal -assert2assume c:dut.env_*; \
      select -assert-min 1 t:\$assert; memory -nomap -nordff; opt -fast; dffunmap; opt_clean; \
      write_smt2 -wires model.smt2" > /dev/null 2>&1); then
    echo "$1: yosys refuses it: $(tail -n 1 "$2/yosys.log"); log: $2/yosys.log" >&2
    exit 1
  fi
}
# smtbmc FOLDER LOG OPTION...
# One solver for all steps takes a third of the time of one each (--noincr) for covers, and three quarters to nine tenths
# from reset: each step asks little. An induction asks one hard question: there the solver may simplify more with --noincr.
smtbmc() {
  (cd "$1" && log=$2 && shift 2 && timeout 300 "$yosys-smtbmc" -s boolector "$@" model.smt2 > "$log" 2>&1)
}

failed=0
for name; do
  [ -f "$here/$name.sv" ] || { echo "prove.sh: there is no proof $name: see tests/formal" >&2; exit 2; }
  began=$(date +%s)
  dir=$out/$name
  rm -rf "$dir"
  mkdir "$dir"
  cp "$here/$name.sv" "$here"/*.svh "$rtl"/common/*.svh "$dir"
  for source in $(field "$name" sources); do
    case $source in
      pkg) cp "$out/tsr_pkg.sv" "$dir"; echo tsr_pkg.sv ;;
      *) cp "$rtl/$source" "$dir"; basename "$source" ;;
    esac
  done > "$dir/list"
  set -- $(field "$name" depth)
  base=$1 induction=$2 cover=$3
  model "$name" "$dir"
  if ! { smtbmc "$dir" base.log -t "$base" && smtbmc "$dir" induction.log --noincr -i -t "$induction" && smtbmc "$dir" cover.log -c -t "$cover"; }; then
    echo "$name: not proven: $(grep -ho "Assert failed.*\|Unreached.*" "$dir"/*.log | tr '\n' ';') logs: $dir" >&2
    failed=1
    continue
  fi
  field "$name" breaks > "$dir/breaks"
  all=$(wc -l < "$dir/breaks")
  number=0 tried=0
  while IFS= read -r command; do
    number=$((number + 1))
    bad=$dir/broken$number
    mkdir "$bad"
    cp "$dir"/*.sv "$dir"/*.svh "$dir/list" "$bad"
    (cd "$bad" && sed -i "$command" $(cat list))
    if (cd "$bad" && for f in $(cat list); do cmp -s "$f" "../$f" || exit 1; done); then
      echo "$name: this breaks nothing any more: $command" >&2
      failed=1
      continue
    fi
    if [ -n "$day" ] && [ $((day % all + 1)) != $number ]; then continue; fi
    tried=$((tried + 1))
    model "$name" "$bad"
    smtbmc "$bad" base.log -t "$base" && smtbmc "$bad" induction.log --noincr -i -t "$induction" || true
    grep -q "Assert failed" "$bad"/*.log || { echo "$name: does not fail for a broken module: $command; logs: $bad" >&2; failed=1; }
  done < "$dir/breaks"
  echo "$name: holds, by induction over $induction cycles; $(grep -c "Reached cover" "$dir/cover.log") covers reached;" \
    "$tried of $all broken modules tried; $(($(date +%s) - began)) s"
done
exit $failed
