// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/explain.h"

#include "isa/regs.h"

namespace tessera::sim {
namespace {

constexpr uint32_t kFetchUnit = 4;  // in register ERROR

std::string_view UnitName(uint32_t unit) {
  return unit == kFetchUnit ? "fetch" : isa::Text(static_cast<isa::Unit>(unit));
}

std::string_view Meaning(isa::MachineError error) {
  for (const isa::EnumValue& e : isa::kEnumValues) {
    if (e.type == "MachineError" && e.value == static_cast<int>(error)) return e.meaning;
  }
  return "not an error of this version";
}

// Register UNIT_STATE of one unit.
struct UnitState {
  bool holds;
  uint32_t missing;  // pop tokens
  uint32_t full;     // push queues
  uint32_t insn;
};

UnitState StateOf(RtlMachine& machine, uint32_t unit) {
  const uint32_t state = machine.ReadRegister(isa::reg::kUnitState[unit]);
  return {(state & 1) != 0, state >> 4 & 0xf, state >> 8 & 0xf,
          machine.ReadRegister(isa::reg::kUnitInsn[unit])};
}

std::string UnitList(uint32_t mask) {
  std::string text;
  for (uint32_t unit = 0; unit < isa::kUnits; ++unit) {
    if (mask >> unit & 1) text += fmt::format("{}{}", text.empty() ? "" : ", ", UnitName(unit));
  }
  return text;
}

// What one unit does or waits for.
std::string ExplainUnit(RtlMachine& machine, const RunCode& code, uint32_t unit) {
  const UnitState state = StateOf(machine, unit);
  if (!state.holds) return fmt::format("{} has nothing to do", UnitName(unit));
  const std::string where = InstructionText(code, state.insn);
  if (state.missing != 0) {
    return fmt::format("{} waits for a token from {} at {}", UnitName(unit),
                       UnitList(state.missing), where);
  }
  if (state.full != 0) {
    return fmt::format("{} waits to push to {} (its counter is full) at {}", UnitName(unit),
                       UnitList(state.full), where);
  }
  return fmt::format("{} executes {}", UnitName(unit), where);
}

std::string ExplainUnits(RtlMachine& machine, const RunCode& code) {
  std::string text;
  for (uint32_t unit = 0; unit < isa::kUnits; ++unit) {
    text += (unit == 0 ? "" : "; ") + ExplainUnit(machine, code, unit);
  }
  return text;
}

}  // namespace

std::string InstructionText(const RunCode& code, uint32_t number) {
  const size_t bytes = static_cast<size_t>(code.fetcher->insn_bytes());
  isa::Fetched fetched;
  if ((number + size_t{1}) * bytes <= code.bytes.size() &&
      !code.fetcher->Fetch(code.bytes.subspan(number * bytes, bytes), &fetched)) {
    return fmt::format("instruction {} ({})", number, isa::Describe(fetched.insn));
  }
  return fmt::format("instruction {}", number);
}

Error ExplainError(RtlMachine& machine, const RunCode& code) {
  const uint32_t word = machine.ReadRegister(isa::reg::kError);
  const uint32_t number = machine.ReadRegister(isa::reg::kErrorInsn);
  const auto error = static_cast<isa::MachineError>(isa::reg::kErrorCode.Get(word));
  return {isa::CodeOf(error),
          fmt::format("{}: {}: {}: {}", UnitName(isa::reg::kErrorUnit.Get(word)),
                      InstructionText(code, number), isa::Text(error), Meaning(error))};
}

Error ExplainDeadlock(RtlMachine& machine, const RunCode& code) {
  return {Code::kDeadlock, "deadlock: " + ExplainUnits(machine, code)};
}

Error ExplainTimeout(RtlMachine& machine, const RunCode& code, uint64_t budget) {
  return {Code::kTimeout, fmt::format("not done after the budget of {} cycles (give more): {}",
                                      budget, ExplainUnits(machine, code))};
}

}  // namespace tessera::sim
