// SPDX-License-Identifier: Apache-2.0
//
// Evaluates tensor expressions by their definition. Elements beside each other along the last axis
// are a row, whose nodes are evaluated one after another for all of it: what a node is has to be
// looked up once a row, and what does not differ along it is computed once.
#include <algorithm>
#include <deque>
#include <limits>
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

constexpr int64_t kLeastRow = 4, kMostRow = 64;  // elements

// The values of a node for a row; |step| 0: they are the same.
struct Lanes {
  const LaneValue* values = nullptr;
  size_t step = 0;
  const LaneValue& operator[](size_t k) const { return values[k * step]; }
};

// A node of a stage's body, with data that is looked up once for all elements.
struct BodyNode {
  explicit BodyNode(const ir::ExprNode& node) : expr(node) {}

  const ir::ExprNode& expr;
  std::vector<BodyNode*> args;
  size_t var = 0;                               // kVar: its index among the values
  std::vector<size_t> axes;                     // kReduce: the indices of its axes
  DType operand = DType::kInt8;                 // of the first argument
  LaneValue identity;                           // kReduce
  ir::BinOp combiner = ir::BinOp::kAdd;         // kReduce
  bool fused = false;                           // kReduce: its value is a product, not rounded
  std::optional<ir::ScalarIntrin> intrin = {};  // kCall
  const ir::Array* from = nullptr;              // kTensorRead
  bool moves = false;                           // with the last axis
  std::vector<LaneValue> row;                   // its values, if it moves
  LaneValue one;                                // its value, if not
};

// The elements of one stage.
class StageValues {
 public:
  StageValues(const Tensor& stage, const Values& values) : stage_(stage), values_(values) {}

  Result<ir::Array> Run() {
    std::vector<size_t> places;
    for (const Axis& axis : stage_->axes) places.push_back(PlaceOf(axis.var));
    const std::vector<int64_t>& shape = stage_.shape();
    const bool rows = !shape.empty() && shape.back() >= kLeastRow;
    if (rows) along_ = places.back();
    TESSERA_ASSIGN(BodyNode* const body, Prepare(stage_->body));
    ir::Array out(stage_.dtype(), Count(shape));
    for (int64_t i = 0; i < out.size(); i += lanes_) {
      int64_t rest = i;
      for (size_t d = shape.size(); d-- > 0;) {
        vars_[places[d]] = rest % shape[d];
        rest /= shape[d];
      }
      lanes_ = rows ? std::min(kMostRow, shape.back() - vars_[along_]) : 1;
      const Lanes values = Row(*body);
      if (error_) return std::unexpected(*error_);
      for (int64_t k = 0; k < lanes_; ++k) {
        const LaneValue& v = values[static_cast<size_t>(k)];
        if (ir::IsFloat(stage_.dtype())) {
          out.SetFloat(i + k, v.f);
        } else {
          out.SetInt(i + k, v.i);
        }
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

  Result<BodyNode*> Prepare(const Expr& e) {
    if (const auto known = known_.find(e.get()); known != known_.end()) return known->second;
    BodyNode& made = terms_.emplace_back(*e);
    if (e->kind == ExprKind::kVar) made.var = PlaceOf(e);
    for (const Axis& axis : e->axes) made.axes.push_back(PlaceOf(axis.var));
    for (const Expr& arg : e->args) {
      TESSERA_ASSIGN(BodyNode* const operand, Prepare(arg));
      made.args.push_back(operand);
      made.moves = made.moves || operand->moves;
    }
    made.moves = made.moves || (e->kind == ExprKind::kVar && made.var == along_);
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

  // The values of |t| for the row that begins at vars_. After an error they are meaningless.
  Lanes Row(BodyNode& t) {
    if (!t.moves) {
      t.one = Value(t);
      return {&t.one, 0};
    }
    const auto lanes = static_cast<size_t>(lanes_);
    t.row.resize(lanes);
    const ir::ExprNode& e = t.expr;
    switch (e.kind) {
      case ExprKind::kVar:
        for (size_t k = 0; k < lanes; ++k) t.row[k] = {vars_[t.var] + static_cast<int64_t>(k), 0};
        break;
      case ExprKind::kBin: {
        const Lanes a = Row(*t.args[0]), b = Row(*t.args[1]);
        for (size_t k = 0; k < lanes; ++k) Bin(t, a[k], b[k], &t.row[k]);
        break;
      }
      case ExprKind::kUn: {
        const Lanes a = Row(*t.args[0]);
        for (size_t k = 0; k < lanes; ++k)
          t.row[k] = ir::ApplyUn(e.un(), t.operand, e.type.dtype, a[k]);
        break;
      }
      case ExprKind::kSelect:
        if (t.args[0]->moves) return LaneByLane(t);
        return Row(*t.args[Value(*t.args[0]).i ? 1 : 2]);
      case ExprKind::kCall: {
        std::vector<Lanes> args;
        for (BodyNode* const arg : t.args) args.push_back(Row(*arg));
        std::vector<LaneValue> of(args.size());
        for (size_t k = 0; k < lanes; ++k) {
          for (size_t a = 0; a < args.size(); ++a) of[a] = args[a][k];
          t.row[k] = ir::ApplyScalarIntrin(*t.intrin, e.type.dtype, of);
        }
        break;
      }
      case ExprKind::kTensorRead:
        ReadRow(t);
        break;
      case ExprKind::kReduce:
        ReduceRow(t);
        break;
      default:
        return LaneByLane(t);
    }
    return {t.row.data(), 1};
  }

  Lanes LaneByLane(BodyNode& t) {
    const int64_t first = vars_[along_];
    for (LaneValue& value : t.row) {
      value = Value(t);
      ++vars_[along_];
    }
    vars_[along_] = first;
    return {t.row.data(), 1};
  }

  void Bin(const BodyNode& t, LaneValue a, LaneValue b, LaneValue* out) {
    if (!ir::ApplyBin(t.expr.bin(), t.operand, a, b, out))
      Refuse(Fail(Code::kOutOfRange, "{}: division by zero", stage_.name()));
  }

  void ReadRow(BodyNode& t) {
    const ir::TensorBase& from = *t.expr.tensor;
    for (LaneValue& offset : t.row) offset = {};
    for (size_t d = 0; d < t.args.size(); ++d) {
      const Lanes index = Row(*t.args[d]);
      for (size_t k = 0; k < t.row.size(); ++k) {
        if (!Inside(from, d, index[k].i)) return;
        t.row[k].i = t.row[k].i * from.shape[d] + index[k].i;
      }
    }
    for (LaneValue& value : t.row) value = ElementAt(t, value.i);
  }

  // Terms are evaluated in rows of their own memory, the sums are in |t|'s.
  void ReduceRow(BodyNode& t) {
    const ir::ExprNode& e = t.expr;
    if (t.args.size() > 1) {
      const Lanes start = Row(*t.args[1]);
      for (size_t k = 0; k < t.row.size(); ++k) t.row[k] = start[k];
    } else {
      for (LaneValue& total : t.row) total = t.identity;
    }
    const BodyNode& term = *t.args[0];
    for (int64_t i = 0; i < TermsOf(e) && !error_; ++i) {
      SetTerm(t, i);
      const Lanes first = t.fused ? Row(*term.args[0]) : Row(*t.args[0]);
      const Lanes second = t.fused ? Row(*term.args[1]) : Lanes{};
      for (size_t k = 0; k < t.row.size(); ++k) {
        LaneValue next;
        if (t.fused) {
          const LaneValue factors[] = {first[k], second[k], t.row[k]};
          next = ir::ApplyScalarIntrin(ir::ScalarIntrin::kFma, e.type.dtype, factors);
        } else {
          ir::ApplyBin(t.combiner, e.type.dtype, t.row[k], first[k], &next);
        }
        t.row[k] = next;
      }
    }
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
        Bin(t, a, b, &out);
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
      if (!Inside(from, d, i)) return {};
      offset = offset * from.shape[d] + i;
    }
    return ElementAt(t, offset);
  }

  // Whether dimension |d| of |from| has index |i|; refuses the read otherwise.
  bool Inside(const ir::TensorBase& from, size_t d, int64_t i) {
    if (i >= 0 && i < from.shape[d]) return true;
    Refuse(Fail(Code::kOutOfRange, "{} reads {} at {} in dimension {}, outside [0, {})",
                stage_.name(), from.name, i, d, from.shape[d]));
    return false;
  }
  static LaneValue ElementAt(const BodyNode& t, int64_t offset) {
    return ir::IsFloat(t.expr.tensor->dtype) ? LaneValue{0, t.from->Float(offset)}
                                             : LaneValue{t.from->Int(offset), 0};
  }

  static int64_t TermsOf(const ir::ExprNode& e) {
    int64_t count = 1;
    for (const Axis& a : e.axes) count *= a.extent;
    return count;
  }
  // Sets the axes of |t|, a reduction, to its term |i|.
  void SetTerm(const BodyNode& t, int64_t i) {
    const ir::ExprNode& e = t.expr;
    for (size_t k = e.axes.size(); k-- > 0;) {
      vars_[t.axes[k]] = e.axes[k].min + i % e.axes[k].extent;
      i /= e.axes[k].extent;
    }
  }

  LaneValue Reduce(const BodyNode& t) {
    const ir::ExprNode& e = t.expr;
    LaneValue total = t.args.size() > 1 ? Value(*t.args[1]) : t.identity;
    for (int64_t i = 0; i < TermsOf(e) && !error_; ++i) {
      SetTerm(t, i);
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
  size_t along_ = std::numeric_limits<size_t>::max();  // index in vars_ of the row's axis
  int64_t lanes_ = 1;                                  // elements of the row
  std::unordered_map<const ir::ExprNode*, size_t> places_;
  std::unordered_map<const ir::ExprNode*, BodyNode*> known_;
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
