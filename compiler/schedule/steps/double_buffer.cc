// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

// That two copies fit is asked when the boxes are known, lower::CheckRoom.
Status Apply(const DoubleBufferStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  if (stage->output) {
    return Fail(Code::kInvalidArgument,
                "{} is an output, whose memory is the caller's; cache_write makes a buffer",
                step.stage);
  }
  TESSERA_TRY(editor.RequireRotation(stage->scope));
  // What follows the loops of another stage has its buffer where that one has.
  const Stage* of = stage->attach == Attach::kAfter ? editor.schedule().OuterOf(*stage) : stage;
  if (of->attach != Attach::kAt) {
    return Fail(Code::kInvalidArgument,
                "{} is computed once, so that no copy of it is filled ahead; compute_at puts it "
                "inside a loop",
                step.stage);
  }
  stage->double_buffer = true;
  return {};
}

}  // namespace tessera::schedule
