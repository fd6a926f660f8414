// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "compiler/ir/intrin.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/lower.h"

namespace tessera::lower {
namespace {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;
using ir::StmtKind;

// A store or call, optionally in loops and conditions: such a nest becomes an instruction.
bool IsNest(const Stmt& s) {
  return s->kind != StmtKind::kSeq && s->kind != StmtKind::kAlloc &&
         std::ranges::all_of(s->body, IsNest);
}

using Buffers = std::set<const ir::BufferNode*>;

// The buffers that |s| writes, or with |written| false all that it accesses.
Buffers BuffersOf(const Stmt& s, bool written) {
  Buffers found;
  ir::VisitStmts(s, [&](const Stmt& x) {
    if (x->kind == StmtKind::kStore) found.insert(x->buffer.get());
    if (x->kind == StmtKind::kEval) {
      const std::optional<ir::TileIntrin> intrin = ir::FindTileIntrin(x->value->name);
      for (size_t k = 0; k < x->value->args.size(); ++k) {
        const Expr& operand = x->value->args[k];
        const bool reads = intrin && intrin->operands[k] == ir::OperandKind::kRead;
        if (operand->kind == ir::ExprKind::kLoad && !reads) found.insert(operand->buffer.get());
      }
    }
    if (written) return;
    for (const Expr& e : ir::DirectExprs(x)) {
      ir::Visit(e, [&](const Expr& y) {
        if (y->kind == ir::ExprKind::kLoad) found.insert(y->buffer.get());
      });
    }
  });
  return found;
}

// One loop of virtual threads without another inside. Each thread runs its iteration's statements
// in order. The turn passes to the next thread where a nest waits for an earlier one. Nests that do
// not access what the others write form one turn: a unit, which works in order, then gets all of a
// thread's work before the next thread's.
class Threads {
 public:
  Threads(Expr var, int64_t min, int64_t count)
      : var_(std::move(var)), min_(min), copies_(static_cast<size_t>(count)) {}

  Stmt Turns(const Stmt& s) {
    if (IsNest(s)) return OneByOne(s);
    if (s->kind == StmtKind::kAlloc) return Copies(s);
    if (s->kind == StmtKind::kSeq) return Sequence(s);
    // If bounds or conditions differ between threads, run the whole statement thread by thread.
    if (std::ranges::any_of(ir::DirectExprs(s), [&](const Expr& e) { return Differs(e); }))
      return OneByOne(s);
    return ir::MapParts(
        s, [](const Expr& e) { return e; }, [&](const Stmt& b) { return Turns(b); });
  }

 private:
  Stmt Sequence(const Stmt& seq) {
    std::vector<Stmt> all, turn;
    Buffers written;
    const auto end = [&] {
      if (!turn.empty()) all.push_back(OneByOne(ir::Seq(std::move(turn))));
      turn.clear();
      written.clear();
    };
    for (const Stmt& s : seq->body) {
      const Buffers touched = BuffersOf(s, false);
      const bool waits =
          std::ranges::any_of(touched, [&](const auto* b) { return written.contains(b); });
      if (waits || !IsNest(s)) end();
      if (IsNest(s)) {
        turn.push_back(s);
        written.merge(BuffersOf(s, true));
      } else {
        all.push_back(Turns(s));
      }
    }
    end();
    return ir::Seq(std::move(all));
  }

  bool Differs(const Expr& e) const {
    return ir::Contains(e, [&](const Expr& x) {
      return x.get() == var_.get() ||
             (x->kind == ir::ExprKind::kLoad && copies_[0].contains(x->buffer.get()));
    });
  }

  Stmt Copies(const Stmt& alloc) {
    std::vector<Buffer> buffers;
    for (ir::BufferMap& copies : copies_) {
      buffers.push_back(ir::MakeBuffer(*alloc->buffer));
      copies[alloc->buffer.get()] = buffers.back();
    }
    Stmt out = Turns(alloc->body[0]);
    for (size_t t = buffers.size(); t-- > 0;) out = ir::Alloc(buffers[t], out);
    return out;
  }

  Stmt OneByOne(const Stmt& s) const {
    std::vector<Stmt> all;
    for (size_t t = 0; t < copies_.size(); ++t) {
      const Expr thread(min_ + static_cast<int64_t>(t));
      all.push_back(ir::FreshCopy(s, {{var_.get(), thread}}, copies_[t]));
    }
    return ir::Seq(std::move(all));
  }

  Expr var_;
  int64_t min_;
  std::vector<ir::BufferMap> copies_;  // by thread
};

Stmt Interleave(const Stmt& s, int64_t max_statements) {
  const Stmt x = ir::MapParts(
      s, [](const Expr& e) { return e; },
      [&](const Stmt& b) { return Interleave(b, max_statements); });
  if (x->kind != StmtKind::kFor || x->loop != ir::LoopKind::kVthread) return x;
  int64_t min = 0, count = 0;
  const bool known = ir::IsImm(x->min, &min) && ir::IsImm(x->extent, &count) && count > 0;
  if (!known || count * ir::CountWork(x->body[0]) > max_statements)
    return ir::For(x->var, x->min, x->extent, ir::LoopKind::kSerial, x->body[0]);
  return Threads(x->var, min, count).Turns(x->body[0]);
}

}  // namespace

ir::Func InterleaveThreads(const ir::Func& func, int64_t max_statements) {
  return {func.name, func.params, Interleave(func.body, max_statements)};
}

}  // namespace tessera::lower
