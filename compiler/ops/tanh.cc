// SPDX-License-Identifier: Apache-2.0
//
// The hyperbolic tangent. ONNX Tanh; TFLite TANH, whose kernel computes its table in float32.
#include <cmath>

#include "compiler/ops/lookup.h"
#include "compiler/quantize/lines16.h"
#include "compiler/region/functions.h"

namespace tessera::ops::tanh_op {
namespace {

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  if (graph.tensor(node.output).dtype == DType::kInt16)
    return LinesTable(graph, node, requant, quantize::TanhByLines);
  if (node.round == isa::Round::kTflite)
    return SingleTable(graph, node, requant, [](float x) { return std::tanh(x); });
  return RealTable(graph, node, requant, [](double x) { return std::tanh(x); });
}

void Body(RegionBuilder& b, const Node& node) { LookupBody(b, node, te::Tanh); }

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  return UnaryFromOnnx(c, node, {.op = Op::kTanh});
}

Status FromTflite(Converter& c) {
  TESSERA_TRY(c.ResultHas(1.0 / 128, 0));
  return UnaryFromTflite(c, {.op = Op::kTanh});
}

void MakeExample(Example& example) { example.UnitScale(1.0 / 128, 0); }

constexpr OnnxRow kOnnx[] = {{"Tanh", FromOnnx}};
constexpr TfliteRow kTflite[] = {{"TANH", 1, 1, FromTflite}};

}  // namespace

constinit const OpDef kTanhDef = {
    .name = "tanh",
    .meaning = "tanh(x); integers by a table",
    .types = kWideTypes,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::tanh_op
