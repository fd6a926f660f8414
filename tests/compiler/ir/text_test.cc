// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the parser's and the verifier's refusals, text round trips of every node kind,
// the interpreter's errors and its tile intrinsics. Not tested here: random programs
// (tests/compiler/lower).
#include <gtest/gtest.h>

#include "compiler/ir/equal.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"

namespace tessera::ir::text_test {
namespace {

constexpr const char* kEverything = R"(func all(x: i8[4, 20] global layout(0, 1/16, 1%16 fill -1),
     y: i32[32] global strides(2) align(128),
     z: f32[4] global,
     h: f16[4] global) {
  alloc t: i32[2, 16] acc {
    for i in [0, 2) vector {
      for j in [1, 5) unroll {
        t[i, j] = i32(x[i, j]);
      }
      for v in [i, + (i + 1)) {
        if ((v < 3) & not((v == 1))) {
          t[i, 0] = select((v < 2), neg(t[i, 1]), requant(t[i, 2], 5i32, -3i32, 1i32));
        } else {
          z[0] = (1.5f32 + -inf_f32);
          h[1] = select((f32(h[0]) < exp(z[1])), 0.5f16, -inf_f16);
          z[1] = pow(sqrt(sin(z[2])), fmod(log1p(z[3]), erf(expm1(z[0]))));
          z[2] = (log(cos(z[3])) - atan(floor(z[2])));
        }
      }
    }
    y[ramp(0, 1, 4)] = broadcast(min(t[0, 1], (t[0, 2] >> 1i32)), 4);
    eval text_test_tile(t[0, 0], y[0], 7);
    prefetch h[2];
  }
}
)";

void RegisterTile() {
  RegisterTileIntrin({"text_test_tile",
                      {OperandKind::kUpdate, OperandKind::kRead, OperandKind::kValue},
                      [](std::span<TileOperand> o) -> Status {
                        if (!o[0].Holds(2))
                          return Fail(Code::kOutOfRange, "the tile leaves its buffer");
                        o[0].array->SetInt(o[0].offset + 1,
                                           o[1].array->Int(o[1].offset) + o[2].value);
                        return {};
                      }});
}

TEST(IrText, EveryNodeRoundTrips) {
  RegisterTile();
  const Result<Func> f = ParseFunc(kEverything);
  ASSERT_TRUE(f.has_value()) << f.error().message;
  EXPECT_EQ(Print(*f), kEverything);
  const Result<Func> g = ParseFunc(Print(*f));
  ASSERT_TRUE(g.has_value());
  EXPECT_TRUE(Equal(*f, *g));
}

TEST(IrText, EveryKindOfLoopRoundTrips) {
  const Buffer b = MakeBuffer({.name = "b", .dtype = DType::kInt64, .shape = {4}});
  for (int kind = 0; kind < kLoopKinds; ++kind) {
    const Expr i = Var("i");
    const Func f{"f", {b}, For(i, 0, 4, static_cast<LoopKind>(kind), Store(b, {i}, i))};
    const Result<Func> again = ParseFunc(Print(f));
    ASSERT_TRUE(again.has_value()) << Print(f);
    EXPECT_EQ(again->body->loop, static_cast<LoopKind>(kind));
  }
}

TEST(IrText, WhatRotatesRoundTrips) {
  const char* kText =
      "func f(x: i64[4] global) {\n  alloc a: i64[4] inp rotates {\n"
      "    alloc b: i64[4] inp align(8) rotates {\n      a[0] = x[0];\n    }\n  }\n}\n";
  const Result<Func> f = ParseFunc(kText);
  ASSERT_TRUE(f.has_value()) << f.error().message;
  EXPECT_EQ(Print(*f), kText);
  const Result<Func> other = ParseFunc(
      "func f(x: i64[4] global) { alloc a: i64[4] inp { alloc b: i64[4] inp align(8) rotates {\n"
      "a[0] = x[0]; } } }");
  ASSERT_TRUE(other.has_value()) << other.error().message;
  EXPECT_FALSE(Equal(*f, *other)) << "one place is not several";
}

TEST(IrText, WhatIsFoldedRoundTrips) {
  const char* kText =
      "func f(x: i64[4] inp fold(0, 2, 1)) {\n  alloc a: i64[9, 4] inp fold(1, 3, 2, 5) {\n"
      "    a[0, 0] = x[0];\n  }\n}\n";
  const Result<Func> f = ParseFunc(kText);
  ASSERT_TRUE(f.has_value()) << f.error().message;
  EXPECT_EQ(Print(*f), kText);
  EXPECT_EQ(f->params[0]->folded, (FoldedDim{0, 2, 1}));
  EXPECT_EQ(f->body->buffer->folded, (FoldedDim{1, 3, 2, 5}));
  const Result<Func> other = ParseFunc(
      "func f(x: i64[4] inp fold(0, 2, 1)) { alloc a: i64[9, 4] inp { a[0, 0] = x[0]; } }");
  ASSERT_TRUE(other.has_value()) << other.error().message;
  EXPECT_FALSE(Equal(*f, *other)) << "some rows are not all";
}

TEST(IrText, NamesThatClashOrAreNoIdentifiersAreMadeUnique) {
  const Expr i = Var("i"), k = Var("i");
  const Buffer b = MakeBuffer({.name = "a/b:0", .dtype = DType::kInt64, .shape = {4, 4}});
  const Func f{
      "f",
      {b},
      For(i, 0, 4, LoopKind::kSerial, For(k, 0, 4, LoopKind::kSerial, Store(b, {i, k}, i + k)))};
  const Result<Func> again = ParseFunc(Print(f));
  ASSERT_TRUE(again.has_value()) << Print(f);
  EXPECT_TRUE(Equal(f, *again));
}

TEST(IrText, RefusalsNameTheLine) {
  RegisterTile();
  const auto body = [](const std::string& s) {
    return "func f(x: i8[4] global, y: f32[4] global) {\n" + s + "\n}\n";
  };
  const std::pair<std::string, const char*> kBad[] = {
      {"", "line 1: 'the end of the text' where 'func' is expected"},
      {"func f(x: i9[4] global) {}", "'i9' is no data type"},
      {"func f(x: i8[0] global) {}", "x: an extent of 0"},
      {"func f(x: i8[4] moon) {}", "'moon' is no scope"},
      {"func f(x: i8[4] global, x: i8[4] global) {}", "a buffer 'x' is in scope already"},
      {"func f(x: i8[4] global layout(0/2)) {}", "the pieces of dimension 0"},
      {"func f(x: i8[4] global strides(1, 2)) {}", "one stride a dimension"},
      {"func f(x: i8[4] global align(0)) {}", "align of 0"},
      {"func f(x: i8[4] inp fold(1, 2, 1)) {}",
       "x: fold(DIM, ROWS, STEP[, PLANES]) is expected, STEP <= ROWS"},
      {"func f(x: i8[4] inp fold(0, 2)) {}",
       "x: fold(DIM, ROWS, STEP[, PLANES]) is expected, STEP <= ROWS"},
      {"func f(x: i8[4] inp fold(0, 2, 0)) {}",
       "x: fold(DIM, ROWS, STEP[, PLANES]) is expected, STEP <= ROWS"},
      {"func f(x: i8[4] inp fold(0, 2, 3)) {}",
       "x: fold(DIM, ROWS, STEP[, PLANES]) is expected, STEP <= ROWS"},
      {"func f(x: i8[4] inp fold(0, 2, 1, 0)) {}",
       "x: fold(DIM, ROWS, STEP[, PLANES]) is expected"},
      {"func f(x: i8[4] inp fold(0, 2, 1, 1, 1)) {}",
       "x: fold(DIM, ROWS, STEP[, PLANES]) is expected, STEP <= ROWS"},
      {body("x[0] = 1i8"), "line 3: '}' where ';' is expected"},
      {body("x[0] = 1i32;"), "line 2: x cannot hold i32"},
      {body("x[4] = 1i8;"), "x: index 4 of dimension 0 is outside [0, 4)"},
      {body("x[0, 0] = 1i8;"), "x has 1 dimensions, 2 indices are given"},
      {body("x[1i32] = 1i8;"), "an index of x is i32"},
      {body("w[0] = 1i8;"), "no buffer 'w' is in scope"},
      {body("x[i] = 1i8;"), "no variable 'i' is in scope"},
      {body("x[0] = 300i8;"), "300 does not fit i8"},
      {body("x[0] = 3q;"), "where a number is expected"},
      {body("x[0] = (1i8 + 1i32);"), "'+' of i8 and i32"},
      {body("y[0] = (y[0] % y[1]);"), "'%' of f32 and f32"},
      {body("y[0] = f32((f16(y[0]) + f16(y[1])));"), "'+' of f16 and f16"},
      {body("y[0] = f32(min(f16(y[0]), 1.5f16));"), "min of two types"},
      {body("y[0] = f32(exp(f16(y[0])));"), "exp of f16 is not defined"},
      {body("y[0] = pow(y[1]);"), "pow takes 2 operands, 1 are given"},
      {body("y[0] = pow(y[1], 2i32);"), "operands are f32 and i32, they must be of one type"},
      {body("x[0] = sqrt(x[1]);"), "sqrt of i8 is not defined"},
      {body("x[0] = (1i8 ? 2i8);"), "begins no token"},
      {body("x[0] = (1i8 = 2i8);"), "an operator is expected"},
      {body("x[0] = select(1, 1i8, 2i8);"), "select needs a bool"},
      {body("x[ramp(0, 1, 1)] = 1i8;"), "2 to 4096 lanes"},
      {body("x[0] = sine(1i8);"), "no intrinsic is called 'sine'"},
      {body("x[0] = clamp(1i8);"), "clamp takes 3 operands"},
      {body("x[0] = clamp(1i8, 2i32, 3i8);"), "operands are i8 and i32"},
      {body("x[0] = abs(1i8);"), "abs of i8 is not defined"},
      {body("x[0] = i8(requant(1i32, 1i32, 1i32, 9i32));"), "the rounding must be a constant"},
      {body("x[0] = i8(requant_clamp(1i32, 1i32, 1i32, 1i32, 0i32, 0i32, 1i32, 0i32, 1i32, 1f32, "
            "1f32));"),
       "operands are i32 and i32, they must be of i32 and, the last three, of f32"},
      {body("eval nothing(x[0]);"), "no tile intrinsic is called 'nothing'"},
      {body("eval text_test_tile(x[0]);"), "takes 3 operands"},
      {body("eval text_test_tile(1, x[0], 2);"), "operand 0 of text_test_tile is not a place"},
      {body("prefetch w[0];"), "no buffer 'w' is in scope"},
      {body("prefetch x[4];"), "x: index 4 of dimension 0 is outside [0, 4)"},
      {body("prefetch x[ramp(0, 1, 4)];"), "one element is prefetched, not a vector"},
      {body("prefetch x[0] = 1i8;"), "'=' where ';' is expected"},
      {body("if 1 { }"), "no scalar bool"},
      {body("for i in [0, 4) { for i in [0, 4) { } }"), "a variable 'i' is in scope already"},
      {body("for i in [0, i8(4)) { }"), "bounds must be scalar i64"},
      {body("for i in [0, 4) { for j in [i, 4) { } }"), "write [min, + extent)"},
      {body("for i in [0, 4) { for j in [0, (i + 1)) vector { } }"),
       "vector loop j has no constant extent"},
      {body("x[0] = " + std::string(1000, '(')), "nested too deeply"},
      {body("} }"), "the end of the text is expected"},
  };
  for (const auto& [text, why] : kBad) {
    const Result<Func> f = ParseFunc(text);
    ASSERT_FALSE(f.has_value()) << text;
    EXPECT_NE(f.error().message.find(why), std::string::npos)
        << f.error().message << "\nfor " << text;
  }
}

TEST(IrVerify, TreesThatNoTextMakes) {
  const Expr i = Var("i");
  const Buffer b = MakeBuffer({.name = "b", .dtype = DType::kInt64, .shape = {4}});
  const auto message = [&](Stmt s) { return Verify({"f", {b}, s}).error().message; };
  EXPECT_NE(message(Store(b, {i}, Expr(1))).find("f: variable i is used outside its loop"),
            std::string::npos);
  const Stmt inner = For(i, 0, 2, LoopKind::kSerial, Store(b, {i}, i));
  EXPECT_NE(message(For(i, 0, 2, LoopKind::kSerial, inner)).find("loop i is inside itself"),
            std::string::npos);
  EXPECT_NE(message(Alloc(b, inner)).find("b is allocated inside its own"), std::string::npos);
  const Buffer c = MakeBuffer({.name = "c", .dtype = DType::kInt64, .shape = {4}});
  EXPECT_NE(message(Store(c, {Expr(0)}, Expr(1))).find("c is used outside its allocation"),
            std::string::npos);
  EXPECT_NE(Verify({"f", {b, b}, inner}).error().message.find("parameter b is named twice"),
            std::string::npos);
  auto tensor = std::make_shared<TensorBase>();
  tensor->name = "t";
  tensor->dtype = DType::kInt64;
  EXPECT_NE(message(Store(b, {Expr(0)}, TensorRead(tensor, {}))).find("a tensor expression"),
            std::string::npos);
  RegisterTile();
  const Expr tile = Call("text_test_tile", {}, {DType::kInt64, 1});
  EXPECT_NE(message(Store(b, {Expr(0)}, tile)).find("has no value"), std::string::npos);
}

TEST(IrInterpreter, ErrorsNameBufferIndexAndLimit) {
  RegisterTile();
  const auto run = [](const char* body, InterpOptions options = {}) {
    const Result<Func> f = ParseFunc(std::string("func f(x: i32[4] global) {\n") + body + "\n}\n");
    EXPECT_TRUE(f.has_value()) << f.error().message;
    Array x(DType::kInt32, 4);
    const Result<InterpStats> stats = Interpret(*f, {&x}, options);
    return stats ? std::string("ok") : stats.error().message;
  };
  EXPECT_EQ(run("for i in [0, 5) { x[i] = 1i32; }"), "x: index 4 of dimension 0 is outside [0, 4)");
  EXPECT_EQ(run("for i in [0, 5) { prefetch x[i]; }"),
            "x: index 4 of dimension 0 is outside [0, 4)");
  EXPECT_EQ(run("x[0] = (1i32 / x[1]);"), "division by zero");
  EXPECT_EQ(run("x[0] = select((x[0] == 0i32), 1i32, x[9]);"), "ok")
      << "the branch not taken is not read";
  EXPECT_EQ(run("eval text_test_tile(x[3], x[0], 1);"),
            "text_test_tile: the tile leaves its buffer");
  EXPECT_EQ(run("eval text_test_tile(x[2], x[0], 1);"), "ok");
  EXPECT_NE(run("for i in [0, 1000000) { x[0] = 1i32; }", {.budget = 100})
                .find("stopped after 100 steps"),
            std::string::npos);
  // Iterations of a parallel loop that meet: two stores, a load before and behind a store.
  const char* kMet = "of parallel loop i meet at element ";
  for (const auto& [body, which] :
       {std::pair("x[0] = 1i32;", "iterations 0 and 1 "),
        {"x[i] = x[3];", "iterations 0 and 3 "},
        {"x[i] = x[max(0, (i - 1))];", "iterations 0 and 1 "},
        {"eval text_test_tile(x[0], x[0], 1);", "iterations 0 and 1 "}}) {
    const std::string why = run(("for i in [0, 4) parallel { " + std::string(body) + " }").c_str());
    EXPECT_TRUE(why.starts_with(which + std::string(kMet))) << why;
    EXPECT_EQ(run(("for i in [0, 1) parallel { " + std::string(body) + " }").c_str()), "ok");
  }
  EXPECT_EQ(run("for i in [0, 4) parallel { x[i] = (x[i] + 1i32); }"), "ok");
  EXPECT_EQ(run("for i in [0, 4) parallel { alloc t: i32[1] local { t[0] = 2i32; x[i] = t[0]; } }"),
            "ok")
      << "what is allocated in an iteration is its own";
  const Func f = *ParseFunc("func f(x: i32[4] global) { x[0] = 1i32; }");
  Array small(DType::kInt32, 3);
  EXPECT_NE(Interpret(f, {}).error().message.find("f takes 1 buffers, 0 are given"),
            std::string::npos);
  EXPECT_NE(Interpret(f, {&small}).error().message.find("x is 4 elements of i32, 3 of i32"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::ir::text_test
