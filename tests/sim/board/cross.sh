#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: the runtime cross-built for a board's processor, run by qemu-user beside the verilated machine in
# another process: the tests of the zynq driver, the conformance suite, and the Fashion-MNIST network on the host code
# of that processor and on the machine. The outputs equal those of this machine's host code, bit for bit. Not tested: a
# kernel of that processor (guest.sh), a board.
#   cross.sh ARCH BUILD [driver]   ARCH: armhf or arm64; BUILD: the build folder of this machine's programs; driver: the
#                                  tests of the driver alone
set -euo pipefail
cd "$(dirname "$0")/../../.."
. tests/sim/board/common.sh
arch=$1 build=$2 part=${3:-all}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
case $arch in armhf) qemu=qemu-arm-static level=armv7 ;; *) qemu=qemu-aarch64-static level=aarch64 ;; esac
need $qemu qemu-user-static
case $part in
  all) cross "$arch" tessera cts_test zynq_board_test ;;
  driver) cross "$arch" zynq_board_test ;;
  *) die "$part: give driver, or nothing" ;;
esac
bin=build-$arch/bin

say "unit tests of the driver"
$qemu $bin/zynq_board_test --gtest_brief=1
[ "$part" = all ] || { say "ok: $arch, driver"; exit; }
say "conformance"
$qemu $bin/cts_test --gtest_brief=1 --gtest_filter='Cts/*/zynq_*:Cts/*/func_tiny'

say "Fashion-MNIST"
"$build/bin/tessera" compile models/fashion/fashion_int8.onnx -o "$work/net.tsr" --cpu-level x86-64-v2,$level
first_images 8 "$work/in.idx"
"$build/bin/tessera" run "$work/net.tsr" --device cpu --input "$work/in.idx" --output "$work/want.npy"
$qemu $bin/tessera run "$work/net.tsr" --device cpu --input "$work/in.idx" --output "$work/cpu.npy"
"$build/bin/simulated_board" -- $qemu $bin/tessera run "$work/net.tsr" --device 'zynq:shared={}' --input "$work/in.idx" \
  --output "$work/zynq.npy"
for device in cpu zynq; do
  cmp "$work/want.npy" "$work/$device.npy" || die "$device on $arch gives other values than this machine's host code"
done
say "a model is refused where there is no compiler"
! $qemu $bin/tessera run models/fashion/fashion_int8.onnx --device cpu --input "$work/in.idx" 2>"$work/refused" || die "it was not"
grep -q 'no compiler: run `tessera compile' "$work/refused" || { cat "$work/refused"; die "not in these words"; }
say "ok: $arch"
