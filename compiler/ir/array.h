// SPDX-License-Identifier: Apache-2.0
//
// A flat typed array with the elements of a buffer, for the interpreter and the tests. Elements are
// in physical order; layout.h maps logical indices to it. Depends on type.h.
#ifndef TESSERA_COMPILER_IR_ARRAY_H_
#define TESSERA_COMPILER_IR_ARRAY_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/half.h"
#include "compiler/ir/type.h"

namespace tessera::ir {

class Array {
 public:
  Array() = default;
  Array(DType dtype, int64_t elements, uint8_t fill = 0)
      : dtype_(dtype), bytes_(elements * SizeOf(dtype), fill) {}
  Array(DType dtype, std::vector<uint8_t> bytes) : dtype_(dtype), bytes_(std::move(bytes)) {}

  DType dtype() const { return dtype_; }
  int64_t size() const { return static_cast<int64_t>(bytes_.size()) / SizeOf(dtype_); }
  std::vector<uint8_t>& bytes() { return bytes_; }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  uint8_t* data() { return bytes_.data(); }

  // Element |i| of an integer or bool array, 0 <= i < size().
  int64_t Int(int64_t i) const {
    switch (dtype_) {
      case DType::kBool:
      case DType::kUint8:
        return Read<uint8_t>(i);
      case DType::kInt8:
        return Read<int8_t>(i);
      case DType::kInt16:
        return Read<int16_t>(i);
      case DType::kInt32:
        return Read<int32_t>(i);
      default:
        return Read<int64_t>(i);
    }
  }
  // Stores the low bits of |value|.
  void SetInt(int64_t i, int64_t value) {
    switch (SizeOf(dtype_)) {
      case 1:
        return Write(i, static_cast<uint8_t>(value));
      case 2:
        return Write(i, static_cast<uint16_t>(value));
      case 4:
        return Write(i, static_cast<uint32_t>(value));
      default:
        return Write(i, value);
    }
  }
  // Element |i| of a float array, as float32; a stored value is rounded to the array's type.
  float Float(int64_t i) const {
    return dtype_ == DType::kFloat16 ? HalfToFloat(Read<uint16_t>(i)) : Read<float>(i);
  }
  void SetFloat(int64_t i, float value) {
    dtype_ == DType::kFloat16 ? Write(i, FloatToHalf(value)) : Write(i, value);
  }

  bool operator==(const Array&) const = default;

 private:
  template <typename T>
  T Read(int64_t i) const {
    TESSERA_CHECK(i >= 0 && static_cast<uint64_t>(i + 1) * sizeof(T) <= bytes_.size(), "element {}",
                  i);
    T value;
    std::memcpy(&value, &bytes_[i * sizeof(T)], sizeof(T));
    return value;
  }
  template <typename T>
  void Write(int64_t i, T value) {
    TESSERA_CHECK(i >= 0 && static_cast<uint64_t>(i + 1) * sizeof(T) <= bytes_.size(), "element {}",
                  i);
    std::memcpy(&bytes_[i * sizeof(T)], &value, sizeof(T));
  }

  DType dtype_ = DType::kInt8;
  std::vector<uint8_t> bytes_;
};

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_ARRAY_H_
