// SPDX-License-Identifier: Apache-2.0
//
// The GPU beside the host, as a part of a configuration (isa/config.h). Cycles of the machine do
// not depend on it; placement does (compiler/network/place.h). Depends on: nothing. Used by:
// isa/config.h, compiler/target/board_gpu.h.
#ifndef TESSERA_ISA_GPU_H_
#define TESSERA_ISA_GPU_H_

#include <cstdint>
#include <string>

namespace tessera::isa {

// The initial values are those of an A100 on PCIe 4.0 (compiler/target/gpu.cc).
struct Gpu {
  std::string driver;  // "opencl" or "cuda"; "": there is no GPU
  int64_t processors = 128;
  int64_t lanes = 128;  // of a processor: operations in a cycle
  int64_t clock_mhz = 1410;
  int64_t memory_mb_s = 1'550'000;  // from its memory
  int64_t link_mb_s = 12'000;       // between its memory and the host's
  int64_t launch_us = 5;            // of a kernel: the driver's call and its answer
  int64_t transfer_us = 5;          // of a transfer of a few bytes: the same

  bool operator==(const Gpu&) const = default;
};

}  // namespace tessera::isa

#endif  // TESSERA_ISA_GPU_H_
