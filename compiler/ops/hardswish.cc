// SPDX-License-Identifier: Apache-2.0
//
// x * min(max(x + 3, 0), 6) / 6. ONNX HardSwish; TFLite HARD_SWISH, whose kernel works on 16-bit
// fixed point. Source: TFLite's quantisation specification and gemmlowp's fixedpoint.h.
#include <cmath>

#include "compiler/ops/lookup.h"
#include "compiler/quantize/multiplier.h"

namespace tessera::ops::hardswish_op {
namespace {

constexpr int32_t kMost = INT16_MAX;

int32_t Saturate(int32_t v) { return std::clamp<int32_t>(v, INT16_MIN, INT16_MAX); }

// The high half of 2 * a * b for Q0.15 numbers, halves away from zero.
int32_t Times(int32_t a, int32_t b) {
  if (a == INT16_MIN && b == INT16_MIN) return kMost;
  const int32_t product = a * b;
  return (product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15);
}

// v / 2^n, halves away from zero.
int32_t Halve(int32_t v, int n) {
  const int32_t mask = (1 << n) - 1;
  return (v >> n) + ((v & mask) > (mask >> 1) + (v < 0));
}

// A factor as a 15-bit multiplier and a shift.
struct Narrow {
  int32_t multiplier = 0;
  int shift = 0;
};
Result<Narrow> NarrowOf(const Node& node, float factor) {
  const auto m = quantize::MultiplierOf(double{factor});
  if (!m) return Within("node " + node.name, m.error());
  const int64_t multiplier = (int64_t{m->multiplier} + (1 << 15)) >> 16;
  return Narrow{static_cast<int32_t>(std::min<int64_t>(multiplier, kMost)), m->shift};
}

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  if (node.round != isa::Round::kTflite) {
    return RealTable(graph, node, requant,
                     [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; });
  }
  const float in = quantize::Single(quantize::ScaleOf(graph, node, 0)) * (1.0f / 128);
  const float out = quantize::Single(quantize::ResultScale(graph, node));
  TESSERA_ASSIGN(const Narrow to_out, NarrowOf(node, in / out));
  TESSERA_ASSIGN(const Narrow to_gate, NarrowOf(node, in / (3.0f / 32768)));
  if (to_out.shift > 0 || to_out.shift < -14) {
    return Fail(Code::kOutOfRange,
                "node {}: a result's scale of {} for an operand's of {}; a quotient of 1/128 to "
                "2^21 is supported",
                node.name, out, in * 128);
  }
  const int32_t zero = quantize::ZeroOf(graph, node, 0);
  return FillTable(graph, node, requant, [&](int32_t q) -> int64_t {
    const int32_t x = (q - zero) * (1 << 7);
    // (x + 3) / 6 as a number in [0, 1), saturated.
    int32_t gate = x;
    if (to_gate.shift > 0) gate = Saturate(gate * (1 << std::min(to_gate.shift - 1, 15)));
    gate = Times(gate, to_gate.multiplier);
    if (to_gate.shift > 0) gate = Saturate(gate * 2);
    if (to_gate.shift < 0) gate = Halve(gate, std::min(-to_gate.shift, 15));
    gate = (gate + (1 << 15)) >> 1;
    const int32_t product = gate * Times(x, to_out.multiplier) / (1 << 15);  // towards zero
    return Halve(product, -to_out.shift);
  });
}

void Body(RegionBuilder& b, const Node& node) {
  LookupBody(b, node, [](Expr x) {
    const Expr six = ir::ImmF32(6);
    const Expr gate = ir::Min(six, ir::Max(ir::ImmF32(0), x + ir::ImmF32(3)));
    return ir::Bin(ir::BinOp::kDiv, x * gate, six);
  });
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  return UnaryFromOnnx(c, node, {.op = Op::kHardSwish});
}

Status FromTflite(Converter& c) { return UnaryFromTflite(c, {.op = Op::kHardSwish}); }

constexpr OnnxRow kOnnx[] = {{"HardSwish", FromOnnx}};
constexpr TfliteRow kTflite[] = {{"HARD_SWISH", 1, 1, FromTflite}};

}  // namespace

constinit const OpDef kHardSwishDef = {
    .name = "hardswish",
    .meaning = "x * min(max(x + 3, 0), 6) / 6; int8 by a table of 256 entries",
    .types = kAllTypes,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
};

}  // namespace tessera::ops::hardswish_op
