// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/target.h"

#include <algorithm>

namespace tessera::target {

const TargetMemory* Target::FindMemory(ir::Scope scope) const {
  const auto it = std::ranges::find(memories, scope, &TargetMemory::scope);
  return it == memories.end() ? nullptr : &*it;
}

bool Target::Takes(ir::LoopKind kind) const { return std::ranges::count(loops, kind) != 0; }

const TensorIntrin* Target::FindIntrinsic(const std::string& intrinsic) const {
  const auto it = std::ranges::find(intrinsics, intrinsic, &TensorIntrin::name);
  return it == intrinsics.end() ? nullptr : &*it;
}

const TensorIntrin* Target::FindCall(const std::string& call) const {
  const auto it = std::ranges::find(intrinsics, call, &TensorIntrin::call);
  return it == intrinsics.end() ? nullptr : &*it;
}

}  // namespace tessera::target
