#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Prints the files of package managers from hw/rtl/files.f: tessera.core for FuseSoC (CAPI2), Bender.yml for Bender.
#
#   package.sh core|bender
set -eu
if [ $# -ne 1 ]; then
  sed -n '/^#   package/,/^set/p' "$0" >&2
  exit 2
fi
rtl=.
cd "$(dirname "$0")/../rtl"
. ./sources.sh
sources() { { echo ./gen/tsr_pkg.sv; rtl_packages; rtl_modules; } | sed "s|^\./|$1|"; }
printed="# SPDX-License-Identifier: Apache-2.0
# Printed by hw/scripts/package.sh from files.f; do not edit. gen/tsr_pkg.sv is of configuration default:
# isa_gen prints others."
case $1 in
  core)
    cat << CORE
CAPI=2:
$printed
name: tessera:accelerator:tessera:0
description: A tensor accelerator; AXI4-Lite registers, one AXI4 or AXI3 master
filesets:
  rtl:
    file_type: systemVerilogSource
    files:
CORE
    rtl_files | sed -n 's|^\./\(\(.*\)/[^/]*\.svh\)$|      - \1: {is_include_file: true, include_path: \2}|p'
    sources '      - '
    cat << CORE
  wrapper:
    files:
      - tessera.v: {file_type: verilogSource}
  bench:
    file_type: systemVerilogSource
    files:
      - sim/tessera_tb.sv
parameters:
  SYNTHESIS: {datatype: bool, paramtype: vlogdefine, default: true, description: without what only simulators need}
targets:
  default: &machine
    filesets: [rtl, wrapper]
    toplevel: tessera
  lint:
    <<: *machine
    default_tool: verilator
    parameters: [SYNTHESIS=true]
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall, --no-timing, -Wno-UNUSEDSIGNAL, -Wno-UNUSEDPARAM, -Wno-DECLFILENAME]
  sim:
    filesets: [rtl, wrapper, bench]
    toplevel: tessera_tb
    default_tool: verilator
    tools:
      verilator:
        mode: binary
        verilator_options: [--timing, --assert, -Wno-fatal, -Wno-PINMISSING]
  synth:
    <<: *machine
    default_tool: yosys
    parameters: [SYNTHESIS=true]
    tools:
      yosys:
        arch: xilinx
        output_format: verilog
CORE
    ;;
  bender)
    cat << BENDER
$printed
package:
  name: tessera
sources:
  - include_dirs: [common]
    files:
BENDER
    sources '      - '
    cat << BENDER
      - tessera.v
  - target: simulation
    files:
      - sim/tessera_tb.sv
BENDER
    ;;
  *) echo "package.sh: '$1' is neither core nor bender" >&2; exit 2 ;;
esac
