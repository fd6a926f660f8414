// SPDX-License-Identifier: Apache-2.0
//
// Searches for the accelerator. First what the layers of each program agree on, then each layer as
// the best network traces leave it. Everything is measured in exact cycles.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/driver/compile.h"
#include "compiler/tune/select.h"
#include "isa/config.h"
#include "sim/cycle/count.h"
#include "tools/records.h"
#include "tools/tune_line.h"
#include "tools/tune_target.h"

namespace tessera::tools {
namespace {

constexpr size_t kTriedOnNetwork = 8;  // of each task
// Shares of the budget: for the network traces, for the layers; the rest is for counting networks.
constexpr double kShareOfNetwork = 0.5, kShareOfLayers = 0.35;

class AccelTuning : public TuneTarget {
 public:
  AccelTuning(const TuneFlags& flags, const TunedNetwork& network)
      : flags_(flags), source_(network) {}
  Status Prepare();

  const char* unit() const override { return tune::UnitOf(schedule::kAcceleratorTrace); }
  const isa::Config& config() const override { return config_; }
  size_t CountStages() const override { return 2; }
  TuneStage StageAt(size_t k) override {
    // Any random point of a network's space is far worse than the compiler's.
    if (k == 0) return {"network", &network_, kShareOfNetwork, "descent"};
    return {"layers", &layers_, kShareOfLayers, nullptr};
  }
  void Know(const tune::Task&, uint64_t, uint64_t) override {}
  tune::Measured Measure(const tune::Task& task, const tune::Point& point,
                         uint64_t budget) override {
    return tune::CyclesOf(task, point, config_, budget);
  }
  Status Adopt(size_t k, const tune::Search& search, tune::RecordLog* log) override;
  std::vector<tune::Record> Adopted() const override { return adopted_; }
  Status Follow(const tune::RecordSet& records) override;
  Result<TuneGain> Choose(const std::vector<Found>& found, const std::function<bool()>& over,
                          tune::RecordLog* log) override;
  std::string CompileWords() const override { return "--config " + flags_.config; }

 private:
  // Plans the programs by the network traces |chosen|, by task; nothing: as they are. Where they
  // are not the compiler's, makes the layers' tasks anew.
  Status Plan(const std::vector<std::optional<tune::Point>>& chosen);
  Result<uint64_t> CyclesAsGiven(const tune::Search& network) const;
  Result<uint64_t> CyclesByRecords() const;
  // Records what was chosen for each layer, and that the network takes |cycles| with it.
  Status Record(const tune::Selection& selection, uint64_t cycles, tune::RecordLog* log) const;

  const TuneFlags& flags_;
  const TunedNetwork& source_;
  isa::Config config_;
  std::vector<compiler::PlannedProgram> programs_;
  // What the layers of each program agree on, then the layers. A layer's task is of the program
  // that the network's search has chosen.
  std::vector<tune::Task> network_, layers_;
  std::vector<tune::Record> adopted_;  // of |network_|
  uint64_t given_ = 0;                 // cycles of the network as the compiler schedules it
};

Status AccelTuning::Prepare() {
  TESSERA_ASSIGN(config_, isa::LoadConfig(flags_.config));
  compiler::CompileOptions options;
  options.config = config_;
  options.cpu = false;
  auto compiled = compiler::Compile(source_.graph, flags_.model, source_.crc, options);
  if (!compiled) return Within(flags_.model, compiled.error());
  programs_ = std::move(compiled->programs);
  for (size_t p = 0; p < programs_.size(); ++p) {
    TESSERA_ASSIGN(tune::Task task, tune::NetworkTaskOf(programs_, p, config_));
    if (!task.space->knobs().empty()) network_.push_back(std::move(task));
  }
  TESSERA_ASSIGN(layers_, tune::TasksOf(programs_, config_));
  if (!layers_.empty() || !network_.empty()) return {};
  return Fail(Code::kUnsupported,
              "{}: no layer on the accelerator of configuration '{}' has a choice; `tessera "
              "info` says which layers run there",
              flags_.model, config_.name);
}

// The cycles of the network as the compiler schedules it.
Result<uint64_t> AccelTuning::CyclesAsGiven(const tune::Search& network) const {
  uint64_t cycles = 0;
  bool all = network_.size() == programs_.size();
  for (size_t t = 0; t < network_.size(); ++t) {
    const uint64_t given = network.GivenCycles(t);
    cycles += given;
    all = all && given > 0;
  }
  return all ? cycles : tune::NetworkCycles(programs_, config_, {});
}

Status AccelTuning::Plan(const std::vector<std::optional<tune::Point>>& chosen) {
  bool other = false;
  for (size_t t = 0; t < network_.size(); ++t) {
    const tune::Task& task = network_[t];
    if (!chosen[t]) continue;
    // Also where the compiler's own traces are best: with them given, a layer keeps the room that
    // it leaves to the next one when its schedule is given too, as in a compilation by the records.
    compiler::PlannedProgram& program = programs_[task.program];
    task.space->Put(*chosen[t], &program);
    if (*chosen[t] == task.space->given()) continue;
    other = true;
    TESSERA_TRY(compiler::PlanAgain(&program, config_));
  }
  if (other) {
    TESSERA_ASSIGN(layers_, tune::TasksOf(programs_, config_));
  }
  return {};
}

Status AccelTuning::Adopt(size_t k, const tune::Search& search, tune::RecordLog* log) {
  if (k != 0) return {};
  TESSERA_ASSIGN(given_, CyclesAsGiven(search));
  std::vector<std::optional<tune::Point>> chosen(network_.size());
  for (size_t t = 0; t < network_.size(); ++t) {
    const tune::Trial* best = search.history(t).best();
    if (best == nullptr) continue;
    chosen[t] = best->point;
    tune::Record record = tune::RecordOf(network_[t], *best);
    record.network = source_.crc;
    TESSERA_TRY(log->Append(record));
    adopted_.push_back(std::move(record));
  }
  return Plan(chosen);
}

Status AccelTuning::Follow(const tune::RecordSet& records) {
  std::vector<std::optional<tune::Point>> chosen(network_.size());
  for (size_t t = 0; t < network_.size(); ++t) {
    const tune::Record* record = records.BestOf(network_[t].key, source_.crc);
    if (record != nullptr) chosen[t] = tune::PointOf(*network_[t].space, *record);
  }
  return Plan(chosen);
}

// Compiles the network by the records, as `tessera compile` does: the translation check follows
// its programs. Returns the cycles of all.
Result<uint64_t> AccelTuning::CyclesByRecords() const {
  compiler::CompileOptions options;
  options.config = config_;
  options.cpu = false;
  TESSERA_TRY(UseRecords(flags_.output, source_.graph, flags_.model, source_.crc, &options));
  TESSERA_ASSIGN(const compiler::Compiled compiled,
                 compiler::Compile(source_.graph, flags_.model, source_.crc, options));
  uint64_t counted = 0;
  for (const artifact::DeviceProgram& program : compiled.artifact.programs) {
    TESSERA_ASSIGN(const RunReport report, sim::CountCycles(program.image, config_));
    counted += report.cycles;
  }
  return counted;
}

Status AccelTuning::Record(const tune::Selection& selection, uint64_t cycles,
                           tune::RecordLog* log) const {
  for (size_t t = 0; t < layers_.size(); ++t) {
    tune::Record record = tune::RecordOf(layers_[t], {selection.chosen[t], cycles, "", ""});
    record.network = source_.crc;
    TESSERA_TRY(log->Append(record));
  }
  return {};
}

Result<TuneGain> AccelTuning::Choose(const std::vector<Found>& found,
                                     const std::function<bool()>& over, tune::RecordLog* log) {
  ShowTuneLine("whole networks");
  TESSERA_ASSIGN(
      const tune::Selection selection,
      tune::SelectForNetwork(programs_, config_, layers_, found[1].search, kTriedOnNetwork, over));
  TESSERA_TRY(Record(selection, selection.cycles, log));
  ShowTuneLine("checking the network of the records");
  // A whole artifact puts activations elsewhere in device memory than a program counted alone, so
  // transfers cross pages elsewhere: some cycles more or fewer, and never one per cent.
  TESSERA_ASSIGN(const uint64_t cycles, CyclesByRecords());
  const uint64_t apart = std::max(cycles, selection.cycles) - std::min(cycles, selection.cycles);
  if (apart * 100 > cycles) {
    return Fail(Code::kDataLoss,
                "{}: compiled by its records, the network takes {} cycles and not {}; please "
                "report this model",
                flags_.output, cycles, selection.cycles);
  }
  if (cycles != selection.cycles) TESSERA_TRY(Record(selection, cycles, log));
  TuneGain gain{.given = given_, .best = cycles};
  gain.told = fmt::format(
      "network: {} cycles as the compiler schedules it, {} with the records, {:.2f} % fewer ({} "
      "networks counted)",
      Grouped(static_cast<int64_t>(given_)), Grouped(static_cast<int64_t>(cycles)),
      100 * (1 - static_cast<double>(cycles) / static_cast<double>(std::max<uint64_t>(given_, 1))),
      Grouped(selection.tried));
  return gain;
}

}  // namespace

Result<std::unique_ptr<TuneTarget>> MakeAccelTuning(const TuneFlags& flags,
                                                    const TunedNetwork& network) {
  auto made = std::make_unique<AccelTuning>(flags, network);
  TESSERA_TRY(made->Prepare());
  return made;
}

}  // namespace tessera::tools
