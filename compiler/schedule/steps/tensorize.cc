// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const TensorizeStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  TESSERA_TRY(editor.FindLeaf(*stage, step.axis));
  const target::Target& target = editor.schedule().target();
  std::vector<std::string> intrinsics = step.intrinsics;
  for (std::string& name : intrinsics) {
    if (name.starts_with('$')) {
      TESSERA_ASSIGN(const std::vector<std::string> picked,
                     editor.Words(name.substr(1), DomainKind::kIntrinsics));
      name = picked[0];
    }
    if (target.FindIntrinsic(name) != nullptr) continue;
    std::string names;
    for (const target::TensorIntrin& i : target.intrinsics) names += " " + i.name;
    return Fail(Code::kNotFound, "{} has no intrinsic '{}'; it has:{}", target.name, name,
                names.empty() ? " none" : names);
  }
  stage->tensorize_axis = step.axis;
  stage->intrinsics = std::move(intrinsics);
  return {};
}

}  // namespace tessera::schedule
