// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/cuda.h"

namespace tessera::target {

// A block may use 48 KiB by default. The sums of a warp take 64 registers of each thread.
std::shared_ptr<const Target> Cuda() {
  static const auto target = [] {
    Target made = *Gpu();
    made.name = "cuda";
    for (TargetMemory& m : made.memories) {
      if (m.scope == ir::Scope::kShared) m.bytes = 48 << 10;
    }
    made.memories.push_back({ir::Scope::kAcc, kWarpThreads * 64 * 4});
    made.intrinsics = MmaIntrinsics();
    return std::make_shared<const Target>(std::move(made));
  }();
  return target;
}

}  // namespace tessera::target
