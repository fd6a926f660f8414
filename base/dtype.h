// SPDX-License-Identifier: Apache-2.0
//
// Element types of tensors, shared by files, graphs, the loop IR and devices.
#ifndef TESSERA_BASE_DTYPE_H_
#define TESSERA_BASE_DTYPE_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace tessera {

// Artifacts hold these numbers: add new types at the end.
enum class DType : uint8_t { kBool, kInt8, kUint8, kInt32, kInt64, kFloat32, kFloat16, kInt16 };

// All types, in the order of their numbers.
inline constexpr std::array kDTypes{DType::kBool,  DType::kInt8,    DType::kUint8,   DType::kInt32,
                                    DType::kInt64, DType::kFloat32, DType::kFloat16, DType::kInt16};

constexpr bool IsFloat(DType type) { return type == DType::kFloat32 || type == DType::kFloat16; }

constexpr int64_t SizeOf(DType type) {  // bytes
  switch (type) {
    case DType::kBool:
    case DType::kInt8:
    case DType::kUint8:
      return 1;
    case DType::kFloat16:
    case DType::kInt16:
      return 2;
    case DType::kInt32:
    case DType::kFloat32:
      return 4;
    case DType::kInt64:
      return 8;
  }
  return 0;
}

struct IntegerLimits {
  int32_t lo = INT32_MIN, hi = INT32_MAX;
};
// The least and the greatest value of an integer type; those of int32 for a wider type.
constexpr IntegerLimits LimitsOf(DType type) {
  if (type == DType::kInt8) return {-128, 127};
  if (type == DType::kUint8) return {0, 255};
  if (type == DType::kInt16) return {-32768, 32767};
  return {};
}

constexpr std::string_view Text(DType type) {
  switch (type) {
    case DType::kBool:
      return "bool";
    case DType::kInt8:
      return "int8";
    case DType::kUint8:
      return "uint8";
    case DType::kInt16:
      return "int16";
    case DType::kInt32:
      return "int32";
    case DType::kInt64:
      return "int64";
    case DType::kFloat32:
      return "float32";
    case DType::kFloat16:
      return "float16";
  }
  return "?";
}

}  // namespace tessera

#endif  // TESSERA_BASE_DTYPE_H_
