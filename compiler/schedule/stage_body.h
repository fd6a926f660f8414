// SPDX-License-Identifier: Apache-2.0
//
// The expression of a stage's elements, with the tensors that it reads. Expressions do not change,
// so these are found once, and copies share them. Depends on ir. Used by: stage.h.
#ifndef TESSERA_COMPILER_SCHEDULE_STAGE_BODY_H_
#define TESSERA_COMPILER_SCHEDULE_STAGE_BODY_H_

#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace tessera::schedule {

class StageBody {
 public:
  StageBody() = default;
  StageBody(ir::Expr expr);  // NOLINT: a body is an expression

  operator const ir::Expr&() const { return expr_; }  // NOLINT
  const ir::ExprNode* operator->() const { return expr_.get(); }
  const ir::ExprNode& operator*() const { return *expr_; }
  explicit operator bool() const { return bool(expr_); }

  // The reads of tensors (ir::ExprKind::kTensorRead) in the order of ir::Visit.
  const std::vector<const ir::ExprNode*>& reads() const { return found_->reads; }
  // The names of the tensors that it reads, each once.
  const std::vector<const std::string*>& names() const { return found_->names; }
  bool Reads(const std::string& tensor) const;

 private:
  struct Found {
    std::vector<const ir::ExprNode*> reads;
    std::vector<const std::string*> names;
  };
  static const std::shared_ptr<const Found>& Nothing();

  ir::Expr expr_;
  std::shared_ptr<const Found> found_ = Nothing();
};

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_STAGE_BODY_H_
