// SPDX-License-Identifier: Apache-2.0
#include "runtime/artifact/tap.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace tessera::artifact {
namespace {

// Elements from the first to past the last of a dense layout, which has no dims.
Result<uint64_t> DenseElements(const PhysicalLayout& layout) {
  TESSERA_ASSIGN(const int64_t count,
                 ElementCount(layout.shape, static_cast<int64_t>(kMaxBlobBytes)));
  return static_cast<uint64_t>(count);
}

}  // namespace

Result<uint64_t> ExtentInBytes(const PhysicalLayout& layout) {
  TESSERA_ASSIGN(uint64_t elements, DenseElements(layout));
  if (elements == 0) return 0;
  if (layout.dims.size() != layout.strides.size()) {
    return Fail(Code::kInvalidArgument, "a layout of {} dimensions has {} strides",
                layout.dims.size(), layout.strides.size());
  }
  if (!layout.dims.empty()) {
    __int128 last = 0;
    for (size_t k = 0; k < layout.dims.size(); ++k) {
      const PhysicalDim& d = layout.dims[k];
      if (d.dim >= layout.shape.size() || d.div < 1 || d.mod < 0 || layout.strides[k] < 0) {
        return Fail(Code::kInvalidArgument, "layout dimension {} is {} / {} % {} with stride {}", k,
                    d.dim, d.div, d.mod, layout.strides[k]);
      }
      int64_t most = (layout.shape[d.dim] - 1) / d.div;
      if (d.mod > 0) most = std::min(most, d.mod - 1);
      last += static_cast<__int128>(most) * layout.strides[k];
    }
    if (last >= static_cast<__int128>(kMaxBlobBytes)) {
      return Fail(Code::kOutOfRange, "a layout reaches past {} elements", kMaxBlobBytes);
    }
    elements = static_cast<uint64_t>(last) + 1;
  }
  const uint64_t bytes = elements * static_cast<uint64_t>(SizeOf(layout.dtype));
  if (bytes > kMaxBlobBytes)
    return Fail(Code::kOutOfRange, "a layout of {} bytes, at most {} is accepted", bytes,
                kMaxBlobBytes);
  return bytes;
}

HostTensor UnpackTap(const PhysicalLayout& layout, std::span<const uint8_t> bytes) {
  const Result<uint64_t> extent = ExtentInBytes(layout);
  TESSERA_CHECK(extent && *extent <= bytes.size(), "{} bytes for a layout", bytes.size());
  HostTensor tensor = HostTensor::Zeros(layout.dtype, layout.shape);
  if (layout.dims.empty()) {
    std::copy_n(bytes.begin(), tensor.bytes.size(), tensor.bytes.begin());
    return tensor;
  }
  const size_t size = static_cast<size_t>(SizeOf(layout.dtype));
  std::vector<int64_t> index(layout.shape.size());
  for (size_t at = 0; at < tensor.bytes.size(); at += size) {
    int64_t offset = 0;
    for (size_t k = 0; k < layout.dims.size(); ++k) {
      const PhysicalDim& d = layout.dims[k];
      const int64_t i = index[d.dim] / d.div;
      offset += (d.mod > 0 ? i % d.mod : i) * layout.strides[k];
    }
    std::memcpy(&tensor.bytes[at], &bytes[static_cast<size_t>(offset) * size], size);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < layout.shape[d]) break;
      index[d] = 0;
    }
  }
  return tensor;
}

}  // namespace tessera::artifact
