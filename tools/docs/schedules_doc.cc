// SPDX-License-Identifier: Apache-2.0
//
// Prints docs/schedules.md: schedules for the accelerator, written step by step, with the cost of
// each step on the cycle model. Compares every run with the definition.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "tools/docs/schedule_layers.h"
#include "tools/docs/schedule_versions.h"

namespace tessera::tools {
namespace {

// The tensor expression of |problem| as a block of Markdown.
std::string Expression(const ScheduleProblem& problem) {
  std::string block = "    ";
  for (const char c : te::Print({problem.output})) {
    block += c;
    if (c == '\n') block += "    ";
  }
  return block.substr(0, block.find_last_not_of(" \n") + 1) + "\n\n";
}

// The part of |steps| before the comment |heading|.
std::string Before(const std::string& steps, const std::string& heading) {
  return steps.substr(0, steps.find("# " + heading));
}

Result<std::string> Product(const isa::Config& config) {
  constexpr int64_t kEach = 128;
  const ScheduleProblem problem = ProductProblem(kEach, kEach, kEach);
  const auto steps = [&](const compiler::ProductTiles& tiles) {
    return compiler::ProductSteps(config, tiles);
  };
  const std::string naive = steps({.rows = 1, .columns = 16, .depth = 16});
  TESSERA_ASSIGN(
      const std::string versions,
      VersionsText(
          problem,
          {{"The definition",
            "Without a step each stage is a nest of loops over numbers in device memory. The "
            "interpreter runs that; the machine's\ninstructions know tiles in scratchpads alone, "
            "so it is refused.",
            "", 0, true},
           {"In tiles and scratchpads, no instruction",
            "`cache_read` and `cache_write` copy operands and results between device memory and "
            "the scratchpads, `set_scope` has the sums in\n`acc`, `layout` says in which order "
            "numbers lie, `tile` makes loops over the tiles of the machine: 1 x 16 numbers of "
            "`x`,\n16 x 16 of `w`. The bodies of these loops are still single numbers, which no "
            "unit of the machine computes.",
            Before(naive, "instructions"), 0, true},
           {"Naive: one product of tiles at a time",
            "`tensorize` finds the instructions that the innermost loops are. GEMM is the one that "
            "sums products over the lanes of a tile\n(ALU multiplies lane by lane), so without "
            "this step there is no product on the machine at all. A tile of work is one tile of "
            "results;\nfor each of its eight products a row of 16 bytes and 256 bytes of weights "
            "are fetched. Every buffer has one place, so the array\nwaits until it is filled, and "
            "who fills it until the array is done.",
            naive, 2},
           {"Tiled, nothing kept",
            "16 rows by 16 columns are one tile of work, with one STORE. Each product still "
            "fetches its own operands: tiles of work alone\nbuy nothing.",
            steps({.rows = 16, .columns = 16, .depth = 16, .anew = true}), 3},
           {"Cached: a tile of weights for 16 rows",
            "The copies are made one loop further out, once for each 16 of the reduction: 16 rows "
            "meet each tile of weights that is fetched.\nThat is what `cache_read` is for; where "
            "`compute_at` puts the copy says how long it serves.",
            steps({.rows = 16, .columns = 16, .depth = 16}), 4},
           {"Larger tiles of work",
            "64 rows by 64 columns: each row that is fetched meets four tiles of weights, each "
            "tile of weights 64 rows. The bus has a\nquarter to do. Still the machine does one "
            "thing at a time: it fetches, multiplies, drains, stores.",
            steps({.rows = 64, .columns = 64, .depth = 16}), 5},
           {"Two virtual threads",
            "The two tiles of 64 columns are threads. Each has boxes, weights, sums and results of "
            "its own, and they take turns in every\nchunk of the reduction: while the array works "
            "for one, LOAD fetches for the other, and while one is drained and stored, the\narray "
            "works for the other. Which unit waits for which is found by what the instructions "
            "touch; no step says it.",
            steps({.rows = 64, .columns = 64, .depth = 16, .turns = {.threads = 2}}), 6},
           {"Four virtual threads",
            "Four tiles of 32 columns. Each thread fetches the rows for itself: for 128 cycles of "
            "products it fetches 192 cycles of data,\nand the bus is what all wait for. More "
            "threads hide more only where there is something left to hide it behind.",
            steps({.rows = 64, .columns = 32, .depth = 16, .turns = {.threads = 4}}), 7},
           {"Double buffers instead of threads",
            "`double_buffer` says that a buffer takes the next free place whenever it is "
            "allocated: at least two copies have to fit, and LOAD\nruns ahead as far as there is "
            "room, here by several chunks, where each of two threads is one chunk ahead.",
            steps({.rows = 64, .columns = 64, .depth = 16, .turns = {.double_buffer = true}}), 6},
           {"The whole reduction in one chunk",
            "Fewer and longer transfers, but the first product of a tile of work waits until all "
            "128 of the reduction are there, and the\nmachine has nothing else to do while the "
            "first tile of all comes in.",
            steps({.rows = 64, .columns = 64, .depth = 128, .turns = {.double_buffer = true}}), 9},
           {"Larger tiles still",
            "128 rows need half the weights, but their sums take so much of `acc` that a tile of "
            "work waits until the one before it has\nbeen drained.",
            steps({.rows = 128, .columns = 64, .depth = 16, .turns = {.double_buffer = true}}), 9},
           {"Weights that stay",
            "All of `w` fits into `wgt`: without a place in the loops it is computed in front of "
            "everything, and fetched once. The bus has the\nleast to do, and the array waits at "
            "the start until all of it is there: what one layer loses so, a network hides by "
            "fetching the\nweights of a layer under the layer before.",
            steps({.rows = 16,
                   .columns = 128,
                   .depth = 64,
                   .weights_stay = true,
                   .turns = {.double_buffer = true}}),
            9}},
          config));
  return Expression(problem) + versions;
}

Result<std::string> Window(const isa::Config& config) {
  const ScheduleProblem problem = WindowProblem({.channels = 64,
                                                 .outs = 64,
                                                 .height = 56,
                                                 .width = 56,
                                                 .taps = 3,
                                                 .stride = 1,
                                                 .pad = 1,
                                                 .value = -128});
  const auto steps = [&](const compiler::WindowTiles& tiles) {
    return compiler::WindowSteps(config, tiles);
  };
  TESSERA_ASSIGN(
      const std::string versions,
      VersionsText(
          problem,
          {{"Naive: one position at a time",
            "A tile of work is one position of 16 channels. For each 16 of the 64 input channels "
            "its window and nine tiles of weights are\nfetched anew.",
            steps({.rows = 1, .columns = 1})},
           {"Tiled: a piece of a row at a time",
            "14 positions of one row. The box of the input that they need, with its pads, is one "
            "LOAD for each 16 of the input channels: three\nrows are fetched for one that is made, "
            "and all of it again for each of the four output blocks. 14 positions meet each tile "
            "of\nweights that is fetched.",
            steps({.rows = 1, .columns = 14}), 1},
           {"Eight rows", "Ten rows are fetched for eight: the bus has a fifth to do.",
            steps({.rows = 8, .columns = 14}), 2},
           {"All channels of a tile of work",
            "64 output channels at a time: a box is fetched once for each tile of work, and each "
            "fetch that the array waits for is followed by\nfour times the products.",
            steps({.rows = 8, .columns = 14, .blocks = 4}), 3},
           {"Two virtual threads over output channels",
            "Each thread makes half of the output channels from its own copy of the box (VTA: "
            "`oc_nthread` 2).",
            steps({.rows = 8, .columns = 14, .blocks = 2, .turns = {.threads = 2}}), 4},
           {"Four virtual threads over output channels",
            "A thread for each block of 16 channels. The boxes are fetched four times, which costs "
            "bytes but no cycles, and the first\nproducts wait for less.",
            steps({.rows = 8, .columns = 14, .blocks = 1, .turns = {.threads = 4}}), 5},
           {"Two virtual threads over rows",
            "Each thread makes four rows of all channels: no box is fetched twice, but for the two "
            "rows that neighbours share; the weights\nare fetched by each (VTA: `h_nthread` 2).",
            steps({.rows = 4, .columns = 14, .blocks = 4, .row_threads = 2}), 4},
           {"Four virtual threads: two over channels, two over rows",
            "Both at once: `fuse` makes one loop of the two, and its four iterations take turns "
            "(VTA: `oc_nthread` 2, `h_nthread` 2).",
            steps(
                {.rows = 4, .columns = 14, .blocks = 2, .row_threads = 2, .turns = {.threads = 2}}),
            5},
           {"Double buffers instead of threads",
            "The box of all channels in version 4 is fetched once and still ahead. Every byte that "
            "is not fetched is there for others on\nthe bus, and takes no power.",
            steps({.rows = 8, .columns = 14, .blocks = 4, .turns = {.double_buffer = true}}), 4},
           {"Weights that stay",
            "Whole rows of 32 channels, and all 144 tiles of weights in `wgt` from the start.",
            steps({.rows = 4,
                   .columns = 56,
                   .blocks = 2,
                   .channels_inside = true,
                   .weights_stay = true,
                   .turns = {.double_buffer = true}}),
            9}},
          config));
  return Expression(problem) + versions;
}

// Quotes |path|, a file of the tree, from |first| through the end of the line with |last|.
Result<std::string> Quote(const std::string& path, const std::string& first,
                          const std::string& last) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes,
                 ReadFile(std::string(TESSERA_SOURCE_DIR "/") + path));
  const std::string text(bytes.begin(), bytes.end());
  const size_t begin = text.find(first), end = text.find(last, begin);
  if (begin == std::string::npos || end == std::string::npos)
    return Fail(Code::kNotFound, "{} does not have '{}' with '{}' behind it", path, first, last);
  return fmt::format("<!-- quoted from {} -->\n```\n{}```\n<!-- end of quote -->\n", path,
                     text.substr(begin, text.find('\n', end + 1) + 1 - begin));
}

// Shows how a user's own program builds and runs schedules.
Result<std::string> FromCpp() {
  constexpr const char* kFile = "tests/compiler/accel/own_schedule_test.cc";
  TESSERA_ASSIGN(const std::string includes, Quote(kFile, "#include \"base/file.h\"",
                                                   "#include \"runtime/device/registry.h\""));
  TESSERA_ASSIGN(const std::string run, Quote(kFile, "// What is below zero", "\n}"));
  TESSERA_ASSIGN(const std::string layer, Quote(kFile, "// The model |path|", "\n}"));
  return "## From C++\n\nAn expression of one's own, on any device that is the accelerator:\n\n" +
         includes + "\n" + run + "\nA layer of a model:\n\n" + layer +
         "\nThe command does the second by `--schedule LAYER=FILE`, where the file has what "
         "`--dump "
         "schedule` prints for a layer, edited. One that begins with `accelerator LAYER:` brings a "
         "layer there for which the compiler has no such schedule itself.\n";
}

Result<std::string> Document(const isa::Config& config) {
  TESSERA_ASSIGN(const std::string product, Product(config));
  TESSERA_ASSIGN(const std::string window, Window(config));
  TESSERA_ASSIGN(const std::vector<LayerRuns> layers, MeasureLayers(config));
  TESSERA_ASSIGN(const std::string from_cpp, FromCpp());
  return "# Schedules for the accelerator, step by step\n\n"
         "This page is printed by `schedules_doc` (tools/docs/schedules_doc.cc); run `cmake "
         "--build "
         "build -t regenerate`. [steps](steps.md)\nhas every step by itself, "
         "[targets](targets.md) every memory and instruction. Cycles are of device `cycle`, "
         "configuration\n`default`, whose array does 16 x 16 products a cycle; \"of the array\" is "
         "the share of cycles that the products alone would take.\nEvery version that runs gives "
         "the integers of plain loops. Lines with `-` are taken out of the version named, lines "
         "with `+` put in.\nThe schedules are made in `tools/docs/schedule_examples.cc`; "
         "[below](#from-c) is how to run one's own.\n\n"
         "## A matrix product: int8[128, 128] x int8[128, 128]\n\n" +
         product +
         "## A window of 3 x 3 over 56 x 56 positions, 64 to 64 channels (ResNet-18's layers of "
         "stage 1)\n\n"
         "VTA's own schedule of a convolution has tiles of rows, columns and output channels, one "
         "or more blocks of input channels at a\ntime, and one or two virtual threads over output "
         "channels and over rows; versions 4 to 8 are of that form.\n\n" +
         window +
         "## ResNet-18's convolutions with and without virtual threads\n\n"
         "Each shape once, with the same tile of work (output channels x rows x columns: of those "
         "of which two fit on chip, the one for\nwhich the bus has the least to do) in three "
         "ways: `1`: one thread, every buffer with one place; `2`: two virtual threads over\n"
         "output channels; `D`: one thread and `double_buffer`. *Active* is the share of cycles "
         "in which the array multiplies, *used* the\nshare that the layer's own products would "
         "take. They differ for C1, whose 3 channels fill 3 of the 16 of a tile. The names are\n"
         "those of VTA's papers.\n\n"
         "![The array at work, layer by layer: one thread, two virtual threads, "
         "double_buffer](schedules.svg)\n\n" +
         LayerTable(layers, config) + "\n" + from_cpp;
}

// The page, or with |plot| the drawing on it.
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
