// SPDX-License-Identifier: Apache-2.0
#include "runtime/tensor/tensor.h"

#include "base/check.h"

namespace tessera {

Result<int64_t> ElementCount(std::span<const int64_t> shape, int64_t limit) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 0)
      return Fail(Code::kOutOfRange, "shape {} has a negative extent", ShapeText(shape));
    if (extent != 0 && count > limit / extent) {
      return Fail(Code::kOutOfRange, "shape {} has more than {} elements", ShapeText(shape), limit);
    }
    count *= extent;
  }
  return count;
}

std::string ShapeText(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += fmt::format("{}{}", i ? ", " : "", shape[i]);
  return text + "]";
}

HostTensor HostTensor::Zeros(DType dtype, std::vector<int64_t> shape) {
  const Result<int64_t> count = ElementCount(shape);
  TESSERA_CHECK(count.has_value(), "{}", ShapeText(shape));
  HostTensor tensor{dtype, std::move(shape), {}};
  tensor.bytes.resize(static_cast<size_t>(*count * SizeOf(dtype)));
  return tensor;
}

HostTensor HostTensor::Slice(int64_t first, int64_t count) const {
  TESSERA_CHECK(!shape.empty() && first >= 0 && count >= 0 && first + count <= shape[0]);
  HostTensor part{dtype, shape, {}};
  part.shape[0] = count;
  const size_t item = shape[0] == 0 ? 0 : bytes.size() / static_cast<size_t>(shape[0]);
  part.bytes.assign(bytes.begin() + static_cast<int64_t>(first * item),
                    bytes.begin() + static_cast<int64_t>((first + count) * item));
  return part;
}

}  // namespace tessera
