// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const VthreadStep& step, Editor& editor) {
  return editor.MarkOutputLoop(step.stage, step.axis, ir::LoopKind::kVthread,
                               "add to one element, and wait for each other; make threads of a "
                               "loop over outputs");
}

}  // namespace tessera::schedule
