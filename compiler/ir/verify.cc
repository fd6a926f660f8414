// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/verify.h"

#include <set>

#include "compiler/ir/intrin.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/visit.h"

namespace tessera::ir {
namespace {

class Verifier {
 public:
  Status Run(const Func& func) {
    for (const Buffer& b : func.params) {
      if (!buffers_.insert(b.get()).second) return Bad("parameter {} is named twice", b->name);
    }
    return Check(func.body);
  }

 private:
  template <typename... Args>
  static Status Bad(fmt::format_string<Args...> format, Args&&... args) {
    return Fail(Code::kInvalidArgument, format, std::forward<Args>(args)...);
  }

  Status Access(const Buffer& buffer, const std::vector<Expr>& indices) {
    if (!buffers_.contains(buffer.get()))
      return Bad("{} is used outside its allocation", buffer->name);
    const std::vector<int64_t> limit = PaddedShape(*buffer);
    for (size_t d = 0; d < indices.size(); ++d) {
      int64_t i = 0;
      if (IsImm(indices[d], &i) && (i < 0 || i >= limit[d])) {
        return Bad("{}: index {} of dimension {} is outside [0, {})", buffer->name, i, d, limit[d]);
      }
    }
    return {};
  }

  // |taken| is false in branches of a select, where a constant index may be out of bounds.
  Status Check(const Expr& e, bool taken = true) {
    switch (e->kind) {
      case ExprKind::kVar:
        if (!vars_.contains(e.get())) return Bad("variable {} is used outside its loop", e->name);
        break;
      case ExprKind::kLoad:
        if (taken || !buffers_.contains(e->buffer.get())) TESSERA_TRY(Access(e->buffer, e->args));
        break;
      case ExprKind::kCall:
        if (FindScalarIntrin(e->name)) {
          const Result<Type> type = ScalarIntrinType(e->name, e->args);
          if (!type) return std::unexpected(type.error());
          break;
        }
        if (FindTileIntrin(e->name))
          return Bad("{} acts on memory and has no value; write eval {}(...)", e->name, e->name);
        return Bad("no intrinsic is called '{}'", e->name);
      case ExprKind::kReduce:
      case ExprKind::kTensorRead:
        return Bad("a tensor expression reached the loop IR");
      default:
        break;
    }
    for (size_t i = 0; i < e->args.size(); ++i) {
      TESSERA_TRY(Check(e->args[i], taken && !(e->kind == ExprKind::kSelect && i > 0)));
    }
    return {};
  }

  Status CheckTile(const Expr& e) {
    const auto intrin = FindTileIntrin(e->name);
    if (!intrin) return Bad("no tile intrinsic is called '{}'", e->name);
    if (intrin->operands.size() != e->args.size()) {
      return Bad("{} takes {} operands, {} are given", e->name, intrin->operands.size(),
                 e->args.size());
    }
    for (size_t i = 0; i < e->args.size(); ++i) {
      if (intrin->operands[i] != OperandKind::kValue && e->args[i]->kind != ExprKind::kLoad) {
        return Bad("operand {} of {} is not a place in a buffer", i, e->name);
      }
      TESSERA_TRY(Check(e->args[i]));
    }
    return {};
  }

  Status Check(const Stmt& s) {
    switch (s->kind) {
      case StmtKind::kFor: {
        int64_t n = 0;
        if (s->min.type() != Type{} || s->extent.type() != Type{})
          return Bad("loop {}: its bounds are not scalar indices", s->var->name);
        if (s->loop != LoopKind::kSerial && s->loop != LoopKind::kParallel &&
            !IsImm(s->extent, &n)) {
          return Bad("{} loop {} has no constant extent", LoopKindName(s->loop), s->var->name);
        }
        TESSERA_TRY(Check(s->min));
        TESSERA_TRY(Check(s->extent));
        if (!vars_.insert(s->var.get()).second)
          return Bad("loop {} is inside itself", s->var->name);
        TESSERA_TRY(Check(s->body[0]));
        vars_.erase(s->var.get());
        return {};
      }
      case StmtKind::kAlloc:
        if (!buffers_.insert(s->buffer.get()).second)
          return Bad("{} is allocated inside its own allocation", s->buffer->name);
        TESSERA_TRY(Check(s->body[0]));
        buffers_.erase(s->buffer.get());
        return {};
      case StmtKind::kStore:
        TESSERA_TRY(Access(s->buffer, s->indices));
        for (const Expr& i : s->indices) TESSERA_TRY(Check(i));
        return Check(s->value);
      case StmtKind::kPrefetch:
        TESSERA_TRY(Access(s->buffer, s->indices));
        for (const Expr& i : s->indices) TESSERA_TRY(Check(i));
        return {};
      case StmtKind::kEval:
        return CheckTile(s->value);
      case StmtKind::kIf:
        TESSERA_TRY(Check(s->value));
        break;
      case StmtKind::kSeq:
        break;
    }
    for (const Stmt& b : s->body) TESSERA_TRY(Check(b));
    return {};
  }

  std::set<const ExprNode*> vars_;
  std::set<const BufferNode*> buffers_;
};

}  // namespace

Status Verify(const Func& func) {
  const Status status = Verifier().Run(func);
  if (!status) return Within(func.name, status.error());
  return {};
}

}  // namespace tessera::ir
