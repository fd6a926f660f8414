// SPDX-License-Identifier: Apache-2.0
//
// The processor beside the accelerator, as a part of a configuration (isa/config.h): its core, what
// a board decides about it, and what it takes to hand work to the accelerator. Cycles of the
// machine do not depend on it; placement does (compiler/network/place.h). Depends on: base. Used
// by: isa/config.h, compiler/target/board_cpu.h.
#ifndef TESSERA_ISA_CPU_H_
#define TESSERA_ISA_CPU_H_

#include <cstdint>
#include <span>
#include <string>

namespace tessera::isa {

// The initial values are those of `cortex-a9` on xc7z020; cpu.cc says where they come from.
struct Cpu {
  std::string name = "cortex-a9";
  std::string level = "armv7";  // of the code that it runs (compiler/target/host_level.h)
  // A core's instructions in a cycle, each on a vector register.
  double ops_a_cycle = 0.5, loads_a_cycle = 0.5, stores_a_cycle = 0.5;
  int64_t l1_kib = 32, line_bytes = 32;  // of data, for each core
  double l2_bytes_a_cycle = 4;           // from L2 to a core's L1
  // What a board decides; a file of a configuration may say it.
  int64_t clock_mhz = 650;
  int64_t cores = 2;
  int64_t l2_kib = 512;       // shared by the cores
  int64_t memory_mb_s = 600;  // from memory to L2
  int64_t start_us = 30;      // a run of the accelerator: the driver's call and its answer
  int64_t pack_mb_s = 160;    // bytes of the machine's layout that the host packs or unpacks

  bool operator==(const Cpu&) const = default;
};

// cortex-a9, cortex-a53, and a processor for each level of x86-64.
std::span<const Cpu> NamedCpus();
const Cpu* FindCpu(const std::string& name);  // null if unknown

}  // namespace tessera::isa

#endif  // TESSERA_ISA_CPU_H_
