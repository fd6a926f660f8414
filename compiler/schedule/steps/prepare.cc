// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const PrepareStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  stage->prepared = true;
  return {};
}

namespace {

// Adds the names of the tensors that |e| reads to |names|, each once.
void AddReads(const ir::Expr& e, std::vector<const std::string*>* names) {
  if (e->kind == ir::ExprKind::kTensorRead) {
    const std::string& name = e->tensor->name;
    if (std::ranges::none_of(*names, [&](const std::string* n) { return *n == name; }))
      names->push_back(&name);
  }
  for (const ir::Expr& x : e->args) {
    if (x->kind != ir::ExprKind::kVar && x->kind != ir::ExprKind::kImm) AddReads(x, names);
  }
}

// The names of the tensors that |body| reads, each once. Prepared weights are long expressions of
// few tensors that few steps change. They are checked after every step: a thread knows the last.
const std::vector<const std::string*>& ReadsOf(const ir::Expr& body) {
  struct Known {
    ir::Expr body;
    std::vector<const std::string*> names;
  };
  thread_local std::array<Known, 16> all;
  thread_local size_t oldest = 0;
  for (const Known& known : all) {
    if (known.body.get() == body.get()) return known.names;
  }
  Known& made = all[oldest++ % all.size()];
  made = {body, {}};
  AddReads(body, &made.names);
  return made.names;
}

}  // namespace

// Checked after every step: no step may break what an earlier step set.
Status Schedule::CheckPrepared(const Stage& stage) const {
  if (!stage.prepared) return {};
  const auto no = [&](const std::string& why) -> Status {
    return Fail(Code::kInvalidArgument, "{} cannot be prepared: {}", stage.name, why);
  };
  if (stage.output) return no("it is an output");
  if (stage.attach != Attach::kRoot) return no("it is computed in the loops of another stage");
  if (stage.scope != ir::Scope::kGlobal)
    return no(
        fmt::format("it is in {}, which is no memory of the caller's", ir::ScopeName(stage.scope)));
  if (!stage.alignments.empty()) return no("storage_align is for memory of the function's own");
  if (!stage.in_place_of.empty()) return no("it is in place of another stage");
  for (const ir::Expr& condition : stage.conditions) {
    // A split's condition uses the split's outer loop. The definition has no such loop and sums
    // every element once without the condition.
    const auto asked = [&](const Relation& r) { return ir::UsesVar(condition, r.outer); };
    if (std::ranges::none_of(stage.relations, asked))
      return no("align sums under a condition, which its definition lacks");
  }
  const std::vector<const std::string*> none;
  const auto& reads = stage.placeholder ? none : ReadsOf(stage.body);
  for (const Stage& source : stages_) {
    if (source.in_place_of == stage.name)
      return no(fmt::format("{} is in place of it", source.name));
    if (source.placeholder || source.prepared ||
        std::ranges::none_of(reads, [&](const std::string* n) { return *n == source.name; }))
      continue;
    return no(fmt::format("it reads {}, which the function computes", source.name));
  }
  for (const Stage& other : stages_) {
    if (OuterOf(other) == &stage) return no(fmt::format("{} is computed in its loops", other.name));
  }
  return {};
}

}  // namespace tessera::schedule
