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
#   TRACE       none, vcd or fst: what the machine can write as a waveform; coverage: it counts which lines were executed and
#               which signals of up to 4 bits changed, hw/scripts/coverage.sh
# Environment: CXX (the compiler), TESSERA_MODEL_CXX (of what Verilator made: clang++-14, else clang++, else CXX), TESSERA_JOBS
# (compilers at a time, 2), TESSERA_OPTIMISE (-O3), TESSERA_VERILATED (Verilator's runtime for TRACE none, an archive that was
# compiled with VL_USER_STOP and VL_USER_FATAL; without it, this script compiles the runtime), and verilate.sh's
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
# A machine that clang has compiled takes 9 % less time than g++ 12's.
model_cxx=${TESSERA_MODEL_CXX:-}
for program in clang++-14 clang++ "$cxx"; do
  if [ -z "$model_cxx" ] && command -v "$program" >/dev/null; then model_cxx=$program; fi
done
# A machine runs where it is built. What Verilator made takes 4 % fewer instructions of level 3. The level has a name: of
# -march=native ccache would keep one object for all processors.
level=-march=x86-64-v3
has=$("$model_cxx" -march=native -dM -E -x c /dev/null 2>/dev/null | awk '{ print $2 }' || true)
for feature in __x86_64__ __AVX2__ __BMI__ __BMI2__ __F16C__ __FMA__ __LZCNT__ __MOVBE__; do
  echo "$has" | grep -qx "$feature" || level=
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

trace_flags= trace_sources=
case $trace in
  none) ;;
  vcd) trace_flags=--trace trace_sources=verilated_vcd_c.cpp ;;
  fst) trace_flags=--trace-fst trace_sources=verilated_fst_c.cpp ;;
  coverage) trace_flags='--coverage-line --coverage-toggle --coverage-max-width 4' trace_sources=verilated_cov.cpp ;;
  *) echo "TRACE is none, vcd, fst or coverage, not '$trace'" >&2; exit 2 ;;
esac

# A user's configuration may leave something unused: that is a warning here, and lint's business.
cd "$work"
VERILATOR=$verilator "$source_dir/hw/scripts/verilate.sh" model tsr_pkg.sv tsr_top Vtsr_top obj -Wno-fatal $trace_flags

include=$("$verilator" --getenv VERILATOR_ROOT)/include
flags="-MMD ${TESSERA_OPTIMISE:--O3} -fPIC -fvisibility=hidden -DVL_USER_STOP -DVL_USER_FATAL"
case $trace in
  vcd) flags="$flags -DVM_TRACE=1 -DVM_TRACE_VCD=1 -DTESSERA_TRACE_VCD" ;;
  fst) flags="$flags -DVM_TRACE=1 -DVM_TRACE_FST=1 -DTESSERA_TRACE_FST" ;;
  coverage) flags="$flags -DVM_TRACE=0 -DVM_COVERAGE=1" ;;
  none) flags="$flags -DVM_TRACE=0" ;;
esac
hash=$(sed -n "s/.*ConfigHash = 64'h\([0-9a-f]*\).*/\1/p" tsr_pkg.sv)
flags="$flags -DTESSERA_CONFIG_HASH=0x${hash}u -Iobj -isystem $include -isystem $include/vltstd -I$source_dir"

# Few files, because each one reads all headers of the model again: one by one they take twice the time. What runs once or
# never is not worth optimising.
echo "$launcher $model_cxx -std=c++17 $flags $level -c obj/fast.cc -o fast.o" > commands
echo "$launcher $model_cxx -std=c++17 $flags $level -O0 -c obj/slow.cc -o slow.o" >> commands
for file in machine.cc sim/dram/dram.cc base/check.cc base/hash.cc; do
  echo "#include \"$file\""
done > own.cc
echo "$launcher $cxx -std=c++23 $flags -c own.cc -o own.o" >> commands
runtime=${TESSERA_VERILATED:-}
if [ -z "$runtime" ] || [ "$trace" != none ]; then
  runtime=
  for file in verilated.cpp verilated_threads.cpp $trace_sources; do
    echo "$launcher $cxx -std=c++23 $flags -c $include/$file -o lib_$(basename "$file" .cpp).o" >> commands
  done
fi
xargs -P "$jobs" -I{} sh -c '{} || exit 255' < commands

libs="-lfmt -lpthread"
if [ "$trace" = fst ]; then libs="$libs -lz"; fi
"$cxx" -shared -Wl,-Bsymbolic -o plugin.so ./*.o $runtime $libs

{
  printf '%s: ' "$output"
  cat obj/sources.d ./*.d | tr ' :\\' '\n\n\n' | grep "^$source_dir/" | sort -u | tr '\n' ' '
  echo
} > "$work.d"
mkdir -p "$(dirname "$output")"
cp plugin.so "$output.$$"
mv "$output.$$" "$output"
