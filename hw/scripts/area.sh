#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Synthesises the machine for a 7-series part with yosys, prints its area and compares it with hw/area.txt.
# Counted module by module, LUTs are more than a vendor's tool needs.
#
#   area.sh ISA_GEN [CONFIG [MODULE]]    default, tsr_top
#
# Exit status 0: as the table says; 1: not, or yosys failed. CPU time: tiny 3 minutes, default several times that.
set -eu
if [ $# -lt 1 ]; then
  sed -n '/^#   area/,/^set/p' "$0" >&2
  exit 2
fi
isa_gen=$1 config=${2:-default} module=${3:-tsr_top}
scripts=$(cd "$(dirname "$0")" && pwd)
rtl=$(cd "$scripts/../rtl" && pwd)
. "$rtl/sources.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$isa_gen" sv --config "$config" > "$work/tsr_pkg.sv"

{
  includes=$(rtl_folders | sed 's/^/-I/' | tr '\n' ' ')
  echo "read_verilog -sv -DSYNTHESIS $includes$work/tsr_pkg.sv $(rtl_packages | tr '\n' ' ')"
  rtl_modules | sed "s|^|read_verilog -sv -DSYNTHESIS $includes|"
  # Module by module: flattening costs yosys far more time than it saves area.
  echo "synth_xilinx -family xc7 -top $module"
  echo "tee -o $work/stat.txt stat -top $module"
} > "$work/area.ys"
if ! yosys -q -s "$work/area.ys" > "$work/log.txt" 2>&1; then
  tail -20 "$work/log.txt" >&2
  exit 1
fi

used=$(awk '
  /=== design hierarchy ===/ { bram = dsp = lut = ff = 0 }  # the totals come last
  /RAMB36E1/ { bram += $2 }
  /RAMB18E1/ { bram += $2 / 2 }
  /DSP48E1/  { dsp += $2 }
  /^ +LUT[1-6] / { lut += $2 }
  /^ +RAM32M / { lut += 4 * $2 }
  /^ +RAM64M / { lut += 4 * $2 }
  /^ +RAM32X1D / { lut += 2 * $2 }
  /^ +RAM64X1D / { lut += 2 * $2 }
  /^ +RAM128X1D / { lut += 4 * $2 }
  /^ +RAM256X1D / { lut += 8 * $2 }
  /^ +SRL/ { lut += $2 }
  /^ +FD[RSCP]E / { ff += $2 }
  END { print lut, ff, dsp, bram }' "$work/stat.txt")
awk -v yosys="$(yosys -V | sed 's/^Yosys \([^ ]*\).*/\1/')" -v config="$config" -v module="$module" -v used="$used" \
  -f "$scripts/area_compare.awk" "$scripts/../area.txt"
