// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"
#include "compiler/schedule/tensor_intrin.h"

namespace tessera::schedule {

Status Apply(const TensorizeStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  TESSERA_TRY(editor.FindLeaf(*stage, step.axis));
  if (!FindTensorIntrin(step.intrinsic)) {
    return Fail(Code::kNotFound, "no tensor intrinsic '{}' is registered", step.intrinsic);
  }
  stage->tensorize_axis = step.axis;
  stage->intrinsic = step.intrinsic;
  return {};
}

}  // namespace tessera::schedule
