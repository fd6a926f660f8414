// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/gpu/group.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/gpu/owner.h"
#include "compiler/target/cuda.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::LoopKind;
using ir::Scope;
using ir::Stmt;
using ir::StmtKind;

constexpr const char* kNames[] = {"x", "y", "z"};

bool HasGridLoop(const Stmt& s) {
  bool has = false;
  ir::VisitStmts(
      s, [&](const Stmt& x) { has |= x->kind == StmtKind::kFor && schedule::IsGrid(x->loop); });
  return has;
}

class Geometry {
 public:
  explicit Geometry(GpuKernel* kernel) : kernel_(*kernel) {}

  Result<Stmt> Grid(const Stmt& s) {
    if (!HasGridLoop(s)) return Threads(s, 0);
    if (s->kind == StmtKind::kIf && s->body.size() == 1) {
      TESSERA_ASSIGN(const Stmt body, Grid(s->body[0]));
      return ir::If(s->value, body);
    }
    if (s->kind != StmtKind::kFor || !schedule::IsGrid(s->loop)) {
      return Fail(Code::kInvalidArgument,
                  "{} is around or beside a grid loop; grid loops are a kernel's outermost and "
                  "stand right inside each other: reorder, or attach what is there further in",
                  s->kind == StmtKind::kFor     ? "loop " + s->var->name
                  : s->kind == StmtKind::kAlloc ? s->buffer->name
                                                : "another stage");
    }
    const auto k = static_cast<size_t>(s->loop) - static_cast<size_t>(LoopKind::kGridX);
    TESSERA_CHECK(!kernel_.group_ids[k]);  // a stage binds it once, and no stage is beside it
    TESSERA_CHECK(ir::IsImm(s->extent, &kernel_.groups[k]));
    const Expr id = kernel_.group_ids[k] = ir::Var(std::string("group.") + kNames[k]);
    return Grid(ir::Substitute(s->body[0], {{s->var.get(), s->min + id}}));
  }

 private:
  // Thread loops stay, because their kind and extent are needed; the id replaces their variable.
  Result<Stmt> Threads(const Stmt& s, unsigned path) {
    if (s->kind == StmtKind::kEval) {
      if (!target::IsWarpCall(s->value->name))
        return Fail(Code::kUnsupported, "a call of {} has no code here", s->value->name);
      if (path & ThreadBit(LoopKind::kThreadX)) {
        return Fail(Code::kInvalidArgument,
                    "{} is done by the threads of thread.x together, but stands inside a loop of "
                    "theirs; bind its stage to thread.y and thread.z",
                    s->value->name);
      }
      kernel_.warps = true;
    }
    Stmt at = s;
    if (s->kind == StmtKind::kFor && schedule::IsThread(s->loop)) {
      const auto k = static_cast<size_t>(s->loop) - static_cast<size_t>(LoopKind::kThreadX);
      if (path & ThreadBit(s->loop)) {
        return Fail(Code::kInvalidArgument,
                    "loop {} is {} inside another {} loop; the two are one thread: attach its "
                    "stage outside of that loop",
                    s->var->name, ir::LoopKindName(s->loop), ir::LoopKindName(s->loop));
      }
      path |= ThreadBit(s->loop);
      int64_t extent = 0;
      TESSERA_CHECK(ir::IsImm(s->extent, &extent));
      kernel_.threads[k] = std::max(kernel_.threads[k], extent);
      if (!kernel_.thread_ids[k])
        kernel_.thread_ids[k] = ir::Var(std::string("thread.") + kNames[k]);
      at = ir::For(s->var, 0, s->extent, s->loop,
                   ir::Substitute(s->body[0], {{s->var.get(), s->min + kernel_.thread_ids[k]}}));
    }
    std::optional<Error> error;
    const Stmt out = ir::MapParts(
        at, [](const Expr& e) { return e; },
        [&](const Stmt& b) {
          Result<Stmt> inner = error ? Result<Stmt>(b) : Threads(b, path);
          if (!inner) error = inner.error();
          return inner ? *inner : b;
        });
    if (error) return std::unexpected(*error);
    return out;
  }

  GpuKernel& kernel_;
};

// |path|: the thread loops around the allocation.
Status CheckScope(const ir::BufferNode& buffer, unsigned path) {
  if (buffer.scope == Scope::kLocal || buffer.scope == Scope::kReg || buffer.scope == Scope::kAcc)
    return {};
  if (buffer.scope != Scope::kShared) {
    return Fail(Code::kInvalidArgument,
                "{} is in global memory, but each group or thread computes its own; set_scope {} "
                "shared, or local inside a thread loop",
                buffer.name, buffer.name);
  }
  if (path == 0) return {};
  return Fail(Code::kInvalidArgument,
              "{} is in shared memory, but each thread computes its own; set_scope {} local, or "
              "attach it outside of the thread loops",
              buffer.name, buffer.name);
}

class OneThread {
 public:
  explicit OneThread(GpuKernel* kernel) : kernel_(*kernel) {
    for (size_t k = 0; k < 3; ++k) used_ |= kernel_.threads[k] > 1 ? 1u << k : 0;
  }

  Stmt Do(const Stmt& s, unsigned path) {
    if (s->kind == StmtKind::kEval) {
      if (s->value->name == kBarrier) return s;
      return Once(s, path | ThreadBit(LoopKind::kThreadX));  // by all threads of a warp
    }
    if (s->kind == StmtKind::kAlloc && s->buffer->scope == Scope::kShared) {
      kernel_.shared.push_back(s->buffer);
      return Do(s->body[0], path);
    }
    if (s->kind == StmtKind::kFor && schedule::IsThread(s->loop)) {
      const auto k = static_cast<size_t>(s->loop) - static_cast<size_t>(LoopKind::kThreadX);
      const Stmt body = Do(s->body[0], path | ThreadBit(s->loop));
      int64_t extent = 0;
      TESSERA_CHECK(ir::IsImm(s->extent, &extent));
      if (extent == kernel_.threads[k]) return body;
      return ir::If(ir::Lt(kernel_.thread_ids[k], s->extent), body);
    }
    const bool together = HasThreadLoop(s) || HasWarpCall(s);
    const Stmt out = ir::MapParts(
        s, [](const Expr& e) { return e; },
        [&](const Stmt& b) { return together ? Do(b, path) : Hoist(b); });
    return together ? out : Once(out, path);
  }

 private:
  // Runs |s| on thread 0 of the axes for which |path| has no loop.
  Stmt Once(Stmt s, unsigned path) const {
    for (size_t k = 3; k-- > 0;) {
      const unsigned bit = 1u << k;
      if ((used_ & bit) && !(path & bit)) s = ir::If(ir::Eq(kernel_.thread_ids[k], 0), s);
    }
    return s;
  }

  // The work of one thread, with its shared buffers moved out.
  Stmt Hoist(const Stmt& s) {
    const Stmt out = ir::MapParts(
        s, [](const Expr& e) { return e; }, [&](const Stmt& b) { return Hoist(b); });
    if (s->kind != StmtKind::kAlloc || s->buffer->scope != Scope::kShared) return out;
    kernel_.shared.push_back(s->buffer);
    return out->body[0];
  }

  GpuKernel& kernel_;
  unsigned used_ = 0;
};

Status CheckMemory(const Stmt& s, unsigned path) {
  if (s->kind == StmtKind::kAlloc) TESSERA_TRY(CheckScope(*s->buffer, path));
  if (s->kind == StmtKind::kFor && schedule::IsThread(s->loop)) path |= ThreadBit(s->loop);
  for (const Stmt& b : s->body) TESSERA_TRY(CheckMemory(b, path));
  return {};
}

}  // namespace

ir::Ranges GpuKernel::IdRanges() const {
  ir::Ranges ranges;
  for (size_t k = 0; k < 3; ++k) {
    if (group_ids[k]) ranges.Set(group_ids[k], {0, groups[k] - 1});
    if (thread_ids[k]) ranges.Set(thread_ids[k], {0, threads[k] - 1});
  }
  return ranges;
}

Status FindGeometry(const Stmt& nest, GpuKernel* kernel) {
  TESSERA_ASSIGN(kernel->body, Geometry(kernel).Grid(nest));
  for (const ElementAccess& a : AccessesIn(kernel->body)) {
    if (a.tile || a.buffer->scope != Scope::kAcc) continue;
    return Fail(Code::kInvalidArgument,
                "{} is in acc memory, the registers of a warp, which only matrix intrinsics touch; "
                "tensorize its stage and its readers",
                a.buffer->name);
  }
  if (kernel->warps && kernel->threads[0] != target::kWarpThreads) {
    return Fail(
        Code::kInvalidArgument,
        "a matrix intrinsic is done by {} threads together, and thread.x has {}; bind a loop "
        "of {} to thread.x, for instance of what brings its operands to shared memory",
        target::kWarpThreads, kernel->threads[0], target::kWarpThreads);
  }
  return CheckMemory(kernel->body, 0);
}

ir::Ranges RangesOf(const GpuKernel& kernel) {
  ir::Ranges ranges = kernel.IdRanges();
  ir::VisitStmts(kernel.body, [&](const Stmt& s) {
    if (s->kind != StmtKind::kFor || schedule::IsThread(s->loop)) return;
    const ir::Interval first = ir::BoundsOf(s->min, ranges),
                       count = ir::BoundsOf(s->extent, ranges);
    if (first.known() && count.known()) ranges.Set(s->var, {first.lo, first.hi + count.hi - 1});
  });
  return ranges;
}

void ToThread(GpuKernel* kernel) { kernel->body = OneThread(kernel).Do(kernel->body, 0); }

}  // namespace tessera::lower
