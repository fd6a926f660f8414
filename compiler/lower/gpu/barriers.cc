// SPDX-License-Identifier: Apache-2.0
//
// Inserts barriers. A phase is a part that no barrier can divide: a thread loop, or work of thread
// 0. Two phases need a barrier between them if different threads access an element and at least one
// phase writes it. Loops are checked twice, because the end of an iteration meets the start of the
// next one.
#include <optional>

#include "base/check.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/gpu/group.h"
#include "compiler/lower/gpu/owner.h"

namespace tessera::lower {
namespace {

using ir::Stmt;
using ir::StmtKind;

// A statement with its barriers, and its accesses before the first and after the last barrier.
struct Phased {
  Stmt stmt;
  std::vector<ElementAccess> head, tail;
  bool barrier = false;  // on every path through it
};

void Append(std::vector<ElementAccess>* to, const std::vector<ElementAccess>& from) {
  to->insert(to->end(), from.begin(), from.end());
}

Stmt Barrier() {
  static const bool registered = [] {
    if (!ir::FindTileIntrin(kBarrier))
      ir::RegisterTileIntrin({kBarrier, {}, [](std::span<ir::TileOperand>) { return Status(); }});
    return true;
  }();
  TESSERA_CHECK(registered);
  return ir::Eval(ir::Call(kBarrier, {}, {DType::kBool, 1}));
}

class BarrierPass {
 public:
  BarrierPass(const GpuKernel& kernel, const std::set<std::string>& loose)
      : ranges_(RangesOf(kernel)),
        threads_(kernel, ranges_, loose, false),
        groups_(kernel, ranges_, loose, true) {
    for (const ElementAccess& a : AccessesIn(kernel.body)) {
      if (a.write && Visible(a)) written_.insert(a.buffer.get());
    }
  }

  // Groups must not exchange elements: they run in no order.
  Status CheckGroups(const GpuKernel& kernel) const {
    std::vector<ElementAccess> all = Counted(AccessesIn(kernel.body));
    std::erase_if(all,
                  [](const ElementAccess& a) { return a.buffer->scope != ir::Scope::kGlobal; });
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = i; j < all.size(); ++j) {
        if (!groups_.Conflict(all[i], all[j])) continue;
        return Fail(Code::kInvalidArgument,
                    "{}: groups of the grid touch each other's elements; attach what reads or "
                    "writes it outside of the grid loops",
                    all[i].buffer->name);
      }
    }
    return {};
  }

  Result<Phased> Do(const Stmt& s) const {
    if (!HasThreadLoop(s) || (s->kind == StmtKind::kFor && schedule::IsThread(s->loop)))
      return Phase(s);
    switch (s->kind) {
      case StmtKind::kSeq:
        return Sequence(s);
      case StmtKind::kFor:
        return Loop(s);
      case StmtKind::kIf: {
        TESSERA_ASSIGN(Phased out, Do(s->body[0]));
        Phased other;
        if (s->body.size() > 1) {
          TESSERA_ASSIGN(other, Do(s->body[1]));
        }
        out.stmt = ir::If(s->value, out.stmt, other.stmt);
        Append(&out.head, other.head);
        Append(&out.tail, other.tail);
        out.barrier = out.barrier && other.barrier;
        return out;
      }
      default: {  // an allocation
        TESSERA_ASSIGN(Phased out, Do(s->body[0]));
        out.stmt = ir::Alloc(s->buffer, out.stmt);
        return out;
      }
    }
  }

 private:
  static bool Visible(const ElementAccess& a) {
    return a.buffer->scope == ir::Scope::kShared || a.buffer->scope == ir::Scope::kGlobal;
  }

  // The accesses of written buffers that other threads can see.
  std::vector<ElementAccess> Counted(std::vector<ElementAccess> all) const {
    std::erase_if(all, [&](const ElementAccess& a) { return !written_.contains(a.buffer.get()); });
    return all;
  }

  bool Conflict(const std::vector<ElementAccess>& a, const std::vector<ElementAccess>& b) const {
    for (const ElementAccess& x : a) {
      for (const ElementAccess& y : b) {
        if (threads_.Conflict(x, y)) return true;
      }
    }
    return false;
  }

  Result<Phased> Phase(const Stmt& s) const {
    Phased out{.stmt = s, .head = Counted(AccessesIn(s)), .tail = {}};
    if (HasThreadLoop(s)) {
      for (const ElementAccess& x : out.head) {
        for (const ElementAccess& y : out.head) {
          if (!threads_.Conflict(x, y)) continue;
          return Fail(Code::kInvalidArgument,
                      "{}: threads touch each other's elements inside loop {}, where none can wait "
                      "for another; attach what is in it outside of the thread loops",
                      x.buffer->name, s->var->name);
        }
      }
    }
    out.tail = out.head;
    return out;
  }

  Result<Phased> Sequence(const Stmt& s) const {
    Phased out;
    std::vector<Stmt> parts;
    for (const Stmt& b : s->body) {
      TESSERA_ASSIGN(Phased next, Do(b));
      if (Conflict(out.tail, next.head)) {
        parts.push_back(Barrier());
        out.barrier = true;
        out.tail.clear();
      }
      if (!out.barrier) Append(&out.head, next.head);
      if (next.barrier) out.tail.clear();
      Append(&out.tail, next.tail);
      out.barrier = out.barrier || next.barrier;
      parts.push_back(next.stmt);
    }
    out.stmt = ir::Seq(std::move(parts));
    return out;
  }

  Result<Phased> Loop(const Stmt& s) const {
    TESSERA_ASSIGN(Phased out, Do(s->body[0]));
    if (Conflict(out.tail, out.head)) {
      out.stmt = ir::Seq({out.stmt, Barrier()});
      out.barrier = true;
      out.tail.clear();
    }
    out.stmt = ir::For(s->var, s->min, s->extent, s->loop, out.stmt);
    return out;
  }

  ir::Ranges ranges_;
  Owners threads_, groups_;
  std::set<const ir::BufferNode*> written_;
};

}  // namespace

Status InsertBarriers(const std::set<std::string>& loose, GpuKernel* kernel) {
  const BarrierPass pass(*kernel, loose);
  TESSERA_TRY(pass.CheckGroups(*kernel));
  TESSERA_ASSIGN(const Phased body, pass.Do(kernel->body));
  kernel->body = body.stmt;
  return {};
}

}  // namespace tessera::lower
