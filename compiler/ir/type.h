// SPDX-License-Identifier: Apache-2.0
//
// Data types of the loop IR. Depends on base. Everything in compiler/ uses it.
#ifndef TESSERA_COMPILER_IR_TYPE_H_
#define TESSERA_COMPILER_IR_TYPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/dtype.h"

namespace tessera::ir {

// Integers wrap modulo 2^bits. kInt64 is the type of every loop variable and index. kFloat16 values
// are only stored, selected, and cast from and to kFloat32, rounding to nearest even (base/half.h).

// The short names of the loop IR's text: "bool", "i8", "u8", "i32", "i64", "f32",
// "f16".
const char* DTypeName(DType dtype);
std::optional<DType> DTypeFromName(std::string_view name);

using tessera::IsFloat;
inline bool IsInt(DType dtype) { return !IsFloat(dtype) && dtype != DType::kBool; }

// The value of an integer of type |dtype| after storing |value| in it (low bits, then extended).
int64_t WrapTo(DType dtype, int64_t value);

// A scalar (lanes == 1) or a vector of |lanes| equal elements.
struct Type {
  DType dtype = DType::kInt64;
  int lanes = 1;
  bool operator==(const Type&) const = default;
};

// "i32" or "i32x16".
std::string TypeName(Type type);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_TYPE_H_
