// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/example.h"

#include "compiler/graph/node_check.h"

namespace tessera::graph {

TensorId Example::Weights(Shape weights) {
  GraphTensor w{.name = node.name + ".weights", .shape = std::move(weights)};
  w.quant = Quant{{0.01}, {0}, -1};
  w.data.emplace();
  for (int64_t k = 0; k < w.count(); ++k)
    w.data->push_back(static_cast<uint8_t>(draw(1, 255) - 128));
  return graph.AddTensor(std::move(w));
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
  made.dtype = def.types == Types::kFromInt8 ? DType::kFloat32 : DType::kInt8;
  if (made.dtype == DType::kInt8) made.quant = example.quant.value_or(own);
  example.node.output = example.graph.AddTensor(std::move(made));
  return {};
}

}  // namespace tessera::graph
