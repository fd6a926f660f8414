// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/stage_body.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/visit.h"

namespace tessera::schedule {

StageBody::StageBody(ir::Expr expr) : expr_(std::move(expr)) {
  if (!expr_) return;
  auto found = std::make_shared<Found>();
  ir::Visit(expr_, [&](const ir::Expr& e) {
    if (e->kind != ir::ExprKind::kTensorRead) return;
    found->reads.push_back(e.get());
    const std::string& name = e->tensor->name;
    if (std::ranges::none_of(found->names, [&](const std::string* n) { return *n == name; }))
      found->names.push_back(&name);
  });
  found_ = std::move(found);
}

bool StageBody::Reads(const std::string& tensor) const {
  return std::ranges::any_of(found_->names, [&](const std::string* n) { return *n == tensor; });
}

const std::shared_ptr<const StageBody::Found>& StageBody::Nothing() {
  static const std::shared_ptr<const Found> nothing = std::make_shared<const Found>();
  return nothing;
}

}  // namespace tessera::schedule
