// SPDX-License-Identifier: Apache-2.0
//
// Prints docs/schedules.md: schedules for the accelerator written step by step, with what each step
// costs on the cycle model. Every run is compared with the definition.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tools/output.h"
#include "tools/schedule_layers.h"
#include "tools/schedule_problems.h"

namespace tessera::tools {
namespace {

// One version of a schedule.
struct Version {
  const char* title;
  const char* says;
  std::string steps;
};

// A table of the versions, then each with its steps: the first whole, of the others the lines that
// the first has not.
Result<std::string> Section(const ScheduleProblem& problem, const std::vector<Version>& versions,
                            const isa::Config& config) {
  std::string table = "| version | cycles | of the array | bytes on the bus |\n|---|---|---|---|\n";
  std::string texts;
  for (size_t k = 0; k < versions.size(); ++k) {
    const Version& v = versions[k];
    const Result<RunReport> report = Measure(problem, v.steps, config);
    if (!report) return Within(v.title, report.error());
    table += fmt::format("| {}. {} | {} | {:.1f} % | {} |\n", k + 1, v.title,
                         Grouped(static_cast<int64_t>(report->cycles)),
                         ArrayShare(problem.macs, *report, config),
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
  const auto steps = [&](const compiler::ProductTiles& tiles) {
    return compiler::ProductSteps(config, tiles);
  };
  return Section(
      ProductProblem(kEach, kEach, kEach),
      {{"One tile of weights at a time",
        "A tile of work is 16 rows by 16 columns. For each 16 of the reduction its rows and its "
        "weights are fetched anew: the bus has\nas much to do as if nothing stayed. Every buffer "
        "has one place, so the array waits until it is filled, and who fills it until\nthe array "
        "is done.",
        steps({.rows = 16, .columns = 16, .depth = 16})},
       {"Larger tiles of work",
        "64 rows by 64 columns: each row that is fetched meets four tiles of weights, each tile of "
        "weights 64 rows. The bus has a\nquarter to do. Still the machine does one thing at a "
        "time: it fetches, multiplies, drains, stores.",
        steps({.rows = 64, .columns = 64, .depth = 16})},
       {"Two virtual threads",
        "The two tiles of 64 columns are threads. Each has boxes, weights, sums and results of its "
        "own, and they take turns in every\nchunk of the reduction: while the array works for one, "
        "LOAD fetches for the other, and while one is drained and stored, the\narray works for the "
        "other. Which unit waits for which is found by what the instructions touch; no step says "
        "it.",
        steps({.rows = 64, .columns = 64, .depth = 16, .turns = {.threads = 2}})},
       {"Four virtual threads",
        "Four tiles of 32 columns. Each thread fetches the rows for itself: for 128 cycles of "
        "products it fetches 192 cycles of data,\nand the bus is what all wait for. More threads "
        "hide more only where there is something left to hide it behind.",
        steps({.rows = 64, .columns = 32, .depth = 16, .turns = {.threads = 4}})},
       {"Double buffers instead of threads",
        "`double_buffer` says that a buffer takes the next free place whenever it is allocated: "
        "at least two copies have to fit, and LOAD\nruns ahead as far as there is room, here by "
        "several chunks, where each of two threads is one chunk ahead.",
        steps({.rows = 64, .columns = 64, .depth = 16, .turns = {.double_buffer = true}})},
       {"The whole reduction in one chunk",
        "Fewer and longer transfers, but the first product of a tile of work waits until all 128 "
        "of the reduction are there, and the\nmachine has nothing else to do while the first tile "
        "of all comes in.",
        steps({.rows = 64, .columns = 64, .depth = 128, .turns = {.double_buffer = true}})},
       {"Larger tiles still",
        "128 rows need half the weights, but their sums take so much of `acc` that a tile of work "
        "waits until the one before it has\nbeen drained.",
        steps({.rows = 128, .columns = 64, .depth = 16, .turns = {.double_buffer = true}})},
       {"Weights that stay",
        "All of `w` fits into `wgt`: without the line `compute_at w.i sum k.o before x.i` it is "
        "computed in front of everything, and\nfetched once. The bus has the least to do, and the "
        "array waits at the start until all of it is there: what one layer loses\nso, a network "
        "hides by fetching the weights of a layer under the layer before.",
        steps({.rows = 16,
               .columns = 128,
               .depth = 64,
               .weights_stay = true,
               .turns = {.double_buffer = true}})}},
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
        steps({.rows = 1, .columns = 14})},
       {"Eight rows", "Ten rows are fetched for eight: the bus has a fifth to do.",
        steps({.rows = 8, .columns = 14})},
       {"All channels of a tile of work",
        "64 output channels at a time: a box is fetched once for each tile of work, and each fetch "
        "that the array waits for is followed by\nfour times the products.",
        steps({.rows = 8, .columns = 14, .blocks = 4})},
       {"Two virtual threads",
        "As VTA's own schedule has it: two threads, each of which makes half of the output "
        "channels from its own copy of the box.",
        steps({.rows = 8, .columns = 14, .blocks = 2, .turns = {.threads = 2}})},
       {"Four virtual threads",
        "A thread for each block of 16 channels. The boxes are fetched four times, which costs "
        "bytes but no cycles, and the first\nproducts wait for less.",
        steps({.rows = 8, .columns = 14, .blocks = 1, .turns = {.threads = 4}})},
       {"Double buffers instead of threads",
        "The box of all channels in version 3 is fetched once and still ahead. Every byte that is "
        "not fetched is there for others on\nthe bus, and takes no power.",
        steps({.rows = 8, .columns = 14, .blocks = 4, .turns = {.double_buffer = true}})},
       {"Weights that stay",
        "Whole rows of 32 channels, and all 144 tiles of weights in `wgt` from the start.",
        steps({.rows = 4,
               .columns = 56,
               .blocks = 2,
               .channels_inside = true,
               .weights_stay = true,
               .turns = {.double_buffer = true}})}},
      config);
}

Result<std::string> Document(const isa::Config& config) {
  TESSERA_ASSIGN(const std::string product, Product(config));
  TESSERA_ASSIGN(const std::string window, Window(config));
  TESSERA_ASSIGN(const std::vector<LayerRuns> layers, MeasureLayers(config));
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
         window + "## ResNet-18's convolutions with and without virtual threads\n\n" +
         LayerTable(layers, config);
}

// The page; with --plot, the drawing that it shows.
Result<std::string> Printed(bool plot) {
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig("default"));
  if (!plot) return Document(config);
  TESSERA_ASSIGN(const std::vector<LayerRuns> layers, MeasureLayers(config));
  return LayerPlot(layers, config);
}

}  // namespace
}  // namespace tessera::tools

int main(int argc, char** argv) {
  const bool plot = argc == 2 && std::string_view(argv[1]) == "--plot";
  const tessera::Result<std::string> text = tessera::tools::Printed(plot);
  if (!text) {
    std::fprintf(stderr, "schedules_doc: %s\n", text.error().message.c_str());
    return 1;
  }
  std::fwrite(text->data(), 1, text->size(), stdout);
  return 0;
}
