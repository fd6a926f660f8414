#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Sets the project up on Debian 12, builds the command with the machine of configuration `default`, and runs the main
# job: a real int8 network on the host, on the functional simulator and on the Verilated RTL, compared layer by layer.
#
#   ./run.sh                     the comparison
#   ./run.sh run|info|... ARGS   any other command of build/bin/tessera
#
# TESSERA_DATA names the folder of the Fashion-MNIST images; default: the one of Debian's package.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. scripts/setup.sh

tessera_setup
tessera_build tessera
if [ $# -gt 0 ]; then
  exec "$TESSERA_BUILD/bin/tessera" "$@"
fi
data=${TESSERA_DATA:-/usr/share/datasets/fashion-mnist}
images=$data/t10k-images-idx3-ubyte.gz labels=$data/t10k-labels-idx1-ubyte.gz
for file in "$images" "$labels"; do
  [ -r "$file" ] || die "$file: cannot be read. Next: install Debian's package dataset-fashion-mnist, or set TESSERA_DATA to" \
                        "the folder that holds it."
done
compare=("$TESSERA_BUILD/bin/tessera" compare models/fashion/fashion_int8.onnx --input "$images" --labels "$labels")
status=0
"${compare[@]}" --devices cpu,func,rtl --first 16 || status=$?
case $status in
  0) ;;
  1) say "values differ: in the table above, the first layer with mismatches is where it begins."
     say "Next: ${compare[*]} --devices cpu,func --first 1   tells whether func differs too;"
     say "      CONTRIBUTING.md, 'Where to start when something breaks', says where to look then." ;;
  2) say "the comparison could not run: the line above names the file or option, and what to do about it." ;;
  *) say "internal error (exit status $status): the lines above name the failed check."
     say "Next: run it again, then ./test.sh -L fast; report the lines above with 'git log -1' and the system's name." ;;
esac
exit "$status"
