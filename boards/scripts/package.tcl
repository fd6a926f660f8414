# SPDX-License-Identifier: Apache-2.0
#
# hw/rtl/tessera.v and all below it as an IP: interfaces, clock, reset and interrupt follow from the
# names of the ports.

say "packaging the machine"
create_project -force tessera_ip $dir/ip_project -part $board(part)
add_files -norecurse $dir/rtl
set_property top tessera [current_fileset]
update_compile_order -fileset sources_1
ipx::package_project -root_dir $dir/ip -vendor tessera -library hw -taxonomy /UserIP -import_files -force
set core [ipx::current_core]
set_property name tessera $core
set_property version 1.0 $core
set_property display_name "Tessera ($board(config))" $core
foreach interface {s_axi_control m_axi_gmem interrupt ap_clk ap_rst_n} {
  if {[llength [ipx::get_bus_interfaces -quiet $interface -of_objects $core]] == 0} {
    stop "the packager did not find interface $interface in tessera.v"
  }
}
ipx::associate_bus_interfaces -busif s_axi_control -clock ap_clk $core
ipx::associate_bus_interfaces -busif m_axi_gmem -clock ap_clk $core
if {[info commands finish_core] ne ""} { finish_core $core }  ;# kernel.tcl
ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity $core
ipx::save_core $core
close_project
