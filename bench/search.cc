// SPDX-License-Identifier: Apache-2.0
//
// How many measured schedules each strategy needs. Each strategy searches the space of each layer
// of a model with several seeds. Of a space of at most 1,500 points all are measured, so the best
// is known; of a larger one the best of all searches counts as the best. Prints, per strategy and
// model, the median over layers and seeds of the trials until one is within 1 % of the best, its
// share of random search's, the quartiles, and best-so-far curves: the median, over layers and
// seeds, of the best cycles after so many trials, in per cent above the best. A search that does
// not come that near counts with all of its trials. With transfer, a layer's search also learns
// from the trials of the layers before, found with the same seed. The first layer has none before
// it. Everything is counted in trials, so the figures depend on no clock. With --time it prints
// instead what a candidate costs (search_time.h).
#include "compiler/tune/search.h"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "bench/search_time.h"
#include "compiler/driver/compile.h"
#include "compiler/import/import.h"
#include "tools/curve_picture.h"

namespace tessera {
namespace {

struct Options {
  std::string model, config = "tiny", curves;
  int64_t trials = 128, layers = 0;
  uint64_t seeds = 5;
  bool time = false;
};

constexpr int64_t kMost = 1500;  // points of a space that is measured whole
constexpr size_t kCurve[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};

struct Contestant {
  const char* strategy;
  tune::ModelKind model;
  bool from_given;  // begins at the compiler's choice
  const char* name;
  bool transfer = false;  // begins with what its searches of the layers before have learned
};
// ML2Tuner's scheme (three models: of speed, of validity, and an advanced one of the compiled
// program) is none of them. No point here is invalid, so the second model has nothing to learn. The
// third needs each candidate compiled, and from there the exact cycles are only a count away.
constexpr Contestant kContestants[] = {
    {"random", tune::ModelKind::kNone, false, "random"},
    {"grid", tune::ModelKind::kNone, false, "grid"},
    {"genetic", tune::ModelKind::kNone, false, "genetic"},
    {"annealing", tune::ModelKind::kRankAlone, false, "annealing, xgboost alone (AutoTVM)"},
    {"annealing", tune::ModelKind::kRankAlone, false, "annealing, xgboost alone, with transfer",
     true},
    {"annealing-diverse", tune::ModelKind::kRankAlone, false,
     "annealing, xgboost alone, diverse batches"},
    {"annealing", tune::ModelKind::kTree, false, "annealing, tree"},
    {"annealing", tune::ModelKind::kRank, false, "annealing, xgboost"},
    {"annealing", tune::ModelKind::kRank, false, "annealing, xgboost, with transfer", true},
    {"evolution", tune::ModelKind::kTree, false, "evolution, tree"},
    {"evolution", tune::ModelKind::kRankAlone, false, "evolution, xgboost alone"},
    {"evolution", tune::ModelKind::kRankAlone, false, "evolution, xgboost alone, with transfer",
     true},
    {"evolution", tune::ModelKind::kRegression, false, "evolution, xgboost-regression"},
    {"evolution", tune::ModelKind::kRank, false, "evolution, xgboost"},
    {"evolution", tune::ModelKind::kRank, false, "evolution, xgboost, with transfer", true},
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

// The measured points of a space: nothing, if one has no cycles.
using Surface = std::map<uint64_t, std::optional<uint64_t>>;

// The best cycles after each trial of one search.
using Course = std::vector<uint64_t>;

// What one layer's searches found, by contestant: a course for each seed.
struct LayerRuns {
  uint64_t given = 0, best = UINT64_MAX;  // cycles: of the compiler's choice; the least known
  std::map<std::string, std::vector<Course>> courses;
};

// Measures every point. The cycles of one that is measured already are those of the surface.
tune::Measured Known(const tune::Task& task, const tune::Point& point, const isa::Config& config,
                     Surface* surface) {
  const auto [at, fresh] = surface->try_emplace(tune::HashOf(point));
  if (fresh) {
    const auto cycles = tune::CyclesOf(task, point, config, 1'000'000'000);
    if (cycles) at->second = *cycles;
  }
  if (at->second) return *at->second;
  return Fail(Code::kNotFound, "{}: a point has no cycles", task.name);
}

// What the searches of the layers before teach, by contestant and seed.
using Taught = std::map<std::pair<std::string, uint64_t>, std::vector<tune::Lessons>>;

Status SearchLayer(std::vector<tune::Task>& one, const isa::Config& config, const Options& wanted,
                   const Contestant& contestant, Surface* surface, Taught* taught,
                   LayerRuns* runs) {
  for (uint64_t seed = 1; seed <= wanted.seeds; ++seed) {
    tune::SearchOptions options;
    options.strategy = contestant.strategy;
    options.model = contestant.model;
    options.seed = seed;
    options.batch = 8;
    options.trials = wanted.trials;
    options.from_given = contestant.from_given;
    std::vector<tune::Lessons>& lessons = (*taught)[{contestant.name, seed}];
    if (contestant.transfer && !lessons.empty()) {
      TESSERA_ASSIGN(tune::SharedModel learned, tune::SharedModel(lessons[0].kind).With(lessons));
      options.learned = std::make_shared<const tune::SharedModel>(std::move(learned));
    }
    Course course;
    options.finished = [&](const tune::Task&, const tune::Trial& trial) -> Status {
      const uint64_t so_far = course.empty() ? UINT64_MAX : course.back();
      course.push_back(std::min(so_far, trial.cycles.value_or(UINT64_MAX)));
      return {};
    };
    const auto measure = [&](const tune::Task& task, const tune::Point& point, uint64_t) {
      return Known(task, point, config, surface);
    };
    TESSERA_ASSIGN(tune::Search search, tune::Search::Make(&one, config, options, measure));
    TESSERA_TRY(search.Run());
    if (contestant.transfer) {
      for (tune::Lessons& task : search.AllLessons()) lessons.push_back(std::move(task));
    }
    if (course.empty()) continue;
    runs->best = std::min(runs->best, course.back());
    runs->courses[contestant.name].push_back(std::move(course));
  }
  return {};
}

// The searches of |task|'s layer by all contestants.
Result<LayerRuns> RunsOf(tune::Task task, const isa::Config& config, const Options& options,
                         const std::string& progress, Taught* taught) {
  Surface surface;
  LayerRuns runs;
  const tune::Space::Size size = task.space->CountPoints(kMost);
  for (auto point = size.exact ? task.space->First() : std::nullopt; point;
       point = task.space->After(*point)) {
    const auto cycles = Known(task, *point, config, &surface);
    if (cycles) runs.best = std::min(runs.best, *cycles);
  }
  const std::string name = task.name;
  const auto given = Known(task, task.space->given(), config, &surface);
  if (!given) return Fail(Code::kNotFound, "{}: {}", name, given.error().message);
  runs.given = *given;
  std::vector<tune::Task> one;
  one.push_back(std::move(task));
  for (const Contestant& contestant : kContestants) {
    if (tune::NeedsXgboost(contestant.model) && !tune::HasXgboost()) continue;
    if (isatty(STDERR_FILENO) != 0)
      fmt::print(stderr, "\r\033[K{} {}: {}", progress, name, contestant.name);
    TESSERA_TRY(SearchLayer(one, config, options, contestant, &surface, taught, &runs));
  }
  fmt::print("{}{}: {}{:.0f} points, given {} cycles, best {}\n",
             isatty(STDERR_FILENO) != 0 ? "\r" : "", name, size.exact ? "" : "about ", size.points,
             runs.given, runs.best);
  std::fflush(stdout);
  return runs;
}

// The place of |trials| in |course|, whose search may have ended earlier.
uint64_t After(const Course& course, size_t trials) {
  return course[std::min(trials, course.size()) - 1];
}

void PrintTable(const std::vector<LayerRuns>& layers, const Options& options) {
  const auto needed = [&](const std::string& name) {
    std::vector<double> all;
    for (const LayerRuns& layer : layers) {
      const auto runs = layer.courses.find(name);
      if (runs == layer.courses.end()) continue;
      for (const Course& course : runs->second) {
        const auto near = std::ranges::find_if(
            course, [&](uint64_t cycles) { return 100 * cycles <= 101 * layer.best; });
        all.push_back(static_cast<double>(std::min(near - course.begin() + 1, std::ssize(course))));
      }
    }
    return all;
  };
  const double random = Quantile(needed("random"), 0.5);
  fmt::print("\n{} layers, seeds 1 to {}: trials until within 1 % of the best\n", layers.size(),
             options.seeds);
  fmt::print("{:42} {:>7} {:>10} {:>8} {:>8}   best so far, % above, after", "strategy", "median",
             "of random", "quarter", "3 / 4");
  for (const size_t at : kCurve) {
    if (at <= static_cast<size_t>(options.trials)) fmt::print(" {:>6}", at);
  }
  fmt::print("\n");
  for (const Contestant& contestant : kContestants) {
    const std::vector<double> all = needed(contestant.name);
    if (all.empty()) {
      fmt::print("{:42} skipped: this build is without libxgboost\n", contestant.name);
      continue;
    }
    const double median = Quantile(all, 0.5);
    fmt::print("{:42} {:>7.0f} {:>9.0f}% {:>8.0f} {:>8.0f} {:>28}", contestant.name, median,
               100 * median / random, Quantile(all, 0.25), Quantile(all, 0.75), "");
    for (const size_t at : kCurve) {
      if (at > static_cast<size_t>(options.trials)) continue;
      std::vector<double> above;
      for (const LayerRuns& layer : layers) {
        for (const Course& course : layer.courses.at(contestant.name))
          above.push_back(
              100 * (static_cast<double>(After(course, at)) / static_cast<double>(layer.best) - 1));
      }
      fmt::print(" {:>6.1f}", Quantile(above, 0.5));
    }
    fmt::print("\n");
  }
}

// The mean, over layers and seeds, of the best so far as a share of the compiler's cycles.
std::vector<tools::Curve> CurvesOf(const std::vector<LayerRuns>& layers, const Options& options) {
  std::vector<tools::Curve> curves;
  for (const Contestant& contestant : kContestants) {
    tools::Curve curve{contestant.name, {}};
    // Before that many trials the worst random points would squeeze the rest of the picture.
    for (size_t at = 8; at <= static_cast<size_t>(options.trials); ++at) {
      double sum = 0, count = 0;
      for (const LayerRuns& layer : layers) {
        const auto runs = layer.courses.find(contestant.name);
        if (runs == layer.courses.end()) continue;
        for (const Course& course : runs->second) {
          sum += static_cast<double>(After(course, at)) / static_cast<double>(layer.given);
          ++count;
        }
      }
      if (count > 0) curve.points.push_back({static_cast<int64_t>(at), sum / count});
    }
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

Status Run(const Options& wanted) {
  if (!wanted.curves.empty()) TESSERA_TRY(tools::CheckCurves(wanted.curves));
  compiler::CompileOptions options;
  options.cpu = false;
  TESSERA_ASSIGN(options.config, isa::LoadConfig(wanted.config));
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(wanted.model));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, wanted.model, {}));
  TESSERA_ASSIGN(const compiler::Compiled compiled,
                 compiler::Compile(std::move(graph), wanted.model, 0, options));
  TESSERA_ASSIGN(std::vector<tune::Task> tasks, tune::TasksOf(compiled.programs, options.config));
  std::erase_if(tasks, [](tune::Task& task) {
    const tune::Space::Size size = task.space->CountPoints(kMost);
    return size.exact && size.points < 16;
  });
  if (wanted.layers > 0 && std::ssize(tasks) > wanted.layers)
    tasks.erase(tasks.begin() + wanted.layers, tasks.end());
  if (wanted.time) {
    for (tune::Task& task : tasks) TESSERA_TRY(bench::PrintSearchTimes(task, options.config));
    return {};
  }
  std::vector<LayerRuns> layers;
  Taught taught;
  for (size_t t = 0; t < tasks.size(); ++t) {
    const std::string progress = fmt::format("layer {} of {},", t + 1, tasks.size());
    TESSERA_ASSIGN(layers.emplace_back(),
                   RunsOf(std::move(tasks[t]), options.config, wanted, progress, &taught));
  }
  if (layers.empty())
    return Fail(Code::kNotFound, "{}: no layer has a space of 16 points", wanted.model);
  PrintTable(layers, wanted);
  return wanted.curves.empty()
             ? Status()
             : tools::WriteCurves(wanted.curves, CurvesOf(layers, wanted), "cycles");
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  tessera::Options options;
  CLI::App app("how many trials each strategy of tessera tune needs");
  app.footer(
      "example: build/bin/search_bench build/models/imagenet/resnet18_int8.onnx default "
      "--trials 64 --curves curves.svg");
  app.add_option("model", options.model, "a network that the accelerator runs")->required();
  app.add_option("config", options.config, "a configuration (default: tiny)");
  app.add_option("--trials", options.trials, "of each search (default: 128)")
      ->check(CLI::Range(8, 100'000));
  app.add_option("--seeds", options.seeds, "searches of each strategy (default: 5)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--layers", options.layers, "the first of them alone (default: all)")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--curves", options.curves, "draw the curves to this file, .svg or .png");
  app.add_flag("--time", options.time,
               "instead, print the microseconds that a candidate costs with each model");
  CLI11_PARSE(app, argc, argv);
  const tessera::Status status = tessera::Run(options);
  if (!status) fmt::print(stderr, "search_bench: {}\n", status.error().message);
  return status ? 0 : 1;
}
