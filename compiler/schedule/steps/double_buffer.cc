// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

// lower::CheckRoom checks that two copies fit when the boxes are known.
Status Apply(const DoubleBufferStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  if (stage->output) {
    return Fail(Code::kInvalidArgument,
                "{} is an output, whose memory is the caller's; cache_write makes a buffer",
                step.stage);
  }
  TESSERA_TRY(editor.RequireRotation(stage->scope));
  // The buffer of a follower is where its leader's buffer is, or inside the leader's loops.
  const Schedule& schedule = editor.schedule();
  const bool follows = stage->attach == Attach::kAfter;
  const Stage* of = follows ? schedule.OuterOf(*stage) : stage;
  const bool inside = of->attach == Attach::kAt || (follows ? schedule.IsForFollowers(*stage)
                                                            : schedule.LoopsAroundBuffer(*of) > 0);
  if (!inside) {
    return Fail(Code::kInvalidArgument,
                "{} is computed once, so that no copy of it is filled ahead; compute_at puts it "
                "inside a loop",
                step.stage);
  }
  stage->double_buffer = true;
  return {};
}

}  // namespace tessera::schedule
