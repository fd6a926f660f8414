// SPDX-License-Identifier: Apache-2.0
//
// Chooses a target's matrix fragment for a sum of products.
#include <algorithm>
#include <limits>

#include "compiler/schedule/gpu_steps.h"

namespace tessera::schedule {
namespace {

// |target|'s intrinsic that copies the tile of |product| out of the memory of sums; null: none.
const target::TensorIntrin* StoreOf(const target::Target& target,
                                    const target::TensorIntrin& product) {
  for (const target::TensorIntrin& intrin : target.intrinsics) {
    const te::TensorNode& made = *intrin.behaviour.get();
    if (made.body->kind != ir::ExprKind::kTensorRead || made.shape != product.behaviour.shape() ||
        made.dtype != product.behaviour.dtype())
      continue;
    const auto from =
        std::ranges::find(intrin.scopes, made.body->tensor->name, &target::TileScopes::tensor);
    if (from != intrin.scopes.end() && from->scopes == std::vector{ir::Scope::kAcc}) return &intrin;
  }
  return nullptr;
}

}  // namespace

std::optional<Fragment> FragmentOf(const Schedule& s, const Stage& anchor) {
  const ir::Expr& product = anchor.body->args[0];
  if (product->kind != ir::ExprKind::kBin || product->bin() != ir::BinOp::kMul) return {};
  if (anchor.body->start()) return {};  // the instructions start at zero
  std::optional<Fragment> best;
  double least = 0;
  for (const target::TensorIntrin& intrin : s.target().intrinsics) {
    const std::optional<target::ProductTile> tile = target::ProductsOf(intrin);
    if (!tile || tile->shape.size() != 2 || tile->left != tile->right || anchor.dtype != tile->sums)
      continue;
    const auto widened = [&](const ir::Expr& e) {
      return e->kind == ir::ExprKind::kUn && e->un() == ir::UnOp::kCast &&
             e.dtype() == tile->sums && e->args[0]->kind == ir::ExprKind::kTensorRead &&
             e->args[0].dtype() == tile->left;
    };
    const target::TensorIntrin* const store = StoreOf(s.target(), intrin);
    if (store == nullptr || !std::ranges::all_of(product->args, widened)) continue;
    const double cycles = intrin.cycles > 0  // unknown cycles: behind all others
                              ? intrin.cycles / static_cast<double>(tile->products())
                              : std::numeric_limits<double>::infinity();
    if (best && cycles >= least) continue;
    best = {&intrin, store, tile->left, tile->sums, tile->shape[0], tile->shape[1], tile->depth};
    least = cycles;
  }
  return best;
}

}  // namespace tessera::schedule
