// SPDX-License-Identifier: Apache-2.0
//
// x if positive, else alpha * x. ONNX LeakyRelu; TFLite LEAKY_RELU, which uses separate multipliers
// for the two halves.
#include <cmath>

#include "compiler/ir/scalar_math.h"
#include "compiler/ops/lookup.h"
#include "compiler/quantize/multiplier.h"

namespace tessera::ops::leakyrelu_op {
namespace {

using graph::LeakyReluAttributes;

Status Check(const NodeCheck& node) {
  const float alpha = node.node.As<LeakyReluAttributes>().alpha;
  if (!(std::abs(alpha) <= 1e6f)) return node.Bad("alpha {} is not in [-1e6, 1e6]", alpha);
  return {};
}

// TFLite's multiplier of |factor|, which may be negative or zero.
Result<std::pair<int32_t, int32_t>> MultiplierOf(const Node& node, double factor) {
  if (factor == 0) return std::pair{0, 0};
  const auto m = quantize::MultiplierOf(std::abs(factor));
  if (!m) return Within("node " + node.name, m.error());
  if (m->shift > 22)
    return Fail(Code::kOutOfRange, "node {}: a factor of {} leaves 32 bits", node.name, factor);
  return std::pair{factor < 0 ? -m->multiplier : m->multiplier, int32_t{m->shift}};
}

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  const float alpha = node.As<LeakyReluAttributes>().alpha;
  if (node.round != isa::Round::kTflite) {
    return RealTable(graph, node, requant,
                     [&](double x) { return x < 0 ? static_cast<double>(alpha) * x : x; });
  }
  const float in = quantize::Single(quantize::ScaleOf(graph, node, 0));
  const float out = quantize::Single(quantize::ResultScale(graph, node));
  TESSERA_ASSIGN(const auto identity, MultiplierOf(node, double{in / out}));
  TESSERA_ASSIGN(const auto leak, MultiplierOf(node, double{in * alpha / out}));
  const int32_t zero = quantize::ZeroOf(graph, node, 0);
  return FillTable(graph, node, requant, [&](int32_t q) -> int64_t {
    const auto [multiplier, shift] = q < zero ? leak : identity;
    // RequantValue takes no negative multiplier: negate the value instead.
    const int32_t x = multiplier < 0 ? zero - q : q - zero;
    return ir::RequantValue(x, std::abs(multiplier), shift, isa::Round::kTflite);
  });
}

void Body(RegionBuilder& b, const Node& node) {
  const float alpha = node.As<LeakyReluAttributes>().alpha;
  LookupBody(b, node, [&](Expr x) {
    return ir::Select(ir::Lt(x, ir::ImmF32(0)), x * ir::ImmF32(alpha), x);
  });
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  const auto alpha = node.attributes.find("alpha");
  LeakyReluAttributes made;
  if (alpha != node.attributes.end()) made.alpha = alpha->second.f.value_or(made.alpha);
  if (!(std::abs(made.alpha) <= 1e6f)) {
    return Fail(Code::kInvalidArgument, "{}: alpha {}; -1e6 to 1e6 are accepted", node.Place(),
                made.alpha);
  }
  return UnaryFromOnnx(c, node, {.op = Op::kLeakyRelu, .attributes = made});
}

Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::LeakyReluOptions>());
  if (!(std::abs(options->alpha()) <= 1e6f))
    return c.Invalid("alpha {}; -1e6 to 1e6 are accepted", options->alpha());
  return UnaryFromTflite(
      c, {.op = Op::kLeakyRelu, .attributes = LeakyReluAttributes{options->alpha()}});
}

constexpr OnnxRow kOnnx[] = {{"LeakyRelu", FromOnnx}};
constexpr TfliteRow kTflite[] = {{"LEAKY_RELU", 1, 1, FromTflite}};

}  // namespace

constinit const OpDef kLeakyReluDef = {
    .name = "leakyrelu",
    .meaning = "x where it is positive, else alpha * x; integers by a table",
    .types = kWideTypes,
    .check = Check,
    .attributes = Fits<LeakyReluAttributes>,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
};

}  // namespace tessera::ops::leakyrelu_op
