// SPDX-License-Identifier: Apache-2.0
//
// Evaluation of tensor expressions from their definition.
#include <unordered_map>

#include "base/check.h"
#include "compiler/ir/lane.h"
#include "compiler/te/te.h"

namespace tessera::te {
namespace {

using ir::ExprKind;
using ir::LaneValue;

class Evaluator {
 public:
  explicit Evaluator(Values* values) : values_(values) {}

  Status Stage(const Tensor& t) {
    ir::Array out(t.dtype(), Count(t.shape()));
    for (int64_t i = 0; i < out.size(); ++i) {
      int64_t rest = i;
      for (size_t d = t.shape().size(); d-- > 0;) {
        vars_[t->axes[d].var.get()] = rest % t.shape()[d];
        rest /= t.shape()[d];
      }
      TESSERA_ASSIGN(const LaneValue v, Value(t->body, t));
      if (ir::IsFloat(t.dtype())) {
        out.SetFloat(i, v.f);
      } else {
        out.SetInt(i, v.i);
      }
    }
    (*values_)[t.get()] = std::move(out);
    return {};
  }

  static int64_t Count(const std::vector<int64_t>& shape) {
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    return n;
  }

 private:
  Result<LaneValue> Value(const Expr& e, const Tensor& stage) {
    LaneValue out;
    switch (e->kind) {
      case ExprKind::kImm:
        return LaneValue{e->ivalue, e->fvalue};
      case ExprKind::kVar:
        return LaneValue{vars_.at(e.get()), 0};
      case ExprKind::kBin: {
        TESSERA_ASSIGN(const LaneValue a, Value(e->args[0], stage));
        TESSERA_ASSIGN(const LaneValue b, Value(e->args[1], stage));
        if (!ir::ApplyBin(e->bin(), e->args[0].dtype(), a, b, &out)) {
          return Fail(Code::kOutOfRange, "{}: division by zero", stage.name());
        }
        return out;
      }
      case ExprKind::kUn: {
        TESSERA_ASSIGN(const LaneValue a, Value(e->args[0], stage));
        return ir::ApplyUn(e->un(), e->args[0].dtype(), e.dtype(), a);
      }
      case ExprKind::kSelect: {
        TESSERA_ASSIGN(const LaneValue c, Value(e->args[0], stage));
        return Value(e->args[c.i ? 1 : 2], stage);
      }
      case ExprKind::kCall: {
        const auto info = ir::FindScalarIntrin(e->name);
        if (!info)
          return Fail(Code::kInvalidArgument, "{}: no intrinsic '{}'", stage.name(), e->name);
        std::vector<LaneValue> args;
        for (const Expr& a : e->args) {
          TESSERA_ASSIGN(const LaneValue v, Value(a, stage));
          args.push_back(v);
        }
        return ir::ApplyScalarIntrin(info->id, e.dtype(), args);
      }
      case ExprKind::kTensorRead:
        return Read(e, stage);
      case ExprKind::kReduce:
        return Reduce(e, stage);
      case ExprKind::kLoad:
      case ExprKind::kVec:
        break;
    }
    TESSERA_CHECK(false, "te::Verify lets no buffers through");
  }

  Result<LaneValue> Read(const Expr& e, const Tensor& stage) {
    const Tensor t = TensorOf(e);
    int64_t offset = 0;
    for (size_t d = 0; d < e->args.size(); ++d) {
      TESSERA_ASSIGN(const LaneValue i, Value(e->args[d], stage));
      if (i.i < 0 || i.i >= t.shape()[d]) {
        return Fail(Code::kOutOfRange, "{} reads {} at {} in dimension {}, outside [0, {})",
                    stage.name(), t.name(), i.i, d, t.shape()[d]);
      }
      offset = offset * t.shape()[d] + i.i;
    }
    const ir::Array& a = values_->at(t.get());
    return ir::IsFloat(t.dtype()) ? LaneValue{0, a.Float(offset)} : LaneValue{a.Int(offset), 0};
  }

  Result<LaneValue> Reduce(const Expr& e, const Tensor& stage) {
    int64_t count = 1;
    for (const Axis& a : e->axes) count *= a.extent;
    const Expr identity = ir::ReduceIdentity(e->reduce(), e.dtype());
    LaneValue total{identity->ivalue, identity->fvalue};
    if (e->start()) {
      TESSERA_ASSIGN(total, Value(e->start(), stage));
    }
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i;
      for (size_t k = e->axes.size(); k-- > 0;) {
        vars_[e->axes[k].var.get()] = e->axes[k].min + rest % e->axes[k].extent;
        rest /= e->axes[k].extent;
      }
      TESSERA_ASSIGN(const LaneValue v, Value(e->args[0], stage));
      LaneValue next;
      ir::ApplyBin(ir::ReduceCombiner(e->reduce()), e.dtype(), total, v, &next);
      total = next;
    }
    return total;
  }

  Values* values_;
  std::unordered_map<const ir::ExprNode*, int64_t> vars_;
};

}  // namespace

Status Evaluate(const std::vector<Tensor>& outputs, Values* values) {
  TESSERA_TRY(Verify(outputs));
  Evaluator evaluator(values);
  for (const Tensor& t : TopologicalOrder(outputs)) {
    if (!t->placeholder) {
      TESSERA_TRY(evaluator.Stage(t));
      continue;
    }
    auto it = values->find(t.get());
    const int64_t wanted = Evaluator::Count(t.shape());
    if (it == values->end() || it->second.dtype() != t.dtype() || it->second.size() != wanted) {
      return Fail(Code::kInvalidArgument, "{}: {} values of {} are needed", t.name(), wanted,
                  ir::DTypeName(t.dtype()));
    }
  }
  return {};
}

}  // namespace tessera::te
