// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/ir.h"

#include <limits>

#include "base/check.h"
#include "base/half.h"

namespace tessera::ir {
namespace {

constexpr int64_t kSmallConstants = 17;  // 0 to a block's channels

Expr Make(ExprNode node) { return Expr(std::make_shared<const ExprNode>(std::move(node))); }
Stmt MakeStmt(StmtNode node) { return Stmt(std::make_shared<const StmtNode>(std::move(node))); }

// An i64 constant takes the other operand's type; a scalar beside a vector is broadcast.
void Unify(Expr* a, Expr* b) {
  auto adopt = [](Expr* x, DType dtype) {
    int64_t v = 0;
    if (x->dtype() == DType::kInt64 && dtype != DType::kInt64 && IsImm(*x, &v))
      *x = Const(dtype, v);
  };
  adopt(a, b->dtype());
  adopt(b, a->dtype());
  TESSERA_CHECK(a->dtype() == b->dtype(), "operands are {} and {}", TypeName(a->type()),
                TypeName(b->type()));
  if (a->lanes() == 1 && b->lanes() > 1) *a = Broadcast(*a, b->lanes());
  if (b->lanes() == 1 && a->lanes() > 1) *b = Broadcast(*b, a->lanes());
  TESSERA_CHECK(a->lanes() == b->lanes(), "operands have {} and {} lanes", a->lanes(), b->lanes());
}

// The constants that indices are full of. Each thread has its own, so that none waits for another
// to count references.
const Expr& SmallConstant(int64_t value) {
  thread_local const std::vector<Expr> all = [] {
    std::vector<Expr> constants;
    for (int64_t v = 0; v < kSmallConstants; ++v)
      constants.push_back(Make({.type = {DType::kInt64, 1}, .ivalue = v}));
    return constants;
  }();
  return all[static_cast<size_t>(value)];
}

int MaxLanes(const std::vector<Expr>& args) {
  int lanes = 1;
  for (const Expr& a : args) lanes = std::max(lanes, a.lanes());
  return lanes;
}

}  // namespace

Expr::Expr(int value) : Expr(static_cast<int64_t>(value)) {}
Expr::Expr(int64_t value) : Expr(Imm(DType::kInt64, value)) {}
Type Expr::type() const { return node_->type; }
DType Expr::dtype() const { return node_->type.dtype; }
int Expr::lanes() const { return node_->type.lanes; }
const std::string& Axis::name() const { return var->name; }

Expr Imm(DType dtype, int64_t value) {
  TESSERA_CHECK(!IsFloat(dtype));
  if (dtype == DType::kInt64 && value >= 0 && value < kSmallConstants) return SmallConstant(value);
  return Make({.kind = ExprKind::kImm, .type = {dtype, 1}, .ivalue = WrapTo(dtype, value)});
}

Expr ImmF32(float value) { return ImmFloat(DType::kFloat32, value); }

Expr ImmFloat(DType dtype, float value) {
  TESSERA_CHECK(IsFloat(dtype));
  if (dtype == DType::kFloat16) value = HalfToFloat(FloatToHalf(value));
  return Make({.kind = ExprKind::kImm, .type = {dtype, 1}, .fvalue = value});
}

Expr Const(DType dtype, int64_t value) {
  return IsFloat(dtype) ? ImmFloat(dtype, static_cast<float>(value)) : Imm(dtype, value);
}

Expr Var(std::string name, DType dtype) {
  return Make({.kind = ExprKind::kVar, .type = {dtype, 1}, .name = std::move(name)});
}

Expr Bin(BinOp op, Expr a, Expr b) {
  Unify(&a, &b);
  const bool compare = op >= BinOp::kEq;
  const bool logic = op == BinOp::kAnd || op == BinOp::kOr || op == BinOp::kXor;
  TESSERA_CHECK(compare || logic || a.dtype() != DType::kBool, "'{}' of bool", BinOpName(op));
  const bool integer_only = logic || op == BinOp::kMod || op == BinOp::kShl || op == BinOp::kShr;
  TESSERA_CHECK(!integer_only || !IsFloat(a.dtype()), "'{}' of f32", BinOpName(op));
  TESSERA_CHECK(a.dtype() != DType::kFloat16, "'{}' of f16", BinOpName(op));
  Type type = a.type();
  if (compare) type.dtype = DType::kBool;
  ExprNode node{.kind = ExprKind::kBin, .type = type, .op = static_cast<uint8_t>(op)};
  node.args.reserve(2);
  node.args.push_back(std::move(a));
  node.args.push_back(std::move(b));
  return Make(std::move(node));
}

Expr Cast(DType dtype, Expr a) {
  if (a.dtype() == dtype) return a;
  return Make({.kind = ExprKind::kUn,
               .type = {dtype, a.lanes()},
               .op = static_cast<uint8_t>(UnOp::kCast),
               .args = {a}});
}

Expr Neg(Expr a) {
  TESSERA_CHECK(a.dtype() != DType::kBool && a.dtype() != DType::kFloat16);
  return Make({.kind = ExprKind::kUn,
               .type = a.type(),
               .op = static_cast<uint8_t>(UnOp::kNeg),
               .args = {a}});
}

Expr Not(Expr a) {
  TESSERA_CHECK(a.dtype() == DType::kBool);
  return Make({.kind = ExprKind::kUn,
               .type = a.type(),
               .op = static_cast<uint8_t>(UnOp::kNot),
               .args = {a}});
}

Expr Select(Expr condition, Expr then_value, Expr else_value) {
  TESSERA_CHECK(condition.dtype() == DType::kBool, "select on {}", TypeName(condition.type()));
  Unify(&then_value, &else_value);
  if (condition.lanes() > 1 && then_value.lanes() == 1) {
    then_value = Broadcast(then_value, condition.lanes());
    else_value = Broadcast(else_value, condition.lanes());
  }
  TESSERA_CHECK(condition.lanes() == 1 || condition.lanes() == then_value.lanes());
  return Make({.kind = ExprKind::kSelect,
               .type = then_value.type(),
               .args = {condition, then_value, else_value}});
}

Expr Load(Buffer buffer, std::vector<Expr> indices) {
  TESSERA_CHECK(indices.size() == buffer->shape.size(), "{} has {} dimensions, {} indices given",
                buffer->name, buffer->shape.size(), indices.size());
  for (const Expr& i : indices)
    TESSERA_CHECK(i.dtype() == DType::kInt64, "index of {}", buffer->name);
  const Type type{buffer->dtype, MaxLanes(indices)};
  return Make({.kind = ExprKind::kLoad,
               .type = type,
               .args = std::move(indices),
               .buffer = std::move(buffer)});
}

Expr Ramp(Expr base, Expr stride, int lanes) {
  TESSERA_CHECK(lanes > 1 && base.lanes() == 1 && stride.lanes() == 1 && IsInt(base.dtype()));
  TESSERA_CHECK(base.dtype() == stride.dtype());
  return Make({.kind = ExprKind::kVec,
               .type = {base.dtype(), lanes},
               .op = static_cast<uint8_t>(VecOp::kRamp),
               .args = {base, stride}});
}

Expr Broadcast(Expr value, int lanes) {
  TESSERA_CHECK(lanes > 1 && value.lanes() == 1);
  return Make({.kind = ExprKind::kVec,
               .type = {value.dtype(), lanes},
               .op = static_cast<uint8_t>(VecOp::kBroadcast),
               .args = {value}});
}

Expr Call(std::string name, std::vector<Expr> args, Type type) {
  return Make(
      {.kind = ExprKind::kCall, .type = type, .name = std::move(name), .args = std::move(args)});
}

Expr Reduce(ReduceOp op, Expr value, std::vector<Axis> axes, Expr start) {
  TESSERA_CHECK(!axes.empty(), "a reduction needs an axis");
  TESSERA_CHECK(!start || IsSum(op), "a start of {}", ReduceOpName(op));
  return Make({.kind = ExprKind::kReduce,
               .type = value.type(),
               .op = static_cast<uint8_t>(op),
               .args = start ? std::vector{value, start} : std::vector{value},
               .axes = std::move(axes)});
}

Expr TensorRead(std::shared_ptr<const TensorBase> tensor, std::vector<Expr> indices) {
  TESSERA_CHECK(indices.size() == tensor->shape.size(), "{} has {} dimensions, {} indices given",
                tensor->name, tensor->shape.size(), indices.size());
  for (const Expr& i : indices)
    TESSERA_CHECK(i.dtype() == DType::kInt64, "index of {}", tensor->name);
  const Type type{tensor->dtype, 1};
  return Make({.kind = ExprKind::kTensorRead,
               .type = type,
               .args = std::move(indices),
               .tensor = std::move(tensor)});
}

Expr operator+(Expr a, Expr b) { return Bin(BinOp::kAdd, a, b); }
Expr operator-(Expr a, Expr b) { return Bin(BinOp::kSub, a, b); }
Expr operator*(Expr a, Expr b) { return Bin(BinOp::kMul, a, b); }
Expr FloorDiv(Expr a, Expr b) { return Bin(BinOp::kDiv, a, b); }
Expr FloorMod(Expr a, Expr b) { return Bin(BinOp::kMod, a, b); }
Expr Min(Expr a, Expr b) { return Bin(BinOp::kMin, a, b); }
Expr Max(Expr a, Expr b) { return Bin(BinOp::kMax, a, b); }
Expr Lt(Expr a, Expr b) { return Bin(BinOp::kLt, a, b); }
Expr Le(Expr a, Expr b) { return Bin(BinOp::kLe, a, b); }
Expr Eq(Expr a, Expr b) { return Bin(BinOp::kEq, a, b); }
Expr And(Expr a, Expr b) { return Bin(BinOp::kAnd, a, b); }

Stmt For(Expr var, Expr min, Expr extent, LoopKind kind, Stmt body) {
  TESSERA_CHECK(var->kind == ExprKind::kVar && var.type() == Type{} && body);
  return MakeStmt({.kind = StmtKind::kFor,
                   .loop = kind,
                   .var = var,
                   .min = min,
                   .extent = extent,
                   .body = {body}});
}

Stmt If(Expr condition, Stmt then_body, Stmt else_body) {
  TESSERA_CHECK(condition.dtype() == DType::kBool && condition.lanes() == 1);
  StmtNode node{.kind = StmtKind::kIf, .value = condition, .body = {then_body}};
  if (else_body) node.body.push_back(else_body);
  return MakeStmt(std::move(node));
}

Stmt Seq(std::vector<Stmt> body) {
  std::vector<Stmt> flat;
  for (const Stmt& s : body) {
    if (!s) continue;
    if (s->kind == StmtKind::kSeq) {
      flat.insert(flat.end(), s->body.begin(), s->body.end());
    } else {
      flat.push_back(s);
    }
  }
  if (flat.size() == 1) return flat[0];
  return MakeStmt({.kind = StmtKind::kSeq, .body = std::move(flat)});
}

Stmt Store(Buffer buffer, std::vector<Expr> indices, Expr value) {
  TESSERA_CHECK(indices.size() == buffer->shape.size(), "{} has {} dimensions, {} indices given",
                buffer->name, buffer->shape.size(), indices.size());
  TESSERA_CHECK(value.dtype() == buffer->dtype, "{} holds {}, value is {}", buffer->name,
                DTypeName(buffer->dtype), TypeName(value.type()));
  const int lanes = MaxLanes(indices);
  if (value.lanes() == 1 && lanes > 1) value = Broadcast(value, lanes);
  TESSERA_CHECK(value.lanes() == lanes, "{}: {} lanes stored to {} places", buffer->name,
                value.lanes(), lanes);
  return MakeStmt({.kind = StmtKind::kStore,
                   .value = value,
                   .buffer = std::move(buffer),
                   .indices = std::move(indices)});
}

Stmt Alloc(Buffer buffer, Stmt body) {
  return MakeStmt({.kind = StmtKind::kAlloc, .buffer = std::move(buffer), .body = {body}});
}

Stmt Eval(Expr call) {
  TESSERA_CHECK(call->kind == ExprKind::kCall);
  return MakeStmt({.kind = StmtKind::kEval, .value = call});
}

Stmt Prefetch(Buffer buffer, std::vector<Expr> indices) {
  TESSERA_CHECK(indices.size() == buffer->shape.size(), "{} has {} dimensions, {} indices given",
                buffer->name, buffer->shape.size(), indices.size());
  TESSERA_CHECK(MaxLanes(indices) == 1, "{}: one element is prefetched", buffer->name);
  return MakeStmt(
      {.kind = StmtKind::kPrefetch, .buffer = std::move(buffer), .indices = std::move(indices)});
}

Buffer MakeBuffer(BufferNode node) {
  for (int64_t n : node.shape) TESSERA_CHECK(n >= 1, "{} has an extent of {}", node.name, n);
  const size_t rank = node.layout.empty() ? node.shape.size() : node.layout.dims.size();
  TESSERA_CHECK(node.layout.strides.empty() || node.layout.strides.size() == rank, "strides of {}",
                node.name);
  for (const LayoutDim& d : node.layout.dims) {
    TESSERA_CHECK(
        d.dim >= 0 && d.dim < static_cast<int>(node.shape.size()) && d.div >= 1 && d.mod >= 0,
        "layout of {}", node.name);
  }
  return std::make_shared<const BufferNode>(std::move(node));
}

bool IsImm(const Expr& e, int64_t* value) {
  if (e->kind != ExprKind::kImm || IsFloat(e.dtype())) return false;
  *value = e->ivalue;
  return true;
}

bool IsImmEqual(const Expr& e, int64_t value) {
  int64_t v = 0;
  return IsImm(e, &v) && v == value;
}

Expr ReduceIdentity(ReduceOp op, DType dtype) {
  const bool adds = IsSum(op) || op == ReduceOp::kProd;
  if (adds && dtype != DType::kFloat16) return Const(dtype, op == ReduceOp::kProd ? 1 : 0);
  const bool highest = op == ReduceOp::kMin;
  switch (dtype) {
    case DType::kInt8:
      return Imm(dtype, highest ? 127 : -128);
    case DType::kUint8:
      return Imm(dtype, highest ? 255 : 0);
    case DType::kInt16:
      return Imm(dtype, highest ? INT16_MAX : INT16_MIN);
    case DType::kInt32:
      return Imm(dtype, highest ? INT32_MAX : INT32_MIN);
    case DType::kInt64:
      return Imm(dtype, highest ? INT64_MAX : INT64_MIN);
    case DType::kFloat32: {
      const float inf = std::numeric_limits<float>::infinity();
      return ImmF32(highest ? inf : -inf);
    }
    case DType::kBool:
    case DType::kFloat16:
      break;
  }
  TESSERA_CHECK(false, "reduction of {}", DTypeName(dtype));
}

BinOp ReduceCombiner(ReduceOp op) {
  constexpr BinOp kCombiners[] = {BinOp::kAdd, BinOp::kMax, BinOp::kMin, BinOp::kMul, BinOp::kAdd};
  return kCombiners[static_cast<int>(op)];
}

bool IsSum(ReduceOp op) { return op == ReduceOp::kSum || op == ReduceOp::kFusedSum; }

const std::vector<Expr>* FusedFactors(const ExprNode& reduce) {
  if (reduce.reduce() != ReduceOp::kFusedSum) return nullptr;
  const ExprNode& value = *reduce.args[0];
  const bool product = value.kind == ExprKind::kBin && value.bin() == BinOp::kMul;
  return product ? &value.args : nullptr;
}

const char* BinOpName(BinOp op) {
  constexpr const char* kNames[] = {"+", "-", "*",  "/",  "%",  "min", "max", "&",
                                    "|", "^", "<<", ">>", "==", "!=",  "<",   "<="};
  return kNames[static_cast<int>(op)];
}

const char* ScopeName(Scope scope) {
  constexpr const char* kNames[] = {"global", "shared", "local", "reg", "inp",
                                    "wgt",    "acc",    "out",   "prm", "tab"};
  return kNames[static_cast<int>(scope)];
}

const char* LoopKindName(LoopKind kind) {
  constexpr const char* kNames[] = {"serial",   "vector",   "unroll", "parallel",
                                    "grid.x",   "grid.y",   "grid.z", "thread.x",
                                    "thread.y", "thread.z", "vthread"};
  return kNames[static_cast<int>(kind)];
}

const char* ReduceOpName(ReduceOp op) {
  constexpr const char* kNames[] = {"sum", "reduce_max", "reduce_min", "reduce_prod", "fused_sum"};
  return kNames[static_cast<int>(op)];
}

}  // namespace tessera::ir
