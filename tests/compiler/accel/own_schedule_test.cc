// SPDX-License-Identifier: Apache-2.0
//
// What is tested: a user's own schedule from C++, as docs/schedules.md quotes it: for the user's
// own expression, run on a device, against plain arithmetic; for a layer of a model, which is
// compiled with it. Space: one of each. Not tested here: what steps compute (steps_test), files of
// schedules (tests/tools/schedule_test).
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/run_func.h"
#include "compiler/import/import.h"
#include "compiler/ir/intrin.h"
#include "compiler/target/accelerator.h"
#include "runtime/device/registry.h"

namespace tessera::test::own_schedule_test {
namespace {

// What is below zero becomes zero: x int8 [64, 16], row-major, on device |name|.
Result<compiler::ScheduledRun> Rectified(const std::vector<uint8_t>& x_bytes, const char* name) {
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig("default"));
  const auto number = [](int64_t v) { return ir::Imm(DType::kInt32, v); };
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {64, 16});
  const te::Tensor y = te::Compute("y", {64, 16}, {"m", "c"}, [&](const std::vector<ir::Expr>& i) {
    const ir::Expr most = ir::Max(ir::Cast(DType::kInt32, x(i)), number(0));
    return ir::Cast(DType::kInt8, ir::ClampAdd(most, number(0), number(-128), number(127)));
  });
  TESSERA_ASSIGN(schedule::Schedule s,
                 schedule::Schedule::Create({y}, target::Accelerator(config)));
  TESSERA_TRY(
      s.Apply("cache_write y out y.o\nlift y.o 0.0 acc most\nlift most 0 acc wide\n"
              "in_place wide most\ncache_read x inp x.i wide\n"
              "tensorize x.i i1 tile.load_inp\ntensorize wide c tile.widen\n"
              "tensorize most c tile.alu_max.imm\ntensorize y.o c tile.narrow\n"
              "tensorize y c tile.store\n"));
  TESSERA_ASSIGN(const auto device, OpenDevice(name, config));
  return compiler::RunScheduled(s, *device, {x_bytes});
}

// The model |path| with |steps| for |layer| on the accelerator, the generators' for the others.
Result<compiler::Compiled> CompileWith(const std::string& path, const std::string& layer,
                                       const std::string& steps) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, path));
  compiler::CompileOptions options;
  TESSERA_ASSIGN(options.config, isa::LoadConfig("default"));
  TESSERA_ASSIGN(const schedule::Trace trace, schedule::ParseTrace(steps));
  options.schedules = {{schedule::kAcceleratorTrace, layer, trace}};
  return compiler::Compile(std::move(graph), path, Crc64(bytes), options);
}

TEST(OwnSchedule, OfAnExpressionIsRun) {
  std::vector<uint8_t> x, expected;
  for (int k = 0; k < 64 * 16; ++k) {
    const int value = k * 37 % 256 - 128;
    x.push_back(static_cast<uint8_t>(value));
    expected.push_back(static_cast<uint8_t>(std::max(value, 0)));
  }
  for (const char* name : {"func", "cycle"}) {
    const auto run = Rectified(x, name);
    ASSERT_TRUE(run) << name << ": " << run.error().message;
    EXPECT_EQ(run->output, expected) << name;
  }
}

TEST(OwnSchedule, OfALayerIsWhatTheLayerIsCompiledBy) {
  constexpr const char *kPath = "models/fashion/fashion_int8.onnx", *kLayer = "stem_conv/Conv";
  // The traces in an artifact; the test changes one of them.
  const auto made = [](const Result<compiler::Compiled>& compiled) {
    return *schedule::ParseTraceFile(compiled->artifact.provenance.schedules, "artifact");
  };
  const auto of_layer = [](const std::vector<schedule::LayerTrace>& all) {
    return std::ranges::find_if(all,
                                [](const schedule::LayerTrace& l) {
                                  return l.target == schedule::kAcceleratorTrace &&
                                         l.layer == kLayer;
                                })
        ->trace;
  };
  const std::vector<uint8_t> bytes = *ReadFile(kPath);
  compiler::CompileOptions options;
  options.config = *isa::LoadConfig("default");
  const auto plain = compiler::Compile(*ImportModel(bytes, kPath), kPath, Crc64(bytes), options);
  ASSERT_TRUE(plain) << plain.error().message;
  schedule::Trace own = of_layer(made(plain));
  const auto rows = std::ranges::find_if(own, [](const schedule::Step& step) {
    const auto* decide = std::get_if<schedule::DecideStep>(&step);
    return decide != nullptr && decide->name == "rows";
  });
  ASSERT_NE(rows, own.end());
  std::get<schedule::DecideStep>(*rows).value = int64_t{1};
  ASSERT_NE(schedule::Print(own), schedule::Print(of_layer(made(plain))));

  const auto compiled = CompileWith(kPath, kLayer, schedule::Print(own));
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_EQ(schedule::Print(of_layer(made(compiled))), schedule::Print(own));
  const auto code = [](const Result<compiler::Compiled>& c) {
    return c->artifact.programs.at(0).image.code.size();
  };
  EXPECT_GT(code(compiled), code(plain)) << "more tiles of work";
}

}  // namespace
}  // namespace tessera::test::own_schedule_test
