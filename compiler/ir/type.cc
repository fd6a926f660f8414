// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/type.h"

#include <fmt/format.h>

#include "base/check.h"

namespace tessera::ir {

const char* DTypeName(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "bool";
    case DType::kInt8:
      return "i8";
    case DType::kUint8:
      return "u8";
    case DType::kInt16:
      return "i16";
    case DType::kInt32:
      return "i32";
    case DType::kInt64:
      return "i64";
    case DType::kFloat32:
      return "f32";
    case DType::kFloat16:
      return "f16";
  }
  TESSERA_CHECK(false, "data type {}", static_cast<int>(dtype));
}

std::optional<DType> DTypeFromName(std::string_view name) {
  for (const DType d : kDTypes) {
    if (name == DTypeName(d)) return d;
  }
  return std::nullopt;
}

int64_t WrapTo(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::kBool:
      return value & 1;
    case DType::kInt8:
      return static_cast<int8_t>(value);
    case DType::kUint8:
      return static_cast<uint8_t>(value);
    case DType::kInt16:
      return static_cast<int16_t>(value);
    case DType::kInt32:
      return static_cast<int32_t>(value);
    case DType::kInt64:
      return value;
    case DType::kFloat32:
    case DType::kFloat16:
      break;
  }
  TESSERA_CHECK(false, "WrapTo of {}", DTypeName(dtype));
}

std::string TypeName(Type type) {
  return type.lanes == 1 ? std::string(DTypeName(type.dtype))
                         : fmt::format("{}x{}", DTypeName(type.dtype), type.lanes);
}

}  // namespace tessera::ir
