#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Synthesises the machine for a 7-series part with yosys and prints its area for xc7z020. The budget is
# 120 of the part's 140 BRAM36 and its 220 DSP48E1; LUTs and flops are shown against the part, as yosys
# counts them module by module, which is more than a vendor's tool needs.
#
#   area.sh ISA_GEN [CONFIG] [MODULE]    default, tsr_top
#
# Exit status 0: BRAM36 and DSP48E1 are in budget; 1: they are not, or yosys failed. Takes minutes.
set -eu
if [ $# -lt 1 ]; then
  sed -n '/^#   area/,/^set/p' "$0" >&2
  exit 2
fi
isa_gen=$1 config=${2:-default} module=${3:-tsr_top}
rtl=$(cd "$(dirname "$0")/../rtl" && pwd)
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

awk -v config="$config" -v module="$module" '
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
  function line(name, used, limit, counts) {
    printf "  %-9s %7s of %6d  %5.1f %%%s\n", name, used, limit, 100 * used / limit, (used > limit) ? "  OVER" : ""
    if (counts && used > limit) over = 1
  }
  END {
    print module " of configuration " config " for xc7z020:"
    line("BRAM36", bram, 120, 1)
    line("DSP48E1", dsp, 220, 1)
    line("LUT", lut, 53200, 0)
    line("FF", ff, 106400, 0)
    exit over
  }' "$work/stat.txt"
