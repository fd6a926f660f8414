// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const SetScopeStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditStage(step.stage));
  if (!stage->placeholder) TESSERA_TRY(editor.FindCompute(step.stage));
  TESSERA_TRY(editor.RequireMemory(step.scope));
  const bool exchanged = stage->placeholder || stage->output;
  if (exchanged && step.scope != ir::Scope::kGlobal &&
      !editor.schedule().target().FindMemory(step.scope)->keeps) {
    return Fail(Code::kInvalidArgument,
                "{} is {} of the function, and {} does not keep what is in it from function to "
                "function; cache_{} makes a copy there",
                step.stage, stage->output ? "an output" : "an input", ir::ScopeName(step.scope),
                stage->output ? "write" : "read");
  }
  if (stage->double_buffer) TESSERA_TRY(editor.RequireRotation(step.scope));
  stage->scope = step.scope;
  return {};
}

}  // namespace tessera::schedule
