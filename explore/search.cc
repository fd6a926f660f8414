// SPDX-License-Identifier: Apache-2.0
#include "explore/search.h"

#include <algorithm>

#include "base/text.h"
#include "base/workers.h"

namespace tessera::explore {
namespace {

// The answer that |end| of a process is.
Result<MachineCost> CostOfEnd(const WorkEnd& end) {
  if (end.unmade) return Fail(Code::kUnavailable, "{}; fewer --workers need less", end.crash);
  if (!end.crash.empty()) return MachineCost{.networks = {}, .cause = "the process " + end.crash};
  return ParseCost(end.bytes);
}

}  // namespace

std::string AnswerRequest(const std::vector<ExploredNetwork>& networks,
                          const std::string& request) {
  const Result<isa::Config> config = isa::ParseConfig(request, "machine");
  return PrintCost(config ? CostOf(networks, *config, Stage::kRun)
                          : MachineCost{.networks = {}, .cause = config.error().message});
}

MachineSearch::MachineSearch(const std::vector<ExploredNetwork>& networks, ExploreOptions options,
                             KnownAnswers known, Explored* explored, ExploreLog* log)
    : networks_(networks),
      options_(std::move(options)),
      known_(std::move(known)),
      explored_(*explored),
      log_(log) {}

bool MachineSearch::Over() const {
  if (options_.stop && options_.stop()) return true;
  return options_.time.count() > 0 && Clock::now() - begin_ >= options_.time;
}

void MachineSearch::Count(Stage stage, const MachineCost& cost) {
  ++(stage == Stage::kPredict ? progress_.predicted : progress_.ran);
  if (!cost.cause.empty()) ++progress_.failed;
  if (stage == Stage::kRun) progress_.front = explored_.Front().size();
}

Status MachineSearch::Work(const std::vector<isa::Config>& configs, Stage stage, const Told& told) {
  size_t next = 0;
  Status status;
  const auto piece = [&](int64_t index) {
    const isa::Config& config = configs[static_cast<size_t>(index)];
    return PrintCost(options_.cost ? options_.cost(config, stage)
                                   : CostOf(networks_, config, stage));
  };
  const auto give = [&]() -> std::optional<int64_t> {
    if (next == configs.size() || !status || Over()) return std::nullopt;
    return static_cast<int64_t>(next++);
  };
  const auto done = [&](int64_t index, const WorkEnd& end) {
    if (!status) return;
    auto cost = CostOfEnd(end);
    if (!cost) {
      status = std::unexpected(cost.error());
      return;
    }
    auto& [machines, seconds] = progress_.work[stage];
    ++machines, seconds += cost->seconds;
    status = told(static_cast<size_t>(index), std::move(*cost));
  };
  const auto tick = [&] {
    progress_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    if (progress) progress(progress_);
  };
  if (options_.slurm != nullptr && stage == Stage::kRun) {
    const auto next_piece = [&]() -> std::optional<cluster::SlurmPool::Piece> {
      const std::optional<int64_t> index = give();
      if (!index) return std::nullopt;
      return cluster::SlurmPool::Piece{*index,
                                       isa::ConfigToJson(configs[static_cast<size_t>(*index)])};
    };
    TESSERA_TRY(options_.slurm->Run(
        {.next = next_piece, .done = done, .tick = tick, .stop = options_.stop}));
    return status;
  }
  const auto jobs = std::min<size_t>(static_cast<size_t>(options_.workers), configs.size());
  Workers(static_cast<int>(std::max<size_t>(jobs, 1)), options_.machine_limit, piece)
      .Run(give, done, tick);
  return status;
}

Status MachineSearch::LookAt(const std::vector<int64_t>& machines, Stage stage) {
  std::vector<int64_t> unknown;
  for (const int64_t machine : machines) {
    const auto known = known_.find({machine, stage});
    if (known == known_.end()) {
      unknown.push_back(machine);
      continue;
    }
    explored_.Tell(machine, stage, known->second);
    ++progress_.known;
    Count(stage, known->second);
  }
  std::vector<isa::Config> configs;
  for (const int64_t machine : unknown) configs.push_back(explored_.Of(machine).config);
  if (configs.empty()) return {};
  return Work(configs, stage, [&](size_t index, MachineCost cost) -> Status {
    if (log_ != nullptr) TESSERA_TRY(log_->Append(unknown[index], stage, cost));
    explored_.Tell(unknown[index], stage, cost);
    Count(stage, cost);
    return {};
  });
}

Status MachineSearch::SomeCompiles() const {
  std::string first;
  for (const auto& [number, machine] : explored_.machines()) {
    for (const auto& cost : {machine.predicted, machine.ran}) {
      if (cost && cost->cause.empty()) return {};
      if (cost && first.empty()) first = machine.config.name + ": " + cost->cause;
    }
  }
  if (first.empty()) return {};
  return Fail(Code::kUnsupported,
              "no machine that was looked at can run the networks; the first: {}; `tessera info` "
              "says what a model needs",
              first);
}

Status MachineSearch::Run() {
  TESSERA_ASSIGN(const auto strategy, MakeMachineStrategy(options_.strategy, options_.seed));
  begin_ = Clock::now();
  std::vector<int64_t> others;
  for (const int64_t other : explored_.others()) {
    if (explored_.Of(other).misfit.resource.empty()) others.push_back(other);
  }
  TESSERA_TRY(LookAt(others, Stage::kPredict));
  TESSERA_TRY(LookAt(others, Stage::kRun));
  int64_t runs = 0;
  while (!Over()) {
    const double time =
        std::chrono::duration<double>(Clock::now() - begin_) /
        std::max<std::chrono::duration<double>>(options_.time, std::chrono::duration<double>(1e-9));
    explored_.spent = options_.time.count() > 0 ? time : 0;
    WantedMachines wanted = strategy->Next(explored_);
    if (wanted.machines.empty()) break;
    if (wanted.stage == Stage::kRun) {
      const auto left = static_cast<size_t>(std::max<int64_t>(options_.runs - runs, 0));
      if (options_.runs > 0 && wanted.machines.size() > left) wanted.machines.resize(left);
      if (wanted.machines.empty()) break;
      runs += std::ssize(wanted.machines);
    }
    TESSERA_TRY(LookAt(wanted.machines, wanted.stage));
  }
  return SomeCompiles();
}

Result<std::vector<MachineCost>> MachineSearch::AnswersFor(const std::vector<isa::Config>& configs,
                                                           Stage stage) {
  std::vector<MachineCost> costs(configs.size());
  begin_ = Clock::now();
  TESSERA_TRY(Work(configs, stage, [&](size_t index, MachineCost cost) -> Status {
    costs[index] = std::move(cost);
    return {};
  }));
  return costs;
}

}  // namespace tessera::explore
