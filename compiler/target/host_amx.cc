// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/intrin.h"
#include "compiler/target/host.h"

namespace tessera::target {

namespace {

// LLVM allocates the tile registers and configures their shapes (16 rows of 64 bytes).
void EmitAmx(ValueBuilder& b) {
  const Vreg rows = b.Constant({16}, 16), bytes = b.Constant({16}, 64),
             stride = b.Constant({64}, 64);
  const auto load = [&](size_t operand) {
    return b.Call("llvm.x86.tileloadd64.internal", {}, {rows, bytes, b.Address(operand), stride});
  };
  const Vreg before = load(0), x = load(1), w = load(2);
  const Vreg sum = b.Call("llvm.x86.tdpbusd.internal", {}, {rows, bytes, bytes, before, x, w});
  b.Call("llvm.x86.tilestored64.internal", {}, {rows, bytes, b.Address(0), stride, sum});
}

}  // namespace

TensorIntrin AmxU8S8() {
  constexpr int64_t kPoints = 16, kLanes = 16, kQuads = 16, kQuad = 4, kDepth = kQuads * kQuad;
  const std::string name = "amx_u8s8";
  const te::Tensor x = te::Placeholder("x", DType::kUint8, {kPoints, kQuads, kQuad}),
                   w = te::Placeholder("w", DType::kInt8, {kQuads, kLanes, kQuad});
  const te::Axis q = te::ReduceAxis("q", kQuads), b = te::ReduceAxis("b", kQuad);
  const te::Tensor out =
      te::Compute("out", {kPoints, kLanes}, {"p", "l"}, [&](const std::vector<ir::Expr>& i) {
        return te::Sum(ir::Cast(DType::kInt32, x(i[0], q.var, b.var)) *
                           ir::Cast(DType::kInt32, w(q.var, i[1], b.var)),
                       {q, b});
      });
  using ir::OperandKind;
  ir::RegisterTileIntrin({name,
                          {OperandKind::kUpdate, OperandKind::kRead, OperandKind::kRead},
                          [name](std::span<ir::TileOperand> o) -> Status {
                            if (!o[0].Holds(kPoints * kLanes) || !o[1].Holds(kPoints * kDepth) ||
                                !o[2].Holds(kLanes * kDepth))
                              return Fail(Code::kOutOfRange, "{}: an operand leaves its buffer",
                                          name);
                            for (int64_t p = 0; p < kPoints; ++p) {
                              for (int64_t l = 0; l < kLanes; ++l) {
                                int64_t sum = o[0].array->Int(o[0].offset + p * kLanes + l);
                                for (int64_t k = 0; k < kDepth; ++k) {
                                  const int64_t at = (k / kQuad * kLanes + l) * kQuad + k % kQuad;
                                  sum += o[1].array->Int(o[1].offset + p * kDepth + k) *
                                         o[2].array->Int(o[2].offset + at);
                                }
                                o[0].array->SetInt(o[0].offset + p * kLanes + l, sum);
                              }
                            }
                            return {};
                          }});
  return {.name = name, .call = name, .behaviour = out, .unit = &CpuUnits::tiles, .emit = EmitAmx};
}

}  // namespace tessera::target
