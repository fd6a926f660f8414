// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `run` and `compare` on the real model and real images: equal integers on cpu,
// func and rtl, the JSON's fields and sums, golden cycles, inputs that do not fit. Space: the
// Fashion-MNIST model, a few test images, configurations default, pynq, tiny, batch4 and wide. Not
// tested here: time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/file.h"
#include "runtime/tensor/npy.h"
#include "tests/tools/command.h"
#include "tests/tools/fashion_cycles.h"

namespace tessera::test::run_test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Data(int first) {
  return fmt::format(" --input {} --labels {} --first {}", kImages, kLabels, first);
}

json ReadJson(const std::string& path) {
  const auto bytes = ReadFile(path);
  return bytes ? json::parse(bytes->begin(), bytes->end()) : json();
}

TEST(Compare, CpuAndHlsAgreeOnEveryLayer) {
  const std::string file = TempPath("compare_hls.json");
  const CommandResult r =
      Tessera(fmt::format("compare {} --devices cpu,hls{} --json {}", kModel, Data(3), file));
  ASSERT_EQ(r.code, 0) << r.output;
  const json j = ReadJson(file);
  EXPECT_TRUE(j["ok"].get<bool>());
  EXPECT_EQ(j["devices"], json({"cpu", "hls"}));
  EXPECT_FALSE(j["layers"].empty());
  for (const json& layer : j["layers"]) {
    EXPECT_EQ(layer["mismatches"], 0) << layer;
    EXPECT_GT(layer["values"].get<int64_t>(), 0) << layer;
  }
  EXPECT_EQ(j["totals"]["mismatches"], 0);
}

TEST(Compare, CpuFuncAndRtlAgreeOnEveryLayer) {
  const std::string file = TempPath("compare.json");
  const CommandResult r =
      Tessera(fmt::format("compare {} --devices cpu,func,rtl{} --json {}", kModel, Data(3), file));
  ASSERT_EQ(r.code, 0) << r.output;
  const json j = ReadJson(file);
  EXPECT_TRUE(j["ok"].get<bool>());
  EXPECT_EQ(j["config"], "default");
  EXPECT_EQ(j["memory"], "tsim");
  EXPECT_EQ(j["devices"], json({"cpu", "func", "rtl"}));
  int64_t macs = 0, cycles = 0;
  for (const json& layer : j["layers"]) {
    EXPECT_EQ(layer["mismatches"], 0) << layer;
    EXPECT_GT(layer["values"].get<int64_t>(), 0) << layer;
    macs += layer["macs"].get<int64_t>();
    cycles += layer["cycles"].get<int64_t>();
  }
  EXPECT_EQ(j["totals"]["images"], 3);
  EXPECT_EQ(macs, 9345920);  // models/fashion/README.md, counted by the training script
  EXPECT_EQ(j["totals"]["macs"], macs);
  EXPECT_EQ(j["totals"]["cycles"], cycles);
  EXPECT_EQ(cycles, ReadJson("tests/models/cycles.json")["fashion"]);  // cycles are exact
  EXPECT_EQ(j["totals"]["mismatches"], 0);
  EXPECT_NEAR(j["totals"]["utilisation"].get<double>(),
              static_cast<double>(macs) / (256.0 * static_cast<double>(cycles)), 1e-9);
  EXPECT_EQ(j["totals"]["top1"], 1.0);  // the first three images are easy ones
  EXPECT_EQ(j["predictions"][0], j["labels"]);
}

// |text| with # for measured numbers.
std::string Unmeasured(const std::string& text) {
  static const std::regex measured(R"([0-9]+\.[0-9]+( ms an image, measured on this machine|\n))");
  return std::regex_replace(text, measured, "#$1");
}

// docs/results.md shows the output of ./run.sh on one machine, with "..." for its predictions.
TEST(Compare, ThePageOfResultsShowsIt) {
  const auto bytes = ReadFile("docs/results.md");
  ASSERT_TRUE(bytes.has_value());
  const std::string page(bytes->begin(), bytes->end()),
      begin = "<!-- printed by ./run.sh -->\n```\n";
  ASSERT_NE(page.find(begin), std::string::npos);
  const size_t at = page.find(begin) + begin.size();
  const std::string block = page.substr(at, page.find("```\n", at) - at);
  const size_t left_out = block.find("\n...\n");
  ASSERT_NE(left_out, std::string::npos);
  const CommandResult r =
      Tessera(fmt::format("compare {} --devices cpu,func,rtl{}", kModel, Data(16)));
  EXPECT_EQ(r.code, 0);
  EXPECT_THAT(Unmeasured(r.output), StartsWith(Unmeasured(block.substr(0, left_out + 1))))
      << "python3 bench/networks.py --update writes it";
  EXPECT_THAT(r.output, EndsWith(block.substr(left_out + 5)))
      << "python3 bench/networks.py --update writes it";
}

// A unit's counters add up to the layer's cycles. GEMM works for at least one cycle per 256
// multiply-accumulates, a tile product. The host quantises, packs and dequantises around one run;
// the ten logits have the same layout on both sides.
TEST(Compare, ExplainAddsUpToTheCycles) {
  const std::string file = TempPath("explain.json");
  const CommandResult r =
      Tessera(fmt::format("compare {} --devices rtl{} --explain --json {}", kModel, Data(1), file));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("Where the cycles went"));
  const json j = ReadJson(file);
  int64_t sum = 0;
  for (const json& layer : j["layers"]) {
    const int64_t cycles = layer["cycles"].get<int64_t>();
    sum += cycles;
    ASSERT_EQ(layer["units"].size(), 4u) << layer;
    for (const auto& [unit, counters] : layer["units"].items()) {
      int64_t parts = 0;
      for (const auto& [name, part] : counters.items()) {
        EXPECT_GE(part.get<int64_t>(), 0) << layer["name"] << " " << unit << " " << name;
        parts += part.get<int64_t>();
      }
      EXPECT_EQ(parts, cycles) << layer["name"] << " " << unit;
    }
  }
  EXPECT_EQ(sum, j["totals"]["cycles"]);
  int64_t gemm = 0;
  for (const json& layer : j["layers"]) gemm += layer["units"]["gemm"]["busy"].get<int64_t>();
  EXPECT_GE(gemm, 9345920 / 256);
  std::vector<std::string> host;
  for (const json& step : j["host"]) host.push_back(step["step"]);
  EXPECT_EQ(host, (std::vector<std::string>{"input_q/QuantizeLinear (quantize)",
                                            "pack an input for the machine", "logits (dequantize)",
                                            "copy to and from the machine's memory"}));
  EXPECT_EQ(j["host"][0]["bytes_read"], 28 * 28 * 4);
  EXPECT_EQ(j["host"][0]["bytes_written"], 28 * 28);
  EXPECT_EQ(j["host"][3]["bytes_read"], 28 * 28 * 9 + 10);  // taps as channels, and the classes
  // The time is measured on this machine; the command prints the sum of the steps.
  double seconds = 0;
  for (const json& step : j["host"]) seconds += step["seconds"].get<double>();
  EXPECT_NEAR(j["totals"]["host_seconds"].get<double>(), seconds, 1e-9);
  EXPECT_THAT(r.output,
              HasSubstr(fmt::format("\nThe host's steps took {:.3f} ms an image, measured "
                                    "on this machine.\n",
                                    1e3 * seconds)));
  EXPECT_THAT(r.output, ContainsRegex("\nstep +bytes read +bytes written +ms on this machine\n"));
}

TEST(Compare, ExplainNeedsAClock) {
  const CommandResult r =
      Tessera(fmt::format("compare {} --devices cpu,func{} --explain", kModel, Data(1)));
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.output, HasSubstr("--explain needs a device with a clock"));
}

// `compare` compares what an artifact keeps: its outputs, or every layer's result.
TEST(Compare, AnArtifactIsComparedByWhatItKeeps) {
  const std::string plain = TempPath("plain.tsr"), kept = TempPath("kept.tsr"),
                    file = TempPath("artifact.json");
  ASSERT_EQ(Tessera(fmt::format("compile {} -o {}", kModel, plain)).code, 0);
  const CommandResult outputs =
      Tessera(fmt::format("compare {} --devices cpu,func{} --json {}", plain, Data(2), file));
  ASSERT_EQ(outputs.code, 0) << outputs.output;
  EXPECT_THAT(outputs.output,
              HasSubstr("\nThe artifact keeps no layer's result: the outputs were compared with "
                        "those on cpu; compile with --keep-tensors to see every layer.\n"));
  json j = ReadJson(file);
  EXPECT_FALSE(j["keeps_layers"].get<bool>());
  EXPECT_EQ(j["programs"], 1);
  EXPECT_EQ(j["totals"]["values"], 20);  // ten classes, two images
  ASSERT_EQ(Tessera(fmt::format("compile {} --keep-tensors -o {}", kModel, kept)).code, 0);
  const CommandResult layers =
      Tessera(fmt::format("compare {} --devices cpu,func{} --json {}", kept, Data(2), file));
  ASSERT_EQ(layers.code, 0) << layers.output;
  EXPECT_THAT(layers.output, HasSubstr("Every layer's result was compared"));
  j = ReadJson(file);
  EXPECT_TRUE(j["keeps_layers"].get<bool>());
  for (const json& layer : j["layers"]) EXPECT_GT(layer["values"].get<int64_t>(), 0) << layer;
}

// With two clocks `compare` gives the cycles of both and whether they agree; with another memory
// they do not, which is no mismatch of values.
TEST(Compare, TellsWhetherTheCyclesOfTwoDevicesAgree) {
  const std::string file = TempPath("clocks.json");
  const std::string compare =
      fmt::format("compare {}{} --json {} --devices ", kModel, Data(1), file);
  const CommandResult same = Tessera(compare + "cycle,rtl");
  ASSERT_EQ(same.code, 0) << same.output;
  EXPECT_THAT(same.output, ContainsRegex("MACs +cycle cycles +rtl cycles +MACs used"));
  EXPECT_THAT(same.output,
              ContainsRegex(fmt::format("\ntotal +9,345,920 +{0} +{0} ", FashionCyclesText())));
  EXPECT_THAT(same.output,
              HasSubstr(fmt::format("\nrtl: {} cycles an image are {} ms at 100 MHz.\n",
                                    FashionCyclesText(), FashionMilliseconds())));
  EXPECT_THAT(same.output, HasSubstr("\nThe cycles of cycle, rtl are the same, layer by layer.\n"));
  const json j = ReadJson(file)["clocks"];
  ASSERT_EQ(j.size(), 2u);
  EXPECT_EQ(j[0]["device"], "cycle");
  EXPECT_EQ(j[0]["layer_cycles"], j[1]["layer_cycles"]);
  EXPECT_EQ(j[0]["units"], j[1]["units"]);
  const CommandResult other = Tessera(compare + "cycle,rtl:stall-seed=3");
  EXPECT_EQ(other.code, 0) << other.output;
  EXPECT_THAT(other.output,
              ContainsRegex("\nThe cycles of cycle, rtl are not the same: stem_conv/Conv is the "
                            "first layer that differs, 2,283 on cycle and [0-9,]+ on rtl.\n"));
  EXPECT_THAT(other.output, HasSubstr("ok: all "));
}

TEST(Compile, TellsTheTimeOfEachPhase) {
  const std::string file = TempPath("time.json");
  const CommandResult r =
      Tessera(fmt::format("compile {} -o {} --target cpu,vta,opencl,cuda --time --json {}", kModel,
                          TempPath("time.tsr"), file));
  ASSERT_EQ(r.code, 0) << r.output;
  const auto bytes = ReadFile(file);
  ASSERT_TRUE(bytes) << bytes.error().message;
  std::vector<std::string> names;
  const json phases = json::parse(*bytes)["phases"];
  for (const json& phase : phases) {
    names.push_back(phase["phase"]);
    EXPECT_GE(phase["seconds"].get<double>(), 0) << names.back();
    EXPECT_THAT(r.output, HasSubstr("\n" + names.back()));
  }
  EXPECT_THAT(
      names,
      ::testing::UnorderedElementsAre(
          "import", "graph passes, placement", "tensor expressions", "plans of steps and memory",
          "host: schedules and loops", "host: machine code", "accelerator: schedules",
          "accelerator: loops and instructions", "accelerator: check of the program",
          "accelerator: translation check", "opencl: schedules and loops", "opencl: kernels",
          "cuda: schedules and loops", "cuda: kernels", "artifact"));
  EXPECT_THAT(r.output, HasSubstr("\nsum "));
}

// The network's tensors share storage, unless --keep-tensors keeps all.
TEST(Info, TellsStepsAndThePeakOfTheMemoryPlan) {
  const std::string plain = TempPath("info.tsr"), kept = TempPath("info_kept.tsr"),
                    file = TempPath("info.json");
  ASSERT_EQ(Tessera(fmt::format("compile {} -o {}", kModel, plain)).code, 0);
  ASSERT_EQ(Tessera(fmt::format("compile {} --keep-tensors -o {}", kModel, kept)).code, 0);
  const auto memory = [&](const std::string& net, const std::string& device) {
    const CommandResult r = Tessera(fmt::format("info {} --json {}", net, file));
    EXPECT_EQ(r.code, 0) << r.output;
    EXPECT_THAT(r.output, HasSubstr("bytes at the peak"));
    EXPECT_THAT(r.output, HasSubstr("default: program 0"));
    EXPECT_THAT(r.output, HasSubstr("from host to default"));
    const json j = ReadJson(file);
    EXPECT_EQ(j["programs"].size(), 1u);
    for (const json& entry : j["plans"][1]["memory"]) {
      if (entry["device"] == device)
        return std::pair(entry["peak_bytes"].get<int64_t>(),
                         entry["unshared_bytes"].get<int64_t>());
    }
    return std::pair<int64_t, int64_t>(-1, -1);
  };
  for (const char* device : {"host", "default"}) {
    const auto [peak, sum] = memory(plain, device);
    EXPECT_GT(peak, 0) << device;
    EXPECT_LT(peak, sum) << device;
    const auto [kept_peak, kept_sum] = memory(kept, device);
    EXPECT_LE(kept_peak, kept_sum) << device;
    EXPECT_GT(kept_peak, kept_sum - 64) << device;
    EXPECT_GE(kept_peak, peak) << device;
  }
}

// Runs of whole networks on every machine that is built with the tests.
class Machines : public ::testing::TestWithParam<const char*> {};
TEST_P(Machines, GiveTheSameIntegers) {
  const CommandResult r = Tessera(
      fmt::format("compare {} --devices cpu,func,rtl --config {}{}", kModel, GetParam(), Data(1)));
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("ok: all "));
}
INSTANTIATE_TEST_SUITE_P(Named, Machines, ::testing::Values("pynq", "tiny", "batch4", "wide"));

TEST(Run, AnArtifactGivesWhatTheModelGives) {
  const std::string net = TempPath("run.tsr"), a = TempPath("a.npy"), b = TempPath("b.npy");
  ASSERT_EQ(Tessera(fmt::format("compile {} -o {}", kModel, net)).code, 0);
  ASSERT_EQ(Tessera(fmt::format("run {} --device func{} --output {}", kModel, Data(20), a)).code,
            0);
  ASSERT_EQ(Tessera(fmt::format("run {} --device cpu{} --output {}", net, Data(20), b)).code, 0);
  const auto first = ReadNpy(a), second = ReadNpy(b);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->shape, (std::vector<int64_t>{20, 10}));
  EXPECT_TRUE(*first == *second);
}

TEST(Run, NpyInputInTheModelsTypeGivesTheSame) {
  const auto images = ReadIdx(kImages);
  ASSERT_TRUE(images.has_value());
  HostTensor pixels = HostTensor::Zeros(DType::kFloat32, {4, 1, 28, 28});
  for (size_t i = 0; i < static_cast<size_t>(pixels.count()); ++i)
    pixels.as<float>()[i] = static_cast<float>(images->bytes[i]) / 255.0f;
  const std::string x = TempPath("x.npy"), a = TempPath("idx.npy"), b = TempPath("npy.npy");
  ASSERT_TRUE(WriteNpy(x, pixels));
  ASSERT_EQ(Tessera(fmt::format("run {} --device func --input {} --first 4 --output {}", kModel,
                                kImages, a))
                .code,
            0);
  ASSERT_EQ(Tessera(fmt::format("run {} --device func --input {} --output {}", kModel, x, b)).code,
            0);
  EXPECT_TRUE(*ReadNpy(a) == *ReadNpy(b));
}

TEST(Run, AccuracyOverManyImagesIsThatOfTheModel) {
  const std::string file = TempPath("run.json");
  const CommandResult r = Tessera(fmt::format(
      "run {} --device func --input {} --labels {} --json {}", kModel, kImages, kLabels, file));
  ASSERT_EQ(r.code, 0) << r.output;
  const json j = ReadJson(file);
  EXPECT_EQ(j["images"], 10000);
  EXPECT_GE(j["top1"].get<double>(), 0.92);
}

TEST(Run, InputsThatDoNotFitAreRefused) {
  const auto refused = [](const std::string& arguments, const std::string& says) {
    const CommandResult r = Tessera(arguments);
    EXPECT_EQ(r.code, 2) << arguments << "\n" << r.output;
    EXPECT_THAT(r.output, HasSubstr(says));
  };
  const std::string wrong = TempPath("wrong.npy");
  ASSERT_TRUE(WriteNpy(wrong, HostTensor::Zeros(DType::kFloat32, {2, 1, 27, 28})));
  refused(fmt::format("run {} --device func --input {}", kModel, wrong), "27");
  ASSERT_TRUE(WriteNpy(wrong, HostTensor::Zeros(DType::kInt32, {2, 1, 28, 28})));
  refused(fmt::format("run {} --device func --input {}", kModel, wrong), "int32");
  refused(fmt::format("run {} --device func --input {} --first 20000", kModel, kImages), "20000");
  refused(fmt::format("run {} --device func --input {} --labels {} --first 1", kModel, kImages,
                      kImages),
          "one whole number for each");
  refused(fmt::format("run {} --device warp --input {} --first 1", kModel, kImages), "warp");
  refused(fmt::format("compare {} --devices cpu,,rtl --input {} --first 1", kModel, kImages),
          "empty");
  refused(fmt::format("run {} --device func --input {} --first 1 --budget 10", kModel, kImages),
          "budget");
  refused(fmt::format("run {} --device func --input {} --first 1 --output /nonexistent/y.npy",
                      kModel, kImages),
          "/nonexistent/y.npy");
}

TEST(Run, AnArtifactWithoutThePlanSaysWhichTargetToCompileFor) {
  const std::string net = TempPath("host.tsr");
  ASSERT_EQ(Tessera(fmt::format("compile {} --target cpu -o {}", kModel, net)).code, 0);
  const CommandResult r =
      Tessera(fmt::format("run {} --device func --input {} --first 1", net, kImages));
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.output,
            "tessera: device func: the artifact was compiled for --target cpu alone; compile the "
            "model with --target cpu,vta\n");
}

TEST(Run, AnArtifactForAnotherMachineIsRefused) {
  const std::string net = TempPath("tiny.tsr");
  ASSERT_EQ(Tessera(fmt::format("compile {} --config tiny -o {}", kModel, net)).code, 0);
  const CommandResult r =
      Tessera(fmt::format("run {} --device func --config wide --input {} --first 1", net, kImages));
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.output, HasSubstr("tiny"));
}

}  // namespace
}  // namespace tessera::test::run_test
