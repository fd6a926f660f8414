// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/board_gpu.h"

#include "compiler/target/cuda.h"

namespace tessera::target {

std::shared_ptr<const Target> Gpu(const isa::Gpu& gpu) {
  Target target = gpu.driver == "cuda" ? *Cuda() : *Gpu();
  target.processors = gpu.processors;
  target.group_lanes = gpu.lanes;
  target.cycles_a_second = static_cast<double>(gpu.clock_mhz) * 1e6;
  target.caches.back().bytes_a_cycle =
      static_cast<double>(gpu.memory_mb_s) / static_cast<double>(gpu.clock_mhz);
  return std::make_shared<const Target>(std::move(target));
}

}  // namespace tessera::target
