#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: FuseSoC finds hw/rtl/tessera.core and runs its targets lint (Verilator), sim (a program of one
# instruction on the machine, which must say ok) and synth (yosys has a netlist of it). Configuration default, whose
# package lies in hw/rtl/gen; synth without mapping to cells. Not tested here: figures of a netlist (hw_area_*).
#
#   core_targets.sh BUILD TARGET    BUILD: a build folder
#
# Exit status 0: as expected; 1: not, with the tool's last lines.
set -eu
[ $# -eq 2 ] || { sed -n '/^#   core/,/^# Exit/p' "$0" >&2; exit 2; }
build=$1 target=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
fusesoc=$("$root/scripts/pypi_tool.sh" "$build" fusesoc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "$target" = synth ]; then
  # This yosys has no Tcl: these are the commands of FuseSoC's two scripts, in their order.
  yosys=$("$root/scripts/pypi_tool.sh" "$build" yosys)
  mkdir "$work/bin"
  cat > "$work/bin/yosys" << YOSYS
#!/bin/sh
set -eu
{
  sed -n 's/^set defines {{\([A-Z]*\) .*/verilog_defines -D\1/p; s/}*\$//; /^verilog_defaults/p' edalize_yosys_procs.tcl
  sed -n 's/[{}]//g; s/\$top/tessera/; /^read_verilog/p; /^synth/p' edalize_yosys_procs.tcl
  sed -n '/^write_/p' edalize_yosys_template.tcl
} > run.ys
exec '$yosys' -q -l yosys.log run.ys
YOSYS
  chmod +x "$work/bin/yosys"
  PATH=$work/bin:$PATH
  set -- --yosys_synth_options "-run begin:coarse"
else
  set --
fi
cd "$work"
# The folder of the cores, and no configuration file of the user that names other folders.
if ! "$fusesoc" --config /dev/null --cores-root "$root/hw/rtl" run --target "$target" tessera:accelerator:tessera "$@" > log 2>&1; then
  echo "core_targets.sh: target $target failed:"
  tail -n 20 log
  exit 1
fi
case $target in
  lint) ! grep -q '%Warning' log || { echo "core_targets.sh: lint warns:"; grep '%Warning' log; exit 1; } ;;
  sim) grep -q '^tessera_tb: ok$' log || { echo "core_targets.sh: the simulation does not say ok:"; tail -n 20 log; exit 1; } ;;
  synth) grep -qs '^module tessera *(' build/*/*/* || { echo "core_targets.sh: synth left no netlist:"; tail -n 20 log; exit 1; } ;;
esac
echo "core_targets.sh: $target: ok"
