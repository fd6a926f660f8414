#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs a command with XRT's software emulation in place of a card, and our model of one behind it:
#
#   sim/xrt/emulated.sh build/bin/tessera run models/fashion/fashion_int8.onnx --device xrt --input IMAGES.idx.gz --first 4
#
# TESSERA_XRT_EMULATION: the folder that target xrt_emulation builds; default: build/xrt_emulation of this tree.
# Nothing is left behind when the command, the model or this script is killed: the model removes XRT's socket and folder
# (main.cc), and this script does so where the model could not.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
emulation=${TESSERA_XRT_EMULATION:-$here/../../build/xrt_emulation}
[ $# -gt 0 ] || { echo "usage: $0 COMMAND [ARGUMENT...]; the head of this file has an example" >&2; exit 2; }
[ -d "$emulation/lib" ] || { echo "$0: $emulation is not there: cmake --build build -t xrt_emulation makes it, where XRT is" >&2; exit 2; }
emulation=$(cd "$emulation" && pwd)

# XRT looks for its libraries in lib, and starts the model of a card from data/emulation.
export XILINX_XRT=$emulation XILINX_VITIS=$emulation XCL_EMULATION_MODE=sw_emu
export XRT_INI_PATH=$emulation/xrt.ini
export SDACCEL_EM_RUN_DIR=$emulation  # .run/PID in it is XRT's
export USER=tessera-xrt-$$            # /tmp/$USER has the socket: a folder of this run's own
export TESSERA_XCLBIN=${TESSERA_XCLBIN:-$emulation}
# Debian's alloc_void corrupts the heap: alloc_void.cc.
export LD_PRELOAD=$emulation/libtessera_xrt_alloc_void.so${LD_PRELOAD:+:$LD_PRELOAD}

# A group of its own: when the model of a card dies, XRT ends the whole process group.
setsid "$@" <&0 &
child=$!
unset LD_PRELOAD
trap 'kill -TERM -- "-$child" 2>/dev/null' INT TERM HUP
wait "$child"
code=$?
while kill -0 "$child" 2>/dev/null; do wait "$child"; code=$?; done  # a trap interrupts wait
rm -rf "$emulation/.run/$child" "/tmp/$USER"
rmdir "$emulation/.run" 2>/dev/null
exit "$code"
