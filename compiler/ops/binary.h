// SPDX-License-Identifier: Apache-2.0
//
// What operators of two operands, element by element, share. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_BINARY_H_
#define TESSERA_COMPILER_OPS_BINARY_H_

#include "compiler/ops/unit.h"

namespace tessera::ops {

// Sums and differences: operands aligned to twice the larger scale, 20 bits up, then requantised.
Status SumRequant(const Graph& graph, const Node& node, Requant& requant);
void SumBody(RegionBuilder& b, const Node& node, ir::BinOp op);

// |op| of two operands of one shape.
Status BinaryFromOnnx(QdqConverter& c, const OnnxNode& node, Op op);
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
