// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "compiler/ir/intrin.h"
#include "compiler/target/host.h"

namespace tessera::target {

TensorIntrin DotU8S8(int64_t lanes) {
  constexpr int64_t kBytes = 4;
  const std::string name = fmt::format("dot_u8s8x{}", lanes);
  const te::Tensor x = te::Placeholder("x", DType::kUint8, {kBytes}),
                   w = te::Placeholder("w", DType::kInt8, {lanes, kBytes});
  const te::Axis k = te::ReduceAxis("k", kBytes);
  const te::Tensor out = te::Compute("out", {lanes}, {"l"}, [&](const std::vector<ir::Expr>& i) {
    return te::Sum(ir::Cast(DType::kInt32, x(k.var)) * ir::Cast(DType::kInt32, w(i[0], k.var)),
                   {k});
  });
  using ir::OperandKind;
  ir::RegisterTileIntrin(
      {name,
       {OperandKind::kUpdate, OperandKind::kRead, OperandKind::kRead},
       [name, lanes](std::span<ir::TileOperand> o) -> Status {
         if (!o[0].Holds(lanes) || !o[1].Holds(kBytes) || !o[2].Holds(lanes * kBytes))
           return Fail(Code::kOutOfRange, "{}: an operand leaves its buffer", name);
         for (int64_t l = 0; l < lanes; ++l) {
           int64_t sum = o[0].array->Int(o[0].offset + l);
           for (int64_t b = 0; b < kBytes; ++b)
             sum +=
                 o[1].array->Int(o[1].offset + b) * o[2].array->Int(o[2].offset + l * kBytes + b);
           o[0].array->SetInt(o[0].offset + l, sum);
         }
         return {};
       }});
  return {name, name, out};
}

}  // namespace tessera::target
