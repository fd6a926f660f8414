#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: hw/scripts/coverage.sh's report on made-up data about real lines: what passes, what fails, and the
# line that the message names; counts of files and instances add up. Space: a hole with and without a reason, a reason
# without a hole or without words, too few lines, no data. Not tested here: the machine that counts.
#
#   coverage_test.sh COVERAGE_SH
set -eu
script=$1
root=$(cd "$(dirname "$script")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
file=prim/tsr_fifo.sv
point() {  # DATA KIND LINES WHAT INSTANCE COUNT
  printf "C '\001f\002%s\001l\0021\001n\0023\001page\002%s/tsr_fifo\001o\002%s%s\001h\002%s' %s\n" "$root/hw/rtl/$file" "$2" "$4" \
    "${3:+$(printf '\001S\002%s' "$3")}" "$5" "$6" >> "$work/$1.dat"
}
# expect STATUS WORDS: the report ends with STATUS and contains WORDS.
expect() {
  status=0
  TESSERA_HOLES=$work/holes "$script" report "$work" > "$work/out" 2>&1 || status=$?
  if [ $status != "$1" ] || ! grep -q -- "$2" "$work/out"; then
    echo "expected status $1 and '$2', got $status:"
    cat "$work/out"
    exit 1
  fi
}
: > "$work/holes"
expect 2 "has no data"
point a v_line 1-50 block x 0
point b v_line 1-50 block x 3
point a v_line 51-99 block x 1
point a v_line 51-99 block y 0
point a v_toggle "" clk x 1
point a v_toggle "" still x 0
expect 0 "99 of 99 executed, 100.0 %; 0 holes"
expect 0 "1 of 2 signals"
line=$(sed -n 41p "$root/hw/rtl/$file" | tr -d ' \t')
: > "$work/a.dat"
: > "$work/b.dat"
point a v_line 1-40,42-100 block x 1
point a v_line 41 block x 0
expect 1 "hole without a reason: $file:$line  (line $file:41)"
echo "$file:$line  nobody goes there" > "$work/holes"
expect 0 "99 of 100 executed, 99.0 %; 1 holes"
expect 0 "hole $file:41: nobody goes there"
echo "$file:$line" > "$work/holes"
expect 1 "has no reason"
printf '%s\n' "# a comment" "$file:$line  nobody goes there" "$file:gone  nor there" > "$work/holes"
expect 1 "reason without a hole: $file:gone"
: > "$work/a.dat"
point a v_line 1-40,42-43 block x 1
point a v_line 41 block x 0
echo "$file:$line  nobody goes there" > "$work/holes"
expect 1 "fewer than 98 % of lines"
