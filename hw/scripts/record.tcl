# SPDX-License-Identifier: Apache-2.0
#
# Runs a Tcl script of a vendor's tool without the tool. It knows the commands that the script may
# use, prints each call, and fails on a command or option that the tool would not know.
#
#   tclsh record.tcl COMMANDS SCRIPT     exit status 1: the script failed, with its message
#
# COMMANDS has a line per command: NAME LEAST MOST OPTION...; LEAST and MOST count the words that are
# not options. An option that ends in = takes a value. With =last among the options the command
# returns its last word (the tool's objects print as their names), else nothing. Lines that begin
# with # are comments.
#   TESSERA_RECORD_FAIL     names a command that fails, to see how the script reacts
#   TESSERA_RECORD_ANSWERS  a file with a Tcl list of patterns (string match, on the printed call)
#                           and answers; the first match gives the answer
# Paths below the working directory are printed as @/..
lassign $argv commands script
if {[llength $argv] != 2} { puts stderr "usage: tclsh record.tcl COMMANDS SCRIPT"; exit 2 }

set inside [interp create]
set root [pwd]

proc printed {words} {
  set out {}
  foreach word $words { lappend out [string map [list $::root @] $word] }
  return $out
}

set answers {}
if {[info exists env(TESSERA_RECORD_ANSWERS)]} {
  set file [open $env(TESSERA_RECORD_ANSWERS)]
  set answers [read $file]
  close $file
}
# The answer to the printed |call|; |fallback| if no pattern matches.
proc answer {call fallback} {
  foreach {pattern value} $::answers {
    if {[string match $pattern $call]} { return $value }
  }
  return $fallback
}

proc called {name least most options args} {
  set plain 0
  for {set i 0} {$i < [llength $args]} {incr i} {
    set word [lindex $args $i]
    if {![string match -* $word]} { incr plain; continue }
    if {$word in $options} continue
    if {"$word=" ni $options} { error "$name has no option $word" }
    if {[incr i] >= [llength $args]} { error "$name: option $word without a value" }
  }
  if {$plain < $least || $plain > $most} {
    error "$name takes $least to $most words, here are $plain: $args"
  }
  set call [printed [list $name {*}$args]]
  puts $call
  if {[info exists ::env(TESSERA_RECORD_FAIL)] && $::env(TESSERA_RECORD_FAIL) eq $name} {
    error "$name failed, as it was told to"
  }
  return [answer $call [expr {"=last" in $options ? [lindex $args end] : ""}]]
}

set file [open $commands]
foreach line [split [read $file] \n] {
  if {[string trim $line] eq "" || [string match #* $line]} continue
  set options [lassign $line name least most]
  $inside alias $name called $name $least $most $options
}
close $file

set ended 0
$inside alias exit apply {{args} { set ::ended 1; return -code error -errorcode ENDED "ended" }}
set status [catch {$inside eval [list source $script]} message]
if {$status != 0 && !$ended} {
  puts stderr [printed [list $message]]
  exit 1
}
exit 0
