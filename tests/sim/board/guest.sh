#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: an Arm guest with a simulated device: QEMU's `virt` with Debian's arm64 kernel and one static program, which runs
# `tessera run` on the Fashion-MNIST network; the machine is verilated and in a process of the host, whose file the guest
# sees as the memory of a PCI device (ivshmem-plain). Its outputs are those of this machine's host code, bit for bit. It is
# no Zynq: registers are answered by polling, and there is no UIO, no u-dma-buf, no cache that is not coherent.
#   guest.sh BUILD     the build folder of this machine's programs
# Fetches Debian's kernel package (21 MB) into build-arm64/guest once and prints how long the guest took.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. tests/sim/board/common.sh
build=$1
images=4
need qemu-system-aarch64 qemu-system-arm
cross arm64 tessera
work=build-arm64/guest
mkdir -p $work/lists/partial $work/cache/archives/partial

# Debian's kernel for this architecture, found in package lists of its own; the system's lists stay unchanged.
if [ ! -f $work/vmlinuz ]; then
  say "fetching Debian's arm64 kernel"
  apt=(-o Dir::State::Lists="$PWD/$work/lists" -o Dir::Cache="$PWD/$work/cache" -o Dir::State::status=/dev/null
       -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root)
  apt-get "${apt[@]}" update >/dev/null || die "no lists of arm64 packages: is there a network?"
  kernel=$(apt-cache "${apt[@]}" depends linux-image-cloud-arm64 | awk '/Depends:/ {print $2; exit}')
  (cd $work && apt-get "${apt[@]}" download "$kernel" >/dev/null) || die "$kernel cannot be fetched"
  dpkg-deb --fsys-tarfile $work/linux-image-*.deb | tar -x -O --wildcards './boot/vmlinuz*' >$work/vmlinuz.new
  mv $work/vmlinuz.new $work/vmlinuz
  rm -rf $work/*.deb $work/lists $work/cache
fi

aarch64-linux-gnu-g++ -std=c++20 -O1 -static tests/sim/board/guest_init.cc -o $work/init
"$build/bin/tessera" compile models/fashion/fashion_int8.onnx -o $work/net.tsr --cpu-level x86-64-v2,aarch64
first_images $images $work/in.idx
"$build/bin/tessera" run $work/net.tsr --device cpu --input $work/in.idx --output $work/want.npy
printf '%s\n' /tessera run /net.tsr --device 'zynq:shared={}' --input /in.idx --output /out.npy >$work/command
tests/sim/board/initramfs.py $work/initramfs init=$work/init tessera=build-arm64/bin/tessera net.tsr=$work/net.tsr \
  in.idx=$work/in.idx command=$work/command

say "booting"
begin=$(date +%s%N)
# 63 MiB of memory and the window make 64 MiB: the size of the shared file is a power of two.
timeout 900 "$build/bin/simulated_board" --memory-mib 63 -- qemu-system-aarch64 -M virt -cpu cortex-a53 -m 512 -nographic \
  -no-reboot -net none -kernel $work/vmlinuz -initrd $work/initramfs -append "console=ttyAMA0 quiet panic=-1 rdinit=/init" \
  -object 'memory-backend-file,id=board,mem-path={},share=on,size=64M' -device ivshmem-plain,memdev=board \
  </dev/null | tr -d '\r' >$work/console || { tail -n 20 $work/console; die "the guest ended with an error"; }
grep -v '^guest: output' $work/console
grep -q '^guest: exit code 0$' $work/console || die "tessera failed in the guest"
want=$(od -An -v -tx1 $work/want.npy | tr -d ' \n')
got=$(sed -n 's/^guest: output //p' $work/console)
[ "$got" = "$want" ] || die "the guest's outputs are not those of this machine's host code"
say "ok: $images images, equal; the guest took $((($(date +%s%N) - begin) / 1000000)) ms from power on to off"
