// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/func_set.h"

#include "compiler/ir/equal.h"

namespace tessera::ir {

size_t FuncSet::Add(const Func& func) {
  const uint64_t hash = Hash(func);
  for (auto [it, end] = by_hash_.equal_range(hash); it != end; ++it) {
    if (Equal(funcs_[it->second], func)) return it->second;
  }
  by_hash_.emplace(hash, funcs_.size());
  funcs_.push_back(func);
  return funcs_.size() - 1;
}

}  // namespace tessera::ir
