# SPDX-License-Identifier: Apache-2.0
#
# Sourced by build.sh and kernel.sh: the sources that the vendor's tool packages.

# stage_rtl BUILD CONFIG AXI DIR: writes the machine's sources for a configuration into DIR/rtl.
# AXI: 3 or 4, the version of its memory port.
stage_rtl() {
  local rtl=hw/rtl
  . hw/rtl/sources.sh
  mkdir -p "$4/rtl"
  cp $(rtl_files) "$4/rtl/"
  "$1/bin/isa_gen" sv --config "$2" > "$4/rtl/tsr_pkg.sv"
  # A packaged IP takes no macros, so the file itself defines the AXI version of its memory port.
  { [ "$3" != 3 ] || echo '`define TESSERA_AXI3'; cat hw/rtl/tessera.v; } > "$4/rtl/tessera.v.new"
  mv "$4/rtl/tessera.v.new" "$4/rtl/tessera.v"
}
