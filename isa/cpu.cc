// SPDX-License-Identifier: Apache-2.0
#include "isa/cpu.h"

#include <algorithm>
#include <vector>

namespace tessera::isa {

// Nobody has run a board yet, so no figure here is measured on one.
//
// Cortex-A9 on xc7z020. Arm's manual of its NEON unit: 64 bits wide, so an instruction on a
// register of 128 bits takes two cycles, a load or store too. Xilinx UG585: 32 KiB of L1 with lines
// of 32 bytes, 512 KiB of L2 that both cores share, behind a bus of 8 bytes; half of the bus is
// taken as reached. 650 MHz is the clock of Pynq-Z1 and Pynq-Z2. Their memory, 16 bits of
// DDR3-1050, moves 2,100 MB/s; 0.3 of it is taken as reached, because a core waits for each of a
// few lines in flight.
//
// Cortex-A53 on xczu3eg. Arm's manual: one instruction on 128 bits a cycle, loads and stores of 64
// bits. Xilinx UG1085: four cores, 32 KiB of L1 with lines of 64 bytes, 1 MiB of L2 behind 16 bytes
// a cycle; half is taken as reached. 1.2 GHz is the limit of speed grade -1. Ultra96's memory, 32
// bits of LPDDR4 at 533 MHz, moves 4,260 MB/s; half is taken as reached.
//
// x86-64: the core of compiler/target/host.cc, with the largest cache as its second one. For a card
// in a computer; `tessera devices --measure` has the figures of one.
//
// start_us: writes of registers, the interrupt, the wake-up of the thread that polls for it, and
// the two calls that make the caches and the memory agree, some microseconds each. pack_mb_s:
// packing moves byte by byte; four cycles a byte on Cortex-A9, three on Cortex-A53.
std::span<const Cpu> NamedCpus() {
  static const std::vector<Cpu> cpus = [] {
    Cpu a53;
    a53.name = "cortex-a53";
    a53.level = "aarch64";
    a53.ops_a_cycle = 1;
    a53.line_bytes = 64;
    a53.l2_bytes_a_cycle = 8;
    a53.clock_mhz = 1200;
    a53.cores = 4;
    a53.l2_kib = 1024;
    a53.memory_mb_s = 2100;
    a53.start_us = 15;
    a53.pack_mb_s = 400;
    std::vector<Cpu> all{Cpu(), a53};
    for (const char* level :
         {"x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4-vnni", "x86-64-v4-amx"}) {
      all.push_back({.name = level,
                     .level = level,
                     .ops_a_cycle = 2,
                     .loads_a_cycle = 2,
                     .stores_a_cycle = 1,
                     .l1_kib = 48,
                     .line_bytes = 64,
                     .l2_bytes_a_cycle = 16,
                     .clock_mhz = 3000,
                     .cores = 4,
                     .l2_kib = 32 << 10,
                     .memory_mb_s = 18000,
                     .start_us = 30,
                     .pack_mb_s = 1000});
    }
    return all;
  }();
  return cpus;
}

const Cpu* FindCpu(const std::string& name) {
  const auto it = std::ranges::find(NamedCpus(), name, &Cpu::name);
  return it == NamedCpus().end() ? nullptr : &*it;
}

}  // namespace tessera::isa
