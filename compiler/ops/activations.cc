// SPDX-License-Identifier: Apache-2.0
//
// Activation functions of one value, element by element, by ONNX's formulas. TFLite: ELU and GELU,
// whose kernels fill a table in float32.
#include <cmath>

#include "compiler/ops/functions.h"
#include "compiler/region/functions.h"

namespace tessera::ops::activations_op {
namespace {

Expr F(float value) { return ir::ImmF32(value); }

// |below| for x < 0, else |above|; |above| must keep a NaN.
Expr Sided(const Expr& x, Expr below, Expr above) {
  return ir::Select(ir::Lt(x, F(0)), below, above);
}

constexpr float kRootHalf = 0.707106781f, kRootTwoByPi = 0.797884561f;

Expr GeluOf(const Expr& x) { return F(0.5f) * x * (F(1) + ir::Erf(x * F(kRootHalf))); }
double GeluOfReal(double x) { return 0.5 * x * (1 + std::erf(x * std::sqrt(0.5))); }
Expr GeluTanhOf(const Expr& x) {
  const Expr inner = F(kRootTwoByPi) * (x + F(0.044715f) * x * x * x);
  return F(0.5f) * x * (F(1) + te::Tanh(inner));
}
double GeluTanhOfReal(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}
double SoftplusOfReal(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
Expr SoftsignOf(const Expr& x) { return te::Quotient(x, F(1) + ir::Abs(x)); }
Expr MishOf(const Expr& x) { return x * te::Tanh(te::Softplus(x)); }

constexpr Function kGeluOf{"gelu", "x times the share of normal values below x", GeluOf,
                           GeluOfReal};
constexpr Function kGeluTanhOf{"gelutanh", "gelu, by an approximation with tanh", GeluTanhOf,
                               GeluTanhOfReal};
constexpr Function kSoftplusOf{"softplus", "log(1 + exp(x))", te::Softplus, SoftplusOfReal};
constexpr Function kSoftsignOf{"softsign", "x / (1 + abs(x))", SoftsignOf,
                               [](double x) { return x / (1 + std::abs(x)); }};
constexpr Function kMishOf{"mish", "x * tanh(softplus(x))", MishOf,
                           [](double x) { return x * std::tanh(SoftplusOfReal(x)); }};

Expr EluOf(const Expr& x, float alpha, float) { return Sided(x, F(alpha) * ir::Expm1(x), x); }
double EluOfReal(double x, double alpha, double) { return x < 0 ? alpha * std::expm1(x) : x; }
constexpr Curve kEluOf{"elu",    "x, below 0 alpha * (exp(x) - 1)", {"alpha", 1}, {}, EluOf,
                       EluOfReal};

Expr SeluOf(const Expr& x, float alpha, float gamma) {
  return F(gamma) * Sided(x, F(alpha) * ir::Expm1(x), x);
}
constexpr Curve kSeluOf{"selu",
                        "gamma * x, below 0 gamma * alpha * (exp(x) - 1)",
                        {"alpha", 1.67326319217681884765625f},
                        {"gamma", 1.05070102214813232421875f},
                        SeluOf,
                        [](double x, double alpha, double gamma) {
                          return gamma * (x < 0 ? alpha * std::expm1(x) : x);
                        }};

Expr CeluOf(const Expr& x, float alpha, float) {
  return Sided(x, F(alpha) * ir::Expm1(te::Quotient(x, F(alpha))), x);
}
constexpr Curve kCeluOf{
    "celu",
    "x, below 0 alpha * (exp(x / alpha) - 1)",
    {"alpha", 1},
    {},
    CeluOf,
    [](double x, double alpha, double) { return x < 0 ? alpha * std::expm1(x / alpha) : x; }};

Expr HardSigmoidOf(const Expr& x, float alpha, float beta) {
  return ir::Min(F(1), ir::Max(F(0), F(alpha) * x + F(beta)));
}
constexpr Curve kHardSigmoidOf{
    "hardsigmoid",
    "alpha * x + beta, from 0 to 1",
    {"alpha", 0.2f},
    {"beta", 0.5f},
    HardSigmoidOf,
    [](double x, double alpha, double beta) { return std::clamp(alpha * x + beta, 0.0, 1.0); }};

Expr ThresholdedReluOf(const Expr& x, float alpha, float) {
  return ir::Select(ir::Le(x, F(alpha)), F(0), x);
}
constexpr Curve kThresholdedReluOf{
    "thresholdedrelu", "x above alpha, else 0",
    {"alpha", 1},      {},
    ThresholdedReluOf, [](double x, double alpha, double) {
                                     return x > alpha ? x : 0; }};

Expr ShrinkOf(const Expr& x, float lambd, float bias) {
  const Expr above = ir::Select(ir::Lt(F(lambd), x), x - F(bias), F(0));
  return ir::Select(ir::Lt(x, F(-lambd)), x + F(bias), above);
}
constexpr Curve kShrinkOf{"shrink",
                          "x - bias above lambd, x + bias below -lambd, else 0",
                          {"lambd", 0.5f},
                          {"bias", 0},
                          ShrinkOf,
                          [](double x, double lambd, double bias) {
                            return x < -lambd ? x + bias : x > lambd ? x - bias : 0;
                          }};

Status FromGelu(QdqConverter& c, const OnnxNode& node) {
  const auto given = node.attributes.find("approximate");
  const std::string how =
      given == node.attributes.end() ? "none" : given->second.s.value_or("none");
  if (how != "none" && how != "tanh")
    return Fail(Code::kUnsupported, "{}: approximate is '{}'; none and tanh are supported",
                node.Place(), how);
  return UnaryFromOnnx(c, node, {.op = how == "tanh" ? Op::kGeluTanh : Op::kGelu});
}

Status FromTfliteElu(Converter& c) {
  return UnaryFromTflite(c, {.op = Op::kElu, .attributes = CurveAttributes{1, 0}});
}
Status FromTfliteGelu(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::GeluOptions>());
  return UnaryFromTflite(c, {.op = options->approximate() ? Op::kGeluTanh : Op::kGelu});
}

constexpr OnnxRow kGeluRows[] = {{"Gelu", FromGelu},
                                 {"com.microsoft.Gelu", FunctionFromOnnx<Op::kGelu>}};
constexpr OnnxRow kSoftplusRows[] = {{"Softplus", FunctionFromOnnx<Op::kSoftplus>}};
constexpr OnnxRow kSoftsignRows[] = {{"Softsign", FunctionFromOnnx<Op::kSoftsign>}};
constexpr OnnxRow kMishRows[] = {{"Mish", FunctionFromOnnx<Op::kMish>}};
constexpr OnnxRow kEluRows[] = {{"Elu", CurveFromOnnx<kEluOf, Op::kElu>}};
constexpr OnnxRow kSeluRows[] = {{"Selu", CurveFromOnnx<kSeluOf, Op::kSelu>}};
constexpr OnnxRow kCeluRows[] = {{"Celu", CurveFromOnnx<kCeluOf, Op::kCelu>}};
constexpr OnnxRow kHardSigmoidRows[] = {
    {"HardSigmoid", CurveFromOnnx<kHardSigmoidOf, Op::kHardSigmoid>}};
constexpr OnnxRow kThresholdedReluRows[] = {
    {"ThresholdedRelu", CurveFromOnnx<kThresholdedReluOf, Op::kThresholdedRelu>}};
constexpr OnnxRow kShrinkRows[] = {{"Shrink", CurveFromOnnx<kShrinkOf, Op::kShrink>}};

constexpr TfliteRow kEluTflite[] = {{"ELU", 1, 1, FromTfliteElu}};
constexpr TfliteRow kGeluTflite[] = {{"GELU", 1, 1, FromTfliteGelu}};

}  // namespace

constinit const OpDef kGeluDef = FunctionDef<kGeluOf>(kAllTypes, kGeluRows, kGeluTflite);
constinit const OpDef kGeluTanhDef = FunctionDef<kGeluTanhOf>(kAllTypes, {});
constinit const OpDef kSoftplusDef = FunctionDef<kSoftplusOf>(kAllTypes, kSoftplusRows);
constinit const OpDef kSoftsignDef = FunctionDef<kSoftsignOf>(kAllTypes, kSoftsignRows);
constinit const OpDef kMishDef = FunctionDef<kMishOf>(kAllTypes, kMishRows);
constinit const OpDef kEluDef = CurveDef<kEluOf>(kEluRows, kEluTflite);
constinit const OpDef kSeluDef = CurveDef<kSeluOf>(kSeluRows);
constinit const OpDef kCeluDef = CurveDef<kCeluOf>(kCeluRows);
constinit const OpDef kHardSigmoidDef = CurveDef<kHardSigmoidOf>(kHardSigmoidRows);
constinit const OpDef kThresholdedReluDef = CurveDef<kThresholdedReluOf>(kThresholdedReluRows);
constinit const OpDef kShrinkDef = CurveDef<kShrinkOf>(kShrinkRows);

}  // namespace tessera::ops::activations_op

namespace tessera::ops {

Result<float> ReadParameter(const OnnxNode& node, const Parameter& parameter) {
  const auto given = node.attributes.find(std::string(parameter.name));
  const float value =
      given == node.attributes.end() ? parameter.usual : given->second.f.value_or(parameter.usual);
  if (std::abs(value) <= 1e6f) return value;
  return Fail(Code::kInvalidArgument, "{}: {} {}; -1e6 to 1e6 are accepted", node.Place(),
              parameter.name, value);
}

}  // namespace tessera::ops
