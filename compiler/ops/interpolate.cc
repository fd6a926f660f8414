// SPDX-License-Identifier: Apache-2.0
#include "compiler/ops/interpolate.h"

#include <array>
#include <cmath>

namespace tessera::ops {
namespace {

// Weights of the neighbours of a position; neighbour 0 is at floor(position) + |first|.
struct Neighbours {
  int64_t first = 0;
  std::vector<float> weights;
};

Neighbours NeighboursOf(float part, const Interpolation& how) {
  if (!how.cubic) return {0, {1 - part, part}};
  const float a = how.a, far = part + 1, back = 1 - part, beyond = 2 - part;
  const auto near = [&](float d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto away = [&](float d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  return {-1, {away(far), near(part), near(back), away(beyond)}};
}

// The element and weight of one neighbour, for each position.
struct Column {
  std::vector<int64_t> from;
  std::vector<float> weight;
};

std::vector<Column> ColumnsOf(const AxisPlaces& places, int64_t extent, const Interpolation& how) {
  std::vector<Column> columns(how.cubic ? 4 : 2);
  for (const float place : places.at) {
    const float floor = std::floor(place);
    Neighbours found = NeighboursOf(place - floor, how);
    const int64_t first = static_cast<int64_t>(floor) + found.first;
    float sum = 0;
    for (size_t k = 0; k < columns.size(); ++k) {
      const int64_t at = first + static_cast<int64_t>(k);
      if (how.exclude_outside && (at < 0 || at >= extent)) found.weights[k] = 0;
      sum += found.weights[k];
    }
    for (size_t k = 0; k < columns.size(); ++k) {
      columns[k].from.push_back(
          std::clamp<int64_t>(first + static_cast<int64_t>(k), 0, extent - 1));
      columns[k].weight.push_back(how.exclude_outside ? found.weights[k] / sum : found.weights[k]);
    }
  }
  return columns;
}

}  // namespace

Result<TensorId> Interpolated(Composer& make, TensorId x, const std::vector<AxisPlaces>& places,
                              const Interpolation& how) {
  for (const AxisPlaces& along : places) {
    const size_t axis = along.axis;
    const auto count = std::ssize(along.at);
    Shape shape = make.shape(x), beside(shape.size(), 1);
    const int64_t extent = shape[axis];
    shape[axis] = beside[axis] = count;
    std::optional<TensorId> sum;
    for (const Column& column : ColumnsOf(along, extent, how)) {
      TESSERA_ASSIGN(const TensorId at, make.Wholes(column.from, {count}));
      const graph::GatherAttributes slices{graph::GatherAttributes::Form::kSlices,
                                           static_cast<int>(axis)};
      TESSERA_ASSIGN(TensorId part,
                     make({.op = Op::kGather, .inputs = {x, at}, .attributes = slices}, shape));
      TESSERA_ASSIGN(const TensorId weight, make.Floats(x, column.weight, beside));
      TESSERA_ASSIGN(part, make(Op::kMul, part, weight));
      if (sum) {
        TESSERA_ASSIGN(part, make(Op::kAdd, *sum, part));
      }
      sum = part;
    }
    x = *sum;
  }
  return x;
}

}  // namespace tessera::ops
