// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/accel/lattice.h"

#include <algorithm>

#include "base/check.h"

namespace tessera::schedule::accel {
namespace {

// The number of indices that both rows have.
int64_t SharedAlong(const LatticeDim& a, const LatticeDim& b) {
  int64_t shared = 0;
  for (int64_t k = 0; k < a.count; ++k) {
    const int64_t from = a.begin + k * a.step - b.begin;
    shared += from >= 0 && from % b.step == 0 && from / b.step < b.count ? 1 : 0;
  }
  return shared;
}

}  // namespace

Lattice WholeOf(const Packing& packing) {
  Lattice piece;
  for (const int64_t extent : PhysicalShape(packing.shape, packing.layout))
    piece.push_back({0, 1, extent});
  return piece;
}

Lattice Within(const Lattice& inner, const Lattice& outer) {
  TESSERA_CHECK(inner.size() == outer.size());
  Lattice piece = inner;
  for (size_t d = 0; d < piece.size(); ++d) {
    piece[d].begin = outer[d].begin + inner[d].begin * outer[d].step;
    piece[d].step = inner[d].step * outer[d].step;
  }
  return piece;
}

int64_t SizeOf(const Lattice& piece) {
  int64_t size = 1;
  for (const LatticeDim& dim : piece) size *= dim.count;
  return size;
}

int64_t SharedBy(const Lattice& a, const Lattice& b) {
  TESSERA_CHECK(a.size() == b.size());
  int64_t shared = 1;
  for (size_t d = 0; d < a.size(); ++d) shared *= SharedAlong(a[d], b[d]);
  return shared;
}

int64_t OffsetIn(const Lattice& piece, const Packing& whole) {
  const std::vector<int64_t> strides = PhysicalStrides(whole.shape, whole.layout);
  int64_t offset = 0;
  for (size_t d = 0; d < piece.size(); ++d) offset += piece[d].begin * strides[d];
  return offset;
}

Packing PackingIn(const Packing& part, const Lattice& piece, const Packing& whole,
                  int64_t columns) {
  const std::vector<int64_t> strides = PhysicalStrides(whole.shape, whole.layout),
                             alone = PhysicalStrides(part.shape, part.layout);
  Packing packing = part;
  Layout& layout = packing.layout;
  for (size_t d = 0; d < piece.size(); ++d) layout.strides.push_back(piece[d].step * strides[d]);
  const auto dim_of = [&](int dim) {
    return static_cast<size_t>(std::ranges::find(layout.dims, dim, &LayoutDim::dim) -
                               layout.dims.begin());
  };
  const size_t blocks = dim_of(1), x = dim_of(3);
  const int64_t column = layout.strides[x], lanes = whole.layout.dims[blocks].div;
  layout.strides[x] *= columns;
  const bool splits = columns > 1 && layout.dims[blocks].div == lanes;
  TESSERA_CHECK(columns == 1 || splits || column == lanes);
  std::vector<int64_t> extents = PhysicalShape(part.shape, part.layout);
  if (splits && piece[blocks].count > 1) {
    const auto at = static_cast<std::ptrdiff_t>(blocks);
    layout.dims[blocks].div = lanes * piece[blocks].count;
    layout.dims.insert(layout.dims.begin() + at + 1, {1, lanes, piece[blocks].count});
    layout.strides.insert(layout.strides.begin() + at, column);
    return packing;
  }
  if (splits) layout.strides[blocks] = column;
  bool gaps = false;
  for (size_t d = 0; d < extents.size(); ++d) {
    // The stride of a dimension of one index has no effect.
    if (extents[d] == 1) layout.strides[d] = alone[d];
    gaps = gaps || layout.strides[d] != alone[d];
  }
  if (!gaps) layout.strides.clear();
  return packing;
}

}  // namespace tessera::schedule::accel
