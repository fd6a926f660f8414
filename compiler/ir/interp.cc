// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/interp.h"

#include <optional>
#include <unordered_map>

#include "base/check.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/iterations.h"
#include "compiler/ir/lane.h"
#include "compiler/ir/layout.h"

namespace tessera::ir {
namespace {

// Fixed properties of a buffer, looked up once.
struct BoundArray {
  Array* array = nullptr;
  std::vector<int64_t> limit;    // padded logical shape
  std::vector<int64_t> strides;  // of the logical dimensions when the layout is empty
};

class Interpreter {
 public:
  explicit Interpreter(const InterpOptions& options) : options_(options) {}

  void Bind(const Buffer& buffer, Array* array) {
    BoundArray place{array, PaddedShape(*buffer), {}};
    if (buffer->layout.empty()) place.strides = PhysicalStrides(*buffer);
    places_[buffer.get()] = std::move(place);
  }

  bool Run(const Stmt& s);
  bool Eval(const Expr& e, LaneValue* out);  // e.lanes() lanes

  std::optional<Error> error;
  InterpStats stats;

 private:
  template <typename... Args>
  bool Bad(Code code, fmt::format_string<Args...> format, Args&&... args) {
    if (!error) error = Error{code, fmt::format(format, std::forward<Args>(args)...)};
    return false;
  }

  bool Step() {
    if (++stats.steps <= options_.budget) return true;
    return Bad(Code::kTimeout, "the interpreter stopped after {} steps; raise the budget",
               options_.budget);
  }

  // Element offsets, one per lane; |lanes| may exceed the lanes of the indices.
  bool Offsets(const Buffer& buffer, const std::vector<Expr>& indices, int lanes,
               std::vector<int64_t>* offsets, BoundArray** place);
  bool EvalCall(const Expr& e, LaneValue* out);
  bool EvalSelect(const Expr& e, LaneValue* out);
  bool EvalTile(const Expr& e);
  bool RunFor(const Stmt& s);
  // False, with an error, if two iterations of a parallel loop conflict at this element.
  bool Alone(const Buffer& buffer, const Array& array, int64_t element, bool stores);

  InterpOptions options_;
  std::unordered_map<const ExprNode*, int64_t> vars_;
  std::unordered_map<const BufferNode*, BoundArray> places_;
  std::vector<std::pair<const ExprNode*, IterationLog>>
      parallel_;  // the loops around, outermost first
};

bool Interpreter::Alone(const Buffer& buffer, const Array& array, int64_t element, bool stores) {
  for (auto& [var, log] : parallel_) {
    const std::optional<Meeting> met =
        stores ? log.Store(array, element) : log.Load(array, element);
    if (!met) continue;
    return Bad(Code::kInvalidArgument,
               "iterations {} and {} of parallel loop {} meet at element {} of {}, and one of them "
               "stores there; make the loop serial",
               met->first, met->second, var->name, element, buffer->name);
  }
  return true;
}

bool Interpreter::Offsets(const Buffer& buffer, const std::vector<Expr>& indices, int lanes,
                          std::vector<int64_t>* offsets, BoundArray** place) {
  auto it = places_.find(buffer.get());
  if (it == places_.end())
    return Bad(Code::kInvalidArgument, "buffer {} is not bound", buffer->name);
  *place = &it->second;
  const size_t rank = indices.size();
  std::vector<std::vector<LaneValue>> values(rank);
  for (size_t d = 0; d < rank; ++d) {
    values[d].resize(indices[d].lanes());
    if (!Eval(indices[d], values[d].data())) return false;
    for (const LaneValue& v : values[d]) {
      if (v.i < 0 || v.i >= it->second.limit[d]) {
        return Bad(Code::kOutOfRange, "{}: index {} of dimension {} is outside [0, {})",
                   buffer->name, v.i, d, it->second.limit[d]);
      }
    }
  }
  offsets->resize(lanes);
  std::vector<int64_t> index(rank);
  for (int lane = 0; lane < lanes; ++lane) {
    for (size_t d = 0; d < rank; ++d) index[d] = values[d][values[d].size() == 1 ? 0 : lane].i;
    if (buffer->layout.empty()) {
      int64_t offset = 0;
      for (size_t d = 0; d < rank; ++d) offset += index[d] * it->second.strides[d];
      (*offsets)[lane] = offset;
    } else {
      (*offsets)[lane] = OffsetOf(*buffer, index);
    }
  }
  return true;
}

bool Interpreter::EvalTile(const Expr& e) {
  const std::optional<TileIntrin> intrin = FindTileIntrin(e->name);
  if (!intrin) return Bad(Code::kInvalidArgument, "no intrinsic is called '{}'", e->name);
  if (intrin->operands.size() != e->args.size()) {
    return Bad(Code::kInvalidArgument, "{} takes {} operands, {} are given", e->name,
               intrin->operands.size(), e->args.size());
  }
  std::vector<TileOperand> operands(e->args.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    const Expr& a = e->args[i];
    if (intrin->operands[i] == OperandKind::kValue) {
      LaneValue v;
      if (!Eval(a, &v)) return false;
      operands[i].value = v.i;
      continue;
    }
    if (a->kind != ExprKind::kLoad) {
      return Bad(Code::kInvalidArgument, "operand {} of {} is not a place in a buffer", i, e->name);
    }
    std::vector<int64_t> offsets;
    BoundArray* place = nullptr;
    if (!Offsets(a->buffer, a->args, 1, &offsets, &place)) return false;
    const bool stores = intrin->operands[i] != OperandKind::kRead;
    if (!Alone(a->buffer, *place->array, offsets[0], stores)) return false;
    operands[i].array = place->array;
    operands[i].offset = offsets[0];
  }
  if (Status s = intrin->interpret(operands); !s) {
    return Bad(s.error().code, "{}: {}", e->name, s.error().message);
  }
  ++stats.calls;
  return true;
}

bool Interpreter::EvalCall(const Expr& e, LaneValue* out) {
  const std::optional<ScalarIntrinInfo> info = FindScalarIntrin(e->name);
  if (!info) return EvalTile(e);
  std::vector<std::vector<LaneValue>> values(e->args.size());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i].resize(e->args[i].lanes());
    if (!Eval(e->args[i], values[i].data())) return false;
  }
  std::vector<LaneValue> args(values.size());
  for (int lane = 0; lane < e.lanes(); ++lane) {
    for (size_t i = 0; i < args.size(); ++i) args[i] = values[i][values[i].size() == 1 ? 0 : lane];
    out[lane] = ApplyScalarIntrin(info->id, e.dtype(), args);
  }
  return true;
}

// Lazy: a branch that no lane takes is not evaluated, so that it may index outside its buffer.
bool Interpreter::EvalSelect(const Expr& e, LaneValue* out) {
  std::vector<LaneValue> condition(e->args[0].lanes());
  if (!Eval(e->args[0], condition.data())) return false;
  if (condition.size() == 1) return Eval(e->args[condition[0].i ? 1 : 2], out);
  const int lanes = e.lanes();
  std::vector<LaneValue> a(lanes), b(lanes);
  bool any = false, all = true;
  for (const LaneValue& c : condition) {
    any |= c.i != 0;
    all &= c.i != 0;
  }
  if (any && !Eval(e->args[1], a.data())) return false;
  if (!all && !Eval(e->args[2], b.data())) return false;
  for (int i = 0; i < lanes; ++i) out[i] = condition[i].i ? a[i] : b[i];
  return true;
}

bool Interpreter::Eval(const Expr& e, LaneValue* out) {
  const int lanes = e.lanes();
  switch (e->kind) {
    case ExprKind::kImm:
      out->i = e->ivalue;
      out->f = e->fvalue;
      return true;
    case ExprKind::kVar: {
      auto it = vars_.find(e.get());
      if (it == vars_.end())
        return Bad(Code::kInvalidArgument, "variable {} has no value", e->name);
      out->i = it->second;
      return true;
    }
    case ExprKind::kBin: {
      LaneValue one[2];
      std::vector<LaneValue> many;
      LaneValue *a = &one[0], *b = &one[1];
      if (lanes > 1) {
        many.resize(2 * lanes);
        a = many.data();
        b = a + lanes;
      }
      if (!Eval(e->args[0], a) || !Eval(e->args[1], b)) return false;
      for (int i = 0; i < lanes; ++i) {
        if (!ApplyBin(e->bin(), e->args[0].dtype(), a[i], b[i], &out[i])) {
          return Bad(Code::kOutOfRange, "division by zero");
        }
      }
      return true;
    }
    case ExprKind::kUn:
      if (!Eval(e->args[0], out)) return false;
      for (int i = 0; i < lanes; ++i)
        out[i] = ApplyUn(e->un(), e->args[0].dtype(), e.dtype(), out[i]);
      return true;
    case ExprKind::kSelect:
      return EvalSelect(e, out);
    case ExprKind::kLoad: {
      std::vector<int64_t> offsets;
      BoundArray* place = nullptr;
      if (!Offsets(e->buffer, e->args, lanes, &offsets, &place)) return false;
      for (int i = 0; i < lanes; ++i) {
        if (!Alone(e->buffer, *place->array, offsets[i], false)) return false;
        if (IsFloat(e.dtype())) {
          out[i].f = place->array->Float(offsets[i]);
        } else {
          out[i].i = place->array->Int(offsets[i]);
        }
      }
      return true;
    }
    case ExprKind::kVec: {
      LaneValue base, stride;
      if (!Eval(e->args[0], &base)) return false;
      if (e->vec() == VecOp::kRamp && !Eval(e->args[1], &stride)) return false;
      for (int i = 0; i < lanes; ++i) {
        out[i] = base;
        if (e->vec() == VecOp::kRamp) out[i].i = WrapTo(e.dtype(), base.i + stride.i * i);
      }
      return true;
    }
    case ExprKind::kCall:
      return EvalCall(e, out);
    case ExprKind::kReduce:
    case ExprKind::kTensorRead:
      break;
  }
  return Bad(Code::kInvalidArgument, "a tensor expression reached the loop IR");
}

bool Interpreter::RunFor(const Stmt& s) {
  LaneValue min, extent;
  if (!Eval(s->min, &min) || !Eval(s->extent, &extent)) return false;
  int64_t& var = vars_[s->var.get()];
  const bool parallel = s->loop == LoopKind::kParallel;
  if (parallel) parallel_.emplace_back(s->var.get(), IterationLog());
  for (int64_t i = 0; i < extent.i; ++i) {
    if (!Step()) return false;
    if (parallel) parallel_.back().second.Begin(i);
    var = min.i + i;
    if (!Run(s->body[0])) return false;
  }
  if (parallel) parallel_.pop_back();
  vars_.erase(s->var.get());
  return true;
}

bool Interpreter::Run(const Stmt& s) {
  switch (s->kind) {
    case StmtKind::kFor:
      return RunFor(s);
    case StmtKind::kIf: {
      LaneValue c;
      if (!Eval(s->value, &c)) return false;
      if (c.i) return Run(s->body[0]);
      return s->body.size() < 2 || Run(s->body[1]);
    }
    case StmtKind::kSeq:
      for (const Stmt& b : s->body) {
        if (!Run(b)) return false;
      }
      return true;
    case StmtKind::kStore: {
      if (!Step()) return false;
      const int lanes = s->value.lanes();
      std::vector<LaneValue> value(lanes);
      std::vector<int64_t> offsets;
      BoundArray* place = nullptr;
      if (!Eval(s->value, value.data())) return false;
      if (!Offsets(s->buffer, s->indices, lanes, &offsets, &place)) return false;
      stats.stores += lanes;
      for (int i = 0; i < lanes; ++i) {
        if (!Alone(s->buffer, *place->array, offsets[i], true)) return false;
        if (IsFloat(s->buffer->dtype)) {
          place->array->SetFloat(offsets[i], value[i].f);
        } else {
          place->array->SetInt(offsets[i], value[i].i);
        }
      }
      return true;
    }
    case StmtKind::kAlloc: {
      Array array(s->buffer->dtype, SizeInElements(*s->buffer), options_.poison);
      Bind(s->buffer, &array);
      const bool ok = Run(s->body[0]);
      places_.erase(s->buffer.get());
      for (auto& [var, log] : parallel_) log.Forget(&array);
      return ok;
    }
    case StmtKind::kPrefetch: {  // an element outside its buffer is an error here too
      std::vector<int64_t> offsets;
      BoundArray* place = nullptr;
      return Step() && Offsets(s->buffer, s->indices, 1, &offsets, &place);
    }
    case StmtKind::kEval: {
      LaneValue ignored;
      return Step() && Eval(s->value, &ignored);
    }
  }
  return false;
}

}  // namespace

Result<InterpStats> Interpret(const Func& func, const std::vector<Array*>& args,
                              const InterpOptions& options) {
  if (args.size() != func.params.size()) {
    return Fail(Code::kInvalidArgument, "{} takes {} buffers, {} are given", func.name,
                func.params.size(), args.size());
  }
  Interpreter interpreter(options);
  for (size_t i = 0; i < args.size(); ++i) {
    const BufferNode& b = *func.params[i];
    if (args[i]->dtype() != b.dtype || args[i]->size() != SizeInElements(b)) {
      return Fail(Code::kInvalidArgument, "{}: {} is {} elements of {}, {} of {} are given",
                  func.name, b.name, SizeInElements(b), DTypeName(b.dtype), args[i]->size(),
                  DTypeName(args[i]->dtype()));
    }
    interpreter.Bind(func.params[i], args[i]);
  }
  if (!interpreter.Run(func.body)) return std::unexpected(*interpreter.error);
  return interpreter.stats;
}

Result<int64_t> EvalInt(const Expr& e) {
  TESSERA_CHECK(e.lanes() == 1 && !IsFloat(e.dtype()));
  Interpreter interpreter{InterpOptions{}};
  LaneValue out;
  if (!interpreter.Eval(e, &out)) return std::unexpected(*interpreter.error);
  return out.i;
}

}  // namespace tessera::ir
