// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

// Iterations of a loop over outputs store different elements, so their order does not matter. The
// lowering checks the stores of stages that follow the loop (lower/parallel.h).
Status Apply(const ParallelStep& step, Editor& editor) {
  std::string axis = step.axis;
  if (axis.starts_with('$')) {
    TESSERA_ASSIGN(const std::vector<std::string> loop,
                   editor.Words(axis.substr(1), DomainKind::kLoops));
    if (loop[0] == kNoLoop) return {};
    axis = loop[0];
  }
  return editor.MarkOutputLoop(step.stage, axis, ir::LoopKind::kParallel,
                               "add to one element; rfactor makes a stage of partial "
                               "results, or mark a loop over outputs");
}

}  // namespace tessera::schedule
