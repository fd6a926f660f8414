// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/target.h"

namespace tessera::target {

// OpenCL 1.2 guarantees 32 KiB of shared memory to a group; CUDA's default is 48 KiB. |processors|
// is that of a large GPU (108 to 132) as a power of two. A group of 64 threads is two warps of 32.
// A processor has 128 lanes, loads and stores 32 values of its threads in a cycle, and shares an L2
// and a memory of 1.5 TB/s with the others (A100). CUDA has the narrower limits for one dimension:
// 64 threads in z, 65,535 groups in y and z.
std::shared_ptr<const Target> Gpu() {
  using ir::LoopKind;
  using ir::Scope;
  static const auto target = std::make_shared<const Target>(
      Target{.name = "gpu",
             .memories = {{Scope::kGlobal},
                          {Scope::kShared, 32 << 10},
                          {Scope::kLocal, 16 << 10},
                          {Scope::kReg, 1 << 10}},
             .loops = {LoopKind::kSerial, LoopKind::kVector, LoopKind::kUnroll, LoopKind::kGridX,
                       LoopKind::kGridY, LoopKind::kGridZ, LoopKind::kThreadX, LoopKind::kThreadY,
                       LoopKind::kThreadZ},
             .limits = {{LoopKind::kGridX, (int64_t{1} << 31) - 1},
                        {LoopKind::kGridY, 65535},
                        {LoopKind::kGridZ, 65535},
                        {LoopKind::kThreadZ, 64}},
             .intrinsics = {},
             .max_threads = 256,
             .max_lanes = 4,
             .processors = 128,
             .group_threads = 64,
             .ops_a_cycle = 1,
             .loads_a_cycle = 0.25,
             .stores_a_cycle = 0.25,
             .fma = true,
             .group_lanes = 128,
             .caches = {{128 << 10, 32, 64}, {40 << 20, 32, 1100, false}},
             .cycles_a_second = 1.41e9});
  return target;
}

}  // namespace tessera::target
