#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Synthesises a module, flattened, for a part (hw/parts.txt), and prints the file of the mapped netlist. The
# file is kept below BUILD. Its name has a key of the elaborated design (netlist_report key), of the commands that
# synthesise it and of yosys' version. So it is made again when one of these changes, but not after an edit of the
# sources that leaves the design as it is. Elaboration takes 5 to 15 seconds; the key is kept too, for the same sources.
#
#   synth.sh [-n] BUILD [CONFIG [MODULE [PART]]]    BUILD: has bin/isa_gen, bin/netlist_report; default, tsr_top, the part of CONFIG
#                                                   -n: only prints the name
#
# For a part of family ecp5 the module is inside `pins` (pins.awk), and the top is that; unless MODULE is a board with a top of
# its own, boards/MODULE/MODULE.sv.
# Exit status 0: done; 1: yosys failed; 2: bad use. CPU time: tiny 2 minutes, default 6.
set -eu
make=yes
if [ "${1:-}" = -n ]; then make=no; shift; fi
if [ $# -lt 1 ]; then
  sed -n '/^#   synth/,/^# Exit/p' "$0" >&2
  exit 2
fi
build=$1 config=${2:-default} module=${3:-tsr_top}
scripts=$(cd "$(dirname "$0")" && pwd)
rtl=$(cd "$scripts/../rtl" && pwd)
. "$rtl/sources.sh"
family=$(awk -v config="$config" -v part="${4:-}" '
  $1 == "part" { family[$2] = $3 }
  $1 == "for" && $2 == config && part == "" { part = $3 }
  END { print family[part] }' "$scripts/../parts.txt")
if [ -z "$family" ]; then
  echo "synth.sh: no part ${4:-for configuration '$config'} in hw/parts.txt" >&2
  exit 2
fi
yosys=$("$scripts/../../scripts/pypi_tool.sh" "$build" yosys)
version=$("$yosys" -V | sed 's/^Yosys \([^ +]*\).*/\1/')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A board's top, or nothing.
board_file() {
  for file in "$scripts/../../boards/$module/$module.sv"; do if [ -f "$file" ]; then echo "$file"; fi; done
}
# The files of $module and of all modules that it uses, directly or through others.
module_files() {
  { rtl_files; board_file; } | grep -v '_pkg\.sv$\|\.svh$' | xargs awk -v top="$module" '
    FNR == 1 { name = FILENAME; gsub(/.*\/|\.s?v$/, "", name); file[name] = FILENAME; order[++n] = name }
    { for (text = $0; match(text, /tsr_[a-z0-9_]+/); text = substr(text, RSTART + RLENGTH))
        uses[name] = uses[name] " " substr(text, RSTART, RLENGTH) }
    END {
      todo[1] = top; last = 1
      for (i = 1; i <= last; i++) {
        if (todo[i] in used || !(todo[i] in file)) continue
        used[todo[i]] = 1
        count = split(uses[todo[i]], word, " ")
        for (w = 1; w <= count; w++) todo[++last] = word[w]
      }
      for (i = 1; i <= n; i++) if (order[i] in used) print file[order[i]]
    }'
}
# yosys reads only the folder it runs in, so its sources are copied there. UltraScale+ gets DSP48E1 too: vendor tools turn
# it into DSP48E2.
case $family in
  ecp5) define="-DSYNTHESIS -DTSR_MULT18" ;;
  *) define="-DSYNTHESIS -DTSR_DSP48E1" ;;
esac
"$build/bin/isa_gen" sv --config "$config" | grep -v '^ *//' > "$work/tsr_pkg.sv"
module_files > "$work/modules"
if [ ! -s "$work/modules" ]; then
  echo "synth.sh: no file of hw/rtl/files.f has module '$module'" >&2
  exit 2
fi
{
  cp $(rtl_packages) $(rtl_files | grep '\.svh$') $(cat "$work/modules") "$work/"
  echo "read_verilog -sv $define -I. tsr_pkg.sv $(rtl_packages | sed 's|.*/||' | tr '\n' ' ')"
  echo "read_verilog -sv $define -I. $(sed 's|.*/||' "$work/modules" | tr '\n' ' ')"
} > "$work/read.ys"
rm "$work/modules"
run_yosys() {
  if (cd "$work" && "$yosys" -q -s "$1") > "$work/log.txt" 2>&1; then return 0; fi
  tail -n 20 "$work/log.txt" >&2
  exit 1
}
top=$module
if [ -n "$(board_file)" ]; then
  synth="synth_ecp5"
elif [ "$family" = ecp5 ]; then
  { cat "$work/read.ys"; echo "hierarchy -check -top $module"; echo "tee -q -o ports.txt portlist $module"; } > "$work/ports.ys"
  run_yosys ports.ys
  clock=clk_i
  [ "$module" != tessera ] || clock=ap_clk
  awk -v top="$module" -v clock="$clock" -f "$scripts/pins.awk" "$work/ports.txt" > "$work/pins.v" || exit 1
  rm "$work/ports.ys" "$work/ports.txt" "$work/log.txt"
  echo "read_verilog pins.v" >> "$work/read.ys"
  synth="synth_ecp5" top=pins
else
  synth="synth_xilinx -family $family -noiopad -flatten"
fi
{ cat "$work/read.ys"; echo "$synth -top $top"; echo "write_json netlist.json"; } > "$work/synth.ys"
{
  cat "$work/read.ys"
  printf '%s\n' "hierarchy -top $top" proc "flatten -noscopeinfo" opt_expr "opt_clean -purge" memory_collect "write_json design.json"
} > "$work/key.ys"
rm "$work/read.ys"
mkdir -p "$build/hw/mapped"
sources=$( (echo "$version"; cd "$work" && sha256sum ./*) | sha256sum | cut -c 1-16)
kept=$build/hw/mapped/$module-$sources.key
if [ ! -s "$kept" ]; then
  run_yosys key.ys
  design=$("$build/bin/netlist_report" key "$work/design.json")
  printf '%s\n' "$version" "$synth" "$design" | sha256sum | cut -c 1-16 > "$work/key"
  mv "$work/key" "$kept"
fi
key=$(cat "$kept")
netlist=$build/hw/mapped/$module-$key.json
if [ $make = no ]; then
  echo "$netlist"
  exit 0
fi
(
  flock 9  # area and timing of one netlist wait for each other
  [ ! -f "$netlist" ] || exit 0
  run_yosys synth.ys
  echo "$version" > "$build/hw/mapped/$module-$key.yosys"
  # Copied, then renamed: a file under the final name is complete.
  cp "$work/netlist.json" "$netlist.new"
  mv "$netlist.new" "$netlist"
) 9> "$build/hw/mapped/$module-$key.lock"
# Netlists are large (default: 150 MB): those of earlier sources go after a day.
find "$build/hw/mapped" -name '*.json' -mtime +1 -delete
echo "$netlist"
