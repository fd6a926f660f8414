#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tries a path of docs/models.md with packages from PyPI, in a virtual environment of its own.
#
#   models/paths/run.sh PART TESSERA FOLDER
#
#   PART     torch: PyTorch's exporter; keras: TensorFlow's and tf2onnx; quantize: ONNX Runtime beside tessera quantize;
#            fashion: the same of the example network, over all its test images;
#            functions: whether models/functions writes the files of tests/data again
#   TESSERA  the command; FOLDER: where the environment and the files go (torch takes 6 GB)
#
# Exit status: the script's own; 77: the packages cannot be had, and why.
set -euo pipefail
[ $# -eq 3 ] || { sed -n '5,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
part=$1 tessera=$(realpath "$2")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
case $part in
  torch) packages=(torch==2.9.1 onnxscript onnx==1.19.1 onnxruntime==1.31.1) script=models/paths/torch_paths.py ;;
  keras) packages=(tensorflow-cpu==2.17.1 tf2onnx==1.17.0 onnx==1.17.0) script=models/paths/keras_paths.py ;;
  quantize) packages=(onnx==1.19.1 onnxruntime==1.31.1 numpy) script=models/quantize/compare.py ;;
  fashion) packages=(onnx==1.19.1 onnxruntime==1.31.1 numpy) script=models/quantize/fashion.py ;;
  functions) packages=(-r "$root/models/functions/requirements.txt") script=models/functions/make.py ;;
  *) echo "run.sh: no part '$part'; there are torch, keras, quantize, fashion and functions" >&2; exit 2 ;;
esac
mkdir -p "$3"
folder=$(realpath "$3")
venv=$folder/venv
if [ ! -f "$venv/ready" ]; then
  python3 -m venv "$venv" || { echo "skipped: python3 -m venv does not work here: install python3-venv"; exit 77; }
  "$venv/bin/pip" install -q "${packages[@]}" > "$folder/pip.log" 2>&1 ||
    { echo "skipped: pip install ${packages[*]} failed: $(tail -n 1 "$folder/pip.log")"; exit 77; }
  touch "$venv/ready"
fi
if [ "$part" = functions ]; then
  exec "$venv/bin/python" "$root/$script" --check
fi
exec "$venv/bin/python" "$root/$script" "$tessera" "$folder/files"
