// SPDX-License-Identifier: Apache-2.0
//
// Graphs of floats for tests: tensors of one float type, their values as doubles, and a run by
// definition, interpreter and host code.
#ifndef TESSERA_TESTS_COMPILER_REGION_FLOAT_GRAPH_H_
#define TESSERA_TESTS_COMPILER_REGION_FLOAT_GRAPH_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/half.h"
#include "base/rng.h"
#include "compiler/codegen/llvm/llvm.h"
#include "compiler/ir/interp.h"
#include "compiler/lower/lower.h"
#include "compiler/quantize/params.h"
#include "compiler/schedule/host.h"
#include "compiler/target/host_level.h"
#include "runtime/host/cpu_level.h"
#include "runtime/host/host_code.h"
#include "tests/compiler/graph_eval.h"
#include "tests/compiler/lower/random_te.h"

namespace tessera {

class FloatGraph {
 public:
  FloatGraph(uint64_t seed, DType the_dtype) : rng(seed), dtype(the_dtype) {}

  Rng rng;
  const DType dtype;
  graph::Graph g;
  TensorBytes values;

  // An input with random contents of [-4, 4).
  graph::TensorId Input(const graph::Shape& shape) {
    const graph::TensorId id = Result("x", shape);
    g.inputs.push_back(id);
    values[id] = RandomBytes(g.tensor(id).count());
    return id;
  }
  graph::TensorId Constant(const graph::Shape& shape) {
    const graph::TensorId id = Result("c", shape);
    g.tensor(id).data = RandomBytes(g.tensor(id).count());
    return id;
  }
  graph::TensorId Result(const std::string& name, const graph::Shape& shape) {
    return g.AddTensor({fmt::format("{}{}", name, g.tensors.size()), dtype, shape, {}, {}});
  }
  // |node| makes a tensor of |shape|, the graph's result.
  graph::TensorId Add(graph::Node node, const graph::Shape& shape) {
    node.name = fmt::format("n{}", g.nodes.size());
    node.output = Result("y", shape);
    g.nodes.push_back(node);
    g.outputs = {node.output};
    return node.output;
  }

  std::vector<double> V(graph::TensorId id) const {
    const graph::GraphTensor& t = g.tensor(id);
    const ir::Array a(t.dtype, t.constant() ? *t.data : values.at(id));
    std::vector<double> v;
    for (int64_t i = 0; i < a.size(); ++i)
      v.push_back(IsFloat(t.dtype) ? static_cast<double>(a.Float(i))
                                   : static_cast<double>(a.Int(i)));
    return v;
  }
  // How far a result of about |y| may be from the real one when float32 has it within |error|.
  double Bound(double y, double error) const {
    if (dtype == DType::kFloat16) return error * 1.001 + std::ldexp(std::abs(y) + 1e-4, -11);
    return error + std::ldexp(std::abs(y), -24) + 1e-40;
  }

  // Region by region: by definition, by the interpreter and as host code of every level, which have
  // the same bits. Levels without fused products have those of sums that round each product.
  void Run() {
    const Status verified = graph::Verify(g);
    ASSERT_TRUE(verified) << verified.error().message;
    ASSERT_TRUE(quantize::AttachRequant(g));
    for (const graph::Region& region : graph::Fuse(g)) {
      const te::RegionTe built = te::BuildRegion(g, region);
      te::Values tensors;
      for (const te::Binding& binding : built.bindings) {
        tensors[binding.placeholder.get()] =
            ir::Array(binding.placeholder.dtype(),
                      binding.activation < 0 ? binding.constant : values.at(binding.activation));
      }
      const Status status = te::Evaluate({built.output}, &tensors);
      ASSERT_TRUE(status) << region.name << ": " << status.error().message;
      values[built.output_id] = tensors.at(built.output.get()).bytes();
      ASSERT_NO_FATAL_FAILURE(RunKernel(built.output, tensors)) << te::Print({built.output});
    }
  }

 private:
  std::vector<uint8_t> RandomBytes(int64_t count) {
    ir::Array a(dtype, count);
    for (int64_t i = 0; i < count; ++i) a.SetFloat(i, static_cast<float>(rng.Unit() * 8 - 4));
    return a.bytes();
  }

  // |out| by its definition, but with rounded products.
  static std::vector<uint8_t> Rounded(const te::Tensor& out, te::Values tensors) {
    const te::Tensor rounded = te::WithBodies(out, [](const te::Tensor& stage) {
      const ir::Expr& body = stage->body;
      if (body->kind != ir::ExprKind::kReduce || body->reduce() != ir::ReduceOp::kFusedSum)
        return body;
      return ir::Reduce(ir::ReduceOp::kSum, body->args[0], stage->reduce_axes, body->start());
    });
    EXPECT_TRUE(te::Evaluate({rounded}, &tensors));
    return tensors.at(rounded.get()).bytes();
  }

  void RunKernel(const te::Tensor& out, const te::Values& tensors) {
    const auto s = schedule::HostSchedule({out});
    ASSERT_TRUE(s) << s.error().message;
    const auto func = lower::Lower(*s, "kernel");
    ASSERT_TRUE(func) << func.error().message;
    const std::vector<uint8_t>& want = tensors.at(out.get()).bytes();
    const std::vector<ir::Array> given = test::Arguments(*func, *s, tensors);
    std::vector<ir::Array> arrays = given;
    std::vector<ir::Array*> pointers;
    for (ir::Array& a : arrays) pointers.push_back(&a);
    const auto ran = ir::Interpret(*func, pointers);
    ASSERT_TRUE(ran) << ran.error().message;
    ASSERT_EQ(test::Logical(*func, *s, arrays.size() - 1, arrays), want) << "interpreter";
    for (const std::string& level : CpuLevels()) {
      if (level == "x86-64") continue;
      const auto object = codegen::CompileObject({&*func, 1}, level);
      ASSERT_TRUE(object) << object.error().message;
      const auto code = HostCode::Load(*object);
      ASSERT_TRUE(code) << code.error().message;
      using Memory = std::unique_ptr<void, decltype(&std::free)>;
      std::vector<Memory> memory;
      std::vector<void*> addresses;
      const auto take = [&](size_t bytes) {
        memory.emplace_back(std::aligned_alloc(64, (bytes + 127) / 64 * 64), &std::free);
        addresses.push_back(memory.back().get());
      };
      for (const ir::Array& a : given) {
        take(a.bytes().size());
        std::memcpy(addresses.back(), a.bytes().data(), a.bytes().size());
      }
      take(static_cast<size_t>(codegen::ScratchBytes(*func)));
      (**code->Find("kernel"))(addresses.data());
      const bool fused = target::FindHostLevel(level)->units.fma;
      arrays = given;
      std::memcpy(arrays.back().data(), addresses[given.size() - 1], arrays.back().bytes().size());
      ASSERT_EQ(test::Logical(*func, *s, arrays.size() - 1, arrays),
                fused ? want : Rounded(out, tensors))
          << level;
    }
  }
};

}  // namespace tessera

#endif  // TESSERA_TESTS_COMPILER_REGION_FLOAT_GRAPH_H_
