// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/index_value.h"

#include <algorithm>

#include "base/check.h"

namespace tessera::ir {

int64_t IndexValue(BinOp op, int64_t a, int64_t b) {
  const auto quotient = [&] {
    TESSERA_CHECK(b != 0, "an index is divided by zero");
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  };
  switch (op) {
    case BinOp::kAdd:
      return a + b;
    case BinOp::kSub:
      return a - b;
    case BinOp::kMul:
      return a * b;
    case BinOp::kDiv:
      return quotient();
    case BinOp::kMod:
      return a - quotient() * b;
    case BinOp::kMin:
      return std::min(a, b);
    case BinOp::kMax:
      return std::max(a, b);
    case BinOp::kAnd:
      return a & b;
    case BinOp::kOr:
      return a | b;
    case BinOp::kXor:
      return a ^ b;
    case BinOp::kShl:
      return a << b;
    case BinOp::kShr:
      return a >> b;
    case BinOp::kEq:
      return a == b;
    case BinOp::kNe:
      return a != b;
    case BinOp::kLt:
      return a < b;
    case BinOp::kLe:
      return a <= b;
  }
  TESSERA_CHECK(false);
}

}  // namespace tessera::ir
