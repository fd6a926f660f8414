// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/tensor_intrin.h"

#include <algorithm>

#include "compiler/ir/visit.h"

namespace tessera::target {

const ir::Expr& FirstStep() {
  static const ir::Expr var = ir::Var("first");
  return var;
}

const ir::Expr& TileCount() {
  static const ir::Expr var = ir::Var("count");
  return var;
}

bool TensorIntrin::FlagsStart() const {
  return std::ranges::any_of(trailing,
                             [](const ir::Expr& e) { return ir::UsesVar(e, FirstStep()); });
}

}  // namespace tessera::target
