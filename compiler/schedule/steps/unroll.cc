// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const UnrollStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  TESSERA_ASSIGN(const int at, editor.FindLeaf(*stage, step.axis));
  TESSERA_TRY(editor.RequireLoop(ir::LoopKind::kUnroll));
  stage->leaves[at].kind = ir::LoopKind::kUnroll;
  return {};
}

}  // namespace tessera::schedule
