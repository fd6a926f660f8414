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

// |stage| by its definition: its loops do not matter. |made|: tensors that are there, by name.
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

Status Prepare(const Schedule& schedule, std::map<std::string, std::vector<uint8_t>>* values,
               std::map<std::string, te::Tensor>* later) {
  std::map<std::string, te::Tensor> made;
  te::Values known;
  std::vector<te::Tensor> constants;
  for (const Stage& stage : schedule.stages()) {
    if (!stage.prepared) continue;
    const te::Tensor tensor = DefinitionOf(schedule, stage, &made);
    bool constant = true;
    for (const te::Tensor& t : te::TopologicalOrder({tensor})) {
      if (!t->placeholder || known.contains(t.get())) continue;
      const auto bytes = values->find(t.name());
      if (bytes != values->end()) {
        known.emplace(t.get(), ir::Array(t.dtype(), bytes->second));
        continue;
      }
      constant = false;
      if (later != nullptr) continue;
      return Fail(Code::kInvalidArgument,
                  "{} cannot be prepared: it reads {}, which is no constant", stage.name, t.name());
    }
    if (constant) {
      constants.push_back(tensor);
    } else {
      later->emplace(stage.name, tensor);
    }
  }
  if (constants.empty()) return {};
  TESSERA_TRY(te::Evaluate(constants, &known));
  for (const te::Tensor& t : constants) (*values)[t.name()] = known.at(t.get()).bytes();
  return {};
}

}  // namespace tessera::schedule
