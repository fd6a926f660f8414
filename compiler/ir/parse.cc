// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/parse.h"

#include <cstdlib>
#include <limits>
#include <map>
#include <set>

#include "base/number.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/token.h"
#include "compiler/ir/verify.h"

namespace tessera::ir {
namespace {

constexpr int kMaxDepth = 400;  // of nesting, so that no text overflows the stack

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<Func> ParseAll() {
    Func func;
    TESSERA_TRY(Expect("func"));
    TESSERA_ASSIGN(func.name, Name());
    TESSERA_TRY(Expect("("));
    while (!Accept(")")) {
      if (!func.params.empty()) TESSERA_TRY(Expect(","));
      TESSERA_ASSIGN(Buffer b, Declaration());
      func.params.push_back(std::move(b));
    }
    TESSERA_ASSIGN(func.body, Block());
    if (Peek().kind != TokenKind::kEnd) return Bad("the end of the text");
    TESSERA_TRY(Verify(func));
    return func;
  }

 private:
  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }

  bool Accept(std::string_view text) {
    if (Peek().text != text || Peek().kind == TokenKind::kEnd) return false;
    ++at_;
    return true;
  }

  std::unexpected<Error> Bad(const std::string& wanted) const {
    return Fail(Code::kInvalidArgument, "line {}: '{}' where {} is expected", Peek().line,
                Peek().text, wanted);
  }
  std::unexpected<Error> Wrong(const std::string& what) const {
    return Fail(Code::kInvalidArgument, "line {}: {}", Peek().line, what);
  }

  Status Expect(std::string_view text) {
    if (!Accept(text)) return Bad(fmt::format("'{}'", text));
    return {};
  }

  Result<std::string> Name() {
    if (Peek().kind != TokenKind::kName) return Bad("a name");
    return tokens_[at_++].text;
  }

  Result<int64_t> Integer() {
    const auto value = NumberIn<int64_t>(Peek().text);
    if (Peek().kind != TokenKind::kNumber || !value) return Bad("an integer");
    ++at_;
    return *value;
  }

  Result<std::vector<int64_t>> Integers(std::string_view close) {
    std::vector<int64_t> list;
    while (!Accept(close)) {
      if (!list.empty()) TESSERA_TRY(Expect(","));
      TESSERA_ASSIGN(const int64_t n, Integer());
      list.push_back(n);
    }
    return list;
  }

  // name: i8[4, 16] scope layout(...) strides(...) align(n) rotates fold(dim, rows, step, planes)
  Result<Buffer> Declaration() {
    BufferNode node;
    TESSERA_ASSIGN(node.name, Name());
    TESSERA_TRY(Expect(":"));
    TESSERA_ASSIGN(const std::string type, Name());
    const auto dtype = DTypeFromName(type);
    if (!dtype) return Wrong(fmt::format("'{}' is no data type", type));
    node.dtype = *dtype;
    TESSERA_TRY(Expect("["));
    TESSERA_ASSIGN(node.shape, Integers("]"));
    int64_t elements = 1;
    for (int64_t n : node.shape) {
      if (n < 1 || n > kMostElements / elements)
        return Wrong(fmt::format("{}: an extent of {}", node.name, n));
      elements *= n;
    }
    TESSERA_ASSIGN(const std::string scope, Name());
    int known = 0;
    while (known < kScopes && scope != ScopeName(static_cast<Scope>(known))) ++known;
    if (known == kScopes) return Wrong(fmt::format("'{}' is no scope", scope));
    node.scope = static_cast<Scope>(known);
    if (Accept("layout")) {
      TESSERA_TRY(Expect("("));
      std::string text;
      while (!Accept(")")) {
        if (Peek().kind == TokenKind::kEnd) return Bad("')'");
        text += (Peek().text == "fill" ? " fill " : Peek().text);
        ++at_;
      }
      TESSERA_ASSIGN(node.layout, ParseLayout(text, static_cast<int>(node.shape.size())));
    }
    if (Accept("strides")) {
      TESSERA_TRY(Expect("("));
      TESSERA_ASSIGN(node.layout.strides, Integers(")"));
      if (node.layout.strides.size() != PhysicalShape(node).size())
        return Wrong(fmt::format("{}: one stride a dimension is needed", node.name));
    }
    if (Accept("align")) {
      TESSERA_TRY(Expect("("));
      TESSERA_ASSIGN(node.align, Integer());
      if (node.align < 1 || node.align > 1 << 20)
        return Wrong(fmt::format("{}: align of {}", node.name, node.align));
      TESSERA_TRY(Expect(")"));
    }
    node.rotates = Accept("rotates");
    if (Accept("fold")) {
      TESSERA_TRY(Expect("("));
      TESSERA_ASSIGN(const std::vector<int64_t> f, Integers(")"));
      const bool dim = f.size() > 2 && f.size() < 5 && f[0] >= 0 && f[0] < std::ssize(node.shape);
      if (!dim || f[2] < 1 || f[2] > f[1] || f.back() < 1)
        return Wrong(node.name + ": fold(DIM, ROWS, STEP[, PLANES]) is expected, STEP <= ROWS");
      node.folded = {f[0], f[1], f[2], f.size() == 4 ? f[3] : 0};
    }
    if (buffers_.contains(node.name))
      return Wrong(fmt::format("a buffer '{}' is in scope already", node.name));
    const Buffer buffer = MakeBuffer(node);
    buffers_[node.name] = buffer;
    return buffer;
  }

  Result<Stmt> Block() {
    if (++depth_ > kMaxDepth) return Wrong("nested too deeply");
    TESSERA_TRY(Expect("{"));
    std::vector<Stmt> list;
    while (!Accept("}")) {
      TESSERA_ASSIGN(Stmt s, Statement());
      list.push_back(std::move(s));
    }
    --depth_;
    return Seq(std::move(list));
  }

  Result<Stmt> Statement() {
    if (Peek(1).text != "[" && Accept("for")) return Loop();
    if (Peek(1).text != "[" && Accept("if")) {
      TESSERA_ASSIGN(const Expr c, Expression());
      if (c.type() != Type{DType::kBool, 1}) return Wrong("the condition is no scalar bool");
      TESSERA_ASSIGN(const Stmt then_body, Block());
      if (!Accept("else")) return If(c, then_body);
      TESSERA_ASSIGN(const Stmt else_body, Block());
      return If(c, then_body, else_body);
    }
    if (Peek(1).text != "[" && Accept("alloc")) {
      TESSERA_ASSIGN(const Buffer b, Declaration());
      TESSERA_ASSIGN(const Stmt body, Block());
      buffers_.erase(b->name);
      return Alloc(b, body);
    }
    if (Peek(1).text != "[" && Accept("eval")) {
      TESSERA_ASSIGN(const std::string name, Name());
      TESSERA_TRY(Expect("("));
      TESSERA_ASSIGN(std::vector<Expr> args, List(")"));
      TESSERA_TRY(Expect(";"));
      return Eval(Call(name, std::move(args), {DType::kBool, 1}));
    }
    if (Peek(1).text != "[" && Accept("prefetch")) {
      TESSERA_ASSIGN(const Expr place, Access());
      if (place.lanes() > 1) return Wrong("one element is prefetched, not a vector");
      TESSERA_TRY(Expect(";"));
      return Prefetch(place->buffer, place->args);
    }
    TESSERA_ASSIGN(const Expr place, Access());
    TESSERA_TRY(Expect("="));
    TESSERA_ASSIGN(const Expr value, Expression());
    if (value.dtype() != place.dtype() || (value.lanes() != place.lanes() && value.lanes() != 1)) {
      return Wrong(fmt::format("{} cannot hold {}", place->buffer->name, TypeName(value.type())));
    }
    TESSERA_TRY(Expect(";"));
    return Store(place->buffer, place->args, value);
  }

  Result<Stmt> Loop() {
    TESSERA_ASSIGN(const std::string name, Name());
    TESSERA_TRY(Expect("in"));
    TESSERA_TRY(Expect("["));
    TESSERA_ASSIGN(const Expr min, Expression());
    TESSERA_TRY(Expect(","));
    const bool relative = Accept("+");
    TESSERA_ASSIGN(Expr extent, Expression());
    if (min.type() != Type{} || extent.type() != Type{})
      return Wrong(fmt::format("loop {}: bounds must be scalar i64", name));
    int64_t a = 0, b = 0;
    if (!relative && IsImm(min, &a) && IsImm(extent, &b)) extent = Expr(b - a);
    if (!relative && !IsImm(min, &a))
      return Wrong(fmt::format("loop {}: write [min, + extent)", name));
    TESSERA_TRY(Expect(")"));
    LoopKind kind = LoopKind::kSerial;
    for (int k = 1; k < kLoopKinds; ++k) {
      if (Accept(LoopKindName(static_cast<LoopKind>(k)))) kind = static_cast<LoopKind>(k);
    }
    if (vars_.contains(name))
      return Wrong(fmt::format("a variable '{}' is in scope already", name));
    const Expr var = Var(name);
    vars_[name] = var;
    TESSERA_ASSIGN(const Stmt body, Block());
    vars_.erase(name);
    return For(var, min, extent, kind, body);
  }

  Result<std::vector<Expr>> List(std::string_view close) {
    std::vector<Expr> list;
    while (!Accept(close)) {
      if (!list.empty()) TESSERA_TRY(Expect(","));
      TESSERA_ASSIGN(Expr e, Expression());
      list.push_back(std::move(e));
    }
    return list;
  }

  Result<Expr> Access() {
    TESSERA_ASSIGN(const std::string name, Name());
    auto it = buffers_.find(name);
    if (it == buffers_.end()) return Wrong(fmt::format("no buffer '{}' is in scope", name));
    TESSERA_TRY(Expect("["));
    TESSERA_ASSIGN(std::vector<Expr> indices, List("]"));
    if (indices.size() != it->second->shape.size()) {
      return Wrong(fmt::format("{} has {} dimensions, {} indices are given", name,
                               it->second->shape.size(), indices.size()));
    }
    int lanes = 1;
    for (const Expr& i : indices) {
      if (i.dtype() != DType::kInt64)
        return Wrong(fmt::format("an index of {} is {}, not i64", name, TypeName(i.type())));
      if (i.lanes() > 1 && lanes > 1 && i.lanes() != lanes)
        return Wrong(fmt::format("the indices of {} differ in lanes", name));
      lanes = std::max(lanes, i.lanes());
    }
    return Load(it->second, std::move(indices));
  }

  Result<Expr> Expression();
  Result<Expr> Binary();
  Result<Expr> Number();
  Result<Expr> Function(const std::string& name, std::vector<Expr> args);

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  std::map<std::string, Expr> vars_;
  std::map<std::string, Buffer> buffers_;
};

bool OneType(const Expr& a, const Expr& b) {
  return a.dtype() == b.dtype() && (a.lanes() == b.lanes() || a.lanes() == 1 || b.lanes() == 1);
}

// Whether the types allow |op|; the builders assume so.
bool Allows(BinOp op, DType dtype) {
  const bool logic = op == BinOp::kAnd || op == BinOp::kOr || op == BinOp::kXor;
  if (op >= BinOp::kEq && dtype != DType::kFloat16) return true;
  if (dtype == DType::kBool) return logic;
  if (dtype == DType::kFloat16) return false;
  return !IsFloat(dtype) || !(logic || op == BinOp::kMod || op == BinOp::kShl || op == BinOp::kShr);
}

Result<Expr> Parser::Binary() {
  TESSERA_ASSIGN(const Expr a, Expression());
  for (int k = 0; k <= static_cast<int>(BinOp::kLe); ++k) {
    const BinOp op = static_cast<BinOp>(k);
    if (op == BinOp::kMin || op == BinOp::kMax || !Accept(BinOpName(op))) continue;
    TESSERA_ASSIGN(const Expr b, Expression());
    if (!OneType(a, b) || !Allows(op, a.dtype())) {
      return Wrong(
          fmt::format("'{}' of {} and {}", BinOpName(op), TypeName(a.type()), TypeName(b.type())));
    }
    TESSERA_TRY(Expect(")"));
    return Bin(op, a, b);
  }
  return Bad("an operator");
}

Result<Expr> Parser::Number() {
  const std::string text = tokens_[at_].text;
  for (const DType dtype : {DType::kFloat32, DType::kFloat16}) {
    if (text == fmt::format("-inf_{}", DTypeName(dtype))) {
      ++at_;
      return ImmFloat(dtype, -std::numeric_limits<float>::infinity());
    }
    if (text.size() <= 3 || !text.ends_with(DTypeName(dtype))) continue;
    const std::string digits = text.substr(0, text.size() - 3);
    char* end = nullptr;
    const float value = std::strtof(digits.c_str(), &end);
    if (end != digits.c_str() + digits.size()) return Bad("a number");
    ++at_;
    return ImmFloat(dtype, value);
  }
  std::string_view suffix = text;
  const auto value = TakeNumber<int64_t>(suffix);
  const auto dtype = suffix.empty() ? DType::kInt64 : DTypeFromName(suffix);
  if (!value || !dtype || IsFloat(*dtype) || *dtype == DType::kBool) return Bad("a number");
  if (WrapTo(*dtype, *value) != *value)
    return Wrong(fmt::format("{} does not fit {}", *value, DTypeName(*dtype)));
  ++at_;
  return Imm(*dtype, *value);
}

Result<Expr> Parser::Function(const std::string& name, std::vector<Expr> args) {
  auto takes = [&](size_t n) { return args.size() == n; };
  if ((name == "min" || name == "max") && takes(2)) {
    if (!OneType(args[0], args[1]) || !Allows(BinOp::kMin, args[0].dtype()))
      return Wrong(name + " of two types");
    return Bin(name == "min" ? BinOp::kMin : BinOp::kMax, args[0], args[1]);
  }
  if (const auto dtype = DTypeFromName(name); dtype && takes(1)) return Cast(*dtype, args[0]);
  if (name == "neg" && takes(1) && Allows(BinOp::kSub, args[0].dtype())) return Neg(args[0]);
  if (name == "not" && takes(1) && args[0].dtype() == DType::kBool) return Not(args[0]);
  if (name == "select" && takes(3)) {
    const int lanes = args[0].lanes();
    if (args[0].dtype() != DType::kBool || !OneType(args[1], args[2]) ||
        (lanes > 1 && std::max(args[1].lanes(), args[2].lanes()) != lanes &&
         std::max(args[1].lanes(), args[2].lanes()) != 1)) {
      return Wrong("select needs a bool and two values of one type");
    }
    return Select(args[0], args[1], args[2]);
  }
  int64_t lanes = 0;
  if ((name == "ramp" && takes(3)) || (name == "broadcast" && takes(2))) {
    if (!IsImm(args.back(), &lanes) || lanes < 2 || lanes > 4096 || args[0].lanes() != 1)
      return Wrong(name + ": 2 to 4096 lanes of a scalar");
    if (name == "broadcast") return Broadcast(args[0], static_cast<int>(lanes));
    if (args[0].type() != args[1].type() || !IsInt(args[0].dtype()))
      return Wrong("ramp: base and stride are integers of one type");
    return Ramp(args[0], args[1], static_cast<int>(lanes));
  }
  Result<Type> type = ScalarIntrinType(name, args);
  if (!type) return Wrong(type.error().message);
  for (const Expr& a : args) {
    if (a.lanes() != 1 && a.lanes() != type->lanes)
      return Wrong(fmt::format("{}: operands differ in lanes", name));
  }
  return Call(name, std::move(args), *type);
}

Result<Expr> Parser::Expression() {
  if (++depth_ > kMaxDepth) return Wrong("nested too deeply");
  const auto done = [&](Result<Expr> e) {
    --depth_;
    return e;
  };
  if (Peek().kind == TokenKind::kNumber) return done(Number());
  if (Accept("(")) return done(Binary());
  if (Peek().kind != TokenKind::kName) return Bad("an expression");
  if (Peek(1).text == "[") return done(Access());
  TESSERA_ASSIGN(const std::string name, Name());
  if (Accept("(")) {
    TESSERA_ASSIGN(std::vector<Expr> args, List(")"));
    return done(Function(name, std::move(args)));
  }
  if (name == "true" || name == "false") return done(Imm(DType::kBool, name == "true"));
  for (const DType dtype : {DType::kFloat32, DType::kFloat16}) {
    if (name == fmt::format("inf_{}", DTypeName(dtype)))
      return done(ImmFloat(dtype, std::numeric_limits<float>::infinity()));
    if (name == fmt::format("nan_{}", DTypeName(dtype)))
      return done(ImmFloat(dtype, std::numeric_limits<float>::quiet_NaN()));
  }
  auto it = vars_.find(name);
  if (it == vars_.end()) return Wrong(fmt::format("no variable '{}' is in scope", name));
  return done(it->second);
}

}  // namespace

Result<Func> ParseFunc(std::string_view text) {
  TESSERA_ASSIGN(std::vector<Token> tokens, Tokenize(text));
  return Parser(std::move(tokens)).ParseAll();
}

}  // namespace tessera::ir
