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
                         .scope = st->scope});
}

Status Prepare(const Schedule& schedule, std::map<std::string, std::vector<uint8_t>>* values) {
  for (const Stage& stage : schedule.stages()) {
    if (!stage.prepared) continue;
    // The stage by its definition, over placeholders: its loops do not matter.
    te::Values known;
    std::map<std::string, std::shared_ptr<const te::TensorNode>> sources;
    for (const Stage& s : schedule.stages()) {
      if (!stage.Reads(s.name)) continue;
      const te::Tensor source = te::Placeholder(s.name, s.dtype, s.shape);
      const auto bytes = values->find(s.name);
      if (bytes == values->end()) {
        return Fail(Code::kInvalidArgument,
                    "{} cannot be prepared: it reads {}, which is no constant", stage.name, s.name);
      }
      known.emplace(source.get(), ir::Array(s.dtype, bytes->second));
      sources[s.name] = source.node();
    }
    auto node = std::make_shared<te::TensorNode>();
    node->name = stage.name;
    node->dtype = stage.dtype;
    node->shape = stage.shape;
    node->placeholder = false;
    node->axes = stage.axes;
    node->reduce_axes = stage.reduce_axes;
    node->body = ir::Rewrite(stage.body, [&](const ir::Expr& e) {
      if (e->kind != ir::ExprKind::kTensorRead) return e;
      return ir::TensorRead(sources.at(e->tensor->name), e->args);
    });
    const te::Tensor tensor(node);
    TESSERA_TRY(te::Evaluate({tensor}, &known));
    (*values)[stage.name] = known.at(tensor.get()).bytes();
  }
  return {};
}

}  // namespace tessera::schedule
