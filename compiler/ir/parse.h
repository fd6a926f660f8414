// SPDX-License-Identifier: Apache-2.0
//
// Reads the text that print.h writes. Depends on ir.h, intrin.h.
#ifndef TESSERA_COMPILER_IR_PARSE_H_
#define TESSERA_COMPILER_IR_PARSE_H_

#include <string_view>

#include "base/error.h"
#include "compiler/ir/ir.h"

namespace tessera::ir {

// Parses one function and runs Verify on it.
//   errors  kInvalidArgument  "line L: what is wrong and what was expected"
Result<Func> ParseFunc(std::string_view text);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_PARSE_H_
