// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/target.h"

namespace tessera::target {

// OpenCL 1.2 guarantees 32 KiB of shared memory to a group; CUDA's default is 48 KiB. |processors|
// is that of a large GPU (108 to 132) as a power of two. A group of 64 threads is two warps of 32.
// CUDA has the narrower limits for one dimension: 64 threads in z, 65,535 groups in y and z.
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
             .group_threads = 64});
  return target;
}

}  // namespace tessera::target
