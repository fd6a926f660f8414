// SPDX-License-Identifier: Apache-2.0
//
// Operators that change shapes: Flatten, Reshape, Squeeze, Unsqueeze.
#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "compiler/import/qdq.h"

namespace tessera::onnx_model {
namespace {

using graph::TensorId;

constexpr size_t kMaxRank = 8;

}  // namespace

Status QdqConverter::Reshape(const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, Operand(node, 0));
  const std::vector<int64_t> in = graph_.tensor(x).shape;
  TESSERA_ASSIGN(const std::vector<int64_t> shape, NewShape(node, in));
  const Result<int64_t> got = ElementCount(shape);
  if (!got || *got != graph_.tensor(x).count() || shape.empty() || shape.size() > kMaxRank) {
    return Fail(Code::kInvalidArgument, "{}: {} cannot become {}", node.Place(), ShapeText(in),
                ShapeText(shape));
  }
  if (shape == in) {
    reals_[node.outputs[0]] = x;
    return {};
  }
  graph::Node made{.op = graph::Op::kReshape, .inputs = {x}};
  const graph::Quant quant = *graph_.tensor(x).quant;
  TESSERA_ASSIGN(reals_[node.outputs[0]],
                 Emit(std::move(made), node, quant, shape, node.outputs[0] + ".int8"));
  return {};
}

// What Flatten, Reshape, Squeeze or Unsqueeze makes of |in|. Whether it holds as many elements is
// for the caller.
Result<std::vector<int64_t>> QdqConverter::NewShape(const OnnxNode& node,
                                                    const std::vector<int64_t>& in) const {
  const int64_t rank = static_cast<int64_t>(in.size());
  const int64_t count = std::accumulate(in.begin(), in.end(), int64_t{1}, std::multiplies<>());
  if (node.op_type == "Flatten") {
    int64_t axis = node.IntOr("axis", 1);
    if (axis < 0 && axis >= -rank) axis += rank;
    if (axis < 0 || axis > rank)
      return Fail(Code::kInvalidArgument, "{}: axis {} of shape {}", node.Place(), axis,
                  ShapeText(in));
    const int64_t rows =
        std::accumulate(in.begin(), in.begin() + axis, int64_t{1}, std::multiplies<>());
    return std::vector<int64_t>{rows, count / rows};
  }
  std::vector<int64_t> values = node.Ints("axes");
  if (node.op_type == "Reshape" || (node.inputs.size() > 1 && !node.inputs[1].empty())) {
    const HostTensor* given = node.inputs.size() > 1 ? Initializer(node.inputs[1]) : nullptr;
    if (!given || given->dtype != DType::kInt64) {
      return Fail(Code::kUnsupported, "{}: its shape or axes are not an int64 constant",
                  node.Place());
    }
    values.assign(given->as<int64_t>().begin(), given->as<int64_t>().end());
  }
  if (values.size() > kMaxRank) {
    return Fail(Code::kUnsupported, "{}: {} axes, at most {} are supported", node.Place(),
                values.size(), kMaxRank);
  }
  if (node.op_type == "Reshape") {
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] == 0 && i < in.size() && node.IntOr("allowzero", 0) == 0) values[i] = in[i];
    }
    const auto unknown = std::ranges::find(values, -1);
    if (unknown == values.end()) return values;
    *unknown = 1;
    const Result<int64_t> rest = ElementCount(values);
    *unknown = rest && *rest > 0 ? count / *rest : -1;
    return values;
  }
  const bool grows = node.op_type == "Unsqueeze";
  const int64_t out_rank = rank + (grows ? static_cast<int64_t>(values.size()) : 0);
  std::set<int64_t> axes;
  for (const int64_t v : values) {
    if (v < -out_rank || v >= out_rank || !axes.insert(v < 0 ? v + out_rank : v).second) {
      return Fail(Code::kInvalidArgument, "{}: axis {} of shape {}", node.Place(), v,
                  ShapeText(in));
    }
  }
  std::vector<int64_t> shape;
  for (int64_t i = 0, next = 0; i < out_rank; ++i) {
    if (grows) {
      shape.push_back(axes.contains(i) ? 1 : in[static_cast<size_t>(next++)]);
    } else if (!(axes.empty() ? in[static_cast<size_t>(i)] == 1 : axes.contains(i))) {
      shape.push_back(in[static_cast<size_t>(i)]);
    }
  }
  return shape;
}

}  // namespace tessera::onnx_model
