#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Searches for schedules of the known networks and writes what is best for each to models/records,
# NETWORK.CONFIGURATION.jsonl: the choices alone, without the trials. tools_tune_test compiles by
# them. Run it again when that test says that a layer has no record any more.
#
#   bench/records.sh [TIME] [CONFIGURATION ...]     (default: 2m default)
#
# Looks for MLPerf Tiny's files in $TESSERA_MODELS, otherwise in ../shared/models, and leaves out
# those that are not there. Needs a build (ninja -C build tessera).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
budget=${1:-2m}
shift || true
configs=("$@")
[ ${#configs[@]} -gt 0 ] || configs=(default)
trials=$(mktemp -d)
trap 'rm -rf "$trials"' EXIT
for model in models/fashion/fashion_int8.onnx "${TESSERA_MODELS:-../shared/models}"/*.tflite; do
  [ -f "$model" ] || continue
  name=$(basename "${model%.*}")
  for config in "${configs[@]}"; do
    file=models/records/$name.$config.jsonl
    build/bin/tessera tune "$model" --config "$config" --budget "$budget" \
      -o "$trials/$name.$config" | grep '^network: '
    grep '"network":' "$trials/$name.$config" > "$file"
    echo "$file: $(wc -l < "$file") choices"
  done
done
