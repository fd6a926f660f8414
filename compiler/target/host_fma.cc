// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "compiler/ir/intrin.h"
#include "compiler/target/host.h"

namespace tessera::target {

namespace {

constexpr int64_t kLanes = 16;

void EmitFma(ValueBuilder& b) {
  const ValueType type{32, kLanes, true};
  const auto x = b.Splat(b.Load(1, {32, 1, true}), kLanes);
  const auto w = b.Load(2, type), before = b.Load(0, type);
  b.Store(0, b.Call("llvm.fma", {type}, {x, w, before}));
}

}  // namespace

TensorIntrin FmaF32() {
  const std::string name = "fma_f32x16";
  const te::Tensor x = te::Placeholder("x", DType::kFloat32, {1}),
                   w = te::Placeholder("w", DType::kFloat32, {1, kLanes});
  const te::Axis k = te::ReduceAxis("k", 1);
  const te::Tensor out = te::Compute("out", {kLanes}, {"l"}, [&](const std::vector<ir::Expr>& i) {
    return te::Sum(x(k.var) * w(k.var, i[0]), {k});
  });
  using ir::OperandKind;
  ir::RegisterTileIntrin(
      {name,
       {OperandKind::kUpdate, OperandKind::kRead, OperandKind::kRead},
       [name](std::span<ir::TileOperand> o) -> Status {
         if (!o[0].Holds(kLanes) || !o[1].Holds(1) || !o[2].Holds(kLanes))
           return Fail(Code::kOutOfRange, "{}: an operand leaves its buffer", name);
         const float factor = o[1].array->Float(o[1].offset);
         for (int64_t l = 0; l < kLanes; ++l) {
           o[0].array->SetFloat(o[0].offset + l,
                                std::fma(factor, o[2].array->Float(o[2].offset + l),
                                         o[0].array->Float(o[0].offset + l)));
         }
         return {};
       }});
  return {.name = name, .call = name, .behaviour = out, .unit = &CpuUnits::fma, .emit = EmitFma};
}

}  // namespace tessera::target
