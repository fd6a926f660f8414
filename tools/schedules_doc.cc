// SPDX-License-Identifier: Apache-2.0
//
// Prints docs/schedules.md: schedules for the accelerator written step by step, with what each step
// costs on the cycle model. Every run is compared with the definition.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/rng.h"
#include "compiler/driver/run_func.h"
#include "compiler/driver/schedule_examples.h"
#include "compiler/ir/scalar_math.h"
#include "compiler/target/accelerator.h"
#include "runtime/device/registry.h"
#include "tools/output.h"

namespace tessera::tools {
namespace {

// One version of a schedule.
struct Version {
  const char* title;
  const char* says;
  std::string steps;
};

// Random int8 tensors and what the machine is to make of them, by loops of this page's own.
struct Problem {
  te::Tensor output;
  int64_t macs = 0;
  std::vector<std::vector<uint8_t>> inputs;
  std::vector<uint8_t> expected;
};

std::vector<uint8_t> RandomBytes(int64_t count, Rng& rng) {
  std::vector<uint8_t> bytes(static_cast<size_t>(count));
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(rng.Next());
  return bytes;
}

int64_t At(const std::vector<uint8_t>& bytes, int64_t i) {
  return static_cast<int8_t>(bytes[static_cast<size_t>(i)]);
}

uint8_t Requantised(int64_t sum, isa::Round round, int32_t zero, int32_t hi) {
  const int32_t scaled = ir::RequantValue(static_cast<int32_t>(sum), 1518500250, -9, round);
  return static_cast<uint8_t>(std::clamp(scaled + zero, -128, hi));
}

Problem ProductProblem(int64_t m, int64_t n, int64_t k) {
  Rng rng(1);
  Problem p{compiler::ProductExample(m, n, k),
            m * n * k,
            {RandomBytes(m * k, rng), RandomBytes(n * k, rng)},
            {}};
  for (int64_t r = 0; r < m; ++r) {
    for (int64_t c = 0; c < n; ++c) {
      int64_t sum = 0;
      for (int64_t i = 0; i < k; ++i)
        sum += At(p.inputs[0], r * k + i) * At(p.inputs[1], c * k + i);
      p.expected.push_back(Requantised(sum, isa::Round::kEven, 3, 127));
    }
  }
  return p;
}

Problem WindowProblem(const compiler::WindowShape& v) {
  Rng rng(1);
  const int64_t rows = v.out(v.height), columns = v.out(v.width), taps = v.taps * v.taps;
  Problem p{compiler::WindowExample(v),
            rows * columns * v.outs * v.channels * taps,
            {RandomBytes(v.channels * v.height * v.width, rng),
             RandomBytes(v.outs * v.channels * taps, rng)},
            {}};
  for (int64_t i = 0; i < v.outs * rows * columns; ++i) {
    const int64_t o = i / (rows * columns), y = i / columns % rows, x = i % columns;
    int64_t sum = 0;
    for (int64_t t = 0; t < v.channels * taps; ++t) {
      const int64_t c = t / taps, at_y = y * v.stride + t / v.taps % v.taps - v.pad,
                    at_x = x * v.stride + t % v.taps - v.pad;
      const bool inside = at_y >= 0 && at_y < v.height && at_x >= 0 && at_x < v.width;
      sum += (inside ? At(p.inputs[0], (c * v.height + at_y) * v.width + at_x) : v.value) *
             At(p.inputs[1], o * v.channels * taps + t);
    }
    p.expected.push_back(Requantised(sum, isa::Round::kTflite, -5, 100));
  }
  return p;
}

Result<RunReport> Measure(const Problem& problem, const std::string& steps,
                          const isa::Config& config) {
  TESSERA_ASSIGN(const schedule::Trace trace, schedule::ParseTrace(steps));
  TESSERA_ASSIGN(const schedule::Schedule s,
                 schedule::Schedule::Replay({problem.output}, trace, target::Accelerator(config)));
  TESSERA_ASSIGN(const auto device, OpenDevice("cycle", config, {}));
  TESSERA_ASSIGN(const compiler::ScheduledRun run,
                 compiler::RunScheduled(s, *device, problem.inputs));
  if (run.output != problem.expected)
    return Fail(Code::kDataLoss, "the result is not what the expression says");
  return run.report;
}

// A table of the versions, then each with its steps: the first whole, of the others the lines that
// the first has not.
Result<std::string> Section(const Problem& problem, const std::vector<Version>& versions,
                            const isa::Config& config) {
  std::string table = "| version | cycles | of the array | bytes on the bus |\n|---|---|---|---|\n";
  std::string texts;
  for (size_t k = 0; k < versions.size(); ++k) {
    const Version& v = versions[k];
    const Result<RunReport> report = Measure(problem, v.steps, config);
    if (!report) return Within(v.title, report.error());
    const double best = static_cast<double>(problem.macs / (config.block_in * config.block_out));
    table += fmt::format("| {}. {} | {} | {:.1f} % | {} |\n", k + 1, v.title,
                         Grouped(static_cast<int64_t>(report->cycles)),
                         100 * best / static_cast<double>(report->cycles),
                         Grouped(static_cast<int64_t>(report->bytes_read + report->bytes_written)));
    texts += fmt::format("### {}. {}\n\n{}\n\n", k + 1, v.title, v.says);
    size_t from = 0;
    for (size_t end; (end = v.steps.find('\n', from)) != std::string::npos; from = end + 1) {
      const std::string line = v.steps.substr(from, end - from + 1);
      if (k == 0 || ("\n" + versions[0].steps).find("\n" + line) == std::string::npos)
        texts += fmt::format("    {}", line);
    }
    texts += "\n";
  }
  return table + "\n" + texts;
}

Result<std::string> Product(const isa::Config& config) {
  constexpr int64_t kEach = 128;
  const auto steps = [&](int64_t rows, int64_t columns, int64_t depth, bool stay) {
    return compiler::ProductSteps(config, rows, columns, depth, stay);
  };
  return Section(
      ProductProblem(kEach, kEach, kEach),
      {{"One tile of weights at a time",
        "A tile of work is 16 rows by 16 columns. For each 16 of the reduction its rows and its "
        "weights are fetched anew: the bus has\nas much to do as if nothing stayed, and the array "
        "waits for it.",
        steps(16, 16, 16, false)},
       {"Larger tiles of work",
        "64 rows by 64 columns: each row that is fetched meets four tiles of weights, each tile of "
        "weights 64 rows. A piece of a\nscratchpad is taken by the next tile as soon as it is "
        "free, so fetching, multiplying and storing overlap.",
        steps(64, 64, 16, false)},
       {"The whole reduction in one chunk",
        "Fewer and longer transfers, but the first product of a tile of work waits until all 128 "
        "of the reduction are there, and the\nmachine has nothing else to do while the first tile "
        "of all comes in.",
        steps(64, 64, 128, false)},
       {"Larger tiles still",
        "128 rows need half the weights, but their sums take so much of `acc` that a tile of work "
        "waits until the one before it has\nbeen drained.",
        steps(128, 64, 16, false)},
       {"Weights that stay",
        "All of `w` fits into `wgt`: without the line `compute_at w.i sum k.o before x.i` it is "
        "computed in front of everything, and\nfetched once. The bus has the least to do, and the "
        "array waits at the start until all of it is there: what one layer loses\nso, a network "
        "hides by fetching the weights of a layer under the layer before.",
        steps(16, 128, 64, true)}},
      config);
}

Result<std::string> Window(const isa::Config& config) {
  const compiler::WindowShape shape{.channels = 64,
                                    .outs = 64,
                                    .height = 56,
                                    .width = 56,
                                    .taps = 3,
                                    .stride = 1,
                                    .pad = 1,
                                    .value = -128};
  const auto steps = [&](const compiler::WindowTiles& tiles) {
    return compiler::WindowSteps(config, tiles);
  };
  return Section(
      WindowProblem(shape),
      {{"A piece of a row at a time",
        "A tile of work is 14 positions of one row, of 16 channels. The box of the input that it "
        "needs, with its pads, is one LOAD for\neach 16 of the 64 input channels: three rows are "
        "fetched for one that is made, and all of it again for each of the four\noutput blocks.",
        steps({.rows = 1, .columns = 14, .blocks = 1, .depth = 1})},
       {"Eight rows",
        "Ten rows are fetched for eight: the bus keeps up, and nothing is left to gain in cycles.",
        steps({.rows = 8, .columns = 14, .blocks = 1, .depth = 1})},
       {"All channels of a tile of work",
        "64 output channels at a time: a box is fetched once for each tile of work. Every byte "
        "that "
        "is not fetched is there for others\non the bus, and takes no power.",
        steps({.rows = 8, .columns = 14, .blocks = 4, .depth = 1})},
       {"Weights that stay",
        "Whole rows of 32 channels, and all 144 tiles of weights in `wgt` from the start.",
        steps({.rows = 4,
               .columns = 56,
               .blocks = 2,
               .depth = 1,
               .channels_inside = true,
               .weights_stay = true})}},
      config);
}

Result<std::string> Document() {
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig("default"));
  TESSERA_ASSIGN(const std::string product, Product(config));
  TESSERA_ASSIGN(const std::string window, Window(config));
  return "# Schedules for the accelerator, step by step\n\n"
         "This page is printed by `schedules_doc` (tools/schedules_doc.cc); run `cmake --build "
         "build "
         "-t regenerate`. [steps](steps.md)\nhas every step by itself. Cycles are of device "
         "`cycle`, "
         "configuration `default`, whose array does 16 x 16 products a cycle;\n\"of the array\" is "
         "the share of cycles that the products alone would take. Every version gives the integers "
         "of "
         "plain loops. The\nschedules are made in "
         "`compiler/driver/schedule_examples.cc`; in C++ one runs so (compiler/driver/run_func.h):"
         "\n\n"
         "    schedule::Schedule s = *schedule::Schedule::Create({y}, "
         "target::Accelerator(config));\n"
         "    TESSERA_TRY(s.Apply(\"cache_read x inp x.i sum\\n...\"));\n"
         "    TESSERA_ASSIGN(auto run, compiler::RunScheduled(s, *device, {x_bytes, w_bytes}));\n\n"
         "## A matrix product: int8[128, 128] x int8[128, 128]\n\n" +
         product +
         "## A window of 3 x 3 over 56 x 56 positions, 64 to 64 channels (ResNet-18's layers of "
         "stage 1)\n\n" +
         window.substr(0, window.size() - 1);
}

}  // namespace
}  // namespace tessera::tools

int main() {
  const tessera::Result<std::string> document = tessera::tools::Document();
  if (!document) {
    std::fprintf(stderr, "schedules_doc: %s\n", document.error().message.c_str());
    return 1;
  }
  std::fwrite(document->data(), 1, document->size(), stdout);
  return 0;
}
