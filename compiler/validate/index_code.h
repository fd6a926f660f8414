// SPDX-License-Identifier: Apache-2.0
//
// Index expressions and conditions of loop IR, compiled for repeated evaluation. Depends on:
// compiler/ir. Used by: source_run.cc.
#ifndef TESSERA_COMPILER_VALIDATE_INDEX_CODE_H_
#define TESSERA_COMPILER_VALIDATE_INDEX_CODE_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "compiler/ir/ir.h"

namespace tessera::validate {

// Values of loop variables; each variable has a slot.
class LoopValues {
 public:
  size_t SlotOf(const ir::Expr& var) {
    const auto [slot, fresh] = slots_.try_emplace(var.get(), values_.size());
    if (fresh) values_.push_back(0);
    return slot->second;
  }
  int64_t& operator[](size_t slot) { return values_[slot]; }
  int64_t operator[](size_t slot) const { return values_[slot]; }

 private:
  std::unordered_map<const ir::ExprNode*, size_t> slots_;
  std::vector<int64_t> values_;
};

// One expression of i64 or bool.
class IndexCode {
 public:
  // errors: kUnsupported, an expression that reads a buffer or computes no index
  static Result<IndexCode> Make(const ir::Expr& e, LoopValues* loops);

  int64_t operator()(const LoopValues& loops) const { return At(root_, loops); }
  bool Uses(size_t slot) const;

 private:
  struct CodeNode {
    ir::ExprKind kind = ir::ExprKind::kImm;
    uint8_t op = 0;
    int64_t number = 0;  // a constant, or the slot of a variable
    int a = -1, b = -1, c = -1;
  };
  Result<int> Add(const ir::Expr& e, LoopValues* loops);
  int64_t At(int node, const LoopValues& loops) const;

  std::vector<CodeNode> nodes_;
  int root_ = -1;
};

}  // namespace tessera::validate

#endif  // TESSERA_COMPILER_VALIDATE_INDEX_CODE_H_
