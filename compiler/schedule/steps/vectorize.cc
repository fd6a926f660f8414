// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const VectorizeStep& step, Editor& editor) {
  return editor.MarkOutputLoop(step.stage, step.axis, ir::LoopKind::kVector,
                               "depend on each other; unroll it, or mark a loop over outputs");
}

}  // namespace tessera::schedule
