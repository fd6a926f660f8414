# SPDX-License-Identifier: Apache-2.0
#
# The registers of isa/regs.def as registers of a packaged IP. A line of that file that begins a register and is not
# read is a stop.

# A list of {NAME offset access}, an array as its elements NAME_0, NAME_1, ..
proc read_registers {path} {
  set file [open $path]
  set lines [split [read $file] \n]
  close $file
  set registers {}
  foreach line $lines {
    if {![regexp {^REG(_ARRAY)?\(} $line array]} continue
    set count 1
    set stride 0
    if {![regexp {^REG\(k(\w+), (0x[0-9a-f]+), (R[OW]), "} $line - name offset access] &&
        ![regexp {^REG_ARRAY\(k(\w+), (0x[0-9a-f]+), (\d+), (\d+), (R[OW]), "} $line - name offset count stride access]} {
      stop "$path has a register that registers.tcl does not read: $line"
    }
    set name [string toupper [regsub -all {([a-z0-9])([A-Z])} $name {\1_\2}]]
    for {set i 0} {$i < $count} {incr i} {
      lappend registers [list $name[expr {$count > 1 ? "_$i" : ""}] [expr {$offset + $i * $stride}] $access]
    }
  }
  if {[llength $registers] == 0} { stop "$path has no registers" }
  return [lsort -integer -index 1 $registers]
}

# Adds them to the interface s_axi_control of |core|. A kernel's only argument is its memory: 64 bits at the base of
# segment 0, which tells the linker that m_axi_gmem wants one. XRT sets no argument of a kernel that its user manages.
proc add_registers {core} {
  set map [ipx::add_memory_map s_axi_control $core]
  set block [ipx::add_address_block reg0 $map]
  set_property range 4096 $block
  foreach register [read_registers [pwd]/isa/regs.def] {
    lassign $register name offset access
    if {$name eq "SEGMENT_BASE_HI_0"} continue
    set size 32
    set is_memory [expr {$name eq "SEGMENT_BASE_LO_0"}]
    if {$is_memory} { set name memory; set size 64 }
    set added [ipx::add_register $name $block]
    set_property address_offset [format 0x%03x $offset] $added
    set_property size $size $added
    set_property access [expr {$access eq "RO" ? "read-only" : "read-write"}] $added
    if {$is_memory} { set_property value m_axi_gmem [ipx::add_register_parameter ASSOCIATED_BUSIF $added] }
  }
  set_property slave_memory_map_ref s_axi_control [ipx::get_bus_interfaces s_axi_control -of_objects $core]
}
