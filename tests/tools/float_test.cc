// SPDX-License-Identifier: Apache-2.0
//
// What is tested: networks of floats, and of floats between integers, as the command compiles,
// describes, runs and compares them: float layers on the host, equal bits on cpu and func, with
// --floats fast the stated error. Space:
// the float Fashion-MNIST network, a network int8 -> float -> int8 made here, a float16 network.
// Not tested here: what operators compute (tests/compiler/region/float_test.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/half.h"
#include "base/rng.h"
#include "runtime/tensor/npy.h"
#include "tests/compiler/import/model_builder.h"
#include "tests/tools/command.h"

namespace tessera::test::float_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using B = ModelBuilder;

json ReadJson(const std::string& path) {
  const auto bytes = ReadFile(path);
  return bytes ? json::parse(bytes->begin(), bytes->end()) : json();
}

std::vector<int> Count(size_t n) {
  std::vector<int> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = static_cast<int>(i * 7 % 255) - 127;
  return values;
}

// x -> int8 conv -> its softmax times itself in float -> int8 conv -> y and softmax of y.
std::string WriteMixed() {
  ModelBuilder b;
  b.Input("x", {-1, 16, 10, 10});
  b.Output("y");
  b.Output("p");
  b.Qdq("x", "xq", 0.05f, 3);
  for (const char* w : {"w1", "w2"}) b.Weights(w, {16, 16, 3, 3}, Count(16 * 144), {0.002f}, 0);
  B::Attr(b.Node("Conv", {"xq", "w1"}, {"c"}, "first"), "kernel_shape", B::Dims{3, 3});
  b.Qdq("c", "cq", 0.05f, -5);
  b.Node("Softmax", {"cq"}, {"s"}, "attention");
  b.Node("Mul", {"s", "cq"}, {"m"}, "weighted");
  b.Qdq("m", "mq", 0.04f, -100);
  B::Attr(b.Node("Conv", {"mq", "w2"}, {"d"}, "second"), "kernel_shape", B::Dims{3, 3});
  b.Qdq("d", "y", 0.1f, 0);
  b.Node("Softmax", {"y"}, {"p"}, "softmax");
  const std::string path = TempPath("mixed_float.onnx");
  EXPECT_TRUE(WriteFile(path, b.Bytes()));
  return path;
}

// Two convolutions of 16 * 16 * 9 products for each of 64 and 36 places; all other operators are
// float, or convert between floats and integers.
TEST(Float, CoverageNamesWhatTheHostRuns) {
  const std::string model = WriteMixed(), file = TempPath("coverage.json");
  const std::string line =
      "accelerator: 2 of 9 operators, 100.0 % of 230,400 multiply-accumulates; host: 2 x quantize "
      "(INP holds int8, the values are float32)";
  const CommandResult info = Tessera("info " + model + " --json " + file);
  EXPECT_THAT(info.output, HasSubstr("configuration default: " + line));
  EXPECT_THAT(info.output, HasSubstr("2 x softmax (INP holds int8, the values are float32)"));
  const json coverage = ReadJson(file)["coverage"];
  EXPECT_EQ(coverage["operators"], 9);
  EXPECT_EQ(coverage["accelerated"], 2);
  EXPECT_EQ(coverage["macs"], 230'400);
  EXPECT_EQ(coverage["accelerated_macs"], 230'400);
  int64_t left = 0;
  for (const json& part : coverage["host"]) left += part["count"].get<int64_t>();
  EXPECT_EQ(left, 7);
  const std::string net = TempPath("coverage.tsr");
  const CommandResult compiled = Tessera("compile " + model + " -o " + net);
  EXPECT_EQ(compiled.code, 0);
  EXPECT_THAT(compiled.output, HasSubstr(line));
  const CommandResult strict = Tessera("compile " + model + " --strict -o " + net + ".strict");
  EXPECT_EQ(strict.code, 2);
  EXPECT_THAT(strict.output, HasSubstr("--strict, but the host has to run some of it: " + line));
  EXPECT_FALSE(ReadFile(net + ".strict"));
}

TEST(Float, ShapesThatAModelLeavesOpenAreGiven) {
  B b;
  b.Input("x", {1, 2, -1, -1});
  b.Output("y");
  b.Node("Relu", {"x"}, {"y"});
  const std::string model = TempPath("open.onnx"), net = TempPath("open.tsr");
  ASSERT_TRUE(WriteFile(model, b.Bytes()));
  const auto compile = [&](const std::string& options) {
    return Tessera("compile " + model + " --target cpu -o " + net + " " + options);
  };
  EXPECT_THAT(compile("").output, HasSubstr("say --shape x=1,2,32,32"));
  EXPECT_EQ(compile("--shape x=1,2,3,5").code, 0);
  EXPECT_THAT(Tessera("info " + net).output, HasSubstr("[1, 2, 3, 5]"));
  EXPECT_THAT(compile("--shape x=1,2,0,5").output,
              HasSubstr("--shape x=1,2,0,5: the name of an input and its extents are needed"));
  EXPECT_THAT(compile("--shape x").output, HasSubstr("--shape x: the name of an input"));
  EXPECT_THAT(compile("--shape x=1,2,3,5 --shape x=1,2,3,6").output,
              HasSubstr("--shape x=1,2,3,6: the input has another shape already"));
  EXPECT_THAT(compile("--shape z=1").output, HasSubstr("the model has no input 'z'; it has x"));
  const CommandResult artifact = Tessera("info " + net + " --shape x=1,2,3,5");
  EXPECT_EQ(artifact.code, 2);
  EXPECT_THAT(artifact.output,
              HasSubstr("an artifact, whose inputs are fixed; --shape goes with a model"));
}

// A shape that is an input must be given when the model is compiled, or the model is refused.
TEST(Float, ValuesOfInputsAreGiven) {
  B b;
  b.Input("x", {2, 6});
  b.Input("to", {2}, onnx::TensorProto::INT64);
  b.Node("Reshape", {"x", "to"}, {"r"});
  b.Node("Relu", {"r"}, {"y"});
  b.Output("y");
  const std::string model = TempPath("known.onnx"), net = TempPath("known.tsr"),
                    to = TempPath("to.npy"), items = TempPath("x.npy");
  ASSERT_TRUE(WriteFile(model, b.Bytes()));
  HostTensor shape = HostTensor::Zeros(DType::kInt64, {2});
  shape.as<int64_t>()[0] = 3;
  shape.as<int64_t>()[1] = -1;
  ASSERT_TRUE(WriteNpy(to, shape));
  ASSERT_TRUE(WriteNpy(items, HostTensor::Zeros(DType::kFloat32, {1, 2, 6})));
  const auto compile = [&](const std::string& options) {
    return Tessera("compile " + model + " --target cpu -o " + net + " " + options);
  };
  EXPECT_THAT(compile("").output, HasSubstr(": --known to=FILE.npy gives it"));
  ASSERT_EQ(compile("--known to=" + to).code, 0);
  const CommandResult info = Tessera("info " + net);
  EXPECT_THAT(info.output, HasSubstr("output: y float32[3, 4]"));
  EXPECT_THAT(info.output, Not(HasSubstr("input: to")));
  EXPECT_EQ(Tessera("run " + model + " --device cpu --input " + items + " --known to=" + to).code,
            0);
  for (const std::string& given : {std::string("to"), "=" + to, std::string("to=")})
    EXPECT_THAT(compile("--known " + given).output,
                HasSubstr("--known " + given + ": the name of an input and a file are needed"));
  EXPECT_THAT(compile("--known to=" + to + " --known to=" + to).output,
              HasSubstr("the input has another value already"));
  EXPECT_THAT(compile("--known z=" + to).output, HasSubstr("the model has no input 'z'; it has x"));
  EXPECT_THAT(Tessera("info " + net + " --known to=" + to).output,
              HasSubstr("an artifact, whose inputs are fixed; --known goes with a model"));
}

TEST(Float, FloatsBetweenIntegersAreOnTheHostBetweenTwoPrograms) {
  const std::string model = WriteMixed(), file = TempPath("mixed_float.json");
  HostTensor x = HostTensor::Zeros(DType::kFloat32, {2, 16, 10, 10});
  Rng rng(1);
  for (float& v : x.as<float>()) v = static_cast<float>(rng.Unit() * 8 - 4);
  const std::string input = TempPath("mixed_float.npy");
  ASSERT_TRUE(WriteNpy(input, x));
  const CommandResult r = Tessera(
      fmt::format("compare {} --devices cpu,func --input {} --json {}", model, input, file));
  ASSERT_EQ(r.code, 0) << r.output;
  const json j = ReadJson(file);
  EXPECT_EQ(j["programs"], 2) << j.dump(1);
  std::string devices;
  for (const json& layer : j["layers"]) {
    EXPECT_EQ(layer["mismatches"], 0) << layer;
    devices += layer["device"] == "accelerator" ? 'a' : 'h';
  }
  EXPECT_THAT(devices, ::testing::MatchesRegex("h*ah+ah*")) << j.dump(1);
}

// The float network from which the int8 one was quantised (models/fashion).
TEST(Float, TheFloatNetworkRunsAndClassifies) {
  const std::string model = "models/fashion/fashion.onnx", out = TempPath("fashion_float.npy");
  const std::string images = kImages, labels = kLabels;
  const CommandResult r =
      Tessera(fmt::format("compare {} --devices cpu,func --input {} --first 8", model, images));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("No layer runs on the accelerator"));
  const CommandResult run = Tessera(fmt::format(
      "run {} --device cpu --input {} --labels {} --output {}", model, images, labels, out));
  ASSERT_EQ(run.code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("9,373 of 10,000 right"));  // the same number as ONNX Runtime
  const auto logits = ReadNpy(out);
  ASSERT_TRUE(logits) << logits.error().message;
  EXPECT_EQ(logits->dtype, DType::kFloat32);
  EXPECT_EQ(logits->shape, (std::vector<int64_t>{10000, 10}));
}

// Where the estimates of cost say so, layers of 3 x 3 are computed by Winograd's transforms. Their
// results differ by no more than the errors that the algorithms state.
TEST(Float, FastFloatsDifferByTheirStatedErrors) {
  const std::string model = "models/fashion/fashion.onnx", net = TempPath("fast.tsr"),
                    file = TempPath("fast.json"),
                    items = fmt::format(" --input {} --first 8", kImages);
  const std::string compile =
      fmt::format("compile {} --target cpu -o {} --json {}", model, net, file);
  CommandResult r = Tessera(compile);
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, Not(HasSubstr("round otherwise")));
  EXPECT_FALSE(ReadJson(file).contains("algorithms"));
  EXPECT_THAT(Tessera("run " + net + " --device cpu --floats fast" + items).output,
              HasSubstr("compiled with exact floats; --floats fast asks for others"));

  r = Tessera(compile + " --floats fast");
  ASSERT_EQ(r.code, 0) << r.output;
  const std::string line = "layers that round otherwise than their definition: ";
  EXPECT_THAT(r.output, HasSubstr(line));
  const json algorithms = ReadJson(file)["algorithms"];
  ASSERT_FALSE(algorithms.empty());
  for (const json& one : algorithms)
    EXPECT_THAT(one["algorithm"].get<std::string>(), HasSubstr("winograd_"));
  EXPECT_THAT(Tessera("info " + net).output, HasSubstr(line));
  EXPECT_THAT(Tessera("info " + net + " --schedules").output, HasSubstr("\nwinograd "));
  EXPECT_THAT(Tessera("run " + net + " --device cpu --floats exact" + items).output,
              HasSubstr("compiled with fast floats; --floats exact asks for others"));
  EXPECT_EQ(Tessera("run " + net + " --device cpu --floats fast" + items).code, 0);

  r = Tessera(
      fmt::format("compare {} --devices cpu --floats fast --json {}{}", model, file, items));
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("fast floats may differ by the errors of the layers"));
  const json j = ReadJson(file);
  EXPECT_EQ(j["totals"]["mismatches"], 0);
  EXPECT_GT(j["totals"]["within"], 0);
  EXPECT_GT(j["totals"]["apart"], 0);
  double allowed = 0;
  for (const json& layer : j["layers"]) {
    EXPECT_GE(layer["allowed"], allowed) << layer;
    allowed = layer["allowed"];
  }
  EXPECT_LE(j["totals"]["apart"], allowed);
  EXPECT_LT(allowed, 1e-3);
  EXPECT_THAT(Tessera(fmt::format("compare {} --devices cpu,func{}", model, items)).output,
              HasSubstr("compared values are equal on cpu, func"));
}

TEST(Float, FastFloatsAreOfTheHost) {
  const std::string model = "models/fashion/fashion.onnx";
  EXPECT_THAT(Tessera("compile " + model + " --target cpu --floats quick -o /dev/null").output,
              HasSubstr("--floats: quick not in {exact,fast}"));
  for (const char* target : {"opencl", "cuda", "opencl,cuda"}) {
    const CommandResult r =
        Tessera(fmt::format("compile {} --target {} --floats fast --dump schedule", model, target));
    EXPECT_EQ(r.code, 2) << r.output;
    EXPECT_THAT(r.output, HasSubstr("--floats fast: GPUs compute floats by the definition alone"));
  }
}

TEST(Float, Float16GoesInAndComesOut) {
  ModelBuilder b;
  b.Input("x", {-1, 4});
  b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(10);
  b.Output("y");
  b.Node("Mul", {"x", "x"}, {"y"}, "square");
  const std::string model = TempPath("half.onnx"), input = TempPath("half.npy"),
                    out = TempPath("half_out.npy");
  ASSERT_TRUE(WriteFile(model, b.Bytes()));
  HostTensor x = HostTensor::Zeros(DType::kFloat16, {2, 4});
  for (size_t i = 0; i < 8; ++i)
    x.as<uint16_t>()[i] = FloatToHalf(0.1f * static_cast<float>(i) - 0.3f);
  ASSERT_TRUE(WriteNpy(input, x));
  const CommandResult r =
      Tessera(fmt::format("run {} --device cpu --input {} --output {}", model, input, out));
  ASSERT_EQ(r.code, 0) << r.output;
  const auto y = ReadNpy(out);
  ASSERT_TRUE(y) << y.error().message;
  ASSERT_EQ(y->dtype, DType::kFloat16);
  for (size_t i = 0; i < 8; ++i) {
    const float v = HalfToFloat(x.as<uint16_t>()[i]);
    EXPECT_EQ(y->as<uint16_t>()[i], FloatToHalf(v * v)) << i;
  }
  const CommandResult wrong =
      Tessera(fmt::format("run {} --device cpu --input {}", model, kImages));
  EXPECT_NE(wrong.code, 0);
  EXPECT_THAT(wrong.output, HasSubstr("input 'x' takes float16 [N, 4]"));
}

}  // namespace
}  // namespace tessera::test::float_test
