// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/parallel.h"

#include <cstdlib>
#include <set>
#include <string>

#include "compiler/ir/affine.h"
#include "compiler/ir/visit.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::Stmt;
using ir::StmtKind;

class Checker {
 public:
  // |loose|: buffers of stages that follow loops.
  Checker(const schedule::Schedule& schedule, const std::set<std::string>& loose)
      : schedule_(schedule), loose_(loose) {}

  Status Check(const Stmt& s) {
    int64_t min = 0, extent = 0;
    if (s->kind == StmtKind::kFor && ir::IsImm(s->min, &min) && ir::IsImm(s->extent, &extent))
      ranges_.Set(s->var, {min, min + extent - 1});
    for (const Stmt& inner : s->body) TESSERA_TRY(Check(inner));
    // At this point the ranges of all inner loops are known.
    if (s->kind == StmtKind::kFor && s->loop == ir::LoopKind::kParallel) return CheckLoop(s);
    return {};
  }

 private:
  Status CheckLoop(const Stmt& loop) {
    int64_t iterations = 0;
    if (ir::IsImm(loop->extent, &iterations) && iterations <= 1) return {};
    std::set<const ir::BufferNode*> own;
    std::vector<Expr> inner;
    ir::VisitStmts(loop->body[0], [&](const Stmt& s) {
      if (s->kind == StmtKind::kAlloc) own.insert(s->buffer.get());
      if (s->kind == StmtKind::kFor) inner.push_back(s->var);
    });
    std::string shared;
    ir::VisitStmts(loop->body[0], [&](const Stmt& s) {
      const auto store = [&](const ir::Buffer& buffer, const std::vector<Expr>& indices) {
        if (own.contains(buffer.get()) || !loose_.contains(buffer->name)) return;
        for (const Expr& index : indices) {
          if (Tells(index, loop->var, inner)) return;
        }
        shared = buffer->name;
      };
      if (s->kind == StmtKind::kStore) store(s->buffer, s->indices);
      if (s->kind != StmtKind::kEval) return;
      for (const Expr& operand : s->value->args) {
        if (operand->kind == ir::ExprKind::kLoad) store(operand->buffer, operand->args);
      }
    });
    if (shared.empty()) return {};
    return Fail(
        Code::kInvalidArgument,
        "loop {} of {} is parallel, and two of its iterations may store to one element of {}, "
        "whose stage is computed behind what the loop holds; mark a loop of {} that is a "
        "dimension of it, or a part of one",
        loop->var->name, StageOf(loop->var), shared, shared);
  }

  std::string StageOf(const Expr& loop) const {
    for (const schedule::Stage& s : schedule_.stages()) {
      for (const schedule::LoopAxis& leaf : s.leaves) {
        if (leaf.var.get() == loop.get()) return s.name;
      }
    }
    return "its stage";  // the start of a reduction has loops of its own
  }

  // Whether |index| = coefficient * |var| + rest, where the rest varies by less than the
  // coefficient over the |inner| loops.
  bool Tells(const Expr& index, const Expr& var, const std::vector<Expr>& inner) const {
    const ir::Linear form = ir::ToLinear(index, ranges_);
    if (!form.IsAffineIn({var})) return false;
    int64_t spread = 0;
    for (const ir::Linear::Term& term : form.terms) {
      bool varies = false;
      for (const Expr& v : inner) varies |= ir::UsesVar(term.atom, v);
      if (!varies) continue;
      const ir::Interval range = ir::BoundsOf(term.atom, ranges_);
      if (!range.known()) return false;
      spread += std::abs(term.coeff) * (range.hi - range.lo);
    }
    return spread < std::abs(form.CoeffOf(var));
  }

  const schedule::Schedule& schedule_;
  const std::set<std::string>& loose_;
  ir::Ranges ranges_;
};

}  // namespace

Status CheckParallel(const schedule::Schedule& schedule, const ir::Func& func) {
  std::set<std::string> loose;
  for (const schedule::Stage& s : schedule.stages()) {
    if (s.attach == schedule::Attach::kAfter) loose.insert(schedule.OwnerOf(s)->name);
  }
  return Checker(schedule, loose).Check(func.body);
}

}  // namespace tessera::lower
