// SPDX-License-Identifier: Apache-2.0
//
// What is tested: tessera quantize as a user calls it: networks of models/quantize/make.py and the
// example network; its output for each layer; the forms of --data; each refusal, in one line and
// before the calibration where that is possible. Space: each method and type of activations. Not
// tested here: the parts (tests/compiler/calibrate), ONNX Runtime's answers
// (models/quantize/compare.py).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "runtime/tensor/npy.h"
#include "runtime/tensor/npz.h"
#include "tests/tools/command.h"

namespace tessera::test::quantize_test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kFloatModel[] = "models/fashion/fashion.onnx";
constexpr char kTrain[] = "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz";
constexpr char kTrainLabels[] = "/usr/share/datasets/fashion-mnist/train-labels-idx1-ubyte.gz";

std::string Model(const std::string& name) { return TESSERA_QUANTIZE_MODELS "/" + name + ".onnx"; }
std::string Items(const std::string& name) { return TESSERA_QUANTIZE_MODELS "/" + name + ".npz"; }

// Quantises |model| with |options| to TempPath(|to|) and returns the report.
json Quantize(const std::string& model, const std::string& options, const std::string& to) {
  const CommandResult r =
      Tessera(fmt::format("quantize {} {} -o {} --json -", model, options, TempPath(to)));
  EXPECT_EQ(r.code, 0) << r.output;
  return r.code == 0 ? json::parse(r.output) : json();
}

json Small(const std::string& name, const std::string& options = "") {
  return Quantize(Model(name), fmt::format("--data {} {}", Items(name), options), name + ".onnx");
}

json Layer(const json& report, const std::string& name) {
  for (const json& layer : report["layers"]) {
    if (layer["layer"] == name) return layer;
  }
  ADD_FAILURE() << "no layer " << name;
  return {};
}

// Number of |images| that network |path| classifies as |labels| say.
int64_t Right(const std::string& path, const std::string& images, const std::string& labels) {
  const CommandResult r = Tessera(
      fmt::format("run {} --device cpu --input {} --labels {} --json -", path, images, labels));
  EXPECT_EQ(r.code, 0) << r.output;
  const json report = json::parse(r.output);
  return std::lround(report.at("top1").get<double>() * report.at("images").get<double>());
}

// Draws |count| of the test images by |seed|.
void DrawImages(uint32_t seed, int64_t count, const std::string& images,
                const std::string& labels) {
  const HostTensor all = *ReadTensorFile(kImages), right = *ReadTensorFile(kLabels);
  HostTensor x = HostTensor::Zeros(DType::kUint8, {count, 28, 28}),
             y = HostTensor::Zeros(DType::kUint8, {count});
  std::mt19937 rng(seed);
  for (int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<int64_t>(rng() % 10000);
    std::ranges::copy(all.Slice(at, 1).bytes, x.bytes.begin() + i * 784);
    y.bytes[static_cast<size_t>(i)] = right.bytes[static_cast<size_t>(at)];
  }
  ASSERT_TRUE(WriteNpy(images, x));
  ASSERT_TRUE(WriteNpy(labels, y));
}

TEST(Quantize, TheExampleNetworkStaysAsGood) {
  constexpr uint32_t kSeed = 20;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  const std::string x = TempPath("share.npy"), y = TempPath("share_labels.npy");
  DrawImages(kSeed, 2000, x, y);
  const int64_t in_float = Right(kFloatModel, x, y);
  EXPECT_GT(in_float, 1800);
  for (const std::string method : {"minmax", "percentile", "entropy"}) {
    SCOPED_TRACE(method);
    const json report = Quantize(
        kFloatModel,
        fmt::format("--data {} --labels {} --first 64 --method {}", kTrain, kTrainLabels, method),
        "fashion.onnx");
    EXPECT_GE(report["right"]["int8"], 61);
    EXPECT_EQ(report["right"]["items"], 64);
    EXPECT_GT(report["output_snr_db"], 25);
    EXPECT_THAT(report["proposed_float"], IsEmpty());
    // 0.3 percentage points of 2,000 images are 6 images.
    EXPECT_GE(Right(TempPath("fashion.onnx"), x, y), in_float - 6);
  }
  const CommandResult same = Tessera(fmt::format(
      "compare {} --devices cpu,func --input {} --first 1", TempPath("fashion.onnx"), x));
  EXPECT_EQ(same.code, 0) << same.output;
}

TEST(Quantize, NormalisationsAreFoldedAndBoundsTakenIn) {
  const json report = Small("norms");
  EXPECT_EQ(report["folded_norms"], 3);
  EXPECT_GT(report["output_snr_db"], 30);
  EXPECT_EQ(report["layers"].size(), 7u) << report.dump(1);
  for (const json& layer : report["layers"]) EXPECT_TRUE(layer["integers"]) << layer;
  EXPECT_EQ(Layer(report, "p2/MaxPool")["scale"], Layer(report, "c2/Conv")["scale"]);
}

TEST(Quantize, EqualisationIsKeptWhereItHelps) {
  const json report = Small("ranges");
  EXPECT_EQ(report["equalization"]["pairs"], 2);
  EXPECT_TRUE(report["equalization"]["kept"]);
  EXPECT_GT(report["output_snr_db"], 30);
  const CommandResult text = Tessera(fmt::format("quantize {} --data {} -o {}", Model("ranges"),
                                                 Items("ranges"), TempPath("again.onnx")));
  EXPECT_THAT(text.output, HasSubstr("equalised: 2 pairs of convolutions, outputs"));
  EXPECT_THAT(text.output, HasSubstr("dB without: kept"));
  EXPECT_EQ(Read(TempPath("again.onnx")), Read(TempPath("ranges.onnx"))) << "it is deterministic";
}

TEST(Quantize, FloatOperatorsStayAmongThoseOnIntegers) {
  const json report = Small("mixed");
  EXPECT_FALSE(Layer(report, "odds/Softmax")["integers"]);
  for (const std::string name :
       {"gate/Sigmoid", "gated/Mul", "up/ConvTranspose", "near/Resize", "both/Concat", "fc/Gemm"})
    EXPECT_TRUE(Layer(report, name)["integers"]) << name;
  EXPECT_GT(report["output_snr_db"], 30);
}

// The report proposes layers for float, and with them in float the network is good.
TEST(Quantize, ABadLayerIsProposed) {
  const json bad = Small("outlier");
  EXPECT_LT(bad["output_snr_db"], 15);
  EXPECT_THAT(bad["proposed_float"], ElementsAre("c1/Conv", "t1/Tanh"));
  const CommandResult text = Tessera(fmt::format("quantize {} --data {} -o {}", Model("outlier"),
                                                 Items("outlier"), TempPath("o.onnx")));
  EXPECT_THAT(text.output,
              HasSubstr("lose most; better in float: --float c1/Conv --float t1/Tanh\n"));
  const json good = Small("outlier", "--float c1/Conv --float t1/Tanh");
  EXPECT_GT(good["output_snr_db"], 35);
  EXPECT_FALSE(Layer(good, "c1/Conv")["integers"]);
  EXPECT_THAT(good["proposed_float"], IsEmpty());
}

TEST(Quantize, TwoInputsComeByName) {
  const json report = Small("two");
  EXPECT_EQ(report["folded_biases"], 2);
  EXPECT_GT(report["output_snr_db"], 30);
  EXPECT_EQ(report["items"], 24);
}

// Both types stand for the same real values, with zero points 128 apart.
TEST(Quantize, Uint8ActivationsGiveTheSameAnswers) {
  const auto held = ReadNpz(Items("norms"));
  ASSERT_TRUE(held) << held.error().message;
  const std::string x = TempPath("x.npy");
  ASSERT_TRUE(WriteNpy(x, held->at(0).second));
  std::string results[2];
  for (int k = 0; k < 2; ++k) {
    const std::string type = k == 0 ? "int8" : "uint8", y = TempPath(type + ".npy");
    EXPECT_EQ(Small("norms", "--activations " + type)["activations"], type);
    const CommandResult r = Tessera(
        fmt::format("run {} --device cpu --input {} --output {}", TempPath("norms.onnx"), x, y));
    ASSERT_EQ(r.code, 0) << r.output;
    results[k] = Read(y);
  }
  EXPECT_EQ(results[0], results[1]);
}

// The array of the .npz as a .npy file, and its first items.
TEST(Quantize, DataAreReadAsOtherVerbsReadThem) {
  const auto held = ReadNpz(Items("norms"));
  ASSERT_TRUE(held) << held.error().message;
  const std::string x = TempPath("items.npy"), few = TempPath("few.npy");
  ASSERT_TRUE(WriteNpy(x, held->at(0).second));
  ASSERT_TRUE(WriteNpy(few, held->at(0).second.Slice(0, 5)));
  Small("norms");
  const std::string want = Read(TempPath("norms.onnx"));
  Quantize(Model("norms"), "--data " + x, "by_npy.onnx");
  EXPECT_EQ(Read(TempPath("by_npy.onnx")), want);
  Quantize(Model("norms"), "--data image=" + few, "few.onnx");
  const json report = Quantize(Model("norms"), "--first 5 --data " + x, "first.onnx");
  EXPECT_EQ(report["items"], 5);
  EXPECT_EQ(Read(TempPath("first.onnx")), Read(TempPath("few.onnx")));
}

// Expects a refusal with |message| in one line, exit code 2 and no file written.
void ExpectRefused(const std::string& arguments, const std::string& message) {
  const std::string out = TempPath("refused.onnx");
  const std::string with = arguments.find(" -o ") == std::string::npos ? " -o " + out : "";
  const CommandResult r = Tessera("quantize " + arguments + with);
  EXPECT_EQ(r.code, 2) << r.output;
  EXPECT_THAT(r.output, HasSubstr(message));
  EXPECT_EQ(std::ranges::count(r.output, '\n'), 1) << r.output;
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(QuantizeRefuses, ModelsThatAreNotFloat) {
  ExpectRefused(fmt::format("{} --data {}", kModel, kImages),
                "fashion_int8.onnx: is quantised already: node 0 (QuantizeLinear");
  ExpectRefused(fmt::format("tests/data/tflite_ops/fully_connected_00.tflite --data {}", kImages),
                "is a TFLite file; tessera quantize takes ONNX");
}

TEST(QuantizeRefuses, DataThatDoNotFit) {
  const std::string x = TempPath("wrong.npy"), none = TempPath("none.npy");
  ASSERT_TRUE(WriteNpy(x, HostTensor::Zeros(DType::kFloat32, {5, 1, 28, 27})));
  ASSERT_TRUE(WriteNpy(none, HostTensor::Zeros(DType::kFloat32, {0, 1, 28, 28})));
  ExpectRefused(fmt::format("{} --data {}", kFloatModel, x), "given is float32 [5, 1, 28, 27]");
  ExpectRefused(fmt::format("{} --data {}", kFloatModel, none),
                "none.npy: shape [0, 1, 28, 28] holds no items");
  const std::string folder = TempPath("empty");
  std::filesystem::create_directory(folder);
  ExpectRefused(fmt::format("{} --data {}", kFloatModel, folder),
                "empty: no file of this folder ends in .png");
  ExpectRefused(fmt::format("{} --data {}", kFloatModel, TempPath("absent.npy")), "absent.npy");
  ExpectRefused(fmt::format("{} --data {}", Model("two"), x),
                "the model has 2 inputs, left, right: give --data NAME=FILE");
  ExpectRefused(fmt::format("{} --data left={}", Model("two"), x), "given is float32");
  ExpectRefused(fmt::format("{} --data {}", Model("two"), Items("norms")),
                "array 'image' is no input; the inputs are left, right");
  ExpectRefused(fmt::format("{} --data {} --first 25", Model("norms"), Items("norms")),
                "--first 25 but there are 24 items");
}

TEST(QuantizeRefuses, ValuesThatAreNotFinite) {
  const std::string x = TempPath("nan.npy");
  HostTensor items = HostTensor::Zeros(DType::kFloat32, {2, 3, 12, 12});
  items.as<float>()[500] = NAN;
  ASSERT_TRUE(WriteNpy(x, items));
  ExpectRefused(fmt::format("{} --data {}", Model("norms"), x),
                "norms.onnx: item 1: value 'image': holds a value that is nan");
}

TEST(QuantizeRefuses, NamesThatAreNone) {
  ExpectRefused(fmt::format("{} --data {} --float c2/Convv", Model("norms"), Items("norms")),
                "--float c2/Convv: the model has no such layer; the nearest are c2/Conv, ");
  ExpectRefused(fmt::format("{} --data {} --method max", Model("norms"), Items("norms")),
                "--method max: there are minmax, percentile and entropy");
  ExpectRefused(fmt::format("{} --data {} --activations int4", Model("norms"), Items("norms")),
                "--activations int4: there are int8 and uint8");
}

// The check of the output comes first: neither model nor data exist.
TEST(QuantizeRefuses, AnOutputThatCannotBeWritten) {
  const std::string folder = TempPath("folder");
  std::filesystem::create_directory(folder);
  for (const std::string& out : {TempPath("nowhere/int8.onnx"), folder})
    ExpectRefused(fmt::format("absent.onnx --data absent.npy -o {}", out), out + ": cannot create");
}

TEST(QuantizeRefuses, LabelsOfAnotherCount) {
  ExpectRefused(
      fmt::format("{} --data {} --labels {}", kFloatModel, kTrain, kLabels),
      "holds uint8 of shape [10000]; one whole number for each of the 60000 items is needed");
}

}  // namespace
}  // namespace tessera::test::quantize_test
