#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The one way to run Verilator on this RTL: the models of unit tests (cmake/verilate.cmake), whole machines
# (sim/rtl/build_machine.sh) and lint (lint.sh) call it. hw/rtl/files.f says where modules lie.
#
#   verilate.sh lint PACKAGE TOP [ARG ...]                checks only, warnings are errors
#   verilate.sh model PACKAGE TOP PREFIX DIR [ARG ...]    C++ of module TOP into DIR
#
#   PACKAGE  tsr_pkg.sv of the configuration
#   TOP      a module of hw/rtl, or of a file among ARG
#   PREFIX   name of the C++ class and start of the files' names
#   DIR      gets the C++ files. fast.cc and slow.cc in it include every other; slow.cc has what runs once or
#            never. Files whose text stays the same keep their time, and the two change with any of them.
#            sources.d in it lists, as make reads it, what fast.cc was made from
#   ARG      files or options for Verilator
# Environment: VERILATOR (the program), TESSERA_ASSERT (0: leave the RTL's assertions out)
# Exit status 0: done; 2: bad use; else Verilator's.
set -eu
usage() {
  sed -n '/^#   verilate/,/^set/p' "$0" >&2
  exit 2
}
[ $# -ge 3 ] || usage
mode=$1 package=$2 top=$3
shift 3
verilator=${VERILATOR:-verilator}
rtl=$(cd "$(dirname "$0")/../rtl" && pwd)
. "$rtl/sources.sh"
assert=--assert
if [ "${TESSERA_ASSERT:-1}" = 0 ]; then assert=; fi

run() {
  "$verilator" -Wall --no-timing $assert --top-module "$top" $(rtl_folders | sed 's/^/-I/') \
    "$package" $(rtl_packages) "$@"
}

# If no file among ARG has the module, Verilator looks it up by name.
top_file() {
  for argument in "$@"; do
    case $argument in "$top.sv"|*/"$top".sv|*/"$top".v) return ;; esac
  done
  echo "$top.sv"
}
if [ "$mode" = lint ]; then
  run --lint-only "$@" $(top_file "$@")
  exit
fi
[ "$mode" = model ] && [ $# -ge 2 ] || usage
prefix=$1 dir=$2
shift 2

new=$dir.new
rm -rf "$new"
mkdir -p "$dir" "$new"
# Loops over the words of a wide sampled value lose their counter's declaration in Verilator 5.006.
run --cc --prefix "$prefix" --Mdir "$new" -O3 -fno-reloop --x-assign fast --x-initial fast \
  --output-split 30000 --output-split-cfuncs 3000 "$@" $(top_file "$@")

# Verilator's code tests whether assertions are on, then the condition, then, for a message, again whether they are on, and
# marks the failure as likely. This loop puts the condition first and marks its failure as unlikely. The code of a cycle comes
# from the second-level cache, so its size decides its time. Code of another form stays as it is.
for file in $(grep -l 'assertOn()' "$new/$prefix"*.cpp); do
  awk '
    part == 0 && /^ *if \(vlSymsp->_vm_contextp__->assertOn\(\)\) \{$/ { part = 1; on = $0; held = ""; next }
    part == 1 {
      sub(/VL_LIKELY/, "VL_UNLIKELY")
      held = held $0 "\n"
      if (/\{$/) part = 2
      next
    }
    part == 2 {
      if (/assertOn\(\)/) sub(/if .*/, "{", on)
      printf "%s\n%s", on, held
      part = 0
    }
    { print }' "$file" > "$new/asserts"
  mv "$new/asserts" "$file"
done
for kind in fast slow; do
  for file in "$new/$prefix"*.cpp; do
    name=$(basename "$file")
    case $name in *__Slow*|*__Syms*) is=slow ;; *) is=fast ;; esac
    if [ $is = $kind ]; then echo "#include \"$name\""; fi
  done > "$new/$kind.includes"
done
text=$(cat "$new/$prefix"*.cpp "$new/$prefix"*.h | cksum)
for kind in fast slow; do
  { echo "// text of all files: $text"; cat "$new/$kind.includes"; } > "$new/$kind.cc"
done
{
  printf '%s: %s %s ' "$dir/fast.cc" "$rtl/files.f" "$rtl/sources.sh"
  sed 's/^[^:]*: *//' "$new/${prefix}__ver.d" | tr ' ' '\n' | grep '\.svh\?$' | sort -u | tr '\n' ' '
  echo
} > "$new/sources.d"

for file in "$dir"/*; do
  if [ ! -e "$new/$(basename "$file")" ]; then rm -f "$file"; fi
done
for file in "$new"/*.cpp "$new"/*.h "$new"/*.cc "$new/sources.d"; do
  kept=$dir/$(basename "$file")
  cmp -s "$file" "$kept" || mv "$file" "$kept"
done
rm -rf "$new"
