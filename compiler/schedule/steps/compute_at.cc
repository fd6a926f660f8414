// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const ComputeAtStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  TESSERA_ASSIGN(const Stage* consumer, editor.FindCompute(step.consumer));
  TESSERA_TRY(editor.FindLeaf(*consumer, step.axis));
  if (stage->output) {
    return Fail(Code::kInvalidArgument,
                "{} is an output and must be complete; attach its producers to it", step.stage);
  }
  if (stage == consumer)
    return Fail(Code::kInvalidArgument, "{} cannot be computed inside itself", step.stage);
  const std::vector<const Stage*> readers = editor.schedule().Consumers(step.stage);
  if (readers.empty()) return Fail(Code::kInvalidArgument, "nothing reads {}", step.stage);
  // Every reader must be inside that loop: the consumer, or attached (through others) to it.
  for (const Stage* reader : readers) {
    const Stage* at = reader;
    for (size_t hops = 0; at && at->name != step.consumer && hops <= editor.stages().size(); ++hops)
      at = at->attach == Attach::kAt ? editor.schedule().Find(at->at_stage) : nullptr;
    if (!at || at->name != step.consumer) {
      return Fail(Code::kInvalidArgument,
                  "{} is also read by {}, which is not computed inside {}; attach {} to {} first",
                  step.stage, reader->name, step.consumer, reader->name, step.consumer);
    }
  }
  stage->attach = Attach::kAt;
  stage->at_stage = step.consumer;
  stage->at_axis = step.axis;
  return {};
}

}  // namespace tessera::schedule
