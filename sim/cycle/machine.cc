// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/machine.h"

#include <algorithm>

#include "base/check.h"
#include "isa/regs.h"
#include "isa/semantics/diagnosis.h"

namespace tessera::sim::cycle {
namespace {

isa::Memory LoadedMemory(const isa::AnyInsn& insn) {
  if (const auto* one = std::get_if<isa::Insn>(&insn))
    return static_cast<isa::Memory>(std::get<isa::Load>(*one).memory);
  return static_cast<isa::Memory>(std::get<isa::VtaLoad>(std::get<isa::VtaInsn>(insn)).memory_type);
}

// Sets the unit that executes |insn| and whether |insn| only moves tokens.
void RouteVta(const isa::VtaInsn& insn, Command& command) {
  if (const auto* load = std::get_if<isa::VtaLoad>(&insn)) {
    command.unit = isa::Unit::kLoad;
    command.skip = load->x_size == 0;
  } else if (const auto* store = std::get_if<isa::VtaStore>(&insn)) {
    command.unit = isa::Unit::kStore;
    command.skip = store->x_size == 0;
  } else if (std::holds_alternative<isa::VtaAlu>(insn)) {
    command.unit = isa::Unit::kVector;
  } else {
    command.skip = command.hush = std::holds_alternative<isa::VtaFinish>(insn);
  }
}

}  // namespace

CycleRun::CycleRun(const Launch& launch, const isa::Fetcher& fetcher, isa::MachineState& state,
                   MemoryModel& memory, RunObserver* observer, Effects effects)
    : launch_(launch),
      fetcher_(fetcher),
      state_(state),
      observer_(observer),
      executor_(state, effects),
      bus_(memory, kMemoryBegin, observer),
      issue_(state.config, launch.profile, launch.insn_addr, launch.insn_count, *this, bus_),
      gates_(state.config, launch.profile, *this, issue_),
      gemm_(state, ActivityOf(isa::Unit::kGemm), gates_),
      vector_(state, gemm_, ActivityOf(isa::Unit::kVector), gates_),
      load_(state.config, gemm_, vector_, ActivityOf(isa::Unit::kLoad), gates_, bus_),
      store_(state, gemm_, vector_, ActivityOf(isa::Unit::kStore), gates_, bus_) {
  for (int s = 0; s < isa::kSegments; ++s) segment_[s] = state.segments[s].base;
  for (int u = 0; u < isa::kUnits; ++u) activity_[u].Begin(static_cast<isa::Unit>(u), observer);
  issue_.Connect(gates_);
  bus_.Connect(issue_, load_, store_);
}

CommandPtr CycleRun::NewCommand() {
  if (free_.empty()) return &pool_.emplace_back();
  const CommandPtr command = free_.back();
  free_.pop_back();
  *command = {};
  return command;
}

CommandPtr CycleRun::Decode(uint32_t number) {
  const CommandPtr command = NewCommand();
  command->number = number;
  const auto bytes = static_cast<uint64_t>(fetcher_.insn_bytes());
  command->stop = fetcher_.Fetch(state_.dram.subspan(launch_.insn_addr + number * bytes, bytes),
                                 &command->fetched);
  if (command->stop) return command;
  command->unit = command->fetched.unit;
  if (const auto* one = std::get_if<isa::Insn>(&command->fetched.insn)) {
    command->skip = std::holds_alternative<isa::Sync>(*one);
  } else {
    RouteVta(std::get<isa::VtaInsn>(command->fetched.insn), *command);
  }
  return command;
}

bool CycleRun::UnitReady(isa::Unit unit) {
  switch (unit) {
    case isa::Unit::kLoad:
      return load_.ready();
    case isa::Unit::kGemm:
      return gemm_.ready();
    case isa::Unit::kVector:
      return vector_.ready();
    case isa::Unit::kStore:
      return store_.ready();
  }
  TESSERA_CHECK(false, "unit {}", static_cast<int>(unit));
}

void CycleRun::Issue(Cycles t, CommandPtr command) {
  command->stop =
      executor_.Execute(command->fetched.insn, observer_ == nullptr ? nullptr : &command->digest);
  const isa::AnyInsn& insn = command->fetched.insn;
  if (!command->stop) {
    command->nest =
        std::visit([&](const auto& profile) { return isa::NestOf(profile, state_.config); }, insn);
  }
  switch (command->unit) {
    case isa::Unit::kLoad:
      load_.Take(command,
                 command->stop ? CheckedBox{} : BoxOf(command->nest, LoadedMemory(insn), segment_),
                 t);
      break;
    case isa::Unit::kGemm:
      gemm_.Take(t, command);
      break;
    case isa::Unit::kVector:
      vector_.Take(command, t);
      break;
    case isa::Unit::kStore:
      store_.Take(command,
                  command->stop ? CheckedBox{} : BoxOf(command->nest, isa::Memory::kOut, segment_),
                  t);
      CountTraffic(*command);
      break;
  }
  // LOAD and STORE report an error before they move data, GEMM and VECTOR when the command retires.
  if (command->stop && (command->unit == isa::Unit::kLoad || command->unit == isa::Unit::kStore))
    failed_ = failed_ == nullptr ? command : failed_;
}

// Counts the bytes that a STORE writes. The bus counts the beats of reads as they arrive.
void CycleRun::CountTraffic(const Command& command) {
  if (command.stop) return;
  for (const isa::NestOperand& o : command.nest.operands()) {
    if (o.space.is_segment())
      end_.bytes_written += static_cast<uint64_t>(command.nest.steps() * o.extent);
  }
}

const Command* CycleRun::UnitRetires(Cycles t, isa::Unit unit) {
  const Command* command = nullptr;
  switch (unit) {
    case isa::Unit::kLoad:
      command = load_.retires(t);
      break;
    case isa::Unit::kGemm:
      command = gemm_.retires(t);
      break;
    case isa::Unit::kVector:
      command = vector_.retires(t);
      break;
    case isa::Unit::kStore:
      command = store_.retires();
      break;
  }
  if (command != nullptr && command->stop && failed_ == nullptr) failed_ = command;
  return command;
}

void CycleRun::Popped(Cycles t, isa::Unit unit, const Command& command) {
  if (observer_ == nullptr) return;
  for (int from = 0; from < isa::kUnits; ++from) {
    if ((command.fetched.pop >> from & 1) != 0)
      observer_->OnToken({static_cast<isa::Unit>(from), unit, false, command.number, t});
  }
  taken_ = &command;
  if (!command.hush) observer_->OnTaken({command.number, unit, t});
  taken_ = nullptr;
}

UnitView CycleRun::Of(isa::Unit unit) const {
  const int u = static_cast<int>(unit);
  UnitView view{.queued = gates_.Queued(u), .next = {}, .missing = 0, .full = gates_.Stalled(u)};
  if (taken_ != nullptr && taken_->fetched.unit == unit) --view.queued;
  const Command* next = gates_.Next(u, taken_);
  if (next == nullptr) return view;
  view.next = next->number;
  for (int from = 0; from < isa::kUnits; ++from) {
    const bool pops = (next->fetched.pop >> from & 1) != 0;
    if (pops && Tokens(static_cast<isa::Unit>(from), unit) == 0)
      view.missing |= static_cast<uint8_t>(1 << from);
  }
  return view;
}

void CycleRun::Retired(Cycles t, isa::Unit unit, const Command& command) {
  ++end_.instructions;
  if (observer_ == nullptr) return;
  for (int to = 0; to < isa::kUnits; ++to) {
    if ((command.fetched.push >> to & 1) != 0)
      observer_->OnToken({unit, static_cast<isa::Unit>(to), true, command.number, t});
  }
  if (command.hush) return;
  TraceEntry entry{.insn = command.number, .unit = unit, .digest = command.digest, .cycle = t};
  for (int u = 0; u < isa::kUnits; ++u) entry.units[u] = activity_[u].Until(t);
  observer_->OnRetired(entry);
}

void CycleRun::Waits(Cycles t, isa::Unit unit, uint8_t missing, uint8_t full) {
  ActivityOf(unit).SetWait(t, missing, full);
}

Cycles CycleRun::next() const {
  if (stopped_) return kNever;
  if (drains_) return at_;
  return std::min({bus_.wake(), issue_.wake(), gates_.wake(), gemm_.wake(), vector_.wake(),
                   load_.wake(), store_.wake()});
}

// The order matters: dispatch reads the gates before they change, the gates read the units, and
// LOAD and STORE read which banks VECTOR and GEMM use.
bool CycleRun::Step() {
  const Cycles t = next();
  TESSERA_CHECK(t != kNever, "nothing in the machine moves and nothing says so");
  if (drains_) bus_.WakeAt(t);
  at_ = t + 1;
  if (bus_.wake() == t) bus_.Cycle(t);
  if (drains_) {
    if (store_.wake() == t) store_.Cycle(t);
    return !bus_.quiet();
  }
  if (issue_.wake() == t) issue_.Cycle(t);
  const bool finishes = issue_.finishes();
  if (gates_.wake() == t) gates_.Cycle(t);
  if (gemm_.wake() == t) gemm_.Cycle(t);
  if (vector_.wake() == t) vector_.Cycle(t);
  if (load_.wake() == t) load_.Cycle(t);
  if (store_.wake() == t) store_.Cycle(t);
  if (!finishes && !Stops()) return true;
  StopUnits(at_);
  drains_ = true;
  bus_.Flush();
  return !bus_.quiet();
}

// Whether an error ends the run. An error of a unit has precedence over an error of fetch.
bool CycleRun::Stops() {
  namespace reg = isa::reg;
  if (failed_ != nullptr) {
    const int gate = static_cast<int>(failed_->fetched.unit);
    if (gates_.Oldest(gate) == failed_) {
      end_.error = failed_->stop.error;
      end_.error_unit = static_cast<uint32_t>(gate);
      end_.error_insn = failed_->number;
      if (end_.error == isa::MachineError::kBus) RefuseBeat();
      return true;
    }
  }
  if (issue_.trouble() == IssueModel::Trouble::kNone) return false;
  end_.error_unit = reg::kErrorUnitFetch;
  end_.error_insn = issue_.trouble_number();
  switch (issue_.trouble()) {
    case IssueModel::Trouble::kRefused:
      end_.error = issue_.refusal().error;
      break;
    case IssueModel::Trouble::kNoFinish:
      end_.error = isa::MachineError::kNoFinish;
      break;
    default:
      end_.error = isa::MachineError::kDeadlock;
      break;
  }
  return true;
}

// The functional model moves the data and has no beats, so this computes the beat that the bus
// would refuse.
void CycleRun::RefuseBeat() {
  const std::optional<uint64_t> beat = isa::FirstBeatOutside(
      failed_->fetched.insn, state_.config, isa::BasesOf(launch_.segments), state_.dram.size());
  const bool store = failed_->unit == isa::Unit::kStore;
  const isa::Unit user = store ? isa::Unit::kStore : isa::Unit::kLoad;
  if (beat) end_.refused = {{static_cast<uint32_t>(user), *beat}};
}

// Records the state and the counters of the units before cycle |t|, then resets the units'
// activity.
void CycleRun::StopUnits(Cycles t) {
  for (int u = 0; u < isa::kUnits; ++u) {
    isa::UnitStanding& standing = end_.standing[u];
    standing.holds = !gates_.Idle(u);
    standing.missing = gates_.Missing(u);
    standing.full = gates_.Stalled(u);
    const Command* command = gates_.Standing(u);
    if (command != nullptr) standing.insn = command->number;
    end_.units[u] = activity_[u].Until(t);
    activity_[u].SetWait(t, 0, 0);
    activity_[u].SetOwn(t, Activity::kIdle);
  }
}

RunEnd CycleRun::End(bool done) {
  if (!drains_) StopUnits(at_);
  end_.done = done;
  const bool finished = done && end_.error == isa::MachineError::kNone;
  // In profile tessera, FINISH enters no queue, so no gate counts it.
  if (finished && launch_.profile == isa::Profile::kTessera) ++end_.instructions;
  end_.leftover = finished && gates_.TokensLeft();
  // The machine takes one more cycle to see that the bus is idle.
  end_.cycles = at_ + static_cast<Cycles>(done);
  for (ActivityCount& activity : activity_) activity.End(end_.cycles);
  end_.bytes_read = bus_.beats_read() * static_cast<uint64_t>(state_.config.bus_bytes());
  return end_;
}

}  // namespace tessera::sim::cycle
