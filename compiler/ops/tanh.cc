// SPDX-License-Identifier: Apache-2.0
//
// The hyperbolic tangent. ONNX Tanh; TFLite TANH, whose kernel computes its table in float32.
#include <cmath>

#include "compiler/ops/lookup.h"

namespace tessera::ops {
namespace {

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  if (node.round == isa::Round::kTflite)
    return SingleTable(graph, node, requant, [](float x) { return std::tanh(x); });
  return RealTable(graph, node, requant, [](double x) { return std::tanh(x); });
}

// Near 0 a polynomial, which keeps the relative error small (S. Moshier, Cephes, tanhf).
void Body(RegionBuilder& b, const Node& node) {
  LookupBody(b, node, [](Expr x) {
    const Expr one = ir::ImmF32(1), two = ir::ImmF32(2), size = ir::Abs(x), z = x * x;
    Expr sum = ir::ImmF32(-5.70498872745e-3f);
    for (const float term :
         {2.06390887954e-2f, -5.37397155531e-2f, 1.33314422036e-1f, -3.33332819422e-1f})
      sum = sum * z + ir::ImmF32(term);
    const Expr far = one - ir::Bin(ir::BinOp::kDiv, two, ir::Exp(size + size) + one);
    const Expr sided = ir::Select(ir::Lt(x, ir::ImmF32(0)), ir::Neg(far), far);
    return ir::Select(ir::Lt(size, ir::ImmF32(0.625f)), sum * z * x + x, sided);
  });
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  return UnaryFromOnnx(c, node, {.op = Op::kTanh});
}

Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const auto quant, c.ResultQuant());
  if (quant && (quant->scale[0] != 1.0 / 128 || quant->zero[0] != 0)) {
    return c.Unsupported("its result {} has scale {} and zero point {}; 1/128 and 0 are supported",
                         c.Out().Place(), quant->scale[0], quant->zero[0]);
  }
  return UnaryFromTflite(c, {.op = Op::kTanh});
}

void MakeExample(Example& example) { example.quant = Quant{{1.0 / 128}, {0}, -1}; }

constexpr OnnxRow kOnnx[] = {{"Tanh", FromOnnx}};
constexpr TfliteRow kTflite[] = {{"TANH", 1, 1, FromTflite}};

}  // namespace

constinit const OpDef kTanhDef = {
    .name = "tanh",
    .meaning = "tanh(x), a table of 256 entries",
    .types = kAllTypes,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops
