// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/example.h"

#include <cstring>

#include "base/half.h"
#include "compiler/graph/node_check.h"

namespace tessera::graph {

TensorId Example::Weights(Shape weights) {
  const DType dtype = IsFloat(first().dtype) ? first().dtype : DType::kInt8;
  GraphTensor w{.name = node.name + ".weights", .dtype = dtype, .shape = std::move(weights)};
  constexpr double kStep = 0.01;
  if (dtype == DType::kInt8) w.quant = Quant{{kStep}, {0}, -1};
  w.data.emplace(static_cast<size_t>(w.count() * SizeOf(dtype)));
  for (int64_t k = 0; k < w.count(); ++k) {
    const int64_t q = draw(1, 255) - 128;
    const float real = static_cast<float>(static_cast<double>(q) * kStep);
    uint8_t* at = w.data->data() + k * SizeOf(dtype);
    const uint16_t half = FloatToHalf(real);
    if (dtype == DType::kInt8) *at = static_cast<uint8_t>(q);
    if (dtype == DType::kFloat16) std::memcpy(at, &half, sizeof(half));
    if (dtype == DType::kFloat32) std::memcpy(at, &real, sizeof(real));
  }
  return graph.AddTensor(std::move(w));
}

std::optional<Quant> QuantFor(DType dtype, Quant quant) {
  if (dtype == DType::kInt8 || dtype == DType::kUint8) return quant;
  if (dtype != DType::kInt16) return std::nullopt;
  quant.zero = {0};
  return quant;
}

Status Complete(Example& example, const Quant& own) {
  const OpDef& def = DefOf(example.node.op);
  if (def.example) {
    def.example(example);
  } else {
    while (example.node.inputs.size() < def.least)
      example.node.inputs.push_back(example.another(false));
  }
  if (example.node.inputs.size() < def.least) {
    return Fail(Code::kInvalidArgument, "{}: no example over an operand of shape {}", def.name,
                ShapeText(example.first().shape));
  }
  Shape shape;
  if (example.shape) {
    shape = *example.shape;
  } else {
    TESSERA_ASSIGN(shape, NodeCheck(example.graph, example.node).ResultShape());
  }
  GraphTensor made{.name = example.node.name + ".result", .shape = std::move(shape)};
  made.dtype = ResultType(def, example.first().dtype);
  const bool wide = made.dtype == DType::kInt16 && example.first().quant;
  if (made.dtype == DType::kInt8 || wide) made.quant = example.quant.value_or(own);
  example.node.output = example.graph.AddTensor(std::move(made));
  return {};
}

}  // namespace tessera::graph
