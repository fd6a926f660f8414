# SPDX-License-Identifier: Apache-2.0
#
# The machine as a kernel for cards with XRT: the IP of package.tcl with its register map, then package_xo. The kernel is
# user-managed: XRT carries reads and writes of registers and starts nothing. kernel.sh runs it. Not run by us: there
# was no such tool; tests compare the commands that it gives with tests/boards/kernel.golden.
#
#   vivado -mode batch -source boards/scripts/kernel.tcl     from the root of the repository, with
#     TESSERA_BOARD_DIR   folder with board.tcl (name, part, config, port_bits) and rtl/; leaves tessera.xo there

set scripts [pwd]/boards/scripts
if {![file exists $scripts/common.tcl]} { error "board: [pwd] is not the root of the repository" }
source $scripts/common.tcl
source $scripts/registers.tcl
read_board
check_tool

# What package.tcl does for a kernel beside what it does for a board.
proc finish_core {core} {
  global board
  add_registers $core
  foreach kind {user hdl} {
    set_property value $board(port_bits) [ipx::get_${kind}_parameters C_M_AXI_GMEM_DATA_WIDTH -of_objects $core]
  }
  # Only these may be set in a kernel, and nobody sets them.
  foreach parameter {C_M_AXI_GMEM_DATA_WIDTH C_M_AXI_GMEM_ADDR_WIDTH C_M_AXI_GMEM_ID_WIDTH C_M_AXI_GMEM_CACHE_VALUE
                     C_M_AXI_GMEM_PROT_VALUE C_RESET_WITH_BUS} {
    ipx::remove_user_parameter $parameter $core
  }
  set_property sdx_kernel true $core
  set_property sdx_kernel_type rtl $core
  set_property supported_families {} $core
  set_property auto_family_support_level level_2 $core
}
source $scripts/package.tcl
say "packaging the kernel"
package_xo -force -xo_path $dir/tessera.xo -kernel_name tessera -ip_directory $dir/ip -ctrl_protocol user_managed
exit
