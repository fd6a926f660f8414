// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "compiler/ir/affine.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/lower.h"

namespace tessera::lower {
namespace {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;

class Resolver {
 public:
  Buffer Physical(const Buffer& buffer) {
    Buffer& out = map_[buffer.get()];
    if (out) return out;
    if (buffer->layout.empty()) return out = buffer;
    ir::BufferNode node = *buffer;
    node.shape = ir::PhysicalShape(*buffer);
    node.layout = {.strides = buffer->layout.strides};
    if (node.folded) {
      const auto piece = std::ranges::find(buffer->layout.dims, node.folded->dim, &LayoutDim::dim);
      node.folded->dim = piece - buffer->layout.dims.begin();
    }
    return out = ir::MakeBuffer(std::move(node));
  }

  Stmt Do(const Stmt& s) {
    if (s->kind == ir::StmtKind::kFor) {
      const ir::Interval first = ir::BoundsOf(s->min, ranges_),
                         count = ir::BoundsOf(s->extent, ranges_);
      if (first.known() && count.known()) ranges_.Set(s->var, {first.lo, first.hi + count.hi - 1});
    }
    if (s->kind == ir::StmtKind::kStore) {
      return ir::Store(Physical(s->buffer), Indices(s->buffer, s->indices), Do(s->value));
    }
    if (s->kind == ir::StmtKind::kPrefetch)
      return ir::Prefetch(Physical(s->buffer), Indices(s->buffer, s->indices));
    if (s->kind == ir::StmtKind::kAlloc) return ir::Alloc(Physical(s->buffer), Do(s->body[0]));
    return ir::MapParts(
        s, [&](const Expr& e) { return Do(e); }, [&](const Stmt& b) { return Do(b); });
  }

 private:
  Expr Do(const Expr& e) {
    return ir::Rewrite(e, [&](const Expr& x) {
      if (x->kind != ir::ExprKind::kLoad || x->buffer->layout.empty()) return x;
      return ir::Load(Physical(x->buffer), Indices(x->buffer, x->args));
    });
  }

  std::vector<Expr> Indices(const Buffer& buffer, const std::vector<Expr>& logical) {
    std::vector<Expr> rewritten;
    for (const Expr& e : logical) rewritten.push_back(Do(e));
    if (buffer->layout.empty()) return rewritten;
    std::vector<Expr> indices = ir::PhysicalIndices(*buffer, rewritten);
    for (Expr& i : indices) i = ir::Simplify(i, ranges_);
    return indices;
  }

  ir::Ranges ranges_;
  std::unordered_map<const ir::BufferNode*, Buffer> map_;
};

}  // namespace

ir::Func ResolveLayouts(const ir::Func& func) {
  Resolver resolver;
  ir::Func out{.name = func.name};
  for (const Buffer& p : func.params) out.params.push_back(resolver.Physical(p));
  out.body = resolver.Do(func.body);
  return out;
}

}  // namespace tessera::lower
