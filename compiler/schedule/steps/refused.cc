// SPDX-License-Identifier: Apache-2.0
//
// Steps that nothing gives an effect yet.
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const VthreadStep& step, Editor& editor) {
  TESSERA_ASSIGN(const Stage* stage, editor.FindCompute(step.stage));
  TESSERA_TRY(editor.FindLeaf(*stage, step.axis));
  return Fail(Code::kUnsupported,
              "vthread has no effect yet: the accelerator's units run ahead of each other without "
              "it; leave the step out");
}

Status Apply(const DoubleBufferStep& step, Editor& editor) {
  TESSERA_TRY(editor.FindCompute(step.stage));
  return Fail(Code::kUnsupported,
              "double_buffer has no effect yet: buffers have one copy, scratchpads are rings "
              "already; leave the step out");
}

}  // namespace tessera::schedule
