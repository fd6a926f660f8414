#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the file that XRT loads on a card, with Vivado and Vitis, in some hours. DIR then has
# CONFIG.xclbin, for `--device xrt:xclbin=DIR`.
#
#   boards/scripts/kernel.sh PLATFORM CONFIG [DIR]     PLATFORM: of the card, as Vitis names it or a .xpfm
#                                                      CONFIG: a configuration; DIR: build/kernels/CONFIG
#
# TESSERA_BUILD   the build with bin/tessera and bin/isa_gen (build)
# TESSERA_MEMORY  the card's memory that the kernel uses (DDR[0]; HBM[0] on cards without)
# TESSERA_MHZ     the clock that is asked (150)
# TESSERA_VIVADO, TESSERA_VPP, TESSERA_PLATFORMINFO   the programs (vivado, v++, platforminfo)
#
# Exit status 0: linked, and a driver finds its kernel in the file; 1: a step failed, its message is the last line; 2: bad use.
set -euo pipefail
stop() { echo "kernel.sh: $*" >&2; exit 1; }
if [ $# -lt 2 ] || [ $# -gt 3 ]; then sed -n '/^#   boards/,/^# Exit/p' "$0" >&2; exit 2; fi
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. boards/scripts/sources.sh
platform=$1 config=$2 build=${TESSERA_BUILD:-build} dir=${3:-build/kernels/$2} mhz=${TESSERA_MHZ:-150}
vivado=${TESSERA_VIVADO:-vivado} vpp=${TESSERA_VPP:-v++} info=${TESSERA_PLATFORMINFO:-platforminfo}
[ -x "$build/bin/tessera" ] && [ -x "$build/bin/isa_gen" ] ||
  stop "$build/bin has no tessera and isa_gen: cmake --build $build --target tessera isa_gen"
for program in "$vivado" "$vpp" "$info"; do
  command -v "$program" > /dev/null || stop "$program is not on PATH: source settings64.sh of Vitis, which has Vivado too"
done
[[ $mhz =~ ^[1-9][0-9]{0,3}$ ]] || stop "TESSERA_MHZ is $mhz, must be a clock in MHz"
part=$("$info" --platform "$platform" --json=hardwarePlatform.board.part 2>/dev/null | tail -n 1) && [ -n "$part" ] ||
  stop "$info knows no part of platform $platform: is it installed, and in PLATFORM_REPO_PATHS?"

mkdir -p "$dir"
rm -rf "$dir/tessera.xo" "$dir/$config.xclbin"
bits=$("$build/bin/tessera" config "$config" | sed -n 's/^.*"bus_bits": *\([0-9]*\).*$/\1/p') && [ -n "$bits" ] ||
  stop "there is no configuration $config: $build/bin/tessera config"
stage_rtl "$build" "$config" 4 "$dir"
printf 'set board(%s) {%s}\n' name tessera config "$config" part "$part" port_bits "$bits" > "$dir/board.tcl"

TESSERA_BOARD_DIR=$dir "$vivado" -mode batch -notrace -nojournal -log "$dir/vivado.log" -source boards/scripts/kernel.tcl ||
  stop "$vivado failed: its last lines say why, all of them are in $dir/vivado.log"
[ -s "$dir/tessera.xo" ] || stop "package_xo left no $dir/tessera.xo: see $dir/vivado.log"
"$vpp" --link --target hw --platform "$platform" --kernel_frequency "$mhz" --connectivity.nk tessera:1:tessera_1 \
  --connectivity.sp "tessera_1.m_axi_gmem:${TESSERA_MEMORY:-DDR[0]}" --temp_dir "$dir/link" --log_dir "$dir/link" \
  --report_dir "$dir/link" --output "$dir/$config.xclbin" "$dir/tessera.xo" ||
  stop "$vpp failed: its last lines say why, all of them are below $dir/link"
"$build/bin/tessera" xclbin "$dir/$config.xclbin" || stop "no driver would take $dir/$config.xclbin: the line above says why"
echo "kernel.sh: next: tessera run MODEL --device xrt:xclbin=$dir/$config.xclbin"
