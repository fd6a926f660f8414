// SPDX-License-Identifier: Apache-2.0
//
// Shared code of operators with two operands, element by element. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_BINARY_H_
#define TESSERA_COMPILER_OPS_BINARY_H_

#include <optional>

#include "compiler/ops/unit.h"

namespace tessera::ops {

// Quantised operands must have equal shapes. Plain operands broadcast: an extent of 1 repeats, axes
// are matched from the last one.
Result<Shape> BinaryShape(const NodeCheck& node);
std::optional<Shape> RepeatedShape(const Shape& a, const Shape& b);
// The element of |x| for element |i| of a result of |shape|. Every index that does not repeat is
// the result's own index, so that schedules recognise the axis.
Expr Repeated(const te::Tensor& x, const Indices& i, const Shape& shape);
// Whether operands and result are int16 whose scales are powers of two, within TFLite's tolerance.
bool HasPowersOfTwo(const Converter& c);
// Sums and differences. Operands are aligned to twice the larger scale, shifted left by 20 bits
// (int16: 15), and the result is requantised; or operands are shifted (SumAttributes).
Status SumRequant(const Graph& graph, const Node& node, Requant& requant);
void SumBody(RegionBuilder& b, const Node& node, ir::BinOp op);
// Whether TFLite's kernel shifts the operands of this int16 sum: all scales are powers of two and
// the options do not exclude it.
template <typename Options>
graph::SumAttributes SumAttributesOf(Converter& c) {
  const auto* options = c.op().table->template builtin_options_as<Options>();
  return {.shifted = options && options->pot_scale_int16() && HasPowersOfTwo(c)};
}

// |op| of two operands, which broadcast to one another's shape.
Status BinaryFromOnnx(QdqConverter& c, const OnnxNode& node, Op op);
// |op| of any number of plain operands; with |mean| the result is divided by their number.
Status SeveralFromOnnx(QdqConverter& c, const OnnxNode& node, Op op, bool mean);
// |made| has no operands yet; one of the two may be a constant that broadcasts to the other's
// shape.
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
