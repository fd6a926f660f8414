// SPDX-License-Identifier: Apache-2.0
#include "base/layout.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "base/bits.h"
#include "base/check.h"

namespace tessera {
namespace {

// Calls fn(logical offset, physical offset) for each logical element, row-major.
template <typename Fn>
void ForEachElement(std::span<const int64_t> shape, const Layout& layout, const Fn& fn) {
  const std::vector<int64_t> strides = PhysicalStrides(shape, layout);
  std::vector<std::vector<int64_t>> adds;  // what each index of a dimension adds to the offset
  for (const int64_t n : shape) adds.emplace_back(static_cast<size_t>(n), 0);
  for (size_t k = 0; k < strides.size(); ++k) {
    const LayoutDim piece =
        k < layout.dims.size() ? layout.dims[k] : LayoutDim{.dim = static_cast<int>(k)};
    std::vector<int64_t>& add = adds[static_cast<size_t>(piece.dim)];
    for (size_t i = 0; i < add.size(); ++i) {
      int64_t at = (static_cast<int64_t>(i) + piece.before) / piece.div;
      if (piece.mod > 0) at %= piece.mod;
      add[i] += at * strides[k];
    }
  }
  if (shape.empty()) return fn(int64_t{0}, int64_t{0});
  int64_t count = 1;
  for (const int64_t n : shape) count *= n;
  const std::vector<int64_t> row = std::move(adds.back());
  adds.pop_back();
  std::vector<size_t> index(adds.size(), 0);
  for (int64_t first = 0; first < count; first += std::ssize(row)) {
    int64_t offset = 0;
    for (size_t d = 0; d < adds.size(); ++d) offset += adds[d][index[d]];
    for (size_t i = 0; i < row.size(); ++i) fn(first + static_cast<int64_t>(i), offset + row[i]);
    for (size_t d = adds.size(); d-- > 0;) {
      if (++index[d] < adds[d].size()) break;
      index[d] = 0;
    }
  }
}

// The last index of a layout's dimension, and the elements from one index to the next.
struct Steps {
  uint64_t stride = 0, last = 0;
  size_t dimension = 0;
};

// Every dimension has to step over all that the dimensions with smaller steps reach; otherwise two
// elements may have one place.
Status RequireApart(std::vector<Steps> steps) {
  std::ranges::sort(steps, {}, &Steps::stride);
  uint64_t reach = 0;
  for (const Steps& one : steps) {
    if (one.stride <= reach) {
      return Fail(Code::kInvalidArgument,
                  "layout dimension {} has stride {}, where smaller steps reach element {}: "
                  "elements would share places; a stride of {} or more keeps them apart",
                  one.dimension, one.stride, reach, reach + 1);
    }
    reach += one.stride * one.last;
  }
  return {};
}

}  // namespace

Status CheckLayout(std::span<const int64_t> shape, const Layout& layout, uint64_t most_elements) {
  const size_t physical = layout.empty() ? shape.size() : layout.dims.size();
  if (!layout.strides.empty() && layout.strides.size() != physical) {
    return Fail(Code::kInvalidArgument, "a layout of {} dimensions has {} strides", physical,
                layout.strides.size());
  }
  for (size_t k = 0; k < physical; ++k) {
    const LayoutDim d = layout.empty() ? LayoutDim{static_cast<int>(k), 1, 0} : layout.dims[k];
    const int64_t stride = layout.strides.empty() ? 0 : layout.strides[k];
    if (d.dim < 0 || static_cast<size_t>(d.dim) >= shape.size() || d.div < 1 || d.mod < 0 ||
        stride < 0) {
      return Fail(Code::kInvalidArgument, "layout dimension {} is {} / {} % {} with stride {}", k,
                  d.dim, d.div, d.mod, stride);
    }
    const bool whole = d.div == 1 && d.mod == 0;
    if (d.before < 0 || d.after < 0 || (!whole && d.before + d.after > 0)) {
      return Fail(Code::kInvalidArgument, "layout dimension {} has a halo of {} and {}", k,
                  d.before, d.after);
    }
  }
  // How far the layout reaches, in elements; an overflow counts as past every limit. 32-bit
  // processors have no wider integers.
  uint64_t last = 0, elements = 1;
  std::vector<Steps> steps;
  for (size_t k = 0; k < physical; ++k) {
    const LayoutDim d = layout.empty() ? LayoutDim{static_cast<int>(k), 1, 0} : layout.dims[k];
    const int64_t extent = shape[static_cast<size_t>(d.dim)];
    if (extent < 1)
      return Fail(Code::kInvalidArgument, "layout dimension {} has extent {}", k, extent);
    auto most = static_cast<uint64_t>(d.mod > 0 ? d.mod - 1 : (extent - 1) / d.div);
    bool past = __builtin_add_overflow(most, static_cast<uint64_t>(d.before), &most) ||
                __builtin_add_overflow(most, static_cast<uint64_t>(d.after), &most);
    if (layout.strides.empty()) {
      past =
          past || __builtin_mul_overflow(elements, most + 1, &elements) || elements > most_elements;
    } else {
      uint64_t step = 0;
      past = past ||
             __builtin_mul_overflow(most, static_cast<uint64_t>(layout.strides[k]), &step) ||
             __builtin_add_overflow(last, step, &last) || last >= most_elements;
      if (most > 0) steps.push_back({static_cast<uint64_t>(layout.strides[k]), most, k});
    }
    if (past) return Fail(Code::kOutOfRange, "a layout reaches past {} elements", most_elements);
  }
  return RequireApart(std::move(steps));
}

std::vector<int64_t> PhysicalShape(std::span<const int64_t> shape, const Layout& layout) {
  if (layout.empty()) return {shape.begin(), shape.end()};
  std::vector<int64_t> physical;
  for (const LayoutDim& d : layout.dims)
    physical.push_back(
        d.mod > 0 ? d.mod : d.before + CeilDiv(shape[static_cast<size_t>(d.dim)], d.div) + d.after);
  return physical;
}

std::vector<int64_t> PhysicalStrides(std::span<const int64_t> shape, const Layout& layout) {
  if (!layout.strides.empty()) return layout.strides;
  const std::vector<int64_t> physical = PhysicalShape(shape, layout);
  std::vector<int64_t> strides(physical.size(), 1);
  for (size_t d = physical.size(); d-- > 1;) strides[d - 1] = strides[d] * physical[d];
  return strides;
}

int64_t SizeInElements(std::span<const int64_t> shape, const Layout& layout) {
  const std::vector<int64_t> physical = PhysicalShape(shape, layout);
  if (layout.strides.empty())
    return std::accumulate(physical.begin(), physical.end(), int64_t{1}, std::multiplies());
  const std::vector<int64_t>& strides = layout.strides;
  int64_t last = 0;
  for (size_t d = 0; d < physical.size(); ++d) last += (physical[d] - 1) * strides[d];
  return last + 1;
}

bool IsRowMajor(std::span<const int64_t> shape, const Layout& layout) {
  int64_t count = 1;
  for (const int64_t n : shape) count *= n;
  if (SizeInElements(shape, layout) != count) return false;
  // Without padding, each physical dimension with more than one index must have the step of the
  // row-major array.
  std::vector<int64_t> row_major(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) row_major[d - 1] = row_major[d] * shape[d];
  const std::vector<int64_t> physical = PhysicalShape(shape, layout),
                             strides = PhysicalStrides(shape, layout);
  for (size_t k = 0; k < physical.size(); ++k) {
    const LayoutDim d = layout.empty() ? LayoutDim{static_cast<int>(k), 1, 0} : layout.dims[k];
    if (physical[k] > 1 && strides[k] != row_major[static_cast<size_t>(d.dim)] * d.div)
      return false;
  }
  return true;
}

std::vector<uint8_t> PackLayout(std::span<const int64_t> shape, const Layout& layout,
                                int64_t element_bytes, std::span<const uint8_t> data) {
  const auto size = static_cast<size_t>(element_bytes);
  std::vector<uint8_t> packed(static_cast<size_t>(SizeInElements(shape, layout)) * size);
  if (layout.fill != 0) {
    // For little-endian hosts only.
    for (size_t i = 0; i < packed.size(); i += size) std::memcpy(&packed[i], &layout.fill, size);
  }
  ForEachElement(shape, layout, [&](int64_t from, int64_t to) {
    TESSERA_CHECK((static_cast<size_t>(from) + 1) * size <= data.size(), "{} bytes", data.size());
    std::memcpy(&packed[static_cast<size_t>(to) * size], &data[static_cast<size_t>(from) * size],
                size);
  });
  return packed;
}

std::vector<uint8_t> UnpackLayout(std::span<const int64_t> shape, const Layout& layout,
                                  int64_t element_bytes, std::span<const uint8_t> packed) {
  const auto size = static_cast<size_t>(element_bytes);
  size_t count = 1;
  for (const int64_t n : shape) count *= static_cast<size_t>(n);
  std::vector<uint8_t> data(count * size);
  ForEachElement(shape, layout, [&](int64_t to, int64_t from) {
    TESSERA_CHECK((static_cast<size_t>(from) + 1) * size <= packed.size(), "{} bytes",
                  packed.size());
    std::memcpy(&data[static_cast<size_t>(to) * size], &packed[static_cast<size_t>(from) * size],
                size);
  });
  return data;
}

}  // namespace tessera
