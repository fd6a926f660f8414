// SPDX-License-Identifier: Apache-2.0
//
// The logistic function. ONNX Sigmoid; TFLite LOGISTIC, whose kernel computes its table in float32.
#include <cmath>

#include "compiler/ops/lookup.h"
#include "compiler/te/ops/functions.h"

namespace tessera::ops {
namespace {

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  if (node.round == isa::Round::kTflite)
    return SingleTable(graph, node, requant, [](float x) { return 1.0f / (1.0f + std::exp(-x)); });
  return RealTable(graph, node, requant, [](double x) { return 1 / (1 + std::exp(-x)); });
}

void Body(RegionBuilder& b, const Node& node) { LookupBody(b, node, te::Sigmoid); }

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  return UnaryFromOnnx(c, node, {.op = Op::kSigmoid});
}

Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const auto quant, c.ResultQuant());
  if (quant && (quant->scale[0] != 1.0 / 256 || quant->zero[0] != -128)) {
    return c.Unsupported(
        "its result {} has scale {} and zero point {}; 1/256 and -128 are supported",
        c.Out().Place(), quant->scale[0], quant->zero[0]);
  }
  return UnaryFromTflite(c, {.op = Op::kSigmoid});
}

void MakeExample(Example& example) { example.quant = Quant{{1.0 / 256}, {-128}, -1}; }

constexpr OnnxRow kOnnx[] = {{"Sigmoid", FromOnnx}};
constexpr TfliteRow kTflite[] = {{"LOGISTIC", 1, 1, FromTflite}};

}  // namespace

constinit const OpDef kSigmoidDef = {
    .name = "sigmoid",
    .meaning = "1 / (1 + exp(-x)); int8 by a table of 256 entries",
    .types = kAllTypes,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops
