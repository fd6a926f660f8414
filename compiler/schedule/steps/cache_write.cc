// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/intrin.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {
namespace {

// |inner| computes its maximum or minimum in the step's type; |stage| narrows the result.
Status Widen(const CacheWriteStep& step, Stage* inner, Stage* stage) {
  const ir::Expr& body = inner->body;
  const bool reduces = body->kind == ir::ExprKind::kReduce;
  const bool extreme = reduces && (body->reduce() == ir::ReduceOp::kMax ||  //
                                   body->reduce() == ir::ReduceOp::kMin);
  if (!extreme || inner->dtype != DType::kInt8 || *step.type != DType::kInt32) {
    return Fail(Code::kInvalidArgument,
                "{} is not the greatest or least of i8 values, found in i32: another type may "
                "change what it computes",
                step.stage);
  }
  inner->dtype = *step.type;
  inner->body = ir::Reduce(body->reduce(), ir::Cast(*step.type, body->args[0]), inner->reduce_axes);
  MakeCopyOf(*inner, stage);
  const auto number = [](int64_t v) { return ir::Imm(DType::kInt32, v); };
  stage->body =
      ir::Cast(stage->dtype, ir::ClampAdd(stage->body, number(0), number(-128), number(127)));
  return {};
}

}  // namespace

Status Apply(const CacheWriteStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  TESSERA_TRY(editor.RequireMemory(step.scope));
  TESSERA_TRY(editor.NewStageName(step.name));
  if (!stage->relations.empty() || stage->attach != Attach::kRoot) {
    return Fail(Code::kInvalidArgument, "{} has been scheduled; cache_write comes first",
                step.stage);
  }
  Stage inner = *stage;
  inner.name = step.name;
  inner.scope = step.scope;
  inner.output = false;
  inner.layout = {};
  stage->in_place_of.clear();
  MakeCopyOf(inner, stage);
  if (step.type) TESSERA_TRY(Widen(step, &inner, stage));
  editor.InsertBefore(*stage, std::move(inner));
  return {};
}

}  // namespace tessera::schedule
