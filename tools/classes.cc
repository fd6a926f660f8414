// SPDX-License-Identifier: Apache-2.0
#include "tools/classes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/executor/inputs.h"
#include "runtime/tensor/elements.h"

namespace tessera::tools {

std::optional<size_t> ClassOutput(const std::vector<artifact::TensorInfo>& outputs) {
  for (size_t o = 0; o < outputs.size(); ++o) {
    const std::vector<int64_t> item = ItemShape(outputs[o].shape);
    if (item.size() == 1 && item[0] > 1) return o;
  }
  return std::nullopt;
}

std::vector<int64_t> TopClasses(const HostTensor& values, int64_t count) {
  std::vector<long double> wide;  // holds every int64 and every float exactly
  VisitElements(values, [&](auto element) { wide.push_back(static_cast<long double>(element)); });
  for (long double& value : wide) {
    if (std::isnan(value)) value = -std::numeric_limits<long double>::infinity();
  }
  std::vector<int64_t> order(wide.size());
  std::iota(order.begin(), order.end(), 0);
  const auto shown = order.begin() + std::min<int64_t>(count, std::ssize(order));
  std::partial_sort(order.begin(), shown, order.end(), [&](int64_t a, int64_t b) {
    const long double left = wide[static_cast<size_t>(a)], right = wide[static_cast<size_t>(b)];
    return left != right ? left > right : a < b;
  });
  order.erase(shown, order.end());
  return order;
}

int64_t Classes::Hits(std::span<const int64_t> labels, size_t of) const {
  int64_t hits = 0;
  for (size_t i = 0; i < std::min(labels.size(), top.size()); ++i) {
    const auto first = std::span(top[i]).first(std::min(of, top[i].size()));
    hits += std::ranges::count(first, labels[i]);
  }
  return hits;
}

Status CheckClasses(const std::vector<artifact::TensorInfo>& outputs,
                    std::span<const int64_t> labels, bool top) {
  if (labels.empty() && !top) return {};
  const std::optional<size_t> output = ClassOutput(outputs);
  if (!output) {
    return Fail(Code::kInvalidArgument,
                "{}: no output of the model is [1, C], the values of C classes",
                labels.empty() ? "--top" : "--labels");
  }
  const int64_t classes = ItemShape(outputs[*output].shape)[0];
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < classes) continue;
    return Fail(Code::kInvalidArgument, "--labels: label {} of item {}; output '{}' has {} classes",
                labels[i], i, outputs[*output].name, classes);
  }
  return {};
}

}  // namespace tessera::tools
