// SPDX-License-Identifier: Apache-2.0
//
// Operators that compute a function of one value, each generated from a description. A quantised
// int8 value uses a table (lookup.h), plain numbers the formula. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_FUNCTIONS_H_
#define TESSERA_COMPILER_OPS_FUNCTIONS_H_

#include <string_view>

#include "compiler/ops/lookup.h"

namespace tessera::ops {

struct Function {
  std::string_view name, meaning;
  Expr (*of)(const Expr& x);  // of a wide value (te::Wide)
  double (*real)(double x);   // of a real number, for the table
};

// An attribute of a Curve.
struct Parameter {
  std::string_view name;  // ONNX's name of the attribute; "" if the curve has none
  float usual = 0;
};
struct Curve {
  std::string_view name, meaning;
  Parameter first, second;
  Expr (*of)(const Expr& x, float first, float second);
  double (*real)(double x, double first, double second);
};
using graph::CurveAttributes;

template <const Function& kFunction>
Status FunctionRequant(const Graph& graph, const Node& node, Requant& requant) {
  if (node.round != isa::Round::kTflite)
    return RealTable(graph, node, requant, [](double x) { return kFunction.real(x); });
  return SingleTable(graph, node, requant, [](float x) {
    return static_cast<float>(kFunction.real(static_cast<double>(x)));
  });
}

template <const Function& kFunction>
void FunctionBody(RegionBuilder& b, const Node& node) {
  LookupBody(b, node, [](Expr x) { return kFunction.of(x); });
}

template <Op kOp>
Status FunctionFromOnnx(QdqConverter& c, const OnnxNode& node) {
  return UnaryFromOnnx(c, node, {.op = kOp});
}

// For plain values only: TFLite's kernel has its own integer arithmetic, or no quantised form.
template <Op kOp>
Status PlainFromTflite(Converter& c) {
  TESSERA_ASSIGN(const auto quant, c.ResultQuant());
  if (!quant) return UnaryFromTflite(c, {.op = kOp});
  return c.Unsupported("its result {} is quantised; plain values are supported", c.Out().Place());
}

// For plain values, and for int8, where TFLite's kernel fills a table in float32.
template <Op kOp>
Status TableFromTflite(Converter& c) {
  return UnaryFromTflite(c, {.op = kOp});
}

template <const Function& kFunction>
constexpr OpDef FunctionDef(std::span<const TypePair> types, std::span<const OnnxRow> onnx,
                            std::span<const TfliteRow> tflite = {}) {
  return {.name = kFunction.name,
          .meaning = kFunction.meaning,
          .types = types,
          .requant = FunctionRequant<kFunction>,
          .body = FunctionBody<kFunction>,
          .onnx = onnx,
          .tflite = tflite};
}

template <const Curve& kCurve>
Status CurveRequant(const Graph& graph, const Node& node, Requant& requant) {
  const auto& [first, second] = node.As<CurveAttributes>();
  if (node.round != isa::Round::kTflite)
    return RealTable(graph, node, requant, [&](double x) {
      return kCurve.real(x, static_cast<double>(first), static_cast<double>(second));
    });
  return SingleTable(graph, node, requant, [&](float x) {
    return static_cast<float>(kCurve.real(static_cast<double>(x), static_cast<double>(first),
                                          static_cast<double>(second)));
  });
}

template <const Curve& kCurve>
void CurveBody(RegionBuilder& b, const Node& node) {
  const auto& [first, second] = node.As<CurveAttributes>();
  LookupBody(b, node, [&](Expr x) { return kCurve.of(x, first, second); });
}

template <const Curve& kCurve>
std::string CurveText(const Node& node) {
  const auto& [first, second] = node.As<CurveAttributes>();
  std::string text = fmt::format(" {} {}", kCurve.first.name, first);
  if (!kCurve.second.name.empty()) text += fmt::format(" {} {}", kCurve.second.name, second);
  return text;
}

// An attribute of |node|, or its default.
//   errors  kInvalidArgument  not a number, or too large
Result<float> ReadParameter(const OnnxNode& node, const Parameter& parameter);

template <const Curve& kCurve, Op kOp>
Status CurveFromOnnx(QdqConverter& c, const OnnxNode& node) {
  CurveAttributes made;
  TESSERA_ASSIGN(made.first, ReadParameter(node, kCurve.first));
  TESSERA_ASSIGN(made.second, ReadParameter(node, kCurve.second));
  return UnaryFromOnnx(c, node, {.op = kOp, .attributes = made});
}

template <const Curve& kCurve>
void CurveExample(Example& example) {
  example.node.attributes = CurveAttributes{kCurve.first.usual, kCurve.second.usual};
}

template <const Curve& kCurve>
constexpr OpDef CurveDef(std::span<const OnnxRow> onnx, std::span<const TfliteRow> tflite = {}) {
  return {.name = kCurve.name,
          .meaning = kCurve.meaning,
          .types = kAllTypes,
          .attributes = Fits<CurveAttributes>,
          .text = CurveText<kCurve>,
          .requant = CurveRequant<kCurve>,
          .body = CurveBody<kCurve>,
          .onnx = onnx,
          .tflite = tflite,
          .example = CurveExample<kCurve>};
}

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_FUNCTIONS_H_
