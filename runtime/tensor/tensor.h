// SPDX-License-Identifier: Apache-2.0
//
// HostTensor: a dense row-major array in host memory, the form of tensors from files, and of the
// executor's inputs and outputs. Depends on: base.
#ifndef TESSERA_RUNTIME_TENSOR_TENSOR_H_
#define TESSERA_RUNTIME_TENSOR_TENSOR_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"

namespace tessera {

// The product of |shape|, which must not have a negative extent.
//   errors  kOutOfRange  a negative extent, or a product over |limit|
Result<int64_t> ElementCount(std::span<const int64_t> shape, int64_t limit = int64_t{1} << 40);

// "[1, 3, 32, 32]"
std::string ShapeText(std::span<const int64_t> shape);

struct HostTensor {
  DType dtype = DType::kInt8;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;  // ElementCount(shape) * SizeOf(dtype)

  int64_t count() const { return static_cast<int64_t>(bytes.size()) / SizeOf(dtype); }

  template <typename T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <typename T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  // Zeros of |shape|; the caller makes sure that they fit memory.
  static HostTensor Zeros(DType dtype, std::vector<int64_t> shape);

  // Items [first, first + count) along the first axis.
  HostTensor Slice(int64_t first, int64_t count) const;

  bool operator==(const HostTensor&) const = default;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_TENSOR_TENSOR_H_
