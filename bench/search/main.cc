// SPDX-License-Identifier: Apache-2.0
//
// search_bench: compares the ways to search of compiler/tune. Each table is one command:
//
//   samples  measured schedules until one is near the best of the whole space (samples.cc)
//   ranks    how the compiler's estimate ranks the points of whole spaces (ranks.cc)
//   curves   the best so far, and what each part of the search saves (curves.cc)
//   duels    sketches against templates, a beam against random search, and others (duels.cc)
//   rates    trials a second (rates.cc)
//
// A figure is a median with quartiles over layers and seeds, beside what the authors of a search
// published. With --time it prints instead what a candidate costs (candidate_time.h). Of the
// accelerator everything is counted in exact cycles and trials, so the figures of `samples` and
// `curves` depend on no clock.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <string>

#include "bench/search/bench.h"
#include "bench/search/candidate_time.h"
#include "tools/curve_picture.h"

namespace tessera::bench {
namespace {

struct Table {
  const char* name;
  Status (*print)(const BenchOptions&);
  int64_t trials;
  uint64_t seeds;
};
constexpr Table kTables[] = {{"samples", PrintSamples, 256, 5},
                             {"ranks", PrintRanks, 8, 1},
                             {"curves", PrintCurves, 64, 3},
                             {"duels", PrintDuels, 64, 3},
                             {"rates", PrintRates, 200, 1}};

Status Run(BenchOptions options) {
  if (!options.curves.empty()) TESSERA_TRY(tools::CheckCurves(options.curves));
  if (options.time) {
    TESSERA_ASSIGN(BenchLayers layers, LayersOf(options));
    double sum = 0;
    int count = 0;
    for (BenchLayer& layer : layers.all) {
      TESSERA_ASSIGN(const double micros, PrintCandidateTimes(*layer, layers.config));
      sum += micros;
      count += micros > 0 ? 1 : 0;
    }
    if (count > 0) {
      fmt::print("\nmean over {} layers, with the model that tune takes: {:.1f} microseconds\n",
                 count, sum / count);
    }
    return {};
  }
  for (const Table& table : kTables) {
    if (options.table != table.name) continue;
    if (options.trials == 0) options.trials = table.trials;
    if (options.seeds == 0) options.seeds = table.seeds;
    return table.print(options);
  }
  return Fail(Code::kInvalidArgument,
              "give --time, or --table samples, ranks, curves, duels or rates");
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::bench::BenchOptions options;
  std::string target = "vta";
  CLI::App app("compares the ways to search of tessera tune");
  app.footer(
      "example: build/bin/search_bench models/fashion/fashion_int8.onnx --config tiny --table "
      "samples --curves curves.svg");
  app.add_option("models", options.models, "networks")->required();
  app.add_option("--table", options.table, "samples, ranks, curves, duels or rates");
  app.add_option("--target", target, "vta, the accelerator, or cpu, the host")
      ->check(CLI::IsMember({"vta", "cpu"}));
  app.add_option("--config", options.config, "a configuration of the accelerator")
      ->capture_default_str();
  app.add_option("--trials", options.trials, "of each search")->check(CLI::Range(8, 100'000));
  app.add_option("--seeds", options.seeds, "searches of each kind")->check(CLI::Range(1, 1000));
  app.add_option("--layers", options.layers, "the first of them alone (default: all)")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--named", options.named, "layers whose names begin with one of these words")
      ->delimiter(',');
  app.add_option("--most", options.most, "points of a space that is measured whole (default: 1500)")
      ->check(CLI::Range(16, 1'000'000));
  app.add_option("--only", options.only, "searches whose names have these words")->delimiter(',');
  app.add_option("--seconds", options.seconds, "of each search at equal time (default: 5)")
      ->check(CLI::Range(1, 3600));
  app.add_option("--workers", options.workers, "threads that measure (default: 1)")
      ->check(CLI::Range(1, 64));
  app.add_option("--keep", options.keep,
                 "a folder that keeps what was measured for later runs of the same build");
  app.add_flag("--alone", options.alone,
               "on the accelerator, measure each layer alone, its activations in device memory");
  app.add_option("--curves", options.curves, "draw the curves to this file, .svg or .png");
  app.add_flag("--time", options.time,
               "instead, print the microseconds that a candidate costs with each model");
  CLI11_PARSE(app, argc, argv);
  options.host = target == "cpu";
  if (options.host && options.alone) {
    fmt::print(stderr, "search_bench: --alone is for the accelerator: give --target vta\n");
    return 1;
  }
  const tessera::Status status = tessera::bench::Run(options);
  if (!status) fmt::print(stderr, "search_bench: {}\n", status.error().message);
  return status ? 0 : 1;
}
