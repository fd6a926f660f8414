// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const StackStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * reader, editor.EditCompute(step.reader));
  TESSERA_TRY(editor.NewStageName(step.name));
  Stage stack;
  stack.name = step.name;
  std::vector<ir::Expr> at;
  for (size_t k = 0; k < step.tensors.size(); ++k) {
    TESSERA_ASSIGN(const Stage* source, editor.FindStage(step.tensors[k]));
    if (source->attach == Attach::kInline)
      return Fail(Code::kInvalidArgument, "{} was inlined", source->name);
    if (!reader->Reads(source->name))
      return Fail(Code::kInvalidArgument, "{} does not read {}", step.reader, source->name);
    if (k == 0) {
      stack.dtype = source->dtype;
      stack.shape = source->shape;
      stack.shape.insert(stack.shape.begin(), std::ssize(step.tensors));
      for (size_t d = 0; d < stack.shape.size(); ++d) {
        stack.axes.push_back({ir::Var(fmt::format("i{}", d)), 0, stack.shape[d]});
        stack.leaves.push_back({stack.axes[d].name(), stack.axes[d].var, false});
        if (d > 0) at.push_back(stack.axes[d].var);
      }
      stack.body = ir::TensorRead(TensorLike(*source, source->name), at);
      continue;
    }
    const bool same = source->dtype == stack.dtype &&
                      std::ranges::equal(source->shape, std::span(stack.shape).subspan(1));
    if (!same) {
      return Fail(Code::kInvalidArgument, "{} and {} differ in type or shape", step.tensors[0],
                  source->name);
    }
    stack.body = ir::Select(ir::Lt(stack.axes[0].var, ir::Expr(static_cast<int64_t>(k))),
                            stack.body, ir::TensorRead(TensorLike(*source, source->name), at));
  }
  const auto tensor = TensorLike(stack, step.name);
  for (size_t k = 0; k < step.tensors.size(); ++k) {
    reader->body =
        ReplaceReads(reader->body, step.tensors[k], [&](const std::vector<ir::Expr>& indices) {
          std::vector<ir::Expr> place{ir::Expr(static_cast<int64_t>(k))};
          place.insert(place.end(), indices.begin(), indices.end());
          return ir::TensorRead(tensor, place);
        });
  }
  editor.InsertBefore(*reader, std::move(stack));
  return {};
}

}  // namespace tessera::schedule
