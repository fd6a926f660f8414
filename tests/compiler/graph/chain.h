// SPDX-License-Identifier: Apache-2.0
//
// Graphs of [1, 2, 4, 4] int8 tensors for the tests of passes: each call adds a node and returns
// its result.
#ifndef TESSERA_TESTS_COMPILER_GRAPH_CHAIN_H_
#define TESSERA_TESTS_COMPILER_GRAPH_CHAIN_H_

#include <fmt/format.h>

#include "compiler/graph/graph.h"

namespace tessera::graph {

class Chain {
 public:
  Graph g;

  TensorId Value(DType dtype = DType::kInt8) {
    GraphTensor t{fmt::format("t{}", g.tensors.size()), dtype, {1, 2, 4, 4}, {}, {}};
    if (dtype == DType::kInt8) t.quant = Quant{{0.5}, {1}, -1};
    return g.AddTensor(t);
  }
  TensorId Input() {
    g.inputs.push_back(Value());
    return g.inputs.back();
  }
  TensorId Add(Op op, std::vector<TensorId> inputs, const std::string& name) {
    Node n{.op = op,
           .name = name,
           .inputs = std::move(inputs),
           .output = Value(op == Op::kDequantize ? DType::kFloat32 : DType::kInt8)};
    if (op == Op::kConv) {
      GraphTensor w{
          name + ".w", DType::kInt8, {2, 2, 1, 1}, Quant{{1}, {0}, -1}, std::vector<uint8_t>(4)};
      n.inputs.push_back(g.AddTensor(w));
    }
    g.nodes.push_back(n);
    return n.output;
  }
  TensorId Conv(TensorId x, const std::string& name) { return Add(Op::kConv, {x}, name); }
  TensorId Sum(TensorId a, TensorId b, const std::string& name) {
    return Add(Op::kAdd, {a, b}, name);
  }
};

}  // namespace tessera::graph

#endif  // TESSERA_TESTS_COMPILER_GRAPH_CHAIN_H_
