// SPDX-License-Identifier: Apache-2.0
#include "sim/func/run.h"

#include <algorithm>
#include <utility>

#include "isa/semantics/diagnosis.h"

namespace tessera::sim {

FuncRun::FuncRun(const Launch& launch, const isa::Fetcher& fetcher, isa::MachineState& machine,
                 uint64_t schedule_seed, bool kernels)
    : launch_(launch),
      fetcher_(fetcher),
      machine_(machine),
      seed_(schedule_seed),
      executor_(machine, kernels ? Effects::kKernels : Effects::kSemantics),
      rng_(schedule_seed),
      units_(machine.config, launch.profile) {}

std::unexpected<Error> FuncRun::Stopped(const isa::Stop& stop, std::string_view unit,
                                        uint32_t number, const isa::AnyInsn* insn) const {
  const std::string text = insn == nullptr ? "" : " (" + isa::Describe(*insn) + ")";
  std::optional<uint64_t> refused;
  if (stop.error == isa::MachineError::kBus && insn != nullptr) {
    refused = isa::FirstBeatOutside(*insn, machine_.config, isa::BasesOf(launch_.segments),
                                    machine_.dram.size());
  }
  return std::unexpected(isa::StoppedAt(unit, fmt::format("instruction {}{}", number, text),
                                        stop.error, stop.detail, refused));
}

// Whether fetch can go on: decode the next instruction, or queue the one that waits for room.
bool FuncRun::CanFetch() {
  if (fetched_) return units_.HasRoom(fetched_->fetched.unit);
  return !finish_fetched_;
}

Status FuncRun::FetchOne() {
  if (!fetched_) {
    if (next_ == launch_.insn_count) {
      const isa::Stop stop{isa::MachineError::kNoFinish,
                           "the stream ends without FINISH; append one"};
      return Stopped(stop, "fetch", next_ - 1, nullptr);
    }
    const int64_t bytes = fetcher_.insn_bytes();
    isa::Issued issued{.number = next_};
    const isa::Stop stop = fetcher_.Fetch(
        machine_.dram.subspan(launch_.insn_addr + next_ * bytes, bytes), &issued.fetched);
    if (stop) return Stopped(stop, "fetch", next_, nullptr);
    report_.bytes_read += bytes;
    ++next_;
    finish_fetched_ = issued.fetched.finish;
    if (finish_fetched_ && launch_.profile == isa::Profile::kTessera) {  // no queue takes FINISH
      ++report_.instructions;
      return {};
    }
    fetched_ = std::move(issued);
  }
  if (units_.HasRoom(fetched_->fetched.unit)) {
    units_.Enqueue(std::move(*fetched_));
    fetched_.reset();
  }
  return {};
}

Status FuncRun::Execute(isa::Issued& issued) {
  if (issued.executed) return {};
  issued.executed = true;
  const isa::Fetched& fetched = issued.fetched;
  TraceEntry entry{.insn = issued.number, .unit = fetched.unit};
  const isa::Stop stop =
      executor_.Execute(fetched.insn, observers_.any() == nullptr ? nullptr : &entry.digest);
  if (stop) return Stopped(stop, isa::Text(fetched.unit), issued.number, &fetched.insn);
  const isa::Traffic traffic = isa::TrafficOf(fetched.insn, machine_.config);
  report_.bytes_read += traffic.read;
  report_.bytes_written += traffic.written;
  retiring_[static_cast<int>(fetched.unit)] = entry;
  return {};
}

UnitView FuncRun::Of(isa::Unit unit) const {
  const int u = static_cast<int>(unit);
  UnitView view{.queued = units_.Queued(u), .next = {}, .missing = 0, .full = units_.Full(u)};
  if (const isa::Issued* head = units_.Head(u)) {
    view.next = head->number;
    view.missing = units_.Missing(u);
  }
  return view;
}

void FuncRun::TellTokens(const isa::Issued& issued, bool push) {
  const uint8_t mask = push ? issued.fetched.push : issued.fetched.pop;
  for (int other = 0; other < isa::kUnits; ++other) {
    if ((mask >> other & 1) == 0) continue;
    const auto unit = static_cast<isa::Unit>(other);
    watcher_->OnToken({.from = push ? issued.fetched.unit : unit,
                       .to = push ? unit : issued.fetched.unit,
                       .push = push,
                       .insn = issued.number,
                       .cycle = 0});
  }
}

Status FuncRun::StartOne(int unit) {
  isa::Issued& issued = units_.Start(unit);
  if (watcher_ != nullptr) {
    TellTokens(issued, /*push=*/false);
    if (!issued.fetched.finish)
      watcher_->OnTaken({.insn = issued.number, .unit = issued.fetched.unit, .cycle = 0});
  }
  const uint64_t cost = 1 + static_cast<uint64_t>(isa::Steps(issued.fetched.insn));
  if (cost > launch_.budget - spent_) {
    return Fail(
        Code::kTimeout,
        "{}: instruction {} ({}) takes {} steps, {} of the budget of {} are left; give more",
        isa::Text(issued.fetched.unit), issued.number, isa::Describe(issued.fetched.insn), cost,
        launch_.budget - spent_, launch_.budget);
  }
  spent_ += cost;
  // The effects happen at some time between pop and push of tokens. A random schedule draws one of
  // the two ends.
  if (seed_ != 0 && rng_.OneIn(2)) return {};
  return Execute(issued);
}

Status FuncRun::RetireOne(int unit) {
  isa::Issued& issued = units_.Running(unit);
  TESSERA_TRY(Execute(issued));
  ++report_.instructions;
  const isa::Issued retired = units_.Retire(unit);
  if (watcher_ != nullptr) TellTokens(retired, /*push=*/true);
  if (!retired.fetched.finish) observers_.OnRetired(retiring_[unit]);
  return {};
}

// Fetches as long as possible, then runs each unit until it blocks.
Status FuncRun::StepInOrder(bool* moved) {
  while (CanFetch()) {
    TESSERA_TRY(FetchOne());
    *moved = true;
  }
  for (int unit = 0; unit < isa::kUnits; ++unit) {
    while (true) {
      if (units_.CanRetire(unit)) {
        TESSERA_TRY(RetireOne(unit));
      } else if (units_.CanStart(unit)) {
        TESSERA_TRY(StartOne(unit));
      } else {
        break;
      }
      *moved = true;
    }
  }
  return {};
}

// Does one of the possible next actions, each with the same probability.
Status FuncRun::StepAtRandom(bool* moved) {
  constexpr int kFetch = 2 * isa::kUnits;
  std::array<int, kFetch + 1> actions;
  int count = 0;
  for (int unit = 0; unit < isa::kUnits; ++unit) {
    if (units_.CanStart(unit)) actions[count++] = unit;
    if (units_.CanRetire(unit)) actions[count++] = isa::kUnits + unit;
  }
  if (CanFetch()) actions[count++] = kFetch;
  if (count == 0) return {};
  *moved = true;
  const int action = actions[rng_.Range(0, count - 1)];
  if (action == kFetch) return FetchOne();
  return action < isa::kUnits ? StartOne(action) : RetireOne(action - isa::kUnits);
}

std::unexpected<Error> FuncRun::Deadlock() const {
  const auto read = [this](uint32_t number, std::span<uint8_t> bytes) {
    const auto code =
        machine_.dram.subspan(launch_.insn_addr + number * bytes.size(), bytes.size());
    std::ranges::copy(code, bytes.begin());
    return true;
  };
  const isa::InsnStream stream(fetcher_, machine_.config, launch_.insn_count, read);
  isa::MachineStanding at{.units = units_.Standing()};
  if (fetched_) at.fetch = fetched_->number;
  return Fail(Code::kDeadlock, "deadlock: {}", isa::Diagnose(stream, at).Line());
}

Result<RunReport> FuncRun::Run(RunObserver* observer, MachineWatcher* watcher) {
  observers_.Add(observer);
  observers_.Add(watcher);
  watcher_ = watcher;
  if (watcher_ != nullptr) watcher_->OnBegin(launch_, *this);
  while (!(finish_fetched_ && !fetched_ && units_.Empty())) {
    bool moved = false;
    TESSERA_TRY(seed_ == 0 ? StepInOrder(&moved) : StepAtRandom(&moved));
    if (moved) continue;
    return Deadlock();
  }
  report_.leftover_tokens = units_.TokensLeft();
  return report_;
}

}  // namespace tessera::sim
