// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/ir/visit.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {
namespace {

// A factor i32(read) + number of a sum.
struct OffsetRead {
  ir::Expr read;
  int64_t number = 0;
};
std::optional<OffsetRead> OffsetReadOf(ir::Expr e) {
  OffsetRead found;
  int64_t value = 0;
  while (e->kind == ir::ExprKind::kBin && ir::IsImm(e->args[1], &value) &&
         (e->bin() == ir::BinOp::kAdd || e->bin() == ir::BinOp::kSub)) {
    found.number += e->bin() == ir::BinOp::kAdd ? value : -value;
    e = ir::Expr(e->args[0]);
  }
  const bool wide = e->kind == ir::ExprKind::kUn && e->un() == ir::UnOp::kCast &&
                    e.dtype() == DType::kInt32 && e->args[0]->kind == ir::ExprKind::kTensorRead &&
                    e->args[0].dtype() == DType::kInt8;
  if (!wide) return std::nullopt;
  found.read = e->args[0];
  return found;
}

// The factor of a sum of products that reads the tensor.
struct SpreadFactor {
  size_t side = 0;
  OffsetRead read;
};

Result<SpreadFactor> FactorOf(const Stage& reader, const SpreadStep& step) {
  const ir::Expr& body = reader.body;
  const bool products = body->kind == ir::ExprKind::kReduce &&
                        body->reduce() == ir::ReduceOp::kSum && !body->start() &&
                        body->args[0]->kind == ir::ExprKind::kBin &&
                        body->args[0]->bin() == ir::BinOp::kMul && body.dtype() == DType::kInt32;
  if (!products) {
    return Fail(Code::kInvalidArgument, "{} is no sum of products of two int32 numbers",
                step.reader);
  }
  const ir::Expr& product = body->args[0];
  const auto reads = [&](size_t side) { return ReadsTensor(product->args[side], step.tensor); };
  if (reads(0) == reads(1)) {
    return Fail(Code::kInvalidArgument, "{} of the factors of {} read {}, one has to",
                reads(0) ? "both" : "none", step.reader, step.tensor);
  }
  const size_t side = reads(0) ? 0 : 1;
  const std::optional<OffsetRead> factor = OffsetReadOf(product->args[side]);
  if (!factor || factor->number < -127 || factor->number > 128) {
    return Fail(Code::kInvalidArgument,
                "the factor of {} that reads {} is no int8 element less an int8 number",
                step.reader, step.tensor);
  }
  return SpreadFactor{side, *factor};
}

}  // namespace

Status Apply(const SpreadStep& step, Editor& editor) {
  TESSERA_ASSIGN(const Stage* source, editor.FindStage(step.tensor));
  TESSERA_ASSIGN(Stage * reader, editor.EditCompute(step.reader));
  TESSERA_TRY(editor.NewStageName(step.name));
  TESSERA_TRY(editor.NewAxisName(*reader, step.loop));
  if (source->attach == Attach::kInline)
    return Fail(Code::kInvalidArgument, "{} was inlined", step.tensor);
  const bool fresh = reader->relations.empty() && reader->conditions.empty() &&
                     reader->skips.empty() && reader->attach == Attach::kRoot;
  if (!fresh) {
    return Fail(Code::kInvalidArgument, "{} has been scheduled; spread comes first", step.reader);
  }
  TESSERA_ASSIGN(const SpreadFactor found, FactorOf(*reader, step));
  const ir::Expr product = reader->body->args[0];
  const size_t side = found.side;
  const OffsetRead* const factor = &found.read;
  std::vector<ir::Axis> axes;
  for (const std::vector<ir::Axis>* of : {&reader->axes, &reader->reduce_axes}) {
    for (const ir::Axis& axis : *of) {
      if (ir::UsesVar(factor->read, axis.var)) axes.push_back(axis);
    }
  }
  const auto listed = [&](const ir::Axis& axis) {
    return step.axes.names.empty() || std::ranges::count(step.axes.names, axis.name()) > 0;
  };
  for (const std::string& name : step.axes.names) {
    if (std::ranges::any_of(axes, [&](const ir::Axis& axis) { return axis.name() == name; }))
      continue;
    return Fail(Code::kNotFound, "{} is no axis of {} that chooses an element of {}", name,
                step.reader, step.tensor);
  }

  const int64_t most = 127, times = factor->number == 0 ? 0 : factor->number > most ? 2 : 1;
  const ir::Axis term{ir::Var(step.loop), 0, 1 + times};
  Stage copy;
  copy.name = step.name;
  copy.dtype = DType::kInt8;
  ir::VarMap own;
  std::vector<ir::Expr> at;  // of the reader
  const auto add = [&](const ir::Axis& axis) {
    copy.axes.push_back({ir::Var(axis.name()), 0, axis.extent});
    copy.leaves.push_back({axis.name(), copy.axes.back().var, false});
    copy.shape.push_back(axis.extent);
    const bool offset = axis.min != 0;
    own[axis.var.get()] = offset ? copy.axes.back().var + axis.min : copy.axes.back().var;
    at.push_back(offset ? axis.var - axis.min : axis.var);
  };
  for (const ir::Axis& axis : axes) {
    if (listed(axis)) {
      add(axis);
    } else if (axis.extent == 1) {
      own[axis.var.get()] = ir::Expr(axis.min);
    } else {
      return Fail(Code::kInvalidArgument,
                  "what {} reads of {} differs along {}, which is not listed", step.reader,
                  step.tensor, axis.name());
    }
  }
  add(term);
  copy.body = ir::Substitute(factor->read, own);
  if (times > 0) {
    copy.body = ir::Select(ir::Lt(copy.axes.back().var, ir::Expr(1)), copy.body,
                           ir::Imm(DType::kInt8, factor->number / times));
  }
  ir::Expr factors[2] = {product->args[0], product->args[1]};
  factors[side] = ir::Cast(DType::kInt32, ir::TensorRead(TensorLike(copy, step.name), at));
  reader->reduce_axes.push_back(term);
  reader->leaves.push_back({step.loop, term.var, true});
  reader->body = ir::Reduce(ir::ReduceOp::kSum, factors[0] * factors[1], reader->reduce_axes);
  editor.InsertBefore(*reader, std::move(copy));
  return {};
}

}  // namespace tessera::schedule
