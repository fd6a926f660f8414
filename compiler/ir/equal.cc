// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/equal.h"

#include <bit>
#include <functional>
#include <unordered_map>

#include "base/hash.h"

namespace tessera::ir {
namespace {

bool SameShape(const BufferNode& a, const BufferNode& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.layout == b.layout && a.scope == b.scope &&
         a.align == b.align && a.rotates == b.rotates && a.folded == b.folded;
}

class Isomorphism {
 public:
  bool Same(const Expr& a, const Expr& b) {
    if (!a || !b) return !a && !b;
    if (a.get() == b.get() && bound_.empty()) return true;
    if (a->kind != b->kind || a.type() != b.type() || a->op != b->op ||
        a->args.size() != b->args.size()) {
      return false;
    }
    switch (a->kind) {
      case ExprKind::kImm:
        return a->ivalue == b->ivalue &&
               std::bit_cast<uint32_t>(a->fvalue) == std::bit_cast<uint32_t>(b->fvalue);
      case ExprKind::kVar:
        return SameNode(a.get(), b.get());
      case ExprKind::kLoad:
        if (!SameNode(a->buffer.get(), b->buffer.get())) return false;
        break;
      case ExprKind::kCall:
        if (a->name != b->name) return false;
        break;
      case ExprKind::kTensorRead:
        if (a->tensor != b->tensor) return false;
        break;
      case ExprKind::kReduce:
        if (a->axes.size() != b->axes.size()) return false;
        for (size_t i = 0; i < a->axes.size(); ++i) {
          if (a->axes[i].min != b->axes[i].min || a->axes[i].extent != b->axes[i].extent)
            return false;
          bound_[a->axes[i].var.get()] = b->axes[i].var.get();
        }
        break;
      default:
        break;
    }
    for (size_t i = 0; i < a->args.size(); ++i) {
      if (!Same(a->args[i], b->args[i])) return false;
    }
    return true;
  }

  bool Same(const Stmt& a, const Stmt& b) {
    if (!a || !b) return !a && !b;
    if (a->kind != b->kind || a->loop != b->loop || a->body.size() != b->body.size() ||
        a->indices.size() != b->indices.size()) {
      return false;
    }
    if (!Same(a->min, b->min) || !Same(a->extent, b->extent)) return false;
    if (a->kind == StmtKind::kFor) bound_[a->var.get()] = b->var.get();
    if (a->kind == StmtKind::kAlloc) {
      if (!SameShape(*a->buffer, *b->buffer)) return false;
      bound_[a->buffer.get()] = b->buffer.get();
    }
    const bool access = a->kind == StmtKind::kStore || a->kind == StmtKind::kPrefetch;
    if (access && !SameNode(a->buffer.get(), b->buffer.get())) return false;
    if (!Same(a->value, b->value)) return false;
    for (size_t i = 0; i < a->indices.size(); ++i) {
      if (!Same(a->indices[i], b->indices[i])) return false;
    }
    for (size_t i = 0; i < a->body.size(); ++i) {
      if (!Same(a->body[i], b->body[i])) return false;
    }
    return true;
  }

  bool Same(const Func& a, const Func& b) {
    if (a.params.size() != b.params.size()) return false;
    for (size_t i = 0; i < a.params.size(); ++i) {
      if (!SameShape(*a.params[i], *b.params[i])) return false;
      bound_[a.params[i].get()] = b.params[i].get();
    }
    return Same(a.body, b.body);
  }

 private:
  bool SameNode(const void* a, const void* b) {
    auto it = bound_.find(a);
    return it == bound_.end() ? a == b : it->second == b;
  }

  std::unordered_map<const void*, const void*> bound_;
};

class Hasher {
 public:
  explicit Hasher(bool by_position) : by_position_(by_position) {}

  uint64_t Of(const Expr& e) {
    if (!e) return 1;
    uint64_t h = Mix(
        static_cast<uint64_t>(e->kind) << 16 | static_cast<uint64_t>(e->type.dtype) << 8 | e->op,
        static_cast<uint64_t>(e->type.lanes));
    switch (e->kind) {
      case ExprKind::kImm:
        return Mix(Mix(h, static_cast<uint64_t>(e->ivalue)), std::bit_cast<uint32_t>(e->fvalue));
      case ExprKind::kVar:
        return Mix(h, Node(e.get()));
      case ExprKind::kLoad:
        h = Mix(h, Node(e->buffer.get()));
        break;
      case ExprKind::kCall:
        h = Mix(h, std::hash<std::string>()(e->name));
        break;
      case ExprKind::kTensorRead:
        h = Mix(h, std::hash<const void*>()(e->tensor.get()));
        break;
      case ExprKind::kReduce:
        for (const Axis& a : e->axes) {
          Bind(a.var.get());
          h = Mix(h, static_cast<uint64_t>(a.extent));
        }
        break;
      default:
        break;
    }
    for (const Expr& a : e->args) h = Mix(h, Of(a));
    return h;
  }

  uint64_t Of(const Stmt& s) {
    uint64_t h = Mix(static_cast<uint64_t>(s->kind), static_cast<uint64_t>(s->loop));
    h = Mix(Mix(h, Of(s->min)), Of(s->extent));
    if (s->kind == StmtKind::kFor) Bind(s->var.get());
    if (s->kind == StmtKind::kAlloc) h = Mix(h, Declare(s->buffer));
    if (s->kind == StmtKind::kStore || s->kind == StmtKind::kPrefetch)
      h = Mix(h, Node(s->buffer.get()));
    h = Mix(h, Of(s->value));
    for (const Expr& i : s->indices) h = Mix(h, Of(i));
    for (const Stmt& b : s->body) h = Mix(h, Of(b));
    return h;
  }

  uint64_t Declare(const Buffer& b) {
    Bind(b.get());
    uint64_t h = Mix(static_cast<uint64_t>(b->dtype), static_cast<uint64_t>(b->scope));
    for (int64_t n : b->shape) h = Mix(h, static_cast<uint64_t>(n));
    return h;
  }

 private:
  static uint64_t Mix(uint64_t a, uint64_t b) { return Mix64(a * 0x9e3779b97f4a7c15u + b + 1); }
  // Counts bindings, not nodes: two loops may share a variable if neither contains the other.
  void Bind(const void* node) { position_[node] = ++bound_; }
  // Identifies bound nodes by the position of their binding, free ones by identity (or not at all).
  uint64_t Node(const void* node) {
    auto it = position_.find(node);
    if (it != position_.end()) return it->second;
    return by_position_ ? 0 : std::hash<const void*>()(node);
  }

  bool by_position_;
  uint64_t bound_ = 0;
  std::unordered_map<const void*, uint64_t> position_;
};

}  // namespace

bool Equal(const Expr& a, const Expr& b) {
  if (a.get() == b.get()) return true;
  // Most comparisons are of free variables, which only their nodes tell apart.
  if (!a || !b || a->kind != b->kind || a->kind == ExprKind::kVar) return false;
  return Isomorphism().Same(a, b);
}
bool Equal(const Stmt& a, const Stmt& b) { return Isomorphism().Same(a, b); }
bool Equal(const Func& a, const Func& b) { return Isomorphism().Same(a, b); }

uint64_t Hash(const Expr& e) { return Hasher(false).Of(e); }
uint64_t Hash(const Stmt& s) { return Hasher(false).Of(s); }
uint64_t Hash(const Func& f) {
  Hasher hasher(true);
  uint64_t h = 0;
  for (const Buffer& b : f.params) h = h * 31 + hasher.Declare(b);
  return h ^ hasher.Of(f.body);
}

}  // namespace tessera::ir
