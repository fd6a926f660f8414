// SPDX-License-Identifier: Apache-2.0
//
// Shared parts of the operators' quantisation rules. Depends on: graph, multiplier.h. Used by:
// compiler/ops.
#ifndef TESSERA_COMPILER_QUANTIZE_FACTORS_H_
#define TESSERA_COMPILER_QUANTIZE_FACTORS_H_

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "compiler/graph/graph.h"

namespace tessera::quantize {

// A scale that was float32 in a file, as float32: expressions of such scales round after each step.
inline float Single(double scale) { return static_cast<float>(scale); }

// The scale of operand |i|, and of the result; each has one scale.
double ScaleOf(const graph::Graph& graph, const graph::Node& node, size_t i);
double ResultScale(const graph::Graph& graph, const graph::Node& node);
int32_t ZeroOf(const graph::Graph& graph, const graph::Node& node, size_t i);

// The greatest distance of an element of operand |i| from its zero point.
int64_t FurthestOf(const graph::Graph& graph, const graph::Node& node, size_t i);

// Appends the multiplier and shift of each factor. |largest|[c] bounds the magnitude of channel c's
// sums, bias included. A left shift drops bits beyond 32, so a factor with which a sum could lose
// bits is refused.
//   errors  kOutOfRange, kInvalidArgument  name node and channel
Status SetFactors(const graph::Node& node, const std::vector<double>& factors,
                  const std::vector<int64_t>& largest, graph::Requant& requant);

// The rule of a contraction whose operand 1 is weights with the output channels along axis 0.
// A channel's factor is the product of the operands' scales over the result's; |single|: a product
// of float32, as TFLite's kernels form it. requant.bias is bias - zero_in * sum of the channel's
// weights, modulo 2^32; padded taps hold zero_in, so they count. ONNX's sums are real numbers, so a
// channel whose sum can leave int32 is refused. TFLite's sums are int32 (Round::kTflite, kHalfUp)
// and stay modulo 2^32. Sums of int64 (graph::SumType) add their bias unchanged.
//   errors  kOutOfRange  names node, channel, sum or factor, and limit
Status SetSums(const graph::Graph& graph, const graph::Node& node, bool single,
               graph::Requant& requant);

}  // namespace tessera::quantize

#endif  // TESSERA_COMPILER_QUANTIZE_FACTORS_H_
