#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Sets the project up on Debian 12, builds it, and runs the main job: a real int8 network on the host, on the
# functional simulator and on the Verilated RTL, compared layer by layer.
#
#   ./run.sh                     the comparison
#   ./run.sh run|info|... ARGS   any other command of build/bin/tessera
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. scripts/setup.sh

tessera_setup
tessera_build
if [ $# -gt 0 ]; then
  exec "$TESSERA_BUILD/bin/tessera" "$@"
fi
data=${TESSERA_DATA:-/usr/share/datasets/fashion-mnist}
exec "$TESSERA_BUILD/bin/tessera" compare models/fashion/fashion_int8.onnx --devices cpu,func,rtl \
  --input "$data/t10k-images-idx3-ubyte.gz" --labels "$data/t10k-labels-idx1-ubyte.gz" --first 16
