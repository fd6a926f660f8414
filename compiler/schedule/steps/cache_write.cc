// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const CacheWriteStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  TESSERA_TRY(editor.RequireMemory(step.scope));
  TESSERA_TRY(editor.NewStageName(step.name));
  if (!stage->relations.empty() || stage->attach != Attach::kRoot) {
    return Fail(Code::kInvalidArgument, "{} has been scheduled; cache_write comes first",
                step.stage);
  }
  Stage inner = *stage;
  inner.name = step.name;
  inner.scope = step.scope;
  inner.output = false;
  inner.layout = {};
  stage->in_place_of.clear();
  MakeCopyOf(inner, stage);
  std::vector<Stage>& stages = editor.stages();
  stages.insert(stages.begin() + (stage - stages.data()), std::move(inner));
  return {};
}

}  // namespace tessera::schedule
