#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Places and routes the machine for an ECP5 part, makes the bitstream, and prints for each seed a row of hw/routed.txt and the
# cells and wires of the worst path. Compares each row with the table: hw/scripts/route_compare.awk lists what fails.
#
#   route.sh [OPTION...] BUILD CONFIG [SEED...]    BUILD: has bin/isa_gen, bin/netlist_report; seeds: of nextpnr's random numbers, 1 2 3 4 5
#
#   --module MODULE    what is routed: tessera (the machine with its bus ports), or a module of hw/rtl
#   --board NAME       routes the board's own top (boards/NAME/NAME.sv, .lpf) for its part and clock. A seed that is slower fails
#   --part PART        a part of family ecp5 in hw/parts.txt; else the one there for CONFIG, or else lfe5um5g-85f
#   --minutes N        a seed that takes longer does not route; 60
#   --no-compare       prints the rows only
#
# The machine's ports go through flip-flops to three pins (pins.awk); the rows count these flip-flops too. Everything is kept in
# BUILD/hw/routed/MODULE-PART-*/ (seed-N.log, .report, .config, .bit) and made again when the netlist, the
# options or nextpnr has changed.
# Exit status 0: all seeds are routed and as the table says; 1: not; 2: bad use. CPU time of tiny: 15 minutes a seed, of ulx3s 9 to 13.
set -eu
usage() {
  sed -n '/^#   route/,/^# Exit/p' "$0"
}
refuse() {
  echo "route.sh: $*" >&2
  exit 2
}
stop() {
  echo "route.sh: $*" >&2
  exit 1
}
is_number() {
  case $1 in "" | *[!0-9]* | 0*) return 1 ;; esac
}
module=tessera board="" part="" minutes=60 compare=yes
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --no-compare) compare=no; shift ;;
    --module | --board | --part | --minutes)
      [ $# -ge 2 ] || refuse "$1 needs a value; --help lists the options"
      case $1 in --module) module=$2 ;; --board) board=$2 ;; --part) part=$2 ;; --minutes) minutes=$2 ;; esac
      shift 2 ;;
    -*) refuse "there is no option $1; --help lists them" ;;
    *) break ;;
  esac
done
[ $# -ge 2 ] || { usage >&2; exit 2; }
build=$1 config=$2
shift 2
[ $# -gt 0 ] || set -- 1 2 3 4 5
is_number "$minutes" || refuse "--minutes is '$minutes', not a number from 1"
for seed in "$@"; do is_number "$seed" || refuse "the seed '$seed' is not a number from 1"; done
for program in isa_gen netlist_report; do
  [ -x "$build/bin/$program" ] || refuse "$build has no bin/$program: build it first (cmake --build)"
done
scripts=$(cd "$(dirname "$0")" && pwd)
parts=$scripts/../parts.txt
if [ -n "$board" ]; then
  folder=$scripts/../../boards/$board
  for file in board.json "$board.sv" "$board.lpf"; do
    [ -f "$folder/$file" ] || refuse "board $board has no top for this script: boards/$board/$file is missing"
  done
  fact() { sed -n "s/^  \"$1\": \"*\([^\",]*\).*/\1/p" "$folder/board.json"; }
  [ "$(fact config)" = "$config" ] || refuse "$board is a board of configuration $(fact config), not $config"
  module=$board
  part=$(fact part | sed 's/-[^-]*$//' | tr 'A-Z' 'a-z')
fi
if [ -z "$part" ]; then
  part=$(awk -v config="$config" '$1 == "route" && $2 == config { print $3 }' "$parts")
  part=${part:-lfe5um5g-85f}
fi
device=$(awk -v part="$part" '$1 == "part" && $2 == part { print $3, $4 }' "$parts")
case $device in
  "ecp5 "*) ;;
  "") refuse "hw/parts.txt has no part $part; of family ecp5 it has$(awk '$1 == "part" && $3 == "ecp5" { printf " %s", $2 }' "$parts")" ;;
  *) refuse "$part is of family ${device% *}; routed is for family ecp5 only" ;;
esac
speed=${device#* -}
mhz=$(awk -v config="$config" -v part="$part" '$1 == "route" && $2 == config && $3 == part { print $4 }' "$parts")
mhz=${mhz:-100}
[ -z "$board" ] || mhz=$(($(fact clock_hz) / 1000000))
# lfe5um5g-85f: nextpnr calls it --um5g-85k.
flag=$(echo "$part" | sed 's/^lfe5\(u*[a-z0-9]*\)-\([0-9]*\)f$/--\1-\2k/; s/^--u-/--/')

nextpnr=$("$scripts/../../scripts/pypi_tool.sh" "$build" nextpnr-ecp5)
nextpnr=$(realpath -s "$(command -v "$nextpnr" || echo "$nextpnr")")
version=$("$nextpnr" --version 2>&1 | sed -n 's/.*Version nextpnr-\([^ )]*\).*/\1/p')
[ -n "$version" ] || stop "$nextpnr --version does not say a version of nextpnr"
ecppack=$(dirname "$nextpnr")/ecppack
[ -x "$ecppack" ] || stop "there is no $ecppack beside nextpnr-ecp5"
echo "route.sh: synthesises $module of $config for $part (minutes; at once if it is kept)" >&2
netlist=$("$scripts/synth.sh" "$build" "$config" "$module" "$part")
estimate=$("$build/bin/netlist_report" worst "$netlist" ecp5 | awk '{ printf "%.1f", 1000 / $1 }')
echo "route.sh: $estimate MHz, estimated from the netlist before placement" >&2
# A board's top does not route from where `heap` places it (docs/rationale/silicon.md).
pins="--timing-allow-fail --lpf-allow-unconstrained" placer=heap
[ -z "$board" ] || pins="--lpf $board.lpf" placer=static
options="$flag --package CABGA381 --speed $speed --freq $mhz $pins --placer $placer --router router1"
out=$build/hw/routed/$(basename "$netlist" .json)-$part-$(echo "$version $options" | sha256sum | cut -c 1-8)
mkdir -p "$out"
out=$(cd "$out" && pwd)
# The programs are WebAssembly and find only files below the folder they run in.
rows=$(mktemp)
json=netlist-$$.json
trap 'rm -f "$rows" "$out/$json"' EXIT
ln -f "$netlist" "$out/$json"
[ -z "$board" ] || cp "$folder/$board.lpf" "$out/"
hash=$("$build/bin/isa_gen" sv --config "$config" | sed -n "s/.*ConfigHash = 64'h\([0-9a-f]*\).*/\1/p")

# The resource that is over the part, from the utilisation in the log $1: a line, or nothing.
too_small() {
  awk -v what="$module of $config" -v part="$part" '
    $1 == "Info:" && $3 ~ /^[0-9]+\/$/ && $4 ~ /^[0-9]+$/ {
      name = $2; used = $3
      sub(/:$/, "", name); sub(/\/$/, "", used)
      if (used + 0 <= $4 + 0) next
      text = text (text == "" ? "" : "; ") name ": needs " used ", there are " $4 ", " used - $4 " too few"
    }
    END { if (text != "") print part " is too small for " what ": " text }' "$1"
}
# Why seed $1 has no routed design, given nextpnr's exit status $2.
why_not() {
  log=$out/seed-$1.log
  small=$(too_small "$log")
  left=$(sed -n 's/^Info: *[0-9]* |.*| *\([0-9]*\)|[^|]*|.*/\1 connections are left/p' "$log" | tail -n 1)
  error=$(sed -n 's/^ERROR: //p' "$log" | tail -n 1)
  if [ -n "$small" ]; then
    echo "$small"
  elif [ "$2" = 124 ]; then
    echo "seed $1 does not route in $minutes minutes: ${left:-the router has not begun}; log: $log"
  else
    echo "seed $1 does not route: ${error:-nextpnr ended with $2}${left:+; $left}; log: $log"
  fi
}
# Places and routes with seed $1 and packs the bitstream, unless it is there.
route() {
  name=seed-$1
  base=$out/$name
  [ ! -f "$base.bit" ] || return 0
  started=$(date +%s)
  # Renamed at the end: a bitstream under its final name is complete. sed shows the progress.
  { code=0
    (cd "$out" && exec timeout "$((60 * minutes))" "$nextpnr" $options --seed "$1" --json "$json" \
      --textcfg "$name.config" --report "$name.report") 2>&1 || code=$?
    echo "$code" > "$base.status"; } | tee "$base.log" | sed -u -n "
      s/^Info: Packing constants.*/route.sh: seed $1: packs/p
      s/^Info: Running \(main analytical\|Static\) placer.*/route.sh: seed $1: places/p
      s/^Info: Max frequency for clock[^:]*: \([0-9.]* MHz\).*/route.sh: seed $1: \1/p
      s/^Info: Routing \([0-9]* arcs\).*/route.sh: seed $1: routes \1 (the clock above is an estimate after placement)/p
      s/^Info: *[0-9]*0000 |.*| *\([0-9]*\)|[^|]*|.*/route.sh: seed $1: \1 connections are left/p" >&2
  status=$(cat "$base.status")
  rm -f "$base.status"
  if [ "$status" != 0 ]; then
    echo "route.sh: $(why_not "$1" "$status")" >&2
    return 1
  fi
  # A bitstream of a board says its configuration (runtime/bitstream/ecp_file.h).
  [ -z "$board" ] || sed -i "/^\.comment Part:/a .comment Tessera configuration $hash" "$base.config"
  if ! (cd "$out" && "$ecppack" ${board:+--compress} "$name.config" "$name.bit.new") > "$base.pack" 2>&1; then
    echo "route.sh: seed $1: ecppack makes no bitstream: $(tail -n 1 "$base.pack")" >&2
    return 1
  fi
  echo "route.sh: seed $1: $(($(date +%s) - started)) seconds, $base.bit" >&2
  mv "$base.bit.new" "$base.bit"
}
failed=0
for seed in "$@"; do
  if ! route "$seed"; then
    failed=1
    [ -z "$(too_small "$out/seed-$seed.log")" ] || break  # no other seed will fit
    continue
  fi
  awk -v module="$module" -v config="$config" -v part="$part" -v estimate="$estimate" -v tool="nextpnr-$version" \
    -v seed="$seed" -v rows="$rows" -f "$scripts/route_report.awk" "$out/seed-$seed.log"
  echo "route.sh: the bitstream is $out/seed-$seed.bit" >&2
done
if [ "$compare" = yes ]; then
  awk -f "$scripts/route_compare.awk" "${TESSERA_ROUTED:-$scripts/../routed.txt}" "$rows" || failed=1
fi
exit $failed
