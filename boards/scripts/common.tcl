# SPDX-License-Identifier: Apache-2.0
#
# What the other scripts share: the board's variables, stops, the newest IP of a name.

proc stop {message} { error "board: $message" }
proc say {message} { puts "board: $message" }

# The array board, from the folder of the build.
proc read_board {} {
  global board dir jobs
  if {![info exists ::env(TESSERA_BOARD_DIR)] || $::env(TESSERA_BOARD_DIR) eq ""} {
    stop "TESSERA_BOARD_DIR does not name the folder of the build; boards/scripts/build.sh makes it"
  }
  set dir [file normalize $::env(TESSERA_BOARD_DIR)]
  if {![file exists $dir/board.tcl]} {
    stop "$dir has no board.tcl; write it there: tessera boards NAME --print tcl"
  }
  if {![file exists $dir/rtl/tessera.v]} { stop "$dir/rtl has no tessera.v; build.sh copies the RTL there" }
  source $dir/board.tcl
  set jobs 2
  if {[info exists ::env(TESSERA_BOARD_JOBS)] && $::env(TESSERA_BOARD_JOBS) ne ""} {
    set jobs $::env(TESSERA_BOARD_JOBS)
  }
  if {![string is integer -strict $jobs] || $jobs < 1} {
    stop "TESSERA_BOARD_JOBS is $jobs, must be a count"
  }
}

# Any version is taken: it is found and written down, never compared.
proc check_tool {} {
  global board tool
  set tool "Vivado [version -short]"
  say "$tool, $board(name), $board(part)"
  if {[llength [get_parts -quiet $board(part)]] == 0} {
    stop "$tool has no part $board(part): add its device family with the vendor's installer"
  }
}

# The newest version of IP |name|, of any vendor: versions differ from release to release.
proc newest_ip {name} {
  set found [lsort -dictionary [get_ipdefs -all -filter "VLNV =~ *:$name:*"]]
  if {[llength $found] == 0} {
    stop "the IP catalogue has no $name: is it of this tool's edition, and did packaging succeed?"
  }
  return [lindex $found end]
}
