// SPDX-License-Identifier: Apache-2.0
#include "compiler/validate/index_code.h"

#include <algorithm>

#include "compiler/ir/index_value.h"
#include "compiler/ir/print.h"

namespace tessera::validate {

using ir::BinOp;
using ir::ExprKind;

Result<IndexCode> IndexCode::Make(const ir::Expr& e, LoopValues* loops) {
  IndexCode code;
  TESSERA_ASSIGN(code.root_, code.Add(e, loops));
  return code;
}

bool IndexCode::Uses(size_t slot) const {
  return std::ranges::any_of(nodes_, [&](const CodeNode& n) {
    return n.kind == ExprKind::kVar && n.number == static_cast<int64_t>(slot);
  });
}

Result<int> IndexCode::Add(const ir::Expr& e, LoopValues* loops) {
  CodeNode node{.kind = e->kind, .op = e->op};
  switch (e->kind) {
    case ExprKind::kImm:
      node.number = e->ivalue;
      break;
    case ExprKind::kVar:
      node.number = static_cast<int64_t>(loops->SlotOf(e));
      break;
    case ExprKind::kBin:
    case ExprKind::kUn:
    case ExprKind::kSelect: {
      int* const parts[] = {&node.a, &node.b, &node.c};
      for (size_t k = 0; k < e->args.size(); ++k) {
        TESSERA_ASSIGN(*parts[k], Add(e->args[k], loops));
      }
      break;
    }
    default:
      return Fail(Code::kUnsupported, "no index expression: {}", ir::Print(e));
  }
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

int64_t IndexCode::At(int index, const LoopValues& loops) const {
  const CodeNode& n = nodes_[static_cast<size_t>(index)];
  switch (n.kind) {
    case ExprKind::kImm:
      return n.number;
    case ExprKind::kVar:
      return loops[static_cast<size_t>(n.number)];
    case ExprKind::kSelect:
      return At(At(n.a, loops) != 0 ? n.b : n.c, loops);
    case ExprKind::kUn: {
      const int64_t value = At(n.a, loops);
      const auto op = static_cast<ir::UnOp>(n.op);
      return op == ir::UnOp::kNot ? value == 0 : op == ir::UnOp::kNeg ? -value : value;
    }
    default:
      break;
  }
  const int64_t a = At(n.a, loops);
  const auto op = static_cast<BinOp>(n.op);
  if (op == BinOp::kAnd && a == 0) return 0;
  return ir::IndexValue(op, a, At(n.b, loops));
}

}  // namespace tessera::validate
