// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/visit.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const InlineStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  if (stage->output) {
    return Fail(Code::kInvalidArgument, "{} is an output; only what others read is inlined",
                step.stage);
  }
  if (!stage->reduce_axes.empty()) {
    return Fail(Code::kInvalidArgument,
                "{} is a reduction and would be recomputed for each read; "
                "compute_at attaches it instead",
                step.stage);
  }
  for (const Stage& other : editor.stages()) {
    if (editor.schedule().OuterOf(other) == stage) {
      return Fail(Code::kInvalidArgument, "{} is computed inside {}; inline before attaching",
                  other.name, step.stage);
    }
  }
  StageList& stages = editor.stages();
  for (size_t k = 0; k < stages.size(); ++k) {
    if (!stages[k].Reads(step.stage)) continue;
    Stage& reader = stages.Edit(k);
    reader.body = ReplaceReads(reader.body, step.stage, [&](const std::vector<ir::Expr>& indices) {
      return stage->ValueAt(indices);
    });
  }
  stage->attach = Attach::kInline;
  return {};
}

}  // namespace tessera::schedule
