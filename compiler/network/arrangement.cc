// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/arrangement.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace tessera::network {
namespace {

using graph::Shape;

// Factors that continue each other are one.
Factors Merged(const Factors& factors) {
  Factors merged;
  for (const Factor& f : factors) {
    if (f.extent == 1) continue;
    if (!merged.empty() && merged.back().axis == f.axis &&
        merged.back().stride == f.stride * f.extent) {
      merged.back() = {f.axis, f.stride, merged.back().extent * f.extent};
    } else {
      merged.push_back(f);
    }
  }
  return merged;
}

Factors AllFactors(const Arrangement& from) {
  Factors all;
  for (const Factors& dim : from.dims) all.insert(all.end(), dim.begin(), dim.end());
  return all;
}

}  // namespace

int64_t Arrangement::ExtentOf(ImageAxis axis) const {
  int64_t extent = 1;
  for (const Factor& f : AllFactors(*this)) extent *= f.axis == axis ? f.extent : 1;
  return extent;
}

Shape Arrangement::Image() const {
  return {ExtentOf(ImageAxis::kImages), ExtentOf(ImageAxis::kChannels), 1,
          ExtentOf(ImageAxis::kPositions)};
}

bool Arrangement::IsWhole(size_t dim, ImageAxis axis) const {
  const int64_t extent = ExtentOf(axis);
  return dims[dim] == (extent == 1 ? Factors{} : Factors{{axis, 1, extent}});
}

Arrangement ArrangementOf(const graph::Graph& graph, graph::TensorId id) {
  const Shape& shape = graph.tensor(id).shape;
  TESSERA_CHECK(shape.size() == 4);
  Arrangement made{.parts = {id}, .dims = {}};
  made.dims = {Merged({{ImageAxis::kImages, 1, shape[0]}}),
               Merged({{ImageAxis::kChannels, 1, shape[1]}}),
               Merged({{ImageAxis::kPositions, shape[3], shape[2]}}),
               Merged({{ImageAxis::kPositions, 1, shape[3]}})};
  return made;
}

std::optional<Arrangement> Reshaped(const Arrangement& from, const Shape& shape) {
  Factors left = AllFactors(from);
  std::ranges::reverse(left);  // the next one is the last
  Arrangement made{from.parts, from.joined, {}};
  for (int64_t rest : shape) {
    Factors dim;
    while (rest > 1) {
      TESSERA_CHECK(!left.empty(), "a reshape to more elements");
      const Factor next = left.back();
      left.pop_back();
      if (rest % next.extent == 0) {
        dim.push_back(next);
        rest /= next.extent;
      } else if (next.extent % rest == 0) {
        const int64_t inner = next.extent / rest;
        dim.push_back({next.axis, next.stride * inner, rest});
        left.push_back({next.axis, next.stride, inner});
        rest = 1;
      } else {
        return std::nullopt;
      }
    }
    made.dims.push_back(Merged(dim));
  }
  return made;
}

Arrangement Transposed(const Arrangement& from, const std::vector<int>& perm) {
  Arrangement made{from.parts, from.joined, {}};
  for (const int d : perm) made.dims.push_back(from.dims[static_cast<size_t>(d)]);
  return made;
}

WayBack WayBackOf(const Arrangement& from) {
  const Factors all = AllFactors(from);
  std::vector<int> order(all.size());  // of the image: numbers of the tensor's factors
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) {
    const Factor &f = all[static_cast<size_t>(a)], &g = all[static_cast<size_t>(b)];
    return f.axis != g.axis ? f.axis < g.axis : f.stride > g.stride;
  });
  WayBack way;
  way.perm.resize(all.size());
  for (size_t k = 0; k < order.size(); ++k) {
    way.factors.push_back(all[static_cast<size_t>(order[k])].extent);
    way.perm[static_cast<size_t>(order[k])] = static_cast<int>(k);
  }
  return way;
}

std::vector<int64_t> ElementsOf(const Arrangement& from) {
  const Factors all = AllFactors(from);
  const Shape image = from.Image();
  const int64_t strides[] = {image[1] * image[3], image[3], 1};
  int64_t count = 1;
  for (const Factor& f : all) count *= f.extent;
  std::vector<int64_t> elements(static_cast<size_t>(count));
  for (int64_t element = 0; element < count; ++element) {
    int64_t rest = element, at = 0;
    for (size_t k = all.size(); k-- > 0;) {
      at += rest % all[k].extent * all[k].stride * strides[static_cast<size_t>(all[k].axis)];
      rest /= all[k].extent;
    }
    elements[static_cast<size_t>(at)] = element;
  }
  return elements;
}

}  // namespace tessera::network
