#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Verilates the machine for one configuration and links it, with its memory model, into a plugin.
# The build and the rtl device (for configurations that are not prebuilt) both use this script.
#
#   build_machine.sh SOURCE_DIR PACKAGE WORK_DIR OUTPUT TRACE
#
#   SOURCE_DIR  this project's sources
#   PACKAGE     tsr_pkg.sv of the configuration
#   WORK_DIR    scratch folder, made anew; WORK_DIR.log is the tools' output
#   OUTPUT      the shared object; appears complete or not at all. WORK_DIR.d lists what it depends on
#   TRACE       none, vcd or fst: what the machine can write as a waveform
# Environment: VERILATOR, CXX (programs), TESSERA_JOBS (compilers at a time, 2), TESSERA_ASSERT (1: check
# the RTL's assertions)
set -eu
if [ $# -ne 5 ]; then
  sed -n '/^#   build_machine/,/^set/p' "$0" >&2
  exit 2
fi
source_dir=$1 package=$2 work=$3 output=$4 trace=$5
verilator=${VERILATOR:-verilator}
cxx=${CXX:-g++}
jobs=${TESSERA_JOBS:-2}

for program in "$verilator" "$cxx"; do
  command -v "$program" >/dev/null || { echo "$program was not found" >&2; exit 3; }
done
launcher=
if command -v ccache >/dev/null; then launcher=ccache; fi

rm -rf "$work"
mkdir -p "$work"
# What the tools say goes to a log; the end of it is shown when they fail.
exec 3>&2 > "$work.log" 2>&1
trap 'status=$?; if [ $status != 0 ]; then tail -n 30 "$work.log" >&3; fi' EXIT
cp "$package" "$work/tsr_pkg.sv"
cp "$source_dir/sim/rtl/machine.cc" "$work/machine.cc"

rtl=$source_dir/hw/rtl
. "$rtl/sources.sh"
trace_flags= trace_sources=
case $trace in
  none) ;;
  vcd) trace_flags=--trace trace_sources=verilated_vcd_c.cpp ;;
  fst) trace_flags=--trace-fst trace_sources=verilated_fst_c.cpp ;;
  *) echo "TRACE is none, vcd or fst, not '$trace'" >&2; exit 2 ;;
esac
assert_flags=
if [ "${TESSERA_ASSERT:-1}" = 1 ]; then assert_flags=--assert; fi

cd "$work"
"$verilator" --cc --top-module tsr_top --prefix Vtsr_top --Mdir obj \
  -O3 --x-assign fast --x-initial fast --no-timing $assert_flags $trace_flags \
  --output-split 30000 --output-split-cfuncs 3000 \
  -Wno-fatal $(rtl_folders | sed 's/^/-I/') tsr_pkg.sv $(rtl_packages) "$rtl/tsr_top.sv"

include=$("$verilator" --getenv VERILATOR_ROOT)/include
flags="-MMD -std=c++23 -O3 -fPIC -fvisibility=hidden -DVL_USER_STOP -DVL_USER_FATAL"
case $trace in
  vcd) flags="$flags -DVM_TRACE=1 -DVM_TRACE_VCD=1 -DTESSERA_TRACE_VCD" ;;
  fst) flags="$flags -DVM_TRACE=1 -DVM_TRACE_FST=1 -DTESSERA_TRACE_FST" ;;
  none) flags="$flags -DVM_TRACE=0" ;;
esac
hash=$(sed -n "s/.*ConfigHash = 64'h\([0-9a-f]*\).*/\1/p" tsr_pkg.sv)
flags="$flags -DTESSERA_CONFIG_HASH=0x${hash}u -Iobj -isystem $include -isystem $include/vltstd -I$source_dir"

# Slow files run once or never: they are not worth optimising.
: > commands
for file in obj/*.cpp; do
  case $file in
    *__Slow*.cpp|*__Syms.cpp|*__Trace*Slow*) level=-O0 ;;
    *) level= ;;
  esac
  echo "$launcher $cxx $flags $level -c $file -o $(basename "$file" .cpp).o" >> commands
done
for file in verilated.cpp verilated_threads.cpp $trace_sources; do
  echo "$launcher $cxx $flags -c $include/$file -o lib_$(basename "$file" .cpp).o" >> commands
done
echo "$launcher $cxx $flags -c machine.cc -o machine.o" >> commands
for file in sim/dram/dram.cc base/check.cc base/hash.cc; do
  echo "$launcher $cxx $flags -c $source_dir/$file -o own_$(basename "$file" .cc).o" >> commands
done
xargs -P "$jobs" -I{} sh -c '{} || exit 255' < commands

libs="-lfmt -lpthread"
if [ "$trace" = fst ]; then libs="$libs -lz"; fi
"$cxx" -shared -Wl,-Bsymbolic -o plugin.so ./*.o $libs

{
  printf '%s:' "$output"
  cat obj/Vtsr_top__ver.d ./*.d | tr ' :\\' '\n\n\n' | grep "^$source_dir/" | sort -u | tr '\n' ' '
  echo
} > "$work.d"
mkdir -p "$(dirname "$output")"
cp plugin.so "$output.$$"
mv "$output.$$" "$output"
