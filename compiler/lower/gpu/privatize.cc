// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>

#include "compiler/ir/equal.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/gpu/group.h"
#include "compiler/lower/gpu/owner.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::Stmt;
using ir::StmtKind;

// The part of a buffer that one thread keeps.
struct ThreadPart {
  ir::Buffer buffer;
  std::vector<bool> fixed;  // by dimension: a thread uses one index
  std::vector<bool> split;  // by dimension: a thread keeps the rest of a Share
};

class Privatizer {
 public:
  Privatizer(const GpuKernel& kernel, const std::set<std::string>& loose)
      : ranges_(RangesOf(kernel)), owners_(kernel, ranges_, loose, false) {}

  Result<Stmt> Do(const Stmt& s) {
    if (s->kind == StmtKind::kAlloc && Wanted(s)) {
      TESSERA_ASSIGN(const ThreadPart part, PartOf(*s->buffer, s->body[0]));
      parts_[s->buffer.get()] = part;
      TESSERA_ASSIGN(const Stmt body, Do(s->body[0]));
      return ir::Alloc(part.buffer, body);
    }
    Stmt at = s;
    if (s->kind == StmtKind::kStore && parts_.contains(s->buffer.get())) {
      const ThreadPart& part = parts_.at(s->buffer.get());
      at = ir::Store(part.buffer, Indices(part, s->indices), s->value);
    }
    std::optional<Error> error;
    const Stmt out = ir::MapParts(
        at,
        [&](const Expr& e) {
          return ir::Rewrite(e, [&](const Expr& x) {
            if (x->kind != ir::ExprKind::kLoad || !parts_.contains(x->buffer.get())) return x;
            const ThreadPart& part = parts_.at(x->buffer.get());
            return ir::Load(part.buffer, Indices(part, x->args));
          });
        },
        [&](const Stmt& b) {
          Result<Stmt> inner = error ? Result<Stmt>(b) : Do(b);
          if (!inner) error = inner.error();
          return inner ? *inner : b;
        });
    if (error) return std::unexpected(*error);
    return out;
  }

 private:
  static bool Wanted(const Stmt& s) {
    const ir::Scope scope = s->buffer->scope;
    return (scope == ir::Scope::kLocal || scope == ir::Scope::kReg || scope == ir::Scope::kAcc) &&
           HasThreadLoop(s);
  }

  Result<ThreadPart> PartOf(const ir::BufferNode& buffer, const Stmt& body) const {
    std::vector<ElementAccess> accesses;
    for (ElementAccess& a : AccessesIn(body)) {
      if (a.buffer.get() == &buffer) accesses.push_back(std::move(a));
    }
    ThreadPart part{.fixed = std::vector<bool>(buffer.shape.size()),
                    .split = std::vector<bool>(buffer.shape.size())};
    ir::BufferNode node = buffer;
    node.layout = {};
    for (const ElementAccess& a : accesses) {
      if (!owners_.Same(accesses[0], a)) return Shared(buffer);
      for (size_t d = 0; d < node.shape.size(); ++d) {
        const Expr &index = a.indices[d], &first = accesses[0].indices[d];
        if (&a == &accesses[0]) {
          part.split[d] = owners_.UsesIds(index) && owners_.ShareOf(index);
          part.fixed[d] = owners_.UsesIds(index) && !part.split[d];
          if (part.split[d] || part.fixed[d]) node.shape[d] = 1;
        }
        if (part.fixed[d] && !(owners_.OnlyIds(index) && ir::Equal(index, first)))
          return Shared(buffer);
        if (!part.split[d] && !part.fixed[d] && owners_.UsesIds(index)) return Shared(buffer);
        if (!part.split[d]) continue;
        const std::optional<Share> share = owners_.ShareOf(index), known = owners_.ShareOf(first);
        if (!share || share->terms != known->terms || !share->base.terms.empty())
          return Shared(buffer);
        node.shape[d] = std::max(node.shape[d], share->rest_extent);
      }
    }
    part.buffer = ir::MakeBuffer(std::move(node));
    return part;
  }

  static std::unexpected<Error> Shared(const ir::BufferNode& buffer) {
    return Fail(Code::kInvalidArgument,
                "{} is in {} memory, but several threads touch an element of it; set_scope {} "
                "shared, or compute it inside the thread loops",
                buffer.name, ir::ScopeName(buffer.scope), buffer.name);
  }

  std::vector<Expr> Indices(const ThreadPart& part, const std::vector<Expr>& indices) const {
    std::vector<Expr> kept = indices;
    for (size_t d = 0; d < kept.size(); ++d) {
      if (part.fixed[d]) kept[d] = Expr(0);
      if (part.split[d]) kept[d] = ir::FromLinear(owners_.ShareOf(kept[d])->rest);
    }
    return kept;
  }

  ir::Ranges ranges_;
  Owners owners_;
  std::map<const ir::BufferNode*, ThreadPart> parts_;
};

}  // namespace

Status Privatize(const std::set<std::string>& loose, GpuKernel* kernel) {
  Privatizer privatizer(*kernel, loose);
  TESSERA_ASSIGN(kernel->body, privatizer.Do(kernel->body));
  return {};
}

}  // namespace tessera::lower
