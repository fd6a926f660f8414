# SPDX-License-Identifier: Apache-2.0
#
# Synthesis, routing, reports, bitstream; facts into build.txt and a row for hw/routed.txt.

# Runs |run| up to |args| and stops where it did not finish.
proc finish_run {run args} {
  global jobs dir
  launch_runs $run -jobs $jobs {*}$args
  wait_on_run $run
  if {[get_property PROGRESS [get_runs $run]] ne "100%"} {
    stop "$run failed: [get_property STATUS [get_runs $run]]; see $dir/project/tessera.runs/$run/runme.log"
  }
}

# The number in the second column of the first row of |report| that is called one of |names|.
proc used {report names} {
  foreach line [split $report \n] {
    set cells [split $line |]
    if {[llength $cells] < 3} continue
    if {[string trim [lindex $cells 1] " *"] in $names} { return [string trim [lindex $cells 2]] }
  }
  stop "the utilisation report has no row [join $names { or }]"
}

say "implementation"
set design [get_files tessera.bd]
# The machine is synthesised in this run, not in one of its own, so the settings below hold for it.
set_property synth_checkpoint_mode None $design
generate_target all $design
add_files -norecurse [make_wrapper -files $design -top]
add_files -norecurse -fileset constrs_1 $scripts/tessera.xdc
set_property top tessera_wrapper [current_fileset]
update_compile_order -fileset sources_1
# hw/rtl has copies of flops where one wire to all readers would be too long; synthesis merges equal
# flops otherwise.
set_property STEPS.SYNTH_DESIGN.ARGS.KEEP_EQUIVALENT_REGISTERS true [get_runs synth_1]
# The longest paths are wires from RAM and DSP columns and to many readers, which no netlist knows
# before placement: the tool copies and moves their drivers after it.
set_property STEPS.PHYS_OPT_DESIGN.IS_ENABLED true [get_runs impl_1]
set_property STEPS.PHYS_OPT_DESIGN.ARGS.DIRECTIVE AggressiveExplore [get_runs impl_1]
finish_run synth_1
finish_run impl_1 -to_step route_design
open_run impl_1

set utilisation [report_utilization -return_string]
report_utilization -hierarchical -file $dir/utilisation.txt
report_timing_summary -file $dir/timing.txt
set area [list [used $utilisation {"Slice LUTs" "CLB LUTs"}] [used $utilisation {"Slice Registers" "CLB Registers"}] \
  [used $utilisation {DSPs}] [used $utilisation {"Block RAM Tile"}]]
set slack [get_property SLACK [get_timing_paths -setup -max_paths 1]]
set hold [get_property SLACK [get_timing_paths -hold -max_paths 1]]
if {$slack eq "" || $hold eq ""} { stop "the routed design has no timed path: its clock is missing" }
set best [expr {1e9 / (1e9 / $clock_hz - $slack)}]
if {$slack < 0} {
  stop "timing failed: $slack ns at [format %.3f [expr {$clock_hz / 1e6}]] MHz, [format %.1f [expr {$best / 1e6}]]\
MHz would do; ask less as clock_hz of boards/$board(name)/board.json. The worst paths: $dir/timing.txt"
}
if {$hold < 0} { stop "timing failed: hold is $hold ns; no slower clock helps. The worst paths: $dir/timing.txt" }

# The bitstream says which configuration it has, in a field that survives without any other file.
set_property BITSTREAM.CONFIG.USERID 0x[string range $board(config_hash) 8 15] [current_design]
write_bitstream -force $dir/tessera.bit

# Where the hand-off is depends on the release.
set found [concat [glob -nocomplain $dir/project/tessera.gen/sources_1/bd/tessera/hw_handoff/tessera.hwh] \
  [glob -nocomplain $dir/project/tessera.srcs/sources_1/bd/tessera/hw_handoff/tessera.hwh]]
if {[llength $found] == 0} { stop "$dir/project has no hw_handoff/tessera.hwh, which describes the design to PYNQ" }
file copy -force [lindex $found 0] $dir/tessera.hwh

set file [open $dir/build.txt w]
puts $file "tool $tool"
puts $file "clock_hz $clock_hz"
puts $file "slack_ns $slack"
puts $file "config_hash $board(config_hash)"
close $file
set file [open $dir/routed.txt w]
puts $file "routed $board(name) $board(config) $board(part) $area [format %.1f [expr {$best / 1e6}]] [string map {{ } -} $tool]"
close $file
say "slack $slack ns; the row for hw/routed.txt is in $dir/routed.txt"
