// SPDX-License-Identifier: Apache-2.0
//
// Evaluates tensor expressions by their definition.
#include <deque>
#include <optional>
#include <unordered_map>

#include "base/check.h"
#include "compiler/ir/lane.h"
#include "compiler/te/te.h"

namespace tessera::te {
namespace {

using ir::ExprKind;
using ir::LaneValue;

int64_t Count(const std::vector<int64_t>& shape) {
  int64_t n = 1;
  for (const int64_t d : shape) n *= d;
  return n;
}

// A node of a stage's body, with data that is looked up once for all elements.
struct BodyNode {
  explicit BodyNode(const ir::ExprNode& node) : expr(node) {}

  const ir::ExprNode& expr;
  std::vector<const BodyNode*> args;
  size_t var = 0;                               // kVar: its index among the values
  std::vector<size_t> axes;                     // kReduce: the indices of its axes
  DType operand = DType::kInt8;                 // of the first argument
  LaneValue identity;                           // kReduce
  ir::BinOp combiner = ir::BinOp::kAdd;         // kReduce
  bool fused = false;                           // kReduce: its value is a product, not rounded
  std::optional<ir::ScalarIntrin> intrin = {};  // kCall
  const ir::Array* from = nullptr;              // kTensorRead
};

// The elements of one stage.
class StageValues {
 public:
  StageValues(const Tensor& stage, const Values& values) : stage_(stage), values_(values) {}

  Result<ir::Array> Run() {
    std::vector<size_t> places;
    for (const Axis& axis : stage_->axes) places.push_back(PlaceOf(axis.var));
    TESSERA_ASSIGN(const BodyNode* body, Prepare(stage_->body));
    const std::vector<int64_t>& shape = stage_.shape();
    ir::Array out(stage_.dtype(), Count(shape));
    for (int64_t i = 0; i < out.size(); ++i) {
      int64_t rest = i;
      for (size_t d = shape.size(); d-- > 0;) {
        vars_[places[d]] = rest % shape[d];
        rest /= shape[d];
      }
      const LaneValue v = Value(*body);
      if (error_) return std::unexpected(*error_);
      if (ir::IsFloat(stage_.dtype())) {
        out.SetFloat(i, v.f);
      } else {
        out.SetInt(i, v.i);
      }
    }
    return out;
  }

 private:
  size_t PlaceOf(const Expr& var) {
    const auto [place, fresh] = places_.emplace(var.get(), vars_.size());
    if (fresh) vars_.push_back(0);
    return place->second;
  }

  Result<const BodyNode*> Prepare(const Expr& e) {
    if (const auto known = known_.find(e.get()); known != known_.end()) return known->second;
    BodyNode& made = terms_.emplace_back(*e);
    if (e->kind == ExprKind::kVar) made.var = PlaceOf(e);
    for (const Axis& axis : e->axes) made.axes.push_back(PlaceOf(axis.var));
    for (const Expr& arg : e->args) {
      TESSERA_ASSIGN(const BodyNode* operand, Prepare(arg));
      made.args.push_back(operand);
    }
    if (!e->args.empty()) made.operand = e->args[0].dtype();
    if (e->kind == ExprKind::kTensorRead) made.from = &values_.at(TensorOf(e).get());
    if (e->kind == ExprKind::kReduce) {
      const Expr identity = ir::ReduceIdentity(e->reduce(), e.dtype());
      made.identity = {identity->ivalue, identity->fvalue};
      made.combiner = ir::ReduceCombiner(e->reduce());
      made.fused = ir::FusedFactors(*e) != nullptr;
    }
    if (e->kind == ExprKind::kCall) {
      const auto info = ir::FindScalarIntrin(e->name);
      if (!info)
        return Fail(Code::kInvalidArgument, "{}: no intrinsic '{}'", stage_.name(), e->name);
      made.intrin = info->id;
    }
    known_[e.get()] = &made;
    return &made;
  }

  // After an error the returned value is meaningless.
  LaneValue Value(const BodyNode& t) {
    const ir::ExprNode& e = t.expr;
    LaneValue out;
    switch (e.kind) {
      case ExprKind::kImm:
        return {e.ivalue, e.fvalue};
      case ExprKind::kVar:
        return {vars_[t.var], 0};
      case ExprKind::kBin: {
        const LaneValue a = Value(*t.args[0]), b = Value(*t.args[1]);
        if (!ir::ApplyBin(e.bin(), t.operand, a, b, &out))
          Refuse(Fail(Code::kOutOfRange, "{}: division by zero", stage_.name()));
        return out;
      }
      case ExprKind::kUn:
        return ir::ApplyUn(e.un(), t.operand, e.type.dtype, Value(*t.args[0]));
      case ExprKind::kSelect:
        return Value(*t.args[Value(*t.args[0]).i ? 1 : 2]);
      case ExprKind::kCall: {
        std::vector<LaneValue> args;
        for (const BodyNode* arg : t.args) args.push_back(Value(*arg));
        return ir::ApplyScalarIntrin(*t.intrin, e.type.dtype, args);
      }
      case ExprKind::kTensorRead:
        return Read(t);
      case ExprKind::kReduce:
        return Reduce(t);
      case ExprKind::kLoad:
      case ExprKind::kVec:
        break;
    }
    TESSERA_CHECK(false, "te::Verify lets no buffers through");
  }

  LaneValue Read(const BodyNode& t) {
    const ir::TensorBase& from = *t.expr.tensor;
    int64_t offset = 0;
    for (size_t d = 0; d < t.args.size(); ++d) {
      const int64_t i = Value(*t.args[d]).i;
      if (i < 0 || i >= from.shape[d]) {
        Refuse(Fail(Code::kOutOfRange, "{} reads {} at {} in dimension {}, outside [0, {})",
                    stage_.name(), from.name, i, d, from.shape[d]));
        return {};
      }
      offset = offset * from.shape[d] + i;
    }
    return ir::IsFloat(from.dtype) ? LaneValue{0, t.from->Float(offset)}
                                   : LaneValue{t.from->Int(offset), 0};
  }

  LaneValue Reduce(const BodyNode& t) {
    const ir::ExprNode& e = t.expr;
    int64_t count = 1;
    for (const Axis& a : e.axes) count *= a.extent;
    LaneValue total = t.args.size() > 1 ? Value(*t.args[1]) : t.identity;
    for (int64_t i = 0; i < count && !error_; ++i) {
      int64_t rest = i;
      for (size_t k = e.axes.size(); k-- > 0;) {
        vars_[t.axes[k]] = e.axes[k].min + rest % e.axes[k].extent;
        rest /= e.axes[k].extent;
      }
      const BodyNode& term = *t.args[0];
      LaneValue next;
      if (t.fused) {
        const LaneValue factors[] = {Value(*term.args[0]), Value(*term.args[1]), total};
        next = ir::ApplyScalarIntrin(ir::ScalarIntrin::kFma, e.type.dtype, factors);
      } else {
        ir::ApplyBin(t.combiner, e.type.dtype, total, Value(term), &next);
      }
      total = next;
    }
    return total;
  }

  void Refuse(std::unexpected<Error> error) {
    if (!error_) error_ = std::move(error.error());
  }

  const Tensor& stage_;
  const Values& values_;
  std::vector<int64_t> vars_;
  std::unordered_map<const ir::ExprNode*, size_t> places_;
  std::unordered_map<const ir::ExprNode*, const BodyNode*> known_;
  std::deque<BodyNode> terms_;
  std::optional<Error> error_;
};

}  // namespace

Status Evaluate(const std::vector<Tensor>& outputs, Values* values) {
  TESSERA_TRY(Verify(outputs));
  for (const Tensor& t : TopologicalOrder(outputs)) {
    if (!t->placeholder) {
      TESSERA_ASSIGN(ir::Array made, StageValues(t, *values).Run());
      (*values)[t.get()] = std::move(made);
      continue;
    }
    auto it = values->find(t.get());
    const int64_t wanted = Count(t.shape());
    if (it == values->end() || it->second.dtype() != t.dtype() || it->second.size() != wanted) {
      return Fail(Code::kInvalidArgument, "{}: {} values of {} are needed", t.name(), wanted,
                  ir::DTypeName(t.dtype()));
    }
  }
  return {};
}

}  // namespace tessera::te
