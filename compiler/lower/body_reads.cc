// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/body_reads.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace tessera::lower {

using schedule::Stage;

BodyReads::BodyReads(const schedule::Schedule& schedule) {
  of_.reserve(2 * schedule.stages().size());
  for (const Stage& stage : schedule.stages()) {
    if (stage.placeholder || stage.attach == schedule::Attach::kInline) continue;
    const ir::TensorBase* last = nullptr;
    for (const ir::ExprNode* read : stage.body.reads()) {
      const bool same = std::exchange(last, read->tensor.get()) == last;
      of_.push_back({&stage, same ? of_.back().of : schedule.Find(read->tensor->name), read});
    }
  }
  by_ = of_;
  std::ranges::stable_sort(by_, std::less(), &BodyRead::reader);
  std::ranges::stable_sort(of_, std::less(), &BodyRead::of);
}

std::span<const BodyRead> BodyReads::By(const Stage& stage) const {
  return std::ranges::equal_range(by_, &stage, std::less(), &BodyRead::reader);
}

std::span<const BodyRead> BodyReads::Of(const Stage& stage) const {
  return std::ranges::equal_range(of_, &stage, std::less(), &BodyRead::of);
}

}  // namespace tessera::lower
