// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const TileStep& step, Editor& editor) {
  TESSERA_TRY(Apply(SplitStep{.stage = step.stage,
                              .axis = step.a,
                              .factor = step.a_factor,
                              .outer = step.a_outer,
                              .inner = step.a_inner},
                    editor));
  TESSERA_TRY(Apply(SplitStep{.stage = step.stage,
                              .axis = step.b,
                              .factor = step.b_factor,
                              .outer = step.b_outer,
                              .inner = step.b_inner},
                    editor));
  return Apply(ReorderStep{.stage = step.stage,
                           .axes = {step.a_outer, step.b_outer, step.a_inner, step.b_inner}},
               editor);
}

}  // namespace tessera::schedule
