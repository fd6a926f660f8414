// SPDX-License-Identifier: Apache-2.0
//
// The logistic function. ONNX Sigmoid; TFLite LOGISTIC, whose kernel computes its table in float32.
#include <cmath>

#include "compiler/ops/lookup.h"
#include "compiler/quantize/lines16.h"
#include "compiler/region/functions.h"

namespace tessera::ops::sigmoid_op {
namespace {

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  if (graph.tensor(node.output).dtype == DType::kInt16)
    return LinesTable(graph, node, requant, quantize::LogisticByLines);
  if (node.round == isa::Round::kTflite)
    return SingleTable(graph, node, requant, [](float x) { return 1.0f / (1.0f + std::exp(-x)); });
  return RealTable(graph, node, requant, [](double x) { return 1 / (1 + std::exp(-x)); });
}

void Body(RegionBuilder& b, const Node& node) { LookupBody(b, node, te::Sigmoid); }

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  return UnaryFromOnnx(c, node, {.op = Op::kSigmoid});
}

Status FromTflite(Converter& c) {
  TESSERA_TRY(c.ResultHas(1.0 / 256, -128));
  return UnaryFromTflite(c, {.op = Op::kSigmoid});
}

void MakeExample(Example& example) { example.UnitScale(1.0 / 256, -128); }

constexpr OnnxRow kOnnx[] = {{"Sigmoid", FromOnnx}};
constexpr TfliteRow kTflite[] = {{"LOGISTIC", 1, 1, FromTflite}};

}  // namespace

constinit const OpDef kSigmoidDef = {
    .name = "sigmoid",
    .meaning = "1 / (1 + exp(-x)); integers by a table",
    .types = kWideTypes,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::sigmoid_op
