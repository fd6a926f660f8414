// SPDX-License-Identifier: Apache-2.0
//
// Searches for the host: each layer by itself, because layers exchange nothing but memory. Times
// are measured (compiler/tune/host_measure.h). The best points of each layer are measured again
// before one is chosen, since the fastest of many trials was also lucky.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "compiler/driver/compile.h"
#include "compiler/tune/cost_model.h"
#include "compiler/tune/host_measure.h"
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

class HostTuning : public TuneTarget {
 public:
  HostTuning(const TuneFlags& flags, const TunedNetwork& network)
      : flags_(flags), source_(network) {}
  Status Prepare();

  const char* unit() const override { return tune::UnitOf(schedule::kHostTrace); }
  const isa::Config& config() const override { return none_; }
  std::string DefaultStrategy() const override { return "evolution"; }
  std::string DefaultModel() const override { return tune::HasXgboost() ? "xgboost" : "prior"; }
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
  std::string CompileWords() const override { return "--target cpu"; }

 private:
  compiler::CompileOptions Options() const {
    compiler::CompileOptions options;
    options.device = false;
    return options;
  }
  // The point of |task| to use, with its time; nothing: |over| before it was measured again.
  std::optional<tune::Trial> Winner(const tune::Task& task, const tune::History& history,
                                    uint64_t given, const std::function<bool()>& over,
                                    std::vector<std::string>* notes);
  Result<std::shared_ptr<const artifact::Artifact>> Compile(bool by_records) const;

  const TuneFlags& flags_;
  const TunedNetwork& source_;
  const isa::Config none_;  // the host has no accelerator
  std::vector<tune::Task> layers_;
  tune::HostMeasurer measurer_;
};

Status HostTuning::Prepare() {
  compiler::CompileOptions options = Options();
  options.layers_only = true;
  const auto compiled = compiler::Compile(source_.graph, flags_.model, source_.crc, options);
  if (!compiled) return Within(flags_.model, compiled.error());
  TESSERA_ASSIGN(layers_, tune::TasksOf(compiled->host_layers));
  if (!layers_.empty()) return {};
  return Fail(Code::kUnsupported,
              "{}: no layer has a choice on the host, a processor of level {}; `tessera compile "
              "--dump schedule` prints the schedules",
              flags_.model, CpuLevels().empty() ? "none" : CpuLevels().front());
}

std::optional<tune::Trial> HostTuning::Winner(const tune::Task& task, const tune::History& history,
                                              uint64_t given, const std::function<bool()>& over,
                                              std::vector<std::string>* notes) {
  const tune::Point& own = task.space->given();
  std::vector<tune::Trial> again;
  for (const tune::Trial* trial : history.Fastest()) {
    if (*trial->cycles >= given || again.size() == kMeasuredAgain) break;
    if (trial->point == own) continue;
    if (over()) return std::nullopt;
    const tune::Measured ns = measurer_.MeasureAgain(task, trial->point);
    again.push_back({trial->point, ns ? std::optional(*ns) : std::nullopt, "", ""});
  }
  std::erase_if(again, [&](const tune::Trial& trial) {
    return !trial.cycles ||
           static_cast<double>(*trial.cycles) > kWorthIt * static_cast<double>(given);
  });
  std::ranges::stable_sort(again, {}, [](const tune::Trial& trial) { return *trial.cycles; });
  for (const tune::Trial& trial : again) {
    const auto same = measurer_.Interpret(task, trial.point);
    if (same) return trial;
    notes->push_back(fmt::format("{}; please report this model", same.error().message));
  }
  return tune::Trial{own, given, "", ""};
}

Result<std::shared_ptr<const artifact::Artifact>> HostTuning::Compile(bool by_records) const {
  compiler::CompileOptions options = Options();
  if (by_records)
    TESSERA_TRY(UseRecords(flags_.output, source_.graph, flags_.model, source_.crc, &options));
  TESSERA_ASSIGN(compiler::Compiled compiled,
                 compiler::Compile(source_.graph, flags_.model, source_.crc, options));
  return std::make_shared<const artifact::Artifact>(std::move(compiled.artifact));
}

Result<TuneGain> HostTuning::Choose(const std::vector<Found>& found,
                                    const std::function<bool()>& over, tune::RecordLog* log) {
  TuneGain gain;
  for (size_t t = 0; t < layers_.size(); ++t) {
    const tune::Task& task = layers_[t];
    const uint64_t given = found[0].search.GivenCycles(t);
    if (given == 0) continue;
    ShowTuneLine(fmt::format("{}: the best schedules again", Legible(task.name, 100)));
    const auto winner = Winner(task, found[0].search.history(t), given, over, &gain.notes);
    if (!winner) continue;
    tune::Record record = tune::RecordOf(task, *winner);
    record.network = source_.crc;
    TESSERA_TRY(log->Append(record));
  }
  ShowTuneLine("the network with the records and without them");
  TESSERA_ASSIGN(const auto plain, Compile(/*by_records=*/false));
  TESSERA_ASSIGN(const auto tuned, Compile(/*by_records=*/true));
  TESSERA_ASSIGN(const NetworkTimes times, TimesInTurns(plain, tuned, measurer_));
  gain.given = times.plain;
  gain.best = times.tuned;
  if (!times.difference.empty())
    gain.notes.push_back("rounded in another order: " + times.difference);
  gain.told = fmt::format(
      "network: {} ns as the compiler schedules it, {} ns with the records: {:.3f} times as fast "
      "(medians of {} inferences of each, in turns on one core)",
      Grouped(static_cast<int64_t>(times.plain)), Grouped(static_cast<int64_t>(times.tuned)),
      static_cast<double>(times.plain) / static_cast<double>(std::max<uint64_t>(times.tuned, 1)),
      times.inferences);
  return gain;
}

}  // namespace

Result<std::unique_ptr<TuneTarget>> MakeHostTuning(const TuneFlags& flags,
                                                   const TunedNetwork& network) {
  auto made = std::make_unique<HostTuning>(flags, network);
  TESSERA_TRY(made->Prepare());
  return made;
}

}  // namespace tessera::tools
