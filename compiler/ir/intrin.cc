// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/intrin.h"

#include <map>
#include <mutex>

#include "base/check.h"

namespace tessera::ir {
namespace {

constexpr ScalarIntrinInfo kScalars[] = {
    {ScalarIntrin::kRequant, "requant", 4},
    {ScalarIntrin::kClampAdd, "clamp_add", 4},
    {ScalarIntrin::kClamp, "clamp", 3},
    {ScalarIntrin::kAbs, "abs", 1},
    {ScalarIntrin::kRoundEven, "round_even", 1},
    {ScalarIntrin::kFloor, "floor", 1},
    {ScalarIntrin::kFma, "fma", 3},
    {ScalarIntrin::kSqrt, "sqrt", 1, true},
    {ScalarIntrin::kExp, "exp", 1, true},
    {ScalarIntrin::kExpm1, "expm1", 1, true},
    {ScalarIntrin::kLog, "log", 1, true},
    {ScalarIntrin::kLog1p, "log1p", 1, true},
    {ScalarIntrin::kPow, "pow", 2, true},
    {ScalarIntrin::kErf, "erf", 1, true},
    {ScalarIntrin::kSin, "sin", 1, true},
    {ScalarIntrin::kCos, "cos", 1, true},
    {ScalarIntrin::kAtan, "atan", 1, true},
    {ScalarIntrin::kFmod, "fmod", 2, true},
    {ScalarIntrin::kRequantClamp, "requant_clamp", RequantClampAt::kStart + 1},
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, TileIntrin> tiles;
};

Registry& TheRegistry() {
  static Registry registry;
  return registry;
}

Expr ScalarCall(const char* name, std::vector<Expr> args) {
  const DType dtype = args[0].dtype();
  int lanes = 1;
  for (Expr& a : args) {
    int64_t v = 0;
    if (a.dtype() == DType::kInt64 && dtype != DType::kInt64 && IsImm(a, &v)) a = Const(dtype, v);
    lanes = std::max(lanes, a.lanes());
  }
  const Result<Type> type = ScalarIntrinType(name, args);
  TESSERA_CHECK(type.has_value(), "{}", type.error().message);
  return Call(name, std::move(args), {dtype, lanes});
}

}  // namespace

std::optional<ScalarIntrinInfo> FindScalarIntrin(const std::string& name) {
  for (const ScalarIntrinInfo& s : kScalars) {
    if (name == s.name) return s;
  }
  return std::nullopt;
}

const ScalarIntrinInfo& InfoOf(ScalarIntrin id) {
  for (const ScalarIntrinInfo& s : kScalars) {
    if (s.id == id) return s;
  }
  TESSERA_CHECK(false, "scalar intrinsic {} is not in the table", static_cast<int>(id));
}

std::span<const ScalarIntrinInfo> ScalarIntrins() { return kScalars; }

Result<Type> ScalarIntrinType(const std::string& name, const std::vector<Expr>& args) {
  const std::optional<ScalarIntrinInfo> info = FindScalarIntrin(name);
  if (!info) return Fail(Code::kInvalidArgument, "no intrinsic is called '{}'", name);
  if (static_cast<int>(args.size()) != info->operands) {
    return Fail(Code::kInvalidArgument, "{} takes {} operands, {} are given", name, info->operands,
                args.size());
  }
  Type type = args[0].type();
  for (size_t i = 0; i < args.size(); ++i) {
    const bool is_float = info->id == ScalarIntrin::kRequantClamp && i >= RequantClampAt::kHigh;
    const DType wanted = is_float ? DType::kFloat32 : type.dtype;
    if (args[i].dtype() != wanted) {
      return Fail(Code::kInvalidArgument, "{}: operands are {} and {}, they must be of {}", name,
                  DTypeName(type.dtype), DTypeName(args[i].dtype()),
                  is_float ? "i32 and, the last three, of f32" : "one type");
    }
    type.lanes = std::max(type.lanes, args[i].lanes());
  }
  bool ok = info->function && type.dtype == DType::kFloat32;
  switch (info->id) {
    case ScalarIntrin::kRequant:
    case ScalarIntrin::kRequantClamp: {
      int64_t rounding = 0;
      ok = type.dtype == DType::kInt32;
      if (ok && (!IsImm(args[3], &rounding) || rounding < 0 || rounding > 2)) {
        return Fail(Code::kInvalidArgument, "{}: the rounding must be a constant 0, 1 or 2", name);
      }
      break;
    }
    case ScalarIntrin::kClampAdd:
      ok = type.dtype == DType::kInt32;
      break;
    case ScalarIntrin::kClamp:
      ok = type.dtype != DType::kBool && type.dtype != DType::kFloat16;
      break;
    case ScalarIntrin::kAbs:
      ok = type.dtype == DType::kInt32 || type.dtype == DType::kInt64 ||
           type.dtype == DType::kFloat32;
      break;
    case ScalarIntrin::kRoundEven:
    case ScalarIntrin::kFloor:
    case ScalarIntrin::kFma:
      ok = type.dtype == DType::kFloat32;
      break;
    default:
      break;
  }
  if (!ok)
    return Fail(Code::kInvalidArgument, "{} of {} is not defined", name, DTypeName(type.dtype));
  return type;
}

Expr Requant(Expr a, Expr multiplier, Expr shift, isa::Round rounding) {
  return ScalarCall("requant",
                    {a, multiplier, shift, Imm(DType::kInt32, static_cast<int>(rounding))});
}
Expr ClampAdd(Expr y, Expr zero, Expr lo, Expr hi) {
  return ScalarCall("clamp_add", {y, zero, lo, hi});
}
Expr Clamp(Expr x, Expr lo, Expr hi) { return ScalarCall("clamp", {x, lo, hi}); }
Expr RequantClamp(Expr a, Expr multiplier, Expr shift, isa::Round rounding, Expr zero, Expr lo,
                  Expr hi, const FloatScale& scale) {
  return ScalarCall("requant_clamp",
                    {a, multiplier, shift, Imm(DType::kInt32, static_cast<int>(rounding)), zero, lo,
                     hi, scale.offset, scale.high, scale.low, scale.start});
}
Expr InIntegers(const Expr& call) {
  const std::vector<Expr>& o = call->args;
  const int lanes = std::max(o[RequantClampAt::kA].lanes(), o[RequantClampAt::kOffset].lanes());
  const auto wide = [&](const Expr& x) { return x.lanes() == lanes ? x : Broadcast(x, lanes); };
  return ClampAdd(Requant(wide(o[RequantClampAt::kA]) - wide(o[RequantClampAt::kOffset]),
                          o[RequantClampAt::kMultiplier], o[RequantClampAt::kShift],
                          static_cast<isa::Round>(o[RequantClampAt::kRounding]->ivalue)),
                  o[RequantClampAt::kZero], o[RequantClampAt::kLo], o[RequantClampAt::kHi]);
}
Expr Abs(Expr x) { return ScalarCall("abs", {x}); }
Expr RoundEven(Expr x) { return ScalarCall("round_even", {x}); }
Expr Floor(Expr x) { return ScalarCall("floor", {x}); }
Expr Fma(Expr x, Expr y, Expr z) { return ScalarCall("fma", {x, y, z}); }
Expr Ceil(Expr x) { return Neg(Floor(Neg(x))); }
Expr Trunc(Expr x) { return Select(Lt(x, ImmF32(0)), Ceil(x), Floor(x)); }
Expr Sqrt(Expr x) { return ScalarCall("sqrt", {x}); }
Expr Exp(Expr x) { return ScalarCall("exp", {x}); }
Expr Expm1(Expr x) { return ScalarCall("expm1", {x}); }
Expr Log(Expr x) { return ScalarCall("log", {x}); }
Expr Log1p(Expr x) { return ScalarCall("log1p", {x}); }
Expr Pow(Expr x, Expr y) { return ScalarCall("pow", {x, y}); }
Expr Erf(Expr x) { return ScalarCall("erf", {x}); }
Expr Sin(Expr x) { return ScalarCall("sin", {x}); }
Expr Cos(Expr x) { return ScalarCall("cos", {x}); }
Expr Atan(Expr x) { return ScalarCall("atan", {x}); }
Expr Fmod(Expr x, Expr y) { return ScalarCall("fmod", {x, y}); }

void RegisterTileIntrin(TileIntrin intrin) {
  TESSERA_CHECK(!FindScalarIntrin(intrin.name), "{} is a scalar intrinsic", intrin.name);
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  registry.tiles[intrin.name] = std::move(intrin);
}

std::optional<TileIntrin> FindTileIntrin(const std::string& name) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  auto it = registry.tiles.find(name);
  if (it == registry.tiles.end()) return std::nullopt;
  return it->second;
}

Expr TileCall(const std::string& name, std::vector<Expr> args) {
  const std::optional<TileIntrin> intrin = FindTileIntrin(name);
  TESSERA_CHECK(intrin && intrin->operands.size() == args.size(), "call of {}", name);
  for (size_t i = 0; i < args.size(); ++i) {
    TESSERA_CHECK(intrin->operands[i] == OperandKind::kValue || args[i]->kind == ExprKind::kLoad,
                  "operand {} of {} is not a place in a buffer", i, name);
  }
  return Call(name, std::move(args), {DType::kBool, 1});
}

}  // namespace tessera::ir
