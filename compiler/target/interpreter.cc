// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/target.h"

namespace tessera::target {

std::shared_ptr<const Target> Interpreter() {
  static const std::shared_ptr<const Target> target = [] {
    Target t{.name = "interpreter", .line_bytes = 64};
    for (int i = 0; i < ir::kScopes; ++i)
      t.memories.push_back({.scope = static_cast<ir::Scope>(i), .rotates = true, .keeps = true});
    for (int i = 0; i < ir::kLoopKinds; ++i) t.loops.push_back(static_cast<ir::LoopKind>(i));
    return std::make_shared<const Target>(std::move(t));
  }();
  return target;
}

}  // namespace tessera::target
