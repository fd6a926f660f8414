// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const SetScopeStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  TESSERA_TRY(editor.RequireMemory(step.scope));
  if (stage->double_buffer) TESSERA_TRY(editor.RequireRotation(step.scope));
  stage->scope = step.scope;
  return {};
}

}  // namespace tessera::schedule
