// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const UnrollStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  TESSERA_ASSIGN(const int at, editor.FindLeaf(*stage, step.axis));
  TESSERA_TRY(editor.RequireLoop(ir::LoopKind::kUnroll));
  return Editor::SetKind(*stage, ir::LoopKind::kUnroll, &stage->leaves[at]);
}

}  // namespace tessera::schedule
