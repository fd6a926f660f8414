// SPDX-License-Identifier: Apache-2.0
//
// Searches for the host or a GPU: each layer by itself, because layers exchange nothing but memory.
// Times are measured (compiler/tune/time_measure.h). The best points of each layer are measured
// again before one is chosen, since the fastest of many trials was also lucky. A layer that is not
// faster in the network keeps the compiler's schedule.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "compiler/driver/compile.h"
#include "compiler/tune/time_measure.h"
#include "compiler/tune/timed_layer.h"
#include "runtime/host/cpu_level.h"
#include "tools/records.h"
#include "tools/tune_line.h"
#include "tools/tune_network.h"
#include "tools/tune_target.h"

namespace tessera::tools {
namespace {

constexpr size_t kMeasuredAgain = 3;    // points of a task
constexpr double kWorthIt = 0.99;       // of the time of the compiler's own choice
constexpr double kShareOfSearch = 0.8;  // of the budget; the rest is for measuring again

class TimedTuning : public TuneTarget {
 public:
  TimedTuning(const TuneFlags& flags, const TunedNetwork& network,
              std::optional<artifact::DeviceKind> gpu)
      : flags_(flags), source_(network), gpu_(gpu) {}
  Status Prepare();

  const char* unit() const override { return tune::UnitOf(target()); }
  const isa::Config& config() const override { return none_; }
  size_t CountStages() const override { return 1; }
  TuneStage StageAt(size_t) override { return {"layers", &layers_, kShareOfSearch, nullptr}; }
  void Know(const tune::Task& task, uint64_t given, uint64_t best) override {
    measurer_.Know(task, given, best);
  }
  tune::Measured Measure(const tune::Task& task, const tune::Point& point, uint64_t) override {
    return measurer_.Measure(task, point);
  }
  Status Adopt(size_t, const tune::Search&, tune::RecordLog*) override { return {}; }
  Result<TuneGain> Choose(const std::vector<Found>& found, const std::function<bool()>& over,
                          tune::RecordLog* log) override;
  std::string CompileWords() const override {
    const std::string level = flags_.level.empty() ? "" : " --cpu-level " + flags_.level;
    return "--target " + std::string(plan()) + level;
  }

 private:
  const char* target() const { return gpu_ ? compiler::GpuName(*gpu_) : schedule::kHostTrace; }
  const char* plan() const { return gpu_ ? compiler::GpuName(*gpu_) : "cpu"; }
  compiler::CompileOptions Options() const {
    compiler::CompileOptions options;
    options.device = false;
    options.cpu = !gpu_;
    if (!flags_.level.empty()) options.cpu_levels = {flags_.level};
    options.opencl = gpu_ == artifact::DeviceKind::kOpenCl;
    options.cuda = gpu_ == artifact::DeviceKind::kCuda;
    return options;
  }
  // Makes tasks of |planned|.
  template <typename Planned>
  Status AddTasks(const std::vector<Planned>& planned);
  // The point of |task| to use, with its time; nothing: |over| before it was measured again.
  std::optional<tune::Trial> Winner(const tune::Task& task, const tune::History& history,
                                    uint64_t given, const std::function<bool()>& over,
                                    std::vector<std::string>* notes);
  Status Record(size_t t, const tune::Trial& trial, tune::RecordLog* log);
  Result<bool> TakeBack(const NetworkTimes& times, const std::vector<uint64_t>& given,
                        std::vector<bool>* other, tune::RecordLog* log);
  Result<std::shared_ptr<const artifact::Artifact>> Compile(bool by_records) const;

  const TuneFlags& flags_;
  const TunedNetwork& source_;
  const std::optional<artifact::DeviceKind> gpu_;  // nothing: the host
  const isa::Config none_;                         // there is no accelerator
  std::vector<tune::Task> layers_;
  std::vector<std::vector<std::string>> names_;  // by task: of its layers
  tune::TimeMeasurer measurer_;
};

template <typename Planned>
Status TimedTuning::AddTasks(const std::vector<Planned>& planned) {
  TESSERA_ASSIGN(layers_, tune::TasksOf(planned));
  names_.resize(layers_.size());
  for (const Planned& layer : planned) {
    const tune::TaskKey key = tune::KeyOf(layer);
    const auto task = std::ranges::find(layers_, key, &tune::Task::key);
    if (task != layers_.end())
      names_[static_cast<size_t>(task - layers_.begin())].push_back(layer.layer.region.name);
  }
  return {};
}

Status TimedTuning::Prepare() {
  std::string where = "the host, a processor of level ";
  const std::vector<std::string> levels = CpuLevels();
  if (gpu_) {
    TESSERA_ASSIGN(where, tune::GpuDeviceName(*gpu_));
  } else {
    where += levels.empty() ? "none" : levels.front();
  }
  if (!flags_.level.empty() && std::ranges::find(levels, flags_.level) == levels.end()) {
    return Fail(Code::kInvalidArgument,
                "--cpu-level {}: candidates run on this machine, whose levels are {}", flags_.level,
                fmt::join(levels, ", "));
  }
  compiler::CompileOptions options = Options();
  options.layers_only = true;
  const auto compiled = compiler::Compile(source_.graph, flags_.model, source_.crc, options);
  if (!compiled) return Within(flags_.model, compiled.error());
  TESSERA_TRY(gpu_ ? AddTasks(compiled->gpu_layers) : AddTasks(compiled->host_layers));
  if (!layers_.empty()) return {};
  return Fail(Code::kUnsupported,
              "{}: no layer has a choice on {}; `tessera compile --dump schedule` prints the "
              "schedules",
              flags_.model, Legible(where));
}

std::optional<tune::Trial> TimedTuning::Winner(const tune::Task& task, const tune::History& history,
                                               uint64_t given, const std::function<bool()>& over,
                                               std::vector<std::string>* notes) {
  const tune::Point& own = task.space->given();
  std::vector<tune::Trial> worth;
  size_t again = 0;
  for (const tune::Trial* trial : history.Fastest()) {
    if (*trial->cycles >= given || again == kMeasuredAgain) break;
    if (trial->point == own) continue;
    if (over()) return std::nullopt;
    ++again;
    const auto times = measurer_.MeasureAgain(task, trial->point);
    if (!times) continue;
    given = std::min(given, times->given);
    if (static_cast<double>(times->candidate) <= kWorthIt * static_cast<double>(times->given))
      worth.push_back({trial->point, times->candidate, "", ""});
  }
  std::ranges::stable_sort(worth, {}, [](const tune::Trial& trial) { return *trial.cycles; });
  for (const tune::Trial& trial : worth) {
    const auto same = measurer_.Interpret(task, trial.point);
    if (same) return trial;
    const bool wrong = same.error().code == Code::kDataLoss;
    notes->push_back(same.error().message + (wrong ? "; please report this model" : ""));
  }
  return tune::Trial{own, given, "", ""};
}

Status TimedTuning::Record(size_t t, const tune::Trial& trial, tune::RecordLog* log) {
  tune::Record record = tune::RecordOf(layers_[t], trial);
  record.network = source_.crc;
  return log->Append(record);
}

// Chooses the compiler's own schedules again for the tasks whose layers are not faster in the
// network, where the caches hold other data; whether there are any.
Result<bool> TimedTuning::TakeBack(const NetworkTimes& times, const std::vector<uint64_t>& given,
                                   std::vector<bool>* other, tune::RecordLog* log) {
  bool any = false;
  for (size_t t = 0; t < layers_.size(); ++t) {
    if (!(*other)[t]) continue;
    uint64_t plain = 0, tuned = 0;
    for (const std::string& name : names_[t]) {
      const auto found = times.layers.find(name);
      if (found == times.layers.end()) continue;
      plain += found->second.first;
      tuned += found->second.second;
    }
    if (tuned < plain || plain == 0) continue;
    any = true;
    (*other)[t] = false;
    TESSERA_TRY(Record(t, {layers_[t].space->given(), given[t], "", ""}, log));
  }
  return any;
}

Result<std::shared_ptr<const artifact::Artifact>> TimedTuning::Compile(bool by_records) const {
  compiler::CompileOptions options = Options();
  if (by_records)
    TESSERA_TRY(UseRecords(flags_.output, source_.graph, flags_.model, source_.crc, &options));
  TESSERA_ASSIGN(compiler::Compiled compiled,
                 compiler::Compile(source_.graph, flags_.model, source_.crc, options));
  return std::make_shared<const artifact::Artifact>(std::move(compiled.artifact));
}

Result<TuneGain> TimedTuning::Choose(const std::vector<Found>& found,
                                     const std::function<bool()>& over, tune::RecordLog* log) {
  TuneGain gain;
  std::vector<bool> other(layers_.size());
  std::vector<uint64_t> given;
  for (size_t t = 0; t < layers_.size(); ++t) {
    const tune::Task& task = layers_[t];
    given.push_back(found[0].search.GivenCycles(t));
    if (given[t] == 0) continue;
    ShowTuneLine(fmt::format("{}: the best schedules again", Legible(task.name, 100)));
    const auto winner = Winner(task, found[0].search.history(t), given[t], over, &gain.notes);
    if (!winner) continue;
    other[t] = winner->point != task.space->given();
    TESSERA_TRY(Record(t, *winner, log));
  }
  ShowTuneLine("the network with the records and without them");
  TESSERA_ASSIGN(const auto plain, Compile(/*by_records=*/false));
  TESSERA_ASSIGN(auto tuned, Compile(/*by_records=*/true));
  TESSERA_ASSIGN(NetworkTimes times, TimesInTurns(plain, tuned, plan(), measurer_));
  TESSERA_ASSIGN(const bool back, TakeBack(times, given, &other, log));
  if (back) {
    TESSERA_ASSIGN(tuned, Compile(/*by_records=*/true));
    TESSERA_ASSIGN(times, TimesInTurns(plain, tuned, plan(), measurer_));
  }
  gain.given = times.plain;
  gain.best = times.tuned;
  if (!times.difference.empty())
    gain.notes.push_back("rounded in another order: " + times.difference);
  uint64_t plain_least = 0, tuned_least = 0;
  for (const auto& [name, least] : times.layers) {
    plain_least += least.first;
    tuned_least += least.second;
  }
  const auto ratio = [](uint64_t before, uint64_t now) {
    return static_cast<double>(before) / static_cast<double>(std::max<uint64_t>(now, 1));
  };
  const auto ns = [](uint64_t n) { return Grouped(static_cast<int64_t>(n)); };
  if (!times.layers.empty())
    gain.notes.push_back(fmt::format(
        "the least time of each layer in the network, together: {} ns and {} ns: {:.3f} "
        "times as fast",
        ns(plain_least), ns(tuned_least), ratio(plain_least, tuned_least)));
  gain.told = fmt::format(
      "network: {} ns as the compiler schedules it, {} ns with the records: {:.3f} times as fast "
      "(medians of {} inferences of each, in turns{})",
      ns(times.plain), ns(times.tuned), ratio(times.plain, times.tuned), times.inferences,
      gpu_ ? ", with the transfers" : " on one core");
  return gain;
}

}  // namespace

Result<std::unique_ptr<TuneTarget>> MakeTimedTuning(const TuneFlags& flags,
                                                    const TunedNetwork& network,
                                                    std::optional<artifact::DeviceKind> gpu) {
  auto made = std::make_unique<TimedTuning>(flags, network, gpu);
  TESSERA_TRY(made->Prepare());
  return made;
}

}  // namespace tessera::tools
