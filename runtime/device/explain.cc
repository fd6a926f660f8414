// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/explain.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "isa/regs.h"

namespace tessera {
namespace {

std::string_view Meaning(isa::MachineError error) {
  for (const isa::EnumValue& e : isa::kEnumValues) {
    if (e.type == "MachineError" && e.value == static_cast<int>(error)) return e.meaning;
  }
  return "not an error of this version";
}

isa::InsnStream ReadStream(const RunCode& code) {
  const auto read = [&](uint32_t number, std::span<uint8_t> bytes) {
    return code.memory->Read(code.launch->insn_addr + uint64_t{number} * bytes.size(), bytes)
        .has_value();
  };
  return {*code.fetcher, *code.config, code.launch->insn_count, read};
}

Result<isa::MachineStanding> ReadMachine(RegisterPort& port) {
  isa::MachineStanding at;
  for (uint32_t unit = 0; unit < isa::kUnits; ++unit) {
    TESSERA_ASSIGN(at.units[unit], ReadStanding(port, unit));
  }
  return at;
}

// The bus user behind an error of |unit|: LOAD for profile vta's COMPUTE.
uint32_t UserOf(uint32_t unit) {
  const bool own = unit == isa::kUnits || unit == static_cast<uint32_t>(isa::Unit::kStore);
  return own ? unit : static_cast<uint32_t>(isa::Unit::kLoad);
}

Result<Error> ErrorRegisters(RegisterPort& port, const RunCode& code,
                             const std::vector<isa::MemoryRefusal>& refused) {
  TESSERA_ASSIGN(const uint32_t word, port.Read(isa::reg::kError));
  TESSERA_ASSIGN(const uint32_t number, port.Read(isa::reg::kErrorInsn));
  const auto error = static_cast<isa::MachineError>(isa::reg::kErrorCode.Get(word));
  const isa::InsnStream stream = ReadStream(code);
  if (error == isa::MachineError::kDeadlock) {
    TESSERA_ASSIGN(isa::MachineStanding at, ReadMachine(port));
    if (number >= stream.size() || !stream[number].finish) at.fetch = number;
    return Error{isa::CodeOf(error),
                 fmt::format("{}: {}", isa::Text(error), isa::Diagnose(stream, at).Line())};
  }
  std::string reason(Meaning(error));
  if (error == isa::MachineError::kBus && number < stream.size()) {
    const std::string bytes =
        isa::SegmentBytes(stream[number].insn, *code.config, isa::BasesOf(code.launch->segments));
    if (!bytes.empty()) reason += ": " + bytes;
  }
  const uint32_t unit = isa::reg::kErrorUnit.Get(word);
  const auto beat = std::ranges::find(refused, UserOf(unit), &isa::MemoryRefusal::unit);
  return isa::StoppedAt(
      isa::UnitName(unit), stream.Name(number), error, reason,
      beat == refused.end() ? std::nullopt : std::optional<uint64_t>(beat->address));
}

// Between two looks at the counters: the cycles that should pass, and the most looks to wait for.
constexpr uint64_t kCyclesBetween = 2000;
constexpr int kLooksBetween = 40;

// Finds units that wait for memory when no one reports it, in a machine that still runs: from one
// look at the counters to the next, such a unit waits for memory and is never busy.
Result<std::vector<isa::MemoryWait>> WaitsByCounters(RegisterPort& port) {
  struct Counts {
    uint64_t cycles = 0;
    std::array<uint32_t, isa::kUnits> busy{}, memory{};
  };
  const auto look = [&]() -> Result<Counts> {
    Counts counts;
    TESSERA_ASSIGN(counts.cycles, ReadCounter(port, isa::reg::kCyclesLo, isa::reg::kCyclesHi));
    for (uint32_t u = 0; u < isa::kUnits; ++u) {
      TESSERA_ASSIGN(counts.busy[u], port.Read(isa::reg::kBusy[u]));
      TESSERA_ASSIGN(counts.memory[u], port.Read(isa::reg::kMemoryWait[u]));
    }
    return counts;
  };
  TESSERA_ASSIGN(const Counts before, look());
  Counts now = before;
  for (int n = 0; n < kLooksBetween && now.cycles - before.cycles < kCyclesBetween; ++n) {
    port.Pause();
    TESSERA_ASSIGN(now, look());
  }
  std::vector<isa::MemoryWait> waits;
  for (uint32_t u = 0; u < isa::kUnits; ++u) {
    const uint32_t waited = now.memory[u] - before.memory[u];
    if (now.busy[u] != before.busy[u] || waited == 0) continue;
    const bool write = u == static_cast<uint32_t>(isa::Unit::kStore);
    waits.push_back({.unit = u, .write = write, .silent = waited});
  }
  return waits;
}

Result<isa::Diagnosis> WhereItStands(RegisterPort& port, const RunCode& code,
                                     std::vector<isa::MemoryWait> memory) {
  TESSERA_ASSIGN(isa::MachineStanding at, ReadMachine(port));
  at.knows_fetch = false;  // no register shows it while a program runs
  if (memory.empty()) {
    TESSERA_ASSIGN(memory, WaitsByCounters(port));
  }
  at.memory = std::move(memory);
  return isa::Diagnose(ReadStream(code), at);
}

}  // namespace

Error ExplainError(RegisterPort& port, const RunCode& code,
                   const std::vector<isa::MemoryRefusal>& refused) {
  const Result<Error> error = ErrorRegisters(port, code, refused);
  return error ? *error : error.error();
}

Error ExplainTimeout(RegisterPort& port, const RunCode& code, uint64_t budget,
                     std::vector<isa::MemoryWait> memory) {
  const Result<isa::Diagnosis> d = WhereItStands(port, code, std::move(memory));
  if (!d) return d.error();
  const bool silent = d->kind == isa::DiagnosisClass::kBusSilent;
  return {Code::kTimeout, fmt::format("not done after the budget of {} cycles{}: {}", budget,
                                      silent ? "" : " (give more)", d->Line())};
}

}  // namespace tessera
