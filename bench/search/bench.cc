// SPDX-License-Identifier: Apache-2.0
#include "bench/search/bench.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "base/hash.h"
#include "compiler/driver/compile.h"
#include "compiler/import/import.h"
#include "compiler/te/te.h"
#include "compiler/tune/select.h"

namespace tessera::bench {
namespace {

constexpr uint64_t kMostCycles = 1'000'000'000;

// The layers of |programs| as programs of one layer each, scheduled for it. Activations are in
// device memory.
Result<std::vector<compiler::PlannedProgram>> AloneOf(
    const std::vector<compiler::PlannedProgram>& programs, const isa::Config& config) {
  std::vector<compiler::PlannedProgram> alone;
  for (const compiler::PlannedProgram& program : programs) {
    for (size_t r = 0; r < program.regions.size(); ++r) {
      compiler::PlannedProgram& layer = alone.emplace_back(tune::PartOf(program, r, r + 1));
      layer.regions[0].schedule.reset();
      TESSERA_TRY(compiler::PlanAgain(&layer, config));
    }
  }
  return alone;
}

// The shapes of the tensors of |task|, of a layer.
std::vector<std::vector<int64_t>> ShapesOf(const tune::Task& task) {
  const auto& space = dynamic_cast<const tune::LayerSpace&>(*task.space);
  std::vector<std::vector<int64_t>> shapes;
  for (const te::Tensor& tensor : te::TopologicalOrder({space.OutputOf(space.given())}))
    shapes.push_back(tensor.shape());
  return shapes;
}

// Whether the points of |a| and |b| have equal costs. Keys tell layers of the accelerator apart
// that differ in the values of constants alone.
bool AreEqual(const tune::Task& a, const tune::Task& b, bool alone) {
  if (a.key == b.key) return true;
  return alone && a.key.space == b.key.space && a.space->given() == b.space->given() &&
         ShapesOf(a) == ShapesOf(b);
}

// The tasks of |model|.
Result<std::vector<tune::Task>> TasksOf(const std::string& model, const BenchOptions& options,
                                        const isa::Config& config, bool template_only) {
  compiler::CompileOptions compile;
  compile.config = config;
  compile.cpu = options.host;
  compile.device = !options.host;
  compile.layers_only = options.host;
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(model));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, model, {}));
  TESSERA_ASSIGN(compiler::Compiled compiled,
                 compiler::Compile(std::move(graph), model, 0, compile));
  if (options.alone) {
    TESSERA_ASSIGN(compiled.programs, AloneOf(compiled.programs, config));
  }
  if (!options.host) return tune::TasksOf(compiled.programs, config);
  for (compiler::PlannedHostLayer& layer : compiled.host_layers) {
    if (template_only && layer.sketches.size() > 1) layer.sketches.resize(1);
  }
  return tune::TasksOf(compiled.host_layers);
}

}  // namespace

Result<BenchLayers> LayersOf(const BenchOptions& options, bool template_only) {
  BenchLayers made;
  TESSERA_ASSIGN(made.config, isa::LoadConfig(options.config));
  for (const std::string& model : options.models) {
    TESSERA_ASSIGN(std::vector<tune::Task> tasks,
                   TasksOf(model, options, made.config, template_only));
    for (tune::Task& task : tasks) {
      if (options.layers > 0 && std::ssize(made.all) >= options.layers) break;
      const bool wanted =
          options.named.empty() || std::ranges::any_of(options.named, [&](const std::string& name) {
            return task.name.starts_with(name);
          });
      const bool known = std::ranges::any_of(
          made.all, [&](BenchLayer& layer) { return AreEqual(*layer, task, options.alone); });
      if (known || !wanted) continue;
      const tune::Space::Size size = task.space->CountPoints(options.most);
      if (size.exact && size.points < static_cast<double>(kFewest)) continue;
      if (options.models.size() > 1)
        task.name = std::filesystem::path(model).stem().string() + " " + task.name;
      BenchLayer& layer = made.all.emplace_back();
      layer.size = size;
      layer.task.push_back(std::move(task));
    }
  }
  if (!made.all.empty()) return made;
  return Fail(Code::kNotFound, "{}: no layer has a space of {} points", options.models[0], kFewest);
}

Result<BenchLayers> CountedLayersOf(const BenchOptions& options) {
  TESSERA_ASSIGN(BenchLayers layers, LayersOf(options));
  std::erase_if(layers.all, [](const BenchLayer& layer) { return !layer.size.exact; });
  if (layers.all.empty())
    return Fail(Code::kNotFound, "no layer has a space of {} to {} points", kFewest, options.most);
  return layers;
}

Result<std::unique_ptr<Costs>> Costs::Open(const BenchOptions& options, const isa::Config& config) {
  auto made = std::make_unique<Costs>();
  made->host_ = options.host;
  made->config_ = config;
  if (options.host) made->measurer_ = std::make_unique<tune::TimeMeasurer>();
  if (options.keep.empty()) return made;
  TESSERA_ASSIGN(const std::vector<uint8_t> program, ReadFile("/proc/self/exe"));
  std::filesystem::create_directories(options.keep);
  TESSERA_ASSIGN(
      tune::RecordLog log,
      tune::RecordLog::Open(fmt::format("{}/{:016x}.jsonl", options.keep, Crc64(program)),
                            /*resume=*/true, &made->kept_));
  made->log_.emplace(std::move(log));
  return made;
}

Status Costs::Begin(tune::Task& task) {
  Surface& surface = surfaces_[&task];
  for (const tune::Record* record : kept_.records.TrialsOf(task.key)) {
    const auto point = tune::PointOf(*task.space, *record);
    if (!point) continue;
    surface.emplace(tune::HashOf(*point), record->cycles ? tune::Measured(*record->cycles)
                                                         : std::unexpected(tune::FailedTrial(
                                                               record->cause, record->message)));
  }
  const tune::Measured given = Of(task, task.space->given());
  if (!given) return Fail(Code::kNotFound, "{}: {}", task.name, given.error().message);
  given_[&task] = *given;
  return {};
}

tune::Measured Costs::Anew(const tune::Task& task, const tune::Point& point) {
  if (host_) return measurer_->Measure(task, point);
  const auto given = given_.find(&task);
  return tune::CyclesOf(task, point, config_,
                        given == given_.end() ? kMostCycles : 4 * given->second + 100'000);
}

tune::Measured Costs::Of(const tune::Task& task, const tune::Point& point) {
  const uint64_t hash = tune::HashOf(point);
  {
    const std::lock_guard lock(mutex_);
    const Surface& surface = surfaces_.at(&task);
    const auto known = surface.find(hash);
    if (known != surface.end()) return known->second;
  }
  const tune::Measured found = Anew(task, point);
  const std::lock_guard lock(mutex_);
  surfaces_.at(&task).emplace(hash, found);
  if (log_) {
    tune::Trial trial{point, std::nullopt, "", ""};
    if (found) trial.cycles = *found;
    if (!found) trial.cause = found.error().cause;
    if (!found) trial.message = found.error().message;
    if (const Status kept = log_->Append(tune::RecordOf(task, trial)); !kept)
      return std::unexpected(tune::FailedTrial(kept.error()));
  }
  return found;
}

Result<double> Costs::ShareOf(const tune::Task& task, const tune::Point& point) {
  if (host_) {
    const auto times = measurer_->MeasureAgain(task, point);
    if (!times) return Fail(Code::kNotFound, "{}: {}", task.name, times.error().message);
    return static_cast<double>(times->candidate) / static_cast<double>(times->given);
  }
  const tune::Measured cost = Of(task, point);
  if (!cost) return Fail(Code::kNotFound, "{}: {}", task.name, cost.error().message);
  return static_cast<double>(*cost) / static_cast<double>(Given(task));
}

int64_t Whole::near() const {
  return std::ranges::count_if(
      all, [&](const auto& one) { return static_cast<double>(one.second) <= limit(); });
}

Result<Whole> WholeOf(BenchLayer& layer, Costs& costs) {
  Whole whole;
  for (auto point = (*layer).space->First(); point; point = (*layer).space->After(*point)) {
    const tune::Measured cost = costs.Of(*layer, *point);
    if (!cost) continue;
    whole.all.emplace_back(*point, *cost);
    whole.best = std::min(whole.best, *cost);
  }
  if (!whole.all.empty()) return whole;
  return Fail(Code::kNotFound, "{}: no point has a cost", (*layer).name);
}

std::optional<size_t> TrialsUntil(const Course& course, double wanted) {
  const auto at = std::ranges::find_if(
      course, [&](uint64_t best) { return static_cast<double>(best) <= wanted; });
  if (at == course.end()) return std::nullopt;
  return static_cast<size_t>(at - course.begin()) + 1;
}

uint64_t BestAfter(const Course& course, size_t trials) {
  return course[std::min(trials, course.size()) - 1];
}

Result<Course> CourseOf(BenchLayer& layer, const isa::Config& config, const Contestant& contestant,
                        const RunOptions& run, Costs& costs, Taught* taught) {
  tune::SearchOptions options;
  options.strategy = contestant.strategy;
  options.model = contestant.model;
  options.seed = run.seed;
  options.batch = run.batch;
  options.trials = run.trials;
  options.workers = run.workers;
  options.from_given = contestant.from_given;
  std::vector<tune::Lessons>& lessons = (*taught)[{contestant.name, run.seed}];
  if (contestant.transfer && !lessons.empty()) {
    TESSERA_ASSIGN(tune::SharedModel learned, tune::SharedModel(lessons[0].kind).With(lessons));
    options.learned = std::make_shared<const tune::SharedModel>(std::move(learned));
  }
  Course course;
  options.stop = [&] { return !course.empty() && run.enough(course.back()); };
  options.finished = [&](const tune::Task&, const tune::Trial& trial) -> Status {
    const uint64_t so_far = course.empty() ? UINT64_MAX : course.back();
    course.push_back(std::min(so_far, trial.cycles.value_or(UINT64_MAX)));
    return {};
  };
  const auto measure = [&](const tune::Task& task, const tune::Point& point, uint64_t) {
    return costs.Of(task, point);
  };
  TESSERA_ASSIGN(tune::Search search, tune::Search::Make(&layer.task, config, options, measure));
  TESSERA_TRY(search.Run());
  if (contestant.transfer) {
    for (tune::Lessons& task : search.AllLessons()) lessons.push_back(std::move(task));
  }
  return course;
}

Result<std::vector<LayerCourses>> RunAll(const BenchOptions& options,
                                         const std::vector<const Contestant*>& contestants,
                                         BenchLayers& layers, Costs& costs) {
  std::vector<LayerCourses> all;
  Taught taught;
  for (BenchLayer& layer : layers.all) {
    ShowProgress((*layer).name);
    TESSERA_TRY(costs.Begin(*layer));
    LayerCourses& made = all.emplace_back();
    made.given = costs.Given(*layer);
    for (const Contestant* contestant : contestants) {
      std::vector<Course>& courses = made.courses.emplace_back();
      for (uint64_t seed = 1; seed <= options.seeds; ++seed) {
        ShowProgress(fmt::format("{}: {}, seed {}", (*layer).name, contestant->name, seed));
        RunOptions run{.seed = seed, .trials = options.trials};
        run.workers = options.workers;
        TESSERA_ASSIGN(courses.emplace_back(),
                       CourseOf(layer, layers.config, *contestant, run, costs, &taught));
        made.best = std::min(made.best, courses.back().back());
      }
    }
    ShowProgress("");
    fmt::print("{}: {}{:.0f} points, the compiler's choice {} {}, the best known {}\n",
               (*layer).name, layer.size.exact ? "" : "about ", layer.size.points, made.given,
               costs.unit(), made.best);
    std::fflush(stdout);
  }
  return all;
}

bool Takes(const BenchOptions& options, const Contestant& contestant) {
  if (tune::NeedsXgboost(contestant.model) && !tune::HasXgboost()) return false;
  if (options.only.empty()) return true;
  return std::ranges::any_of(options.only, [&](const std::string& words) {
    return std::string_view(contestant.name).find(words) != std::string_view::npos;
  });
}

double Quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[static_cast<size_t>(share * (std::ssize(values) - 1))];
}

void ShowProgress(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K{}", text);
}

}  // namespace tessera::bench
