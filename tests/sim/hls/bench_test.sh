#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: one compiler accepts the tops and their bench as C++14 without warnings under the address and
# undefined-behaviour sanitizers, and they give func's memory on random programs of both profiles; the bench refuses a
# wrong byte, a truncated file and a program that deadlocks. Space: one configuration, 25 programs a profile. Not tested
# here: the vendor's tools; the vendor's integer types are tested only where TESSERA_AP_TYPES names a folder with
# ap_int.h, which then replace the shim's.
#
#   bench_test.sh COMPILER CONFIG BUILD HLS_CASES WORK
set -euo pipefail
compiler=$1 config=$2 build=$3 cases=$4 work=$5
rm -rf "$work" && mkdir -p "$work"
"$cases" "$config" 25 "$work"
flags=(-std=c++14 -O1 -g -Wall -Wextra -Wshadow -Werror -Wno-unknown-pragmas -Wno-unused-label
       -fsanitize=address,undefined -fno-sanitize-recover=all
       -DTSR_HLS_NAMESPACE=hls_bench -I"$build/hls/$config" -Ihw/hls -Ihw/hls/shim -I.)
if [ -n "${TESSERA_AP_TYPES:-}" ]; then  # without the vendor's streams; the checks skip the vendor's code
  mkdir "$work/ap" && cp -r "$TESSERA_AP_TYPES"/* "$work/ap" && rm -f "$work/ap/hls_stream.h"
  flags=(-isystem "$work/ap" -fno-sanitize=undefined "${flags[@]}" -fno-sanitize=undefined)
  echo "with the integer types of $TESSERA_AP_TYPES"
fi
for source in hw/hls/tsr_{fetch,load,gemm,vector,store}.cc sim/hls/twin.cc sim/hls/bench.cc; do
  "$compiler" "${flags[@]}" -c "$source" -o "$work/$(basename "$source" .cc).o"
done
"$compiler" -fsanitize=address,undefined "$work"/*.o -o "$work/bench"
"$work/bench" "$work"/*.case

# Changes the last byte of the expected memory.
one=$work/${config}_tessera_1.case
cp "$one" "$work/wrong"
size=$(stat -c %s "$one")
printf '\xa5' | dd of="$work/wrong" bs=1 seek=$((size - 1)) conv=notrunc status=none
cmp -s "$one" "$work/wrong" && printf '\x5a' | dd of="$work/wrong" bs=1 seek=$((size - 1)) conv=notrunc status=none
expect_no() {
  if "$work/bench" "$1" > "$work/said" 2>&1; then echo "bench took $1" >&2; exit 1; fi
  grep -q "$2" "$work/said" || { echo "bench said of $1:" >&2; cat "$work/said" >&2; exit 1; }
}
expect_no "$work/wrong" "byte .* of memory is .*, must be"
head -c 1000 "$one" > "$work/cut"
expect_no "$work/cut" "is cut off"
# Removes the last instruction, FINISH, from the stream.
cp "$one" "$work/short"
count=$(od -An -t u4 -j 16 -N 4 "$one" | tr -d ' ')
printf "$(printf '\\x%02x\\x%02x' $(((count - 1) % 256)) $(((count - 1) / 256)))" |
  dd of="$work/short" bs=1 seek=16 conv=notrunc status=none
expect_no "$work/short" "fetch: error 6 at instruction"
