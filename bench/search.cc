// SPDX-License-Identifier: Apache-2.0
//
// How many measured schedules each strategy needs. For each layer of a model whose space has at
// most MOST points, all points are measured once; then each strategy searches with several seeds.
// Prints, per strategy and model, the median over layers and seeds of the trials until one is
// within 1 % of the best of the space, its share of random search's, the quartiles, and
// best-so-far curves: the median, over layers and seeds, of the best cycles after so many trials,
// in per cent above the best of the space. Everything is counted in trials, so the figures depend
// on no clock.
//
//   ninja -C build search_bench && build/bin/search_bench models/fashion/fashion_int8.onnx tiny
#include "compiler/tune/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "compiler/driver/compile.h"
#include "compiler/import/import.h"

namespace tessera {
namespace {

constexpr int64_t kMost = 1500;  // points of a space
constexpr uint64_t kSeeds = 5;
constexpr size_t kCurve[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};

struct Contestant {
  const char* strategy;
  tune::ModelKind model;
  bool from_given;  // begins at the compiler's choice
  const char* name;
};
constexpr Contestant kContestants[] = {
    {"random", tune::ModelKind::kNone, false, "random"},
    {"grid", tune::ModelKind::kNone, false, "grid"},
    {"genetic", tune::ModelKind::kNone, false, "genetic"},
    {"annealing", tune::ModelKind::kRankAlone, false, "annealing, xgboost alone (AutoTVM)"},
    {"evolution", tune::ModelKind::kRegression, false, "evolution, xgboost-regression"},
    {"evolution", tune::ModelKind::kRank, false, "evolution, xgboost"},
    {"evolution", tune::ModelKind::kPrior, false, "evolution, prior"},
    {"constrained", tune::ModelKind::kRegression, false, "constrained, xgboost-regression (Heron)"},
    {"constrained", tune::ModelKind::kPrior, false, "constrained, prior"},
    {"q-learning", tune::ModelKind::kNone, false, "q-learning (FlexTensor)"},
    {"beam", tune::ModelKind::kPrior, false, "beam, prior (Halide)"},
    {"beam", tune::ModelKind::kRank, false, "beam, xgboost"},
    {"random", tune::ModelKind::kNone, true, "random, from the compiler's"},
    {"descent", tune::ModelKind::kNone, true, "descent, from the compiler's"},
    {"descent", tune::ModelKind::kPrior, true, "descent, prior, from the compiler's"},
    {"evolution", tune::ModelKind::kPrior, true, "evolution, prior, from the compiler's"},
};

double Quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[static_cast<size_t>(share * (std::ssize(values) - 1))];
}

// The cycles of every point of a space.
using Surface = std::map<uint64_t, uint64_t>;

struct Runs {
  std::vector<double> needed;                 // trials until within 1 % of the best
  std::vector<std::vector<double>> per_cent;  // by place of kCurve: above the best
};

Status SearchLayer(std::vector<tune::Task>& one, const isa::Config& config,
                   const Contestant& contestant, const Surface& surface, Runs* runs) {
  const uint64_t best = std::ranges::min_element(surface, {}, &Surface::value_type::second)->second;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    tune::SearchOptions options;
    options.strategy = contestant.strategy;
    options.model = contestant.model;
    options.seed = seed;
    options.batch = 8;
    options.from_given = contestant.from_given;
    uint64_t so_far = UINT64_MAX;
    double trials = 0, needed = 0;
    std::vector<double> curve;
    options.finished = [&](const tune::Task&, const tune::Trial& trial) -> Status {
      ++trials;
      if (trial.cycles) so_far = std::min(so_far, *trial.cycles);
      const double above = 100 * (static_cast<double>(so_far) / static_cast<double>(best) - 1);
      if (needed == 0 && above <= 1) needed = trials;
      if (static_cast<size_t>(trials) == kCurve[std::min(curve.size(), std::size(kCurve) - 1)])
        curve.push_back(above);
      return {};
    };
    options.stop = [&] { return needed > 0; };
    const auto known = [&](const tune::Task& task, const tune::Point& point,
                           uint64_t) -> Result<uint64_t> {
      const auto found = surface.find(tune::HashOf(point));
      if (found == surface.end()) return Fail(Code::kNotFound, "{}: not measured", task.name);
      return found->second;
    };
    TESSERA_ASSIGN(tune::Search search, tune::Search::Make(&one, config, options, known));
    TESSERA_TRY(search.Run());
    runs->needed.push_back(needed == 0 ? static_cast<double>(surface.size()) : needed);
    runs->per_cent.resize(std::size(kCurve));
    for (size_t k = 0; k < std::size(kCurve); ++k) {
      const double last = curve.empty() ? 0 : curve.back();
      runs->per_cent[k].push_back(k < curve.size() ? curve[k] : needed > 0 ? 0 : last);
    }
  }
  return {};
}

Result<Surface> Measured(tune::Task& task, const isa::Config& config) {
  Surface surface;
  for (auto point = task.space->First(); point; point = task.space->After(*point)) {
    const auto cycles = tune::CyclesOf(task, *point, config, 1'000'000'000);
    if (cycles) surface[tune::HashOf(*point)] = *cycles;
  }
  return surface;
}

Status Run(const std::string& file, const std::string& name) {
  compiler::CompileOptions options;
  options.cpu = false;
  TESSERA_ASSIGN(options.config, isa::LoadConfig(name));
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(file));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, file, {}));
  TESSERA_ASSIGN(const compiler::Compiled compiled,
                 compiler::Compile(std::move(graph), file, 0, options));
  TESSERA_ASSIGN(std::vector<tune::Task> tasks, tune::TasksOf(compiled.programs, options.config));
  std::map<std::string, Runs> all;
  int layers = 0;
  for (tune::Task& task : tasks) {
    const tune::Space::Size size = task.space->CountPoints(kMost);
    if (!size.exact || size.points < 16) continue;
    TESSERA_ASSIGN(const Surface surface, Measured(task, options.config));
    if (surface.empty()) continue;
    ++layers;
    std::vector<double> cycles;
    for (const auto& [hash, count] : surface) cycles.push_back(static_cast<double>(count));
    fmt::print("{}: {} points, {:.0f} to {:.0f} cycles\n", task.name, surface.size(),
               Quantile(cycles, 0), Quantile(cycles, 1));
    std::fflush(stdout);
    std::vector<tune::Task> one;
    one.push_back(std::move(task));
    for (const Contestant& contestant : kContestants) {
      const bool learns = contestant.model >= tune::ModelKind::kRank;
      if (learns && !tune::HasXgboost()) continue;
      TESSERA_TRY(SearchLayer(one, options.config, contestant, surface, &all[contestant.name]));
    }
  }
  if (layers == 0) return Fail(Code::kNotFound, "{}: no space of 16 to {} points", file, kMost);
  const double random = Quantile(all["random"].needed, 0.5);
  fmt::print("\n{} layers, {} seeds: trials until within 1 % of the best of the space\n", layers,
             kSeeds);
  fmt::print("{:38} {:>7} {:>10} {:>8} {:>8}   best so far, % above, after", "strategy", "median",
             "of random", "quarter", "3 / 4");
  for (const size_t at : kCurve) fmt::print(" {:>6}", at);
  fmt::print("\n");
  for (const Contestant& contestant : kContestants) {
    const Runs& runs = all[contestant.name];
    if (runs.needed.empty()) {
      fmt::print("{:38} skipped: this build is without libxgboost\n", contestant.name);
      continue;
    }
    const double median = Quantile(runs.needed, 0.5);
    fmt::print("{:38} {:>7.0f} {:>9.0f}% {:>8.0f} {:>8.0f} {:>28}", contestant.name, median,
               100 * median / random, Quantile(runs.needed, 0.25), Quantile(runs.needed, 0.75), "");
    for (const std::vector<double>& above : runs.per_cent)
      fmt::print(" {:>6.1f}", Quantile(above, 0.5));
    fmt::print("\n");
  }
  return {};
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    fmt::print(stderr, "usage: search_bench MODEL [CONFIG]\n");
    return 2;
  }
  const tessera::Status status = tessera::Run(argv[1], argc > 2 ? argv[2] : "tiny");
  if (!status) fmt::print(stderr, "search_bench: {}\n", status.error().message);
  return status ? 0 : 1;
}
