// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const TensorizeStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  TESSERA_TRY(editor.FindLeaf(*stage, step.axis));
  const target::Target& target = editor.schedule().target();
  for (const std::string& name : step.intrinsics) {
    if (target.FindIntrinsic(name) != nullptr) continue;
    std::string names;
    for (const target::TensorIntrin& i : target.intrinsics) names += " " + i.name;
    return Fail(Code::kNotFound, "{} has no intrinsic '{}'; it has:{}", target.name, name,
                names.empty() ? " none" : names);
  }
  stage->tensorize_axis = step.axis;
  stage->intrinsics = step.intrinsics;
  return {};
}

}  // namespace tessera::schedule
