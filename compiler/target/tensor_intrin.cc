// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/tensor_intrin.h"

#include <algorithm>
#include <functional>
#include <numeric>

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

int64_t ProductTile::products() const {
  return std::accumulate(shape.begin(), shape.end(), depth, std::multiplies<>());
}

std::optional<ProductTile> ProductsOf(const TensorIntrin& intrin) {
  const te::TensorNode& made = *intrin.behaviour.get();
  const ir::Expr& sum = made.body;
  if (sum->kind != ir::ExprKind::kReduce || !ir::IsSum(sum->reduce()) || sum->start()) return {};
  const ir::Expr& product = sum->args[0];
  if (product->kind != ir::ExprKind::kBin || product->bin() != ir::BinOp::kMul) return {};
  DType types[2];
  bool own = true;
  for (size_t i = 0; i < 2; ++i) {
    const ir::Expr* side = &product->args[i];
    if ((*side)->kind == ir::ExprKind::kUn && (*side)->un() == ir::UnOp::kCast)
      side = &(*side)->args[0];
    if ((*side)->kind != ir::ExprKind::kTensorRead) return {};
    types[i] = side->dtype();
    own = own && ir::UsesVar(*side, made.axes.back().var);
  }
  ProductTile tile{types[0], types[1], made.dtype, made.shape, 1, own};
  for (const te::Axis& a : made.reduce_axes) tile.depth *= a.extent;
  return tile;
}

}  // namespace tessera::target
