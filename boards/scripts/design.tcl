# SPDX-License-Identifier: Apache-2.0
#
# The block design: processing system, reset, registers through a SmartConnect (AXI4-Lite from the
# master's AXI), memory straight into the HP port (same width, same AXI, same clock: nothing between).

say "block design"
create_project -force tessera $dir/project -part $board(part)
# Board files set up DDR and pins for a boot from these bits. Without them the fabric is the same, and
# a board that Linux has booted is set up already.
set preset 0
if {$board(board_files) ne ""} {
  set found [lsort -dictionary [get_board_parts -quiet *:$board(board_files):part*:*]]
  if {[llength $found] > 0} {
    set_property board_part [lindex $found end] [current_project]
    set preset 1
  } else {
    say "board files $board(board_files) are not installed: right for a board that Linux has booted"
  }
}
set_property ip_repo_paths $dir/ip [current_project]
update_ip_catalog -rebuild
create_bd_design tessera

# The number of the port is that of its parameters.
set port_number [string index $board(port) end]
set master_number [string index $board(master) end]
if {$board(family) eq "zynq"} {
  set ps [create_bd_cell -type ip -vlnv [newest_ip processing_system7] ps]
  apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 \
    -config [list make_external "FIXED_IO, DDR" apply_board_preset $preset Master Disable Slave Disable] $ps
  set_property -dict [list \
    CONFIG.PCW_CRYSTAL_PERIPHERAL_FREQMHZ $board(ps_clock_mhz) \
    CONFIG.PCW_EN_CLK0_PORT 1 \
    CONFIG.PCW_EN_RST0_PORT 1 \
    CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ $board(clock_mhz) \
    CONFIG.PCW_USE_M_AXI_GP0 [expr {$master_number == 0}] \
    CONFIG.PCW_USE_M_AXI_GP1 [expr {$master_number == 1}] \
    CONFIG.PCW_USE_S_AXI_HP$port_number 1 \
    CONFIG.PCW_S_AXI_HP${port_number}_DATA_WIDTH $board(port_bits) \
    CONFIG.PCW_USE_FABRIC_INTERRUPT 1 \
    CONFIG.PCW_IRQ_F2P_INTR 1] $ps
  set clock ps/FCLK_CLK0
  set reset_in ps/FCLK_RESET0_N
  set clocked [list ps/$board(master)_ACLK ps/$board(port)_ACLK]
  set master ps/$board(master)
  set memory ps/$board(port)
  set segment ps/$board(port)/HP${port_number}_DDR_LOWOCM
  set interrupt ps/IRQ_F2P
} elseif {$board(family) eq "zynqmp"} {
  set gp [expr {$port_number + 2}]  ;# S_AXI_HP0 is the third of the fabric's interfaces
  set ps [create_bd_cell -type ip -vlnv [newest_ip zynq_ultra_ps_e] ps]
  apply_bd_automation -rule xilinx.com:bd_rule:zynq_ultra_ps_e -config [list apply_board_preset $preset] $ps
  # The master has 32 bits: registers are AXI4-Lite, and the overlay sets the same width at run time.
  set_property -dict [list \
    CONFIG.PSU__PSS_REF_CLK__FREQMHZ $board(ps_clock_mhz) \
    CONFIG.PSU__FPGA_PL0_ENABLE 1 \
    CONFIG.PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ $board(clock_mhz) \
    CONFIG.PSU__USE__M_AXI_GP0 [expr {$master_number == 0}] \
    CONFIG.PSU__USE__M_AXI_GP1 [expr {$master_number == 1}] \
    CONFIG.PSU__USE__M_AXI_GP2 0 \
    CONFIG.PSU__MAXIGP${master_number}__DATA_WIDTH 32 \
    CONFIG.PSU__USE__S_AXI_GP$gp 1 \
    CONFIG.PSU__SAXIGP${gp}__DATA_WIDTH $board(port_bits) \
    CONFIG.PSU__USE__IRQ0 1] $ps
  set clock ps/pl_clk0
  set reset_in ps/pl_resetn0
  set clocked [list ps/maxihpm${master_number}_fpd_aclk ps/saxihp${port_number}_fpd_aclk]
  set master ps/$board(master)_FPD
  set memory ps/$board(port)_FPD
  set segment ps/SAXIGP$gp/HP${port_number}_DDR_LOW
  set interrupt ps/pl_ps_irq0
} else {
  stop "there is no block design for the family $board(family)"
}

set machine [create_bd_cell -type ip -vlnv [newest_ip tessera] machine]
# Reset of the fabric leaves the memory controller alone: C_RESET_WITH_BUS stays 0 (hw/rtl/README.md).
set_property -dict [list CONFIG.C_M_AXI_GMEM_DATA_WIDTH $board(port_bits) CONFIG.C_RESET_WITH_BUS 0] $machine
create_bd_cell -type ip -vlnv [newest_ip proc_sys_reset] reset
set registers [create_bd_cell -type ip -vlnv [newest_ip smartconnect] registers]
set_property -dict [list CONFIG.NUM_SI 1 CONFIG.NUM_MI 1] $registers

connect_bd_net [get_bd_pins $clock] [get_bd_pins machine/ap_clk] [get_bd_pins reset/slowest_sync_clk] \
  [get_bd_pins registers/aclk]
foreach pin $clocked { connect_bd_net [get_bd_pins $clock] [get_bd_pins $pin] }
connect_bd_net [get_bd_pins $reset_in] [get_bd_pins reset/ext_reset_in]
connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins machine/ap_rst_n] [get_bd_pins registers/aresetn]
connect_bd_net [get_bd_pins machine/interrupt] [get_bd_pins $interrupt]
connect_bd_intf_net [get_bd_intf_pins $master] [get_bd_intf_pins registers/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins registers/M00_AXI] [get_bd_intf_pins machine/s_axi_control]
connect_bd_intf_net [get_bd_intf_pins machine/m_axi_gmem] [get_bd_intf_pins $memory]
assign_bd_address -offset $board(register_base) -range $board(register_bytes) \
  -target_address_space [get_bd_addr_spaces ps/Data] [get_bd_addr_segs machine/s_axi_control/*]
assign_bd_address -target_address_space [get_bd_addr_spaces machine/m_axi_gmem] [get_bd_addr_segs $segment]
validate_bd_design
save_bd_design

# What the processing system makes of the clock that was asked.
set clock_hz [get_property CONFIG.FREQ_HZ [get_bd_pins machine/ap_clk]]
if {![string is integer -strict $clock_hz] || $clock_hz <= 0} {
  stop "the block design does not say its clock: CONFIG.FREQ_HZ of machine/ap_clk is \"$clock_hz\""
}
say "asked $board(clock_mhz) MHz, the processing system gives [format %.6f [expr {$clock_hz / 1e6}]]"
