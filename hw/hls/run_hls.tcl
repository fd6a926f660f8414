# SPDX-License-Identifier: Apache-2.0
#
# The flow of a vendor's HLS tool over the twin, one project per top: C simulation with the bench, C
# synthesis, cosimulation, export as an IP for block designs. We had no such tool and have not run
# it. A test compares its commands with tests/sim/hls/run_hls.golden.
#
#   vitis_hls -f hw/hls/run_hls.tcl      from the root of the repository, with in the environment
#     TESSERA_HLS_GEN     folder with tsr_hls_isa.h of the configuration: isa_gen hls --config NAME
#     TESSERA_HLS_PART    the part, xc7z020clg400-1
#     TESSERA_HLS_PERIOD  clock period in ns (10)
#     TESSERA_HLS_STEPS   of csim csynth cosim export (all)
#     TESSERA_HLS_TOPS    of fetch load gemm vector store (all)
#     TESSERA_HLS_CASES   case files for csim and cosim (tests/sim/hls/cases.cc writes them)

proc setting {name fallback} {
  if {[info exists ::env($name)] && $::env($name) ne ""} { return $::env($name) }
  return $fallback
}
proc stop {message} { error "run_hls: $message" }
proc chosen {name all} {
  set list [setting $name $all]
  foreach one $list {
    if {$one ni $all} { stop "$name names $one; there are $all" }
  }
  return $list
}

set root [pwd]
set hls $root/hw/hls
if {![file exists $hls/tsr_hls.h]} { stop "$root is not the root of the repository" }
set gen [setting TESSERA_HLS_GEN $hls/gen]
if {![file exists $gen/tsr_hls_isa.h]} {
  stop "$gen has no tsr_hls_isa.h; write it there: isa_gen hls --config NAME"
}
set part [setting TESSERA_HLS_PART ""]
if {$part eq ""} { stop "TESSERA_HLS_PART does not name a part, for example xc7z020clg400-1" }
set period [setting TESSERA_HLS_PERIOD 10]
if {![string is double -strict $period] || $period <= 0} {
  stop "TESSERA_HLS_PERIOD is $period, must be nanoseconds"
}
set steps [chosen TESSERA_HLS_STEPS {csim csynth cosim export}]
set tops [chosen TESSERA_HLS_TOPS {fetch load gemm vector store}]
set cases [setting TESSERA_HLS_CASES ""]
if {("csim" in $steps || "cosim" in $steps) && $cases eq ""} {
  stop "TESSERA_HLS_CASES is empty; csim and cosim need case files (or leave the two out of TESSERA_HLS_STEPS)"
}
set paths {}  ;# the tool runs the bench in a folder of its own
foreach case $cases {
  if {![file exists $case]} { stop "case $case does not exist" }
  lappend paths [file normalize $case]
}

# hw/hls/shim is not in the path, so the vendor's ap_int.h and hls_stream.h are used. Streams block in threads.
set flags "-std=c++14 -I$hls -I$gen"
set bench_flags "$flags -I$root -DTSR_HLS_VENDOR -DHLS_STREAM_THREAD_SAFE -Wno-unknown-pragmas"

foreach top $tops {
  open_project -reset tsr_hls_$top
  set_top tsr_hls_$top
  add_files $hls/tsr_$top.cc -cflags $flags
  foreach other {fetch load gemm vector store} {
    if {$other ne $top} { add_files -tb $hls/tsr_$other.cc -cflags $bench_flags }
  }
  add_files -tb $root/sim/hls/twin.cc -cflags $bench_flags
  add_files -tb $root/sim/hls/bench.cc -cflags $bench_flags
  open_solution -reset solution -flow_target vivado
  set_part $part
  create_clock -period $period -name default
  config_interface -m_axi_addr64
  if {"csim" in $steps} { csim_design -argv $paths -ldflags -pthread }
  if {"csynth" in $steps} { csynth_design }
  if {"cosim" in $steps} {
    if {"csynth" ni $steps} { stop "cosim needs csynth before it" }
    cosim_design -argv $paths -ldflags -pthread
  }
  if {"export" in $steps} {
    if {"csynth" ni $steps} { stop "export needs csynth before it" }
    export_design -format ip_catalog -vendor tessera -library hls -version 1.0
  }
  close_solution
  close_project
}
exit
