// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/explain.h"

#include <vector>

#include "isa/regs.h"

namespace tessera {
namespace {

// |unit| as register ERROR numbers it.
std::string UnitName(uint32_t unit) {
  if (unit == isa::reg::kErrorUnitFetch) return "fetch";
  if (unit < isa::kUnits) return std::string(isa::Text(static_cast<isa::Unit>(unit)));
  return fmt::format("unit {}, which this version lacks", unit);
}

std::string_view Meaning(isa::MachineError error) {
  for (const isa::EnumValue& e : isa::kEnumValues) {
    if (e.type == "MachineError" && e.value == static_cast<int>(error)) return e.meaning;
  }
  return "not an error of this version";
}

std::string UnitList(uint32_t mask) {
  std::string text;
  for (uint32_t unit = 0; unit < isa::kUnits; ++unit) {
    if (mask >> unit & 1) text += fmt::format("{}{}", text.empty() ? "" : ", ", UnitName(unit));
  }
  return text;
}

// What one unit does or waits for.
std::string ExplainUnit(const UnitStanding& standing, const RunCode& code, uint32_t unit) {
  if (!standing.holds) return fmt::format("{} has nothing to do", UnitName(unit));
  const std::string where = InstructionText(code, standing.insn);
  if (standing.missing != 0) {
    return fmt::format("{} waits for a token from {} at {}", UnitName(unit),
                       UnitList(standing.missing), where);
  }
  if (standing.full != 0) {
    return fmt::format("{} waits to push to {} (its counter is full) at {}", UnitName(unit),
                       UnitList(standing.full), where);
  }
  return fmt::format("{} executes {}", UnitName(unit), where);
}

Result<std::string> ExplainUnits(RegisterPort& port, const RunCode& code) {
  std::string text;
  for (uint32_t unit = 0; unit < isa::kUnits; ++unit) {
    TESSERA_ASSIGN(const UnitStanding standing, ReadStanding(port, unit));
    text += (unit == 0 ? "" : "; ") + ExplainUnit(standing, code, unit);
  }
  return text;
}

Result<Error> ErrorRegisters(RegisterPort& port, const RunCode& code) {
  TESSERA_ASSIGN(const uint32_t word, port.Read(isa::reg::kError));
  TESSERA_ASSIGN(const uint32_t number, port.Read(isa::reg::kErrorInsn));
  const auto error = static_cast<isa::MachineError>(isa::reg::kErrorCode.Get(word));
  if (error == isa::MachineError::kDeadlock) {
    TESSERA_ASSIGN(const std::string units, ExplainUnits(port, code));
    return Error{isa::CodeOf(error), fmt::format("{}: {}; fetch waits with {}", isa::Text(error),
                                                 units, InstructionText(code, number))};
  }
  return StoppedAt(UnitName(isa::reg::kErrorUnit.Get(word)), InstructionText(code, number), error,
                   Meaning(error));
}

}  // namespace

std::string InstructionText(const RunCode& code, uint32_t number) {
  std::vector<uint8_t> bytes(static_cast<size_t>(code.fetcher->insn_bytes()));
  isa::Fetched fetched;
  if (number < code.insn_count &&
      code.memory->Read(code.insn_addr + uint64_t{number} * bytes.size(), bytes) &&
      !code.fetcher->Fetch(bytes, &fetched)) {
    return fmt::format("instruction {} ({})", number, isa::Describe(fetched.insn));
  }
  return fmt::format("instruction {}", number);
}

Error StoppedAt(std::string_view unit, std::string_view instruction, isa::MachineError error,
                std::string_view reason) {
  return {isa::CodeOf(error),
          fmt::format("{}: {}: {}: {}", unit, instruction, isa::Text(error), reason)};
}

Error ExplainError(RegisterPort& port, const RunCode& code) {
  const Result<Error> error = ErrorRegisters(port, code);
  return error ? *error : error.error();
}

Error ExplainTimeout(RegisterPort& port, const RunCode& code, uint64_t budget) {
  const Result<std::string> units = ExplainUnits(port, code);
  if (!units) return units.error();
  return {Code::kTimeout,
          fmt::format("not done after the budget of {} cycles (give more): {}", budget, *units)};
}

}  // namespace tessera
