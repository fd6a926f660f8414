// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/host.h"

#include "compiler/target/target.h"

namespace tessera::target {
namespace {

// Channels with inputs of their own are multiplied in quads where a quad is one instruction.
std::vector<TensorIntrin> IntrinsicsOf(const HostLevel& level) {
  std::vector<TensorIntrin> all{DotU8S8(16, level),
                                DotU8S8(8, level),
                                DotS16(DType::kInt8, 16, level),
                                DotS16(DType::kInt8, 8, level),
                                DotS16(DType::kInt16, 16, level),
                                DotS16(DType::kInt16, 8, level),
                                FmaF32(16, level),
                                FmaF32(8, level),
                                AmxU8S8()};
  if (level.units.quads || level.units.neon_quads) {
    all.push_back(OwnU8S8(16, level));
    all.push_back(OwnU8S8(8, level));
  }
  return all;
}

}  // namespace

// Figures that do not come from |level| are those of a server core, which computes two vectors of
// products, loads two and stores one per cycle. Its caches are those of Ice Lake and Zen 4, whose
// sizes differ by less than a half. 2^17 multiply-adds take 10 us: five times the cost of handing
// work to another thread.
std::shared_ptr<const Target> Host(const HostLevel& level) {
  using ir::LoopKind;
  using ir::Scope;
  return std::make_shared<const Target>(Target{
      .name = "host",
      .memories = {{Scope::kGlobal}, {Scope::kLocal}, {Scope::kReg}},
      .loops = {LoopKind::kSerial, LoopKind::kVector, LoopKind::kUnroll, LoopKind::kParallel},
      .intrinsics = IntrinsicsOf(level),
      .line_bytes = 64,
      .least_shared_work = 1 << 17,
      .processors = 4,
      .vector_registers = level.vector_registers,
      .vector_bytes = level.vector_bytes,
      .lines_ahead = 16,
      .ops_a_cycle = 2,
      .loads_a_cycle = 2,
      .stores_a_cycle = 1,
      .fma = level.units.fma,
      .caches = {{48 << 10, 64, 48}, {1 << 20, 64, 16}, {32 << 20, 64, 6, false}},
      .cycles_a_second = 3e9});
}

std::shared_ptr<const Target> Host() {
  static const auto target = Host(*FindHostLevel("x86-64-v4-vnni"));
  return target;
}

}  // namespace tessera::target
