// SPDX-License-Identifier: Apache-2.0
#include "tests/networks/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

namespace tessera::networks {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::TensorId;

// Adds nodes on floats.
class Floats {
 public:
  Floats(Graph& graph, std::string name) : graph_(graph), name_(std::move(name)) {}

  TensorId operator()(Op op, std::vector<TensorId> inputs, graph::Attributes attributes = {}) {
    Shape shape = graph_.tensor(inputs[0]).shape;
    if (op == Op::kReduceMean) shape.back() = 1;
    const TensorId out =
        graph_.AddTensor({.name = Next(), .dtype = DType::kFloat32, .shape = std::move(shape)});
    graph_.nodes.push_back({.op = op,
                            .name = graph_.tensor(out).name,
                            .inputs = std::move(inputs),
                            .output = out,
                            .attributes = std::move(attributes)});
    return out;
  }
  TensorId Numbers(const std::vector<double>& values, Shape shape) {
    GraphTensor t{.name = Next(), .dtype = DType::kFloat32, .shape = std::move(shape)};
    t.data.emplace();
    for (const double value : values) {
      const auto bytes = std::bit_cast<std::array<uint8_t, 4>>(static_cast<float>(value));
      t.data->insert(t.data->end(), bytes.begin(), bytes.end());
    }
    return graph_.AddTensor(std::move(t));
  }
  TensorId Number(double value) { return Numbers({value}, {}); }
  // (x - mean) / sqrt(variance + epsilon) along the last axis, as exporters write it.
  TensorId Normalised(TensorId x) {
    const graph::AxesAttributes last{{static_cast<int>(graph_.tensor(x).shape.size()) - 1}};
    const TensorId off = (*this)(Op::kSub, {x, (*this)(Op::kReduceMean, {x}, last)});
    TensorId spread = (*this)(Op::kReduceMean, {(*this)(Op::kMul, {off, off})}, last);
    spread = (*this)(Op::kSqrt, {(*this)(Op::kAdd, {spread, Number(1e-5)})});
    return (*this)(Op::kDiv, {off, spread});
  }

 private:
  std::string Next() { return fmt::format("{}.{}", name_, count_++); }

  Graph& graph_;
  const std::string name_;
  int count_ = 0;
};

// An int8 constant of the shape of |like|.
TensorId ConstantLike(Graph& graph, TensorId like, double spread, const std::string& name,
                      Rng& rng) {
  const Shape shape = graph.tensor(like).shape;
  const auto zero = static_cast<int32_t>(rng.Range(-20, 20));
  const auto scale = static_cast<double>(static_cast<float>(spread / 100));
  GraphTensor t{.name = name, .shape = shape, .quant = graph::Quant{{scale}, {zero}, -1}};
  int64_t after = 1;  // elements of a channel
  for (size_t d = 2; d < shape.size(); ++d) after *= shape[d];
  const int64_t kind = rng.Range(0, 2), count = t.count();
  const int64_t different = kind == 0 ? 1 : kind == 1 ? shape[1] : count;
  std::vector<uint8_t> numbers;
  for (int64_t k = 0; k < different; ++k) {
    const int64_t far = rng.Range(30, 100);
    numbers.push_back(static_cast<uint8_t>(zero + (rng.OneIn(2) ? far : -far)));
  }
  t.data.emplace();
  for (int64_t k = 0; k < count; ++k)
    t.data->push_back(numbers[static_cast<size_t>((kind == 2 ? k : k / after) % different)]);
  return graph.AddTensor(std::move(t));
}

// A function in floats of the int8 tensor |x|.
TensorId FunctionOf(Graph& graph, TensorId x, const std::string& name, Rng& rng, double* spread) {
  Floats make(graph, name);
  const TensorId real = make(Op::kDequantize, {x});
  // In units of the spread, where the functions bend.
  const TensorId unit = make(Op::kMul, {real, make.Number(1 / *spread)});
  const int64_t row = graph.tensor(x).shape.back();
  switch (rng.Range(0, row > 4 ? 4 : 2)) {
    case 0:
      return make(Op::kMul, {real, make(Op::kAdd, {make(Op::kErf, {unit}), make.Number(1)})});
    case 1:
      return make(Op::kMul, {make(Op::kSigmoid, {unit}), real});
    case 2: {
      const TensorId waves = make(Op::kSin, {unit});
      return make(Op::kMax, {make(Op::kMul, {waves, make.Number(*spread)}), real});
    }
    case 3: {
      std::vector<double> gains;
      for (int64_t k = 0; k < row; ++k) gains.push_back(rng.OneIn(2) ? 0.8 : 1.25);
      *spread = 1;
      return make(Op::kMul, {make.Normalised(real), make.Numbers(gains, {row})});
    }
    default:
      *spread = 2 / static_cast<double>(row);
      return make(Op::kSoftmax, {unit}, graph::SoftmaxAttributes{});
  }
}

}  // namespace

Node Shifted(Graph& graph, TensorId x, const std::string& name, Rng& rng, double* spread) {
  constexpr Op kOps[] = {Op::kAdd, Op::kAdd, Op::kSub, Op::kMul};
  const Op op = kOps[rng.Range(0, 3)];
  std::vector<TensorId> operands{x, ConstantLike(graph, x, *spread, name + ".constant", rng)};
  if (rng.OneIn(4)) std::swap(operands[0], operands[1]);
  *spread *= op == Op::kMul ? *spread : std::sqrt(2.0);
  return {.op = op, .inputs = std::move(operands)};
}

Node InFloats(Graph& graph, TensorId x, const std::string& name, Rng& rng, double* spread) {
  return {.op = Op::kQuantize, .inputs = {FunctionOf(graph, x, name + ".real", rng, spread)}};
}

}  // namespace tessera::networks
