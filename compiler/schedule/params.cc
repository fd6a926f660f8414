// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/params.h"

#include <algorithm>

#include "base/check.h"

namespace tessera::schedule {

bool IsRead(const Schedule& schedule, const Stage& stage) {
  return std::ranges::any_of(schedule.Consumers(stage.name),
                             [](const Stage* reader) { return !reader->prepared; });
}

std::vector<std::string> ParamNames(const Schedule& schedule) {
  std::vector<std::string> names;
  for (const te::Tensor& t : te::TopologicalOrder(schedule.outputs())) {
    const Stage* stage = schedule.Find(t.name());
    if (stage->placeholder && IsRead(schedule, *stage)) names.push_back(stage->name);
  }
  for (const Stage& stage : schedule.stages()) {
    if (stage.prepared && IsRead(schedule, stage)) names.push_back(stage.name);
  }
  for (const te::Tensor& t : schedule.outputs()) names.push_back(t.name());
  return names;
}

ir::Buffer ParamBuffer(const Schedule& schedule, const std::string& name) {
  const Stage* st = schedule.Find(name);
  TESSERA_CHECK(st != nullptr && (st->placeholder || st->output || st->prepared), "{}", name);
  return ir::MakeBuffer({.name = st->name,
                         .dtype = st->dtype,
                         .shape = st->shape,
                         .layout = st->layout,
                         .scope = st->scope,
                         .folded = st->folded});
}

namespace {

// |stage| as a tensor, without its loops. |made| has the tensors made so far, by name.
te::Tensor DefinitionOf(const Schedule& schedule, const Stage& stage,
                        std::map<std::string, te::Tensor>* made) {
  const auto known = made->find(stage.name);
  if (known != made->end()) return known->second;
  te::Tensor tensor = te::Placeholder(stage.name, stage.dtype, stage.shape);
  if (!stage.placeholder) {
    auto node = std::make_shared<te::TensorNode>(*tensor.get());
    node->placeholder = false;
    node->axes = stage.axes;
    node->reduce_axes = stage.reduce_axes;
    node->body = ir::Rewrite(stage.body, [&](const ir::Expr& e) {
      if (e->kind != ir::ExprKind::kTensorRead) return e;
      const te::Tensor source = DefinitionOf(schedule, *schedule.Find(e->tensor->name), made);
      return ir::TensorRead(source.node(), e->args);
    });
    tensor = te::Tensor(node);
  }
  return made->emplace(stage.name, tensor).first->second;
}

}  // namespace

PreparedStages FindPrepared(const Schedule& schedule,
                            const std::function<bool(const std::string&)>& is_known) {
  std::map<std::string, te::Tensor> made;
  PreparedStages found;
  for (const Stage& stage : schedule.stages()) {
    if (!stage.prepared) continue;
    const te::Tensor tensor = DefinitionOf(schedule, stage, &made);
    const bool constant = std::ranges::all_of(
        te::TopologicalOrder({tensor}),
        [&](const te::Tensor& t) { return !t->placeholder || is_known(t.name()); });
    if (constant) {
      found.constants.push_back(tensor);
    } else {
      found.later.emplace(stage.name, tensor);
    }
  }
  return found;
}

Status Prepare(const PreparedStages& prepared,
               std::map<std::string, std::vector<uint8_t>>* values) {
  if (prepared.constants.empty()) return {};
  te::Values known;
  for (const te::Tensor& t : te::TopologicalOrder(prepared.constants)) {
    if (t->placeholder) known.emplace(t.get(), ir::Array(t.dtype(), values->at(t.name())));
  }
  TESSERA_TRY(te::Evaluate(prepared.constants, &known));
  for (const te::Tensor& t : prepared.constants) (*values)[t.name()] = known.at(t.get()).bytes();
  return {};
}

Status Prepare(const Schedule& schedule, std::map<std::string, std::vector<uint8_t>>* values) {
  const auto is_known = [&](const std::string& name) { return values->contains(name); };
  const PreparedStages prepared = FindPrepared(schedule, is_known);
  for (const auto& [name, tensor] : prepared.later) {
    for (const te::Tensor& t : te::TopologicalOrder({tensor})) {
      if (!t->placeholder || is_known(t.name())) continue;
      return Fail(Code::kInvalidArgument,
                  "{} cannot be prepared: it reads {}, which is no constant", name, t.name());
    }
  }
  return Prepare(prepared, values);
}

}  // namespace tessera::schedule
