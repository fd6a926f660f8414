// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const StorageAlignStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  TESSERA_ASSIGN(const int64_t factor, editor.Value(step.factor));
  if (stage->output) {
    return Fail(Code::kInvalidArgument,
                "{} is an output, whose memory is the caller's; cache_write makes a buffer",
                step.stage);
  }
  const auto rank =
      stage->layout.empty() ? std::ssize(stage->shape) : std::ssize(stage->layout.dims);
  if (step.dim < 0 || step.dim >= rank) {
    return Fail(Code::kOutOfRange, "{} has {} physical dimensions, counted from 0; {} is none",
                step.stage, rank, step.dim);
  }
  if (step.offset < 0 || step.offset >= factor) {
    return Fail(Code::kOutOfRange, "an offset of {} is no remainder of {}", step.offset, factor);
  }
  stage->alignments.push_back({step.dim, factor, step.offset});
  return {};
}

}  // namespace tessera::schedule
