// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/match.h"

#include <map>

#include "compiler/ir/layout.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::ExprKind;

class Matcher {
 public:
  Matcher(const TensorNest& nest, const target::TensorIntrin& intrin, const ir::Ranges& ranges)
      : nest_(nest), intrin_(intrin), ranges_(ranges) {}

  Result<ir::Stmt> Run() {
    const te::TensorNode& b = *intrin_.behaviour.get();
    const bool reduces = !b.reduce_axes.empty();
    const Expr& body = nest_.stage->body;
    if (reduces != (body->kind == ExprKind::kReduce) || (reduces && body->op != b.body->op)) {
      return Bad("the reduction differs");
    }
    TESSERA_TRY(MatchLoops());
    std::vector<Expr> index;
    for (const ir::Axis& a : b.axes) index.push_back(a.var);
    std::vector<Expr> args(1);
    TESSERA_ASSIGN(args[0], Tile(nest_.output, nest_.place, b.shape, index, "the output"));
    const Expr pattern = reduces ? b.body->args[0] : b.body;
    Matched operands;
    if (!Match(pattern, nest_.value, &operands)) {
      if (error_) return std::unexpected(*error_);
      return Bad("the expression differs");
    }
    for (const te::Tensor& t : te::Inputs(intrin_.behaviour))
      args.push_back(operands.tiles.at(t.name()));
    if (intrin_.init == target::InitStyle::kFlag)
      args.push_back(ir::Cast(DType::kInt64, nest_.first));
    for (const Expr& t : intrin_.trailing) args.push_back(ir::Substitute(t, operands.parameters));
    return ir::Eval(ir::TileCall(intrin_.call, std::move(args)));
  }

 private:
  // What the nest has where the behaviour has tensors and parameters.
  struct Matched {
    std::map<std::string, Expr> tiles;
    ir::VarMap parameters;
  };

  std::unexpected<Error> Bad(const std::string& why) const {
    return Fail(Code::kInvalidArgument, "{}: the nest is not {}: {}", nest_.stage->name,
                intrin_.name, why);
  }

  Status MatchLoops() {
    std::vector<ir::Axis> wanted = intrin_.behaviour->axes;
    wanted.insert(wanted.end(), intrin_.behaviour->reduce_axes.begin(),
                  intrin_.behaviour->reduce_axes.end());
    size_t next = 0;
    for (const ir::Axis& w : wanted) {
      const bool fits = next < nest_.loops.size() && nest_.loops[next].extent == w.extent;
      if (!fits && w.extent == 1) continue;
      if (!fits) {
        return Bad(fmt::format("axis {} has {} iterations, loop {} has {}", w.name(), w.extent,
                               next < nest_.loops.size() ? nest_.loops[next].name() : "(none)",
                               next < nest_.loops.size() ? nest_.loops[next].extent : 0));
      }
      loop_of_[w.var.get()] = nest_.loops[next++];
    }
    if (next != nest_.loops.size())
      return Bad(fmt::format("loop {} is one too many", nest_.loops[next].name()));
    return {};
  }

  // The first element of an operand, after a check that it steps as a tile of |shape| does.
  Result<Expr> Tile(const ir::Buffer& buffer, const std::vector<Expr>& place,
                    const std::vector<int64_t>& shape, const std::vector<Expr>& index,
                    const std::string& what) {
    Expr offset = Expr(0);
    for (size_t d = 0; d < shape.size(); ++d) offset = offset * Expr(shape[d]) + index[d];
    const ir::Linear wanted = ir::ToLinear(offset, {});
    const ir::Linear have = ir::ToLinear(ir::OffsetOf(*buffer, place), ranges_);
    std::vector<Expr> vars;
    ir::VarMap start;
    for (const ir::Axis& l : nest_.loops) {
      vars.push_back(l.var);
      start[l.var.get()] = Expr(0);
    }
    if (!have.IsAffineIn(vars))
      return Bad(fmt::format("{} ({}) does not step linearly", what, buffer->name));
    for (const auto& [axis, loop] : loop_of_) {
      int64_t step = 0;
      for (const ir::Linear::Term& t : wanted.terms) step += t.atom.get() == axis ? t.coeff : 0;
      if (have.CoeffOf(loop.var) != step && loop.extent > 1) {
        return Bad(fmt::format("{} ({}) steps by {} in loop {}, the tile by {}", what, buffer->name,
                               have.CoeffOf(loop.var), loop.name(), step));
      }
    }
    std::vector<Expr> first;
    for (const Expr& p : place) first.push_back(ir::Simplify(ir::Substitute(p, start), ranges_));
    return ir::Load(buffer, std::move(first));
  }

  bool Match(const Expr& pattern, const Expr& e, Matched* operands) {
    if (pattern->kind == ExprKind::kTensorRead) {
      if (e->kind != ExprKind::kLoad || e.dtype() != pattern.dtype()) return false;
      Result<Expr> tile =
          Tile(e->buffer, e->args, pattern->tensor->shape, pattern->args, pattern->tensor->name);
      if (!tile) {
        error_ = tile.error();
        return false;
      }
      return operands->tiles.emplace(pattern->tensor->name, *tile).second;
    }
    if (pattern->kind == ExprKind::kVar) {  // a parameter
      if (e->kind != ExprKind::kImm || e.type() != pattern.type()) return false;
      const auto [known, fresh] = operands->parameters.emplace(pattern.get(), Expr(e->ivalue));
      return fresh || ir::IsImmEqual(known->second, e->ivalue);
    }
    if (pattern->kind != e->kind || pattern->op != e->op || pattern.type() != e.type() ||
        pattern->args.size() != e->args.size() || pattern->name != e->name) {
      return false;
    }
    if (pattern->kind == ExprKind::kImm)
      return pattern->ivalue == e->ivalue && pattern->fvalue == e->fvalue;
    if (pattern->kind == ExprKind::kLoad) return false;
    auto in_order = [&](bool swapped) {
      Matched found = *operands;
      for (size_t i = 0; i < e->args.size(); ++i) {
        if (!Match(pattern->args[i], e->args[swapped ? 1 - i : i], &found)) return false;
      }
      *operands = std::move(found);
      return true;
    };
    if (in_order(false)) return true;
    const bool commutes =
        e->kind == ExprKind::kBin && (e->bin() == ir::BinOp::kMul || e->bin() == ir::BinOp::kAdd);
    return commutes && in_order(true);
  }

  const TensorNest& nest_;
  const target::TensorIntrin& intrin_;
  const ir::Ranges& ranges_;
  std::map<const ir::ExprNode*, ir::Axis> loop_of_;  // behaviour axis -> loop
  std::optional<Error> error_;                       // the last operand that did not fit
};

}  // namespace

Result<ir::Stmt> MatchTensorIntrin(const TensorNest& nest, const target::TensorIntrin& intrin,
                                   const ir::Ranges& ranges) {
  return Matcher(nest, intrin, ranges).Run();
}

}  // namespace tessera::lower
