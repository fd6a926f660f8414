// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/target.h"

#include <algorithm>
#include <limits>

#include "base/bits.h"

namespace tessera::target {

int64_t TargetMemory::Taken(int64_t buffer_bytes) const {
  return RoundUp(buffer_bytes, banks > 1 ? bytes / banks : 1);
}

const TargetMemory* Target::FindMemory(ir::Scope scope) const {
  const auto it = std::ranges::find(memories, scope, &TargetMemory::scope);
  return it == memories.end() ? nullptr : &*it;
}

bool Target::Takes(ir::LoopKind kind) const { return std::ranges::count(loops, kind) != 0; }

int64_t Target::MostOf(ir::LoopKind kind) const {
  const auto it = std::ranges::find(limits, kind, &LoopLimit::kind);
  return it == limits.end() ? std::numeric_limits<int64_t>::max() : it->most;
}

const TensorIntrin* Target::FindIntrinsic(const std::string& intrinsic) const {
  const auto it = std::ranges::find(intrinsics, intrinsic, &TensorIntrin::name);
  return it == intrinsics.end() ? nullptr : &*it;
}

const TensorIntrin* Target::FindCall(const std::string& call) const {
  const auto it = std::ranges::find(intrinsics, call, &TensorIntrin::call);
  return it == intrinsics.end() ? nullptr : &*it;
}

}  // namespace tessera::target
