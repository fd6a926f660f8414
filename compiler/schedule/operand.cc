// SPDX-License-Identifier: Apache-2.0
//
// Finds and replaces an operand of a stage's expression by its path.
#include <algorithm>

#include "base/number.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

std::unexpected<Error> NoOperand(const OperandPath& path, const std::string& why) {
  return Fail(Code::kInvalidArgument, "operand {} of {}: {}", path.operand, path.stage, why);
}

namespace {

// Whether |e| reads inside of every tensor for all of |ranges|.
bool ReadsInside(const ir::Expr& e, const ir::Ranges& ranges) {
  bool inside = true;
  ir::Visit(e, [&](const ir::Expr& read) {
    if (read->kind != ir::ExprKind::kTensorRead) return;
    for (size_t d = 0; d < read->args.size(); ++d) {
      const ir::Interval reach = ir::BoundsOf(read->args[d], ranges);
      inside = inside && reach.known() && reach.lo >= 0 && reach.hi < read->tensor->shape[d];
    }
  });
  return inside;
}

// |e| with the operand at |way| replaced by |fn| of that operand.
Result<ir::Expr> ReplaceAt(const OperandPath& path, const ir::Expr& e, std::string_view way,
                           const std::function<Result<ir::Expr>(const ir::Expr&)>& fn,
                           const ir::Ranges& ranges) {
  if (way.empty()) return fn(e);
  const auto k = TakeNumber<size_t>(way);
  if (!k || !(way.empty() || way.starts_with('.')))
    return NoOperand(path, "it is written 0.1, numbers from the outermost operation inwards");
  // The index into a table has values inside, any other index has none.
  const bool looks_up = std::ranges::any_of(e->args, [](const ir::Expr& index) {
    return ir::Contains(index,
                        [](const ir::Expr& x) { return x->kind == ir::ExprKind::kTensorRead; });
  });
  if (e->kind == ir::ExprKind::kTensorRead && !looks_up)
    return NoOperand(path, fmt::format("an index of {} is no value", e->tensor->name));
  if (*k >= e->args.size()) {
    return NoOperand(
        path, fmt::format("number {} is not there, the operation has {}", *k, e->args.size()));
  }
  if (!way.empty()) way.remove_prefix(1);  // the point
  if (e->kind == ir::ExprKind::kSelect && *k > 0 && !ReadsInside(e->args[*k], ranges)) {
    return NoOperand(path, "it is read outside of a tensor where its condition does not hold");
  }
  TESSERA_ASSIGN(const ir::Expr operand, ReplaceAt(path, e->args[*k], way, fn, ranges));
  size_t at = 0;
  return ir::MapOperands(e, [&](const ir::Expr& x) { return at++ == *k ? operand : x; });
}

}  // namespace

Status ReplaceOperand(const OperandPath& path, Stage* stage,
                      const std::function<Result<ir::Expr>(const ir::Expr&)>& fn) {
  ir::Ranges ranges;
  for (const ir::Axis& a : stage->axes) ranges.Set(a);
  for (const ir::Axis& a : stage->reduce_axes) ranges.Set(a);
  const std::string_view way = path.operand == "." ? std::string_view() : path.operand;
  TESSERA_ASSIGN(stage->body, ReplaceAt(path, stage->body, way, fn, ranges));
  return {};
}

}  // namespace tessera::schedule
