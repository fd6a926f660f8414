// SPDX-License-Identifier: Apache-2.0
//
// A set of functions; functions that differ only in their names count as one. Depends on ir.h.
#ifndef TESSERA_COMPILER_IR_FUNC_SET_H_
#define TESSERA_COMPILER_IR_FUNC_SET_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "compiler/ir/ir.h"

namespace tessera::ir {

class FuncSet {
 public:
  // The index in all() of |func|, or of an equal function that was added before.
  size_t Add(const Func& func);
  const std::vector<Func>& all() const { return funcs_; }

 private:
  std::vector<Func> funcs_;
  std::multimap<uint64_t, size_t> by_hash_;
};

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_FUNC_SET_H_
