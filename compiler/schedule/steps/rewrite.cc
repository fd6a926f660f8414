// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const RewriteStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  const OperandPath path{step.stage, step.operand};
  const auto rewritten = [&](const ir::Expr& e) -> Result<ir::Expr> {
    if (e->kind == ir::ExprKind::kReduce || e.lanes() != 1 || !ir::IsInt(e.dtype()))
      return NoOperand(path, "it is no integer value, which alone stays the same");
    if (step.rule == "plus_zero") return e + ir::Imm(e.dtype(), 0);
    if (step.rule != "negated") {
      return Fail(Code::kInvalidArgument, "'{}' is no rule; there are negated plus_zero",
                  step.rule);
    }
    if (e->kind != ir::ExprKind::kBin || e->bin() != ir::BinOp::kSub)
      return NoOperand(path, "it is no difference");
    return e->args[0] + e->args[1] * ir::Imm(e.dtype(), -1);
  };
  return ReplaceOperand(path, stage, rewritten);
}

}  // namespace tessera::schedule
