// SPDX-License-Identifier: Apache-2.0
//
// The parts of quantisation rules that operators share. Depends on: graph, multiplier.h. Used by:
// compiler/ops.
#ifndef TESSERA_COMPILER_QUANTIZE_FACTORS_H_
#define TESSERA_COMPILER_QUANTIZE_FACTORS_H_

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "compiler/graph/graph.h"

namespace tessera::quantize {

// Scales that were float32 in a file; whole expressions of them round after each step.
inline float Single(double scale) { return static_cast<float>(scale); }

// The scale of operand |i|, of the result, of one that is not per axis.
double ScaleOf(const graph::Graph& graph, const graph::Node& node, size_t i);
double ResultScale(const graph::Graph& graph, const graph::Node& node);
int32_t ZeroOf(const graph::Graph& graph, const graph::Node& node, size_t i);

// How far an element of operand |i| can be from its zero point.
int64_t FurthestOf(const graph::Graph& graph, const graph::Node& node, size_t i);

// Appends the multiplier and shift of each factor. |largest|: no sum (bias included) of channel c
// is further from zero than largest[c]. A left shift drops what leaves 32 bits, so a factor that
// could make that happen is refused.
//   errors  kOutOfRange, kInvalidArgument  name node and channel
Status SetFactors(const graph::Node& node, const std::vector<double>& factors,
                  const std::vector<int64_t>& largest, graph::Requant& requant);

// The rule of a contraction whose operand 1 is weights with the output channels along axis 0, and
// whose sums become results by |factors|, one a channel. requant.bias is bias - zero_in * sum of
// the channel's weights, modulo 2^32. Padded taps hold zero_in, so they count. ONNX's sums are real
// numbers, so a channel whose sum can leave int32 is refused; TFLite's are int32 (Round::kTflite,
// kHalfUp) and stay modulo 2^32. Sums of int64 (graph::SumType) add their bias as it is.
//   errors  kOutOfRange  names node, channel, sum or factor, and limit
Status SetSums(const graph::Graph& graph, const graph::Node& node,
               const std::vector<double>& factors, graph::Requant& requant);

}  // namespace tessera::quantize

#endif  // TESSERA_COMPILER_QUANTIZE_FACTORS_H_
