// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const FoldStorageStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditStage(step.tensor));
  if ((!stage->placeholder && !stage->output) || stage->scope == ir::Scope::kGlobal) {
    return Fail(Code::kInvalidArgument,
                "{} is not exchanged in a scratchpad; fold_storage is for an input or an output "
                "behind its set_scope",
                step.tensor);
  }
  const int64_t rank = std::ssize(stage->shape);
  if (step.dim < 0 || step.dim >= rank) {
    return Fail(Code::kOutOfRange, "{} has {} dimensions, counted from 0; {} is none", step.tensor,
                rank, step.dim);
  }
  int64_t extent = stage->shape[static_cast<size_t>(step.dim)];
  for (const LayoutDim& d : stage->layout.dims) {
    if (d.dim == step.dim) extent += d.before + d.after;
  }
  if (step.step < 1 || step.step > step.rows || step.rows > extent) {
    return Fail(Code::kOutOfRange,
                "{} rows in steps of {} of dimension {} of {}, which has {}; 1 <= STEP <= ROWS <= "
                "{} is expected",
                step.rows, step.step, step.dim, step.tensor, extent, extent);
  }
  if (step.planes && *step.planes < 1) {
    return Fail(Code::kOutOfRange,
                "{} planes of {} at one time; 1 or more are expected, all without the number",
                *step.planes, step.tensor);
  }
  stage->folded = {step.dim, step.rows, step.step, step.planes.value_or(0)};
  return RequireWholeFold(*stage);
}

Status RequireWholeFold(const Stage& stage) {
  const bool cut = std::ranges::any_of(stage.layout.dims, [&](const LayoutDim& d) {
    return stage.folded && d.dim == stage.folded->dim && (d.div != 1 || d.mod != 0);
  });
  if (!cut) return {};
  return Fail(Code::kInvalidArgument,
              "{} is folded along dimension {}, which its layout has in blocks; fold another one, "
              "or choose a layout that has it whole",
              stage.name, stage.folded->dim);
}

}  // namespace tessera::schedule
