// SPDX-License-Identifier: Apache-2.0
//
// What operators of two operands, element by element, share. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_BINARY_H_
#define TESSERA_COMPILER_OPS_BINARY_H_

#include <optional>

#include "compiler/ops/unit.h"

namespace tessera::ops {

// Operands with scales have one shape; plain ones of extent 1 repeat to the other's, axes from the
// last on.
Result<Shape> BinaryShape(const NodeCheck& node);
std::optional<Shape> RepeatedShape(const Shape& a, const Shape& b);
// The element of |x| for element |i| of a result of |shape|. The index is the result's own but
// where |x| repeats, so that schedules see which axis it is.
Expr Repeated(const te::Tensor& x, const Indices& i, const Shape& shape);
// Whether operands and result are int16 with scales that are powers of two, as TFLite finds it.
bool HasPowersOfTwo(const Converter& c);
// Sums and differences: operands aligned to twice the larger scale, 20 bits up (int16: 15), then
// requantised; or shifted (SumAttributes).
Status SumRequant(const Graph& graph, const Node& node, Requant& requant);
void SumBody(RegionBuilder& b, const Node& node, ir::BinOp op);
// Whether TFLite's kernel shifts the operands of this sum of int16: all scales are powers of two
// and the file does not say otherwise.
template <typename Options>
graph::SumAttributes SumAttributesOf(Converter& c) {
  const auto* options = c.op().table->template builtin_options_as<Options>();
  return {.shifted = options && options->pot_scale_int16() && HasPowersOfTwo(c)};
}

// |op| of two operands, which repeat to one another's shape.
Status BinaryFromOnnx(QdqConverter& c, const OnnxNode& node, Op op);
// |op| of any number of plain operands; |mean|: over their number.
Status SeveralFromOnnx(QdqConverter& c, const OnnxNode& node, Op op, bool mean);
// |made| without operands; one of the two may be a constant that repeats to the other's shape.
Status BinaryFromTflite(Converter& c, Node made, tflite_file::ActivationFunctionType activation);
template <typename Options>
Status BinaryFromTflite(Converter& c, Node made) {
  const auto* options = c.op().table->template builtin_options_as<Options>();
  return BinaryFromTflite(
      c, std::move(made),
      options ? options->fused_activation_function() : tflite_file::ActivationFunctionType::NONE);
}

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_BINARY_H_
