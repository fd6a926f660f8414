// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the forms of input and output data of `run`, `compare` and `trace`: several
// inputs and outputs by name, .npz, pictures and folders of them, pixels by mean and std, labels of
// any type, which outputs classify, a reference of another runtime, and every refusal. Space: float
// networks of one or two layers made here, whose results are formulas. Not here: contents of files
// (tests/runtime), int8 networks (run_test.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "runtime/tensor/npy.h"
#include "tests/compiler/import/model_builder.h"
#include "tests/runtime/picture_files.h"
#include "tests/tools/command.h"

namespace tessera::test::inputs_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Made(const std::string& name, ModelBuilder& builder) {
  const std::string path = TempPath(name);
  EXPECT_TRUE(WriteFile(path, builder.Bytes()));
  return path;
}

// product = a * b, sum/of both = a + b.
std::string TwoByTwo() {
  ModelBuilder b;
  b.Input("a", {-1, 4});
  b.Input("b", {-1, 4});
  b.Output("product");
  b.Output("sum/of both");
  b.Node("Mul", {"a", "b"}, {"product"}, "product");
  b.Node("Add", {"a", "b"}, {"sum/of both"}, "sum");
  return Made("two.onnx", b);
}

// y = x * x.
std::string Square(const std::vector<int64_t>& shape) {
  ModelBuilder b;
  b.Input("x", shape);
  b.Output("y");
  b.Node("Mul", {"x", "x"}, {"y"}, "square");
  return Made(fmt::format("square{}_{}.onnx", shape.size(), shape.back()), b);
}

HostTensor Floats(std::vector<int64_t> shape, float step = 0.25f) {
  HostTensor tensor = HostTensor::Zeros(DType::kFloat32, std::move(shape));
  for (size_t i = 0; i < tensor.as<float>().size(); ++i)
    tensor.as<float>()[i] = step * static_cast<float>(i) - 1;
  return tensor;
}

std::string File(const std::string& name, const HostTensor& tensor) {
  EXPECT_TRUE(WriteNpy(TempPath(name), tensor));
  return TempPath(name);
}

json ReadJson(const std::string& name) { return json::parse(Read(TempPath(name))); }

void ExpectRefused(const std::string& arguments, const std::string& says) {
  const CommandResult r = Tessera(arguments);
  EXPECT_EQ(r.code, 2) << arguments << "\n" << r.output;
  EXPECT_THAT(r.output, HasSubstr(says)) << arguments;
  EXPECT_EQ(std::ranges::count(r.output, '\n'), 1) << "one line: " << r.output;
}

TEST(ManyInputs, GoInAndComeOutByName) {
  const std::string model = TwoByTwo(), folder = TempPath("out/"), one = TempPath("one.npy");
  const HostTensor a = Floats({3, 4}), b = Floats({3, 4}, 0.5f);
  const std::string inputs =
      fmt::format("--input b={} --input a={}", File("b.npy", b), File("a.npy", a));
  const CommandResult r = Tessera(fmt::format("run {} --device cpu {} --output {} --json {}", model,
                                              inputs, folder, TempPath("two.json")));
  ASSERT_EQ(r.code, 0) << r.output;
  const auto product = ReadNpy(folder + "product.npy"), sum = ReadNpy(folder + "sum_of_both.npy");
  ASSERT_TRUE(product && sum) << r.output;
  EXPECT_EQ(product->shape, (std::vector<int64_t>{3, 4}));
  for (size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(product->as<float>()[i], a.as<float>()[i] * b.as<float>()[i]) << i;
    EXPECT_EQ(sum->as<float>()[i], a.as<float>()[i] + b.as<float>()[i]) << i;
  }
  const json j = ReadJson("two.json");
  ASSERT_EQ(j["outputs"].size(), 2u);
  EXPECT_EQ(j["outputs"][1]["name"], "sum/of both");
  EXPECT_EQ(j["outputs"][1]["file"], folder + "sum_of_both.npy");
  EXPECT_EQ(j["outputs"][0]["shape"], json({3, 4}));
  const CommandResult named =
      Tessera(fmt::format("run {} --device cpu {} --output 'sum/of both'={}", model, inputs, one));
  ASSERT_EQ(named.code, 0) << named.output;
  EXPECT_TRUE(*ReadNpy(one) == *sum);

  const CommandResult compared = Tessera(fmt::format("compare {} --devices cpu,func {} --json {}",
                                                     model, inputs, TempPath("two.json")));
  ASSERT_EQ(compared.code, 0) << compared.output;
  EXPECT_THAT(compared.output, HasSubstr("\nOutputs:\n"));
  const json c = ReadJson("two.json");
  EXPECT_EQ(c["outputs"][0]["values"], 12);
  EXPECT_EQ(c["outputs"][1]["values"], 12);
  EXPECT_EQ(c["outputs"][1]["mismatches"], 0);
}

TEST(ManyInputs, WrongOnesAreRefused) {
  const std::string model = TwoByTwo(), a = File("a3.npy", Floats({3, 4})),
                    b = File("b2.npy", Floats({2, 4})), run = "run " + model + " --device cpu ";
  ExpectRefused(run + "--input " + a, "--input " + a +
                                          ": the model has 2 inputs, a, b: give "
                                          "--input NAME=FILE");
  ExpectRefused(run + "--input a=" + a, "input 'b' has no file; give --input b=FILE, too");
  ExpectRefused(run + "--input c=" + a, "no such name; the inputs are a, b");
  ExpectRefused(run + "--input a=" + a + " --input a=" + b, "'a' has " + a + " already");
  ExpectRefused(run + "--input a=" + a + " --input b=" + b,
                b + ": holds 2 items for 'b', " + a + " holds 3 for 'a'");
  ExpectRefused(run + "--input a= --input b=" + b, "--input a=: names no file");
  const std::string both = run + fmt::format("--input a={} --input b={} ", a, a);
  ExpectRefused(both + "--output " + TempPath("y.npy"),
                "the model has 2 outputs, product, sum/of both: give --output NAME=FILE");
  ExpectRefused(both + "--output z=" + TempPath("y.npy"),
                "no such name; the outputs are product, sum/of both");
  ExpectRefused(
      both + fmt::format("--output product={0} --output 'sum/of both'={0}", TempPath("y.npy")),
      "y.npy is for 'product' and for 'sum/of both'");
  EXPECT_FALSE(std::filesystem::exists(TempPath("y.npy")));
}

TEST(Archive, HoldsInputsByName) {
  // kTwoNpz has a, float32 [2, 3], and b, int64 [2].
  const std::string npz = Write("two.npz", FromHex(kTwoNpz));
  ModelBuilder m;
  m.Input("a", {-1, 3});
  m.Output("y");
  m.Node("Mul", {"a", "a"}, {"y"}, "square");
  ExpectRefused("run " + Made("a.onnx", m) + " --device cpu --input " + npz,
                npz + ": array 'b' is no input; the inputs are a");
  ExpectRefused("run " + TwoByTwo() + " --device cpu --input " + npz,
                npz + ": input 'a' takes float32 [N, 4]; given is float32 [2, 3]");
}

TEST(StaticBatch, IsOneItem) {
  const std::string model = Square({4, 3}), out = TempPath("batch.npy");
  const HostTensor x = Floats({4, 3});
  const CommandResult r = Tessera(
      fmt::format("run {} --device cpu --input {} --output {}", model, File("x43.npy", x), out));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr(": 1 items in "));
  const auto y = ReadNpy(out);
  ASSERT_TRUE(y);
  EXPECT_EQ(y->shape, (std::vector<int64_t>{1, 4, 3}));
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(y->as<float>()[i], x.as<float>()[i] * x.as<float>()[i]);
}

// The message gives the shape of the file, not of the part that --first leaves.
TEST(First, IsNotInTheMessage) {
  ExpectRefused("run " + Square({-1, 3, 8, 8}) + " --device cpu --first 1 --input " +
                    File("chw.npy", Floats({3, 8, 8})),
                "given is float32 [3, 8, 8]");
}

// Pixels of kRgbPng: 20 x, 25 y, 10 (x + y).
float Pixel(size_t y, size_t x, size_t c) {
  return static_cast<float>(c == 0 ? 20 * x : c == 1 ? 25 * y : 10 * (x + y));
}

TEST(Pictures, GoInInTheModelsLayoutByMeanAndStd) {
  const std::string png = Write("rgb.png", FromHex(kRgbPng)), out = TempPath("picture.npy");
  const float mean[] = {0.5f, 0.25f, 0}, std[] = {0.5f, 1, 2};
  for (const bool planes : {true, false}) {
    const std::string model = planes ? Square({1, 3, 9, 11}) : Square({1, 9, 11, 3});
    const CommandResult r = Tessera(
        fmt::format("run {} --device cpu --input {} --mean 0.5,0.25,0 --std 0.5,1,2 --output {}",
                    model, png, out));
    ASSERT_EQ(r.code, 0) << r.output;
    EXPECT_THAT(r.output, HasSubstr("input 'x': a pixel p becomes (p / 255 - [0.5, 0.25, 0]) / "
                                    "[0.5, 1, 2]\n"));
    const auto y = ReadNpy(out);
    ASSERT_TRUE(y);
    for (size_t at = 0; at < 297; ++at) {
      const size_t c = planes ? at / 99 : at % 3, pixel = planes ? at % 99 : at / 3;
      const float value = (Pixel(pixel / 11, pixel % 11, c) / 255 - mean[c]) / std[c];
      EXPECT_NEAR(y->as<float>()[at], value * value, 1e-5) << at;
    }
  }
}

TEST(Pictures, OfAFolderAreInTheOrderOfTheirNames) {
  const std::string folder = TempPath("pictures"), out = TempPath("pictures.npy");
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(WriteFile(folder + "/b.PNG", std::string_view(FromHex(kGreyPng))));
  ASSERT_TRUE(WriteFile(folder + "/a.jpeg", std::string_view(FromHex(kGreyJpeg))));
  ASSERT_TRUE(WriteFile(folder + "/labels.txt", std::string_view("0 1")));
  const std::string run = "run " + Square({-1, 3, 9, 11}) + " --device cpu --input " + folder;
  const CommandResult r = Tessera(run + " --scale 1 --output " + out);
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr(": 2 items in "));
  const auto y = ReadNpy(out);
  ASSERT_TRUE(y);
  EXPECT_EQ(y->shape, (std::vector<int64_t>{2, 3, 9, 11}));
  EXPECT_EQ(y->as<float>()[1], 19 * 19);        // a.jpeg: Pillow decodes 19
  EXPECT_EQ(y->as<float>()[297 + 1], 20 * 20);  // b.PNG
  EXPECT_EQ(y->as<float>()[297 + 99 + 1], 20 * 20) << "grey fills all channels";
  EXPECT_THAT(Tessera(run + " --first 1").output, HasSubstr(": 1 items in "));
  ExpectRefused(run + " --first 3", "--first 3 but there are 2 items");
  std::filesystem::remove(folder + "/b.PNG");
  std::filesystem::remove(folder + "/a.jpeg");
  ExpectRefused(run, folder + ": no file of this folder ends in .png, .jpg or .jpeg");
}

TEST(Pictures, OfAnotherSizeAreResizedWhenAsked) {
  const std::string png = Write("rgb.png", FromHex(kRgbPng)), out = TempPath("small.npy"),
                    run = "run " + Square({1, 3, 3, 2}) + " --device cpu --input " + png;
  ExpectRefused(run, "is 11 x 9, input 'x' takes 2 x 3; give --resize bilinear or nearest");
  const CommandResult r = Tessera(run + " --resize nearest --scale 1 --output " + out);
  ASSERT_EQ(r.code, 0) << r.output;
  const auto y = ReadNpy(out);
  ASSERT_TRUE(y);
  for (size_t at = 0; at < 18; ++at) {  // rows 1, 4, 7; columns 2 and 8
    const float value = Pixel(at % 6 / 2 * 3 + 1, at % 2 == 0 ? 2 : 8, at / 6);
    EXPECT_EQ(y->as<float>()[at], value * value) << at;
  }
}

TEST(Pictures, ThatDoNotFitAreRefused) {
  const std::string png = Write("rgb.png", FromHex(kRgbPng)),
                    alpha = Write("alpha.png", FromHex(kAlphaPng));
  ExpectRefused("run " + Square({1, 1, 9, 11}) + " --device cpu --input " + png,
                "is in colour, input 'x' has one channel; save it in grey first");
  ExpectRefused("run " + Square({1, 300}) + " --device cpu --input " + png,
                "input 'x' is [1, 300]; give a .npy file");
  ExpectRefused("run " + Square({1, 3, 9, 11}) + " --device cpu --input " + alpha,
                "has an alpha channel");
  ExpectRefused("run " + Square({1, 3, 9, 11}) + " --device cpu --mean 1,2 --input " + png,
                png + ": --mean [1, 2]: 2 numbers, input 'x' has 3 channels");
  ExpectRefused(
      "run " + Square({1, 4}) + " --device cpu --mean 1 --input " + File("x4.npy", Floats({1, 4})),
      "--mean, --std, --scale: are for uint8 pixels");
  ExpectRefused("run x.onnx --device cpu --resize cubic --input " + png, "--resize");
}

// 300 classes; the greatest x of item i, and so of x * x, is in class 299 - i.
TEST(Classes, LabelsAreOfAnyWholeNumberType) {
  const std::string model = Square({-1, 300});
  HostTensor x = HostTensor::Zeros(DType::kFloat32, {3, 300});
  for (size_t i = 0; i < 3; ++i) {
    x.as<float>()[i * 300 + 299 - i] = 9;
    x.as<float>()[i * 300 + 7] = 8;
    x.as<float>()[i * 300 + 5] = 8;
  }
  HostTensor labels = HostTensor::Zeros(DType::kInt64, {3, 1});
  labels.as<int64_t>()[0] = 299, labels.as<int64_t>()[1] = 5, labels.as<int64_t>()[2] = 100;
  const std::string base = fmt::format("{} --input {} --labels {}", model, File("x300.npy", x),
                                       File("labels.npy", labels));
  const CommandResult r =
      Tessera("run " + base + " --device cpu --top 3 --json " + TempPath("top.json"));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("accuracy: 1 of 3 right, top-1 33.33 %, top-3 66.67 %\n"));
  EXPECT_THAT(r.output, HasSubstr("\n   1  298, 5, 7\n"));
  const json j = ReadJson("top.json");
  EXPECT_NEAR(j["top3"].get<double>(), 2.0 / 3, 1e-9);
  EXPECT_EQ(j["classes"][0], json({299, 5, 7}));
  const CommandResult c = Tessera("compare " + base + " --devices cpu,func --top 2");
  ASSERT_EQ(c.code, 0) << c.output;
  EXPECT_THAT(c.output, HasSubstr("cpu: 33.3 % right, 66.7 % in the first 2\n"));
  labels.as<int64_t>()[2] = 300;
  File("labels.npy", labels);
  ExpectRefused("run " + base + " --device cpu",
                "--labels: label 300 of item 2; output 'y' has 300 classes");
  labels.as<int64_t>()[2] = -1;
  File("labels.npy", labels);
  ExpectRefused("run " + base + " --device cpu", "label -1 of item 2; classes count from 0");
  File("labels.npy", Floats({3}));
  ExpectRefused("run " + base + " --device cpu", "one whole number for each of the 3 items");
}

TEST(Classes, AreToldOnlyWhereTheOutputClassifies) {
  const std::string model = Square({1, 2, 3}), x = File("x23.npy", Floats({1, 2, 3}));
  const CommandResult r = Tessera("compare " + model + " --devices cpu,func --input " + x);
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, Not(HasSubstr("Predicted class")));
  ExpectRefused("run " + model + " --device cpu --top 2 --input " + x,
                "--top: no output of the model is [1, C], the values of C classes");
}

// The reference is x * x, with 0.5 added in one place: cosine and ratio by hand.
TEST(Reference, TellsHowNearTheOutputsAre) {
  const std::string model = Square({-1, 4}), x = File("xr.npy", Floats({2, 4}, 0.5f));
  HostTensor y = Floats({2, 4}, 0.5f);
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < 8; ++i) {
    float& value = y.as<float>()[i];
    value *= value;
    const double a = value, b = a + (i == 3 ? 0.5 : 0);
    ab += a * b, aa += a * a, bb += b * b;
    value = static_cast<float>(b);
  }
  const std::string reference = File("yr.npy", y);
  const std::string compare =
      fmt::format("compare {} --devices cpu,func --input {} --reference ", model, x);
  const CommandResult r = Tessera(compare + reference + " --json " + TempPath("ref.json"));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("Outputs, and those on cpu beside the reference:\n"));
  const json near = ReadJson("ref.json")["outputs"][0]["reference"];
  EXPECT_EQ(near["agree"], 2);
  EXPECT_EQ(near["items"], 2);
  EXPECT_NEAR(near["max_difference"].get<double>(), 0.5, 1e-6);
  EXPECT_NEAR(near["cosine"].get<double>(), ab / std::sqrt(aa * bb), 1e-6);
  EXPECT_NEAR(near["snr_db"].get<double>(), 10 * std::log10(bb / 0.25), 1e-6);
  // One item of two, with a reference for both or for one.
  EXPECT_EQ(Tessera(compare + reference + " --first 1").code, 0);
  EXPECT_EQ(Tessera(compare + File("yr1.npy", y.Slice(0, 1)) + " --first 1").code, 0);
  ExpectRefused(compare + File("yr3.npy", Floats({3, 4})),
                "a reference for output 'y' of these inputs is [2, 4]");
  ExpectRefused(compare + "z=" + reference, "no such name; the outputs are y");
}

TEST(Trace, NeedsAllInputsOrNone) {
  const std::string model = TwoByTwo();
  ExpectRefused("trace " + model + " --device cycle -o " + TempPath("t.json") +
                    " --input a=" + File("a1.npy", Floats({1, 4})),
                "no layer runs on the accelerator");
}

}  // namespace
}  // namespace tessera::test::inputs_test
