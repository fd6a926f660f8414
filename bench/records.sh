#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Searches for schedules of the known networks and writes what is best for each to models/records,
# NETWORK.MACHINE.jsonl: the choices alone, without the trials. A machine is a configuration of the
# accelerator or a level of host code that this machine runs. tools_records_test compiles by the
# records. Run it again when that test says that a layer has no record any more. Times on the host
# need an otherwise idle machine; cycles of the accelerator do not.
#
#   bench/records.sh [TIME] [MACHINE ...]                      (default: 2m default)
#   NETWORKS='kws ad01' bench/records.sh 90s x86-64-v4-vnni    the networks whose names have these words
#
# Looks for MLPerf Tiny's files in $TESSERA_MODELS, otherwise in ../shared/models, for two of
# models/imagenet in the build, and leaves out those that are not there. Where a search finds
# nothing better than the compiler's own choice, there is no file. Needs a build (ninja -C build
# tessera imagenet_models).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
budget=${1:-2m}
shift || true
machines=("$@")
[ ${#machines[@]} -gt 0 ] || machines=(default)
trials=$(mktemp -d)
trap 'rm -rf "$trials"' EXIT

# Whether NETWORKS is empty, or the name $1 has one of its words.
wanted() {
  local word
  [ -n "${NETWORKS:-}" ] || return 0
  for word in $NETWORKS; do
    [[ $1 == *"$word"* ]] && return 0
  done
  return 1
}

for model in models/fashion/fashion_int8.onnx "${TESSERA_MODELS:-../shared/models}"/*.tflite \
             build/models/imagenet/{resnet18,mobilenetv2}_int8.onnx; do
  [ -f "$model" ] || continue
  name=$(basename "${model%.*}")
  wanted "$name" || continue
  for machine in "${machines[@]}"; do
    case $machine in
      x86-64* | aarch64* | armv7) target=(--target cpu --cpu-level "$machine") ;;
      *) target=(--config "$machine") ;;
    esac
    file=models/records/$name.$machine.jsonl
    told=$(build/bin/tessera tune "$model" "${target[@]}" --budget "$budget" -o "$trials/$name.$machine" |
             grep '^network: ')
    echo "$name, $machine: $told"
    if [[ $told =~ \ -?0\.00\ %\ fewer|\ (0\.|1\.000)[0-9]*\ times ]]; then
      rm -f "$file"
      continue
    fi
    grep '"network":' "$trials/$name.$machine" > "$file"
    echo "$file: $(wc -l < "$file") choices"
  done
done
