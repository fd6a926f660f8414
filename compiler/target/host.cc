// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/host.h"

#include "compiler/target/target.h"

namespace tessera::target {

// A schedule is for all levels; figures are of a server's core with AVX-512, which does two vectors
// of products and two loads a cycle. 32 registers are what AArch64 has, too; with AVX2's 16 LLVM
// spills some of a tile's sums. 2^17 multiply-adds are 10 us: five times what it takes to hand work
// over.
std::shared_ptr<const Target> Host() {
  using ir::LoopKind;
  using ir::Scope;
  static const auto target = std::make_shared<const Target>(Target{
      .name = "host",
      .memories = {{Scope::kGlobal}, {Scope::kLocal}, {Scope::kReg}},
      .loops = {LoopKind::kSerial, LoopKind::kVector, LoopKind::kUnroll, LoopKind::kParallel},
      .intrinsics = {DotU8S8(16), DotU8S8(8), FmaF32(), AmxU8S8()},
      .line_bytes = 64,
      .least_shared_work = 1 << 17,
      .processors = 4,
      .vector_registers = 32,
      .vector_bytes = 64,
      .near_bytes = 48 << 10,
      .lines_ahead = 16,
      .loads_a_cycle = 2});
  return target;
}

}  // namespace tessera::target
