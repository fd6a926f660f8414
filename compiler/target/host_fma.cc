// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/ir/intrin.h"
#include "compiler/target/host.h"

namespace tessera::target {
namespace {

// Without the instruction LLVM makes a product and a sum of it.
template <int kLanes>
void EmitFma(ValueBuilder& b) {
  const ValueType type{32, kLanes, true};
  const auto x = b.Splat(b.Load(1, {32, 1, true}), kLanes);
  const auto w = b.Load(2, type), before = b.Load(0, type);
  b.Store(0, b.Call(b.units().fma ? "llvm.fma" : "llvm.fmuladd", {type}, {x, w, before}));
}

}  // namespace

TensorIntrin FmaF32(int64_t lanes, const HostLevel& level) {
  TESSERA_CHECK(lanes == 16 || lanes == 8, "{} lanes", lanes);
  const std::string name = fmt::format("fma_f32x{}", lanes);
  const te::Tensor x = te::Placeholder("x", DType::kFloat32, {1}),
                   w = te::Placeholder("w", DType::kFloat32, {1, lanes});
  const te::Axis k = te::ReduceAxis("k", 1);
  const te::Tensor out = te::Compute("out", {lanes}, {"l"}, [&](const std::vector<ir::Expr>& i) {
    return te::Sum(x(k.var) * w(k.var, i[0]), {k});
  });
  using ir::OperandKind;
  ir::RegisterTileIntrin(
      {name,
       {OperandKind::kUpdate, OperandKind::kRead, OperandKind::kRead},
       [name, lanes](std::span<ir::TileOperand> o) -> Status {
         if (!o[0].Holds(lanes) || !o[1].Holds(1) || !o[2].Holds(lanes))
           return Fail(Code::kOutOfRange, "{}: an operand leaves its buffer", name);
         const float factor = o[1].array->Float(o[1].offset);
         for (int64_t l = 0; l < lanes; ++l) {
           o[0].array->SetFloat(o[0].offset + l,
                                std::fma(factor, o[2].array->Float(o[2].offset + l),
                                         o[0].array->Float(o[0].offset + l)));
         }
         return {};
       }});
  // x86 starts two a cycle, on registers of any width; other levels are counted alike.
  const auto registers = static_cast<double>(CeilDiv(4 * lanes, level.vector_bytes));
  return {.name = name,
          .call = name,
          .behaviour = out,
          .cycles = (level.units.fma ? 0.5 : 1) * registers,
          .latency = 4,
          .emit = lanes == 16 ? EmitFma<16> : EmitFma<8>};
}

}  // namespace tessera::target
