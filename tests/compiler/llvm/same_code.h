// SPDX-License-Identifier: Apache-2.0
//
// Loop IR as host code against the interpreter. Used by: emit_test, requant_test.
#ifndef TESSERA_TESTS_COMPILER_LLVM_SAME_CODE_H_
#define TESSERA_TESTS_COMPILER_LLVM_SAME_CODE_H_

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "compiler/codegen/llvm/llvm.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/print.h"
#include "tests/compiler/llvm/run_kernel.h"

namespace tessera::test {

inline ir::Buffer Buf(const std::string& name, DType dtype, std::vector<int64_t> shape,
                      Layout layout = {}) {
  ir::BufferNode node;
  node.name = name;
  node.dtype = dtype;
  node.shape = std::move(shape);
  node.layout = std::move(layout);
  return ir::MakeBuffer(node);
}

inline ir::Array Ints(DType dtype, const std::vector<int64_t>& values) {
  ir::Array a(dtype, std::ssize(values));
  for (int64_t i = 0; i < a.size(); ++i) a.SetInt(i, values[static_cast<size_t>(i)]);
  return a;
}

// Runs |func| by the interpreter and as host code of |levels| on copies of |args|; all must agree.
inline void ExpectSame(const ir::Func& func, const std::vector<ir::Array>& args,
                       const std::vector<std::string>& levels = TestedLevels()) {
  SCOPED_TRACE(ir::Print(func));
  std::vector<ir::Array> want = args;
  std::vector<ir::Array*> pointers;
  for (ir::Array& a : want) pointers.push_back(&a);
  const auto interpreted = ir::Interpret(func, pointers);
  ASSERT_TRUE(interpreted.has_value()) << interpreted.error().message;
  ASSERT_FALSE(levels.empty());
  for (const std::string& level : levels) {
    SCOPED_TRACE(level);
    const auto object = codegen::CompileObject({&func, 1}, level);
    ASSERT_TRUE(object.has_value()) << object.error().message;
    EXPECT_EQ(*object, *codegen::CompileObject({&func, 1}, level)) << "not deterministic";
    std::vector<std::vector<uint8_t>> buffers;
    for (const ir::Array& a : args) buffers.emplace_back(a.bytes().begin(), a.bytes().end());
    buffers.emplace_back(static_cast<size_t>(codegen::ScratchBytes(func)));
    const Status ran = RunKernel(level, *object, func.name, buffers);
    ASSERT_TRUE(ran) << ran.error().message;
    for (size_t i = 0; i < args.size(); ++i) {
      EXPECT_EQ(std::memcmp(buffers[i].data(), want[i].bytes().data(), want[i].bytes().size()), 0)
          << func.params[i]->name;
    }
  }
}

// out[i] = f(a[i], b[i]) for all i, in scalars and in vectors of |lanes|.
inline void ExpectElementwise(DType in, DType out, const ir::Array& a, const ir::Array& b,
                              const std::function<ir::Expr(ir::Expr, ir::Expr)>& f) {
  constexpr int kLanes = 8;
  const int64_t count = a.size() / kLanes * kLanes;
  for (const int lanes : {1, kLanes}) {
    const ir::Buffer x = Buf("x", in, {a.size()}), y = Buf("y", in, {a.size()}),
                     z = Buf("z", out, {a.size()});
    const ir::Expr i = ir::Var("i");
    const ir::Expr at = lanes == 1 ? i : ir::Ramp(i * ir::Expr(lanes), ir::Expr(1), lanes);
    ir::Func func{"f",
                  {x, y, z},
                  ir::For(i, 0, ir::Expr(count / lanes), ir::LoopKind::kSerial,
                          ir::Store(z, {at}, f(ir::Load(x, {at}), ir::Load(y, {at}))))};
    ExpectSame(func, {a, b, ir::Array(out, a.size())});
  }
}

// All pairs of edge values of |dtype|; |second_from|, |second_to| bound the second one.
inline void Pairs(DType dtype, ir::Array* a, ir::Array* b, bool no_zero = false) {
  std::vector<int64_t> edges{0,   1,   2,   3,   7,  8,  30, 31, 32,  33,  63,   64,
                             100, 127, 128, 255, -1, -2, -3, -7, -31, -32, -127, -128};
  if (dtype == DType::kInt32 || dtype == DType::kInt64) {
    edges.insert(edges.end(), {INT32_MAX, INT32_MIN, INT32_MAX - 1, INT32_MIN + 1, 1 << 30,
                               123456789, -987654321, 65536});
  }
  std::vector<int64_t> first, second;
  for (int64_t p : edges) {
    for (int64_t q : edges) {
      if (no_zero && ir::WrapTo(dtype, q) == 0) continue;
      first.push_back(p);
      second.push_back(q);
    }
  }
  *a = Ints(dtype, first);
  *b = Ints(dtype, second);
}

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_LLVM_SAME_CODE_H_
