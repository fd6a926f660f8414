// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const TensorizeStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  TESSERA_TRY(editor.FindLeaf(*stage, step.axis));
  const target::Target& target = editor.schedule().target();
  if (target.FindIntrinsic(step.intrinsic) == nullptr) {
    std::string names;
    for (const target::TensorIntrin& i : target.intrinsics) names += " " + i.name;
    return Fail(Code::kNotFound, "{} has no intrinsic '{}'; it has:{}", target.name, step.intrinsic,
                names.empty() ? " none" : names);
  }
  stage->tensorize_axis = step.axis;
  stage->intrinsic = step.intrinsic;
  return {};
}

}  // namespace tessera::schedule
