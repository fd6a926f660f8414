// SPDX-License-Identifier: Apache-2.0
//
// Turns the machine's error and unit registers into the errors of Device::Wait: unit, instruction
// number and text, reason. Depends on: machine.h, isa/semantics. Used by: rtl_device.
#ifndef TESSERA_SIM_RTL_EXPLAIN_H_
#define TESSERA_SIM_RTL_EXPLAIN_H_

#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"
#include "isa/semantics/fetch.h"
#include "runtime/device.h"
#include "sim/rtl/machine.h"

namespace tessera::sim {

// What is needed to name an instruction of a run: its stream in device memory.
struct RunCode {
  const isa::Fetcher* fetcher;
  std::span<const uint8_t> bytes;  // the stream
};

// "instruction 7 (Load pop=2 ...)".
std::string InstructionText(const RunCode& code, uint32_t number);

// The machine stopped with an error: registers ERROR and ERROR_INSN.
Error ExplainError(RtlMachine& machine, const RunCode& code);

// Nothing moves: which unit waits for which token, from UNIT_STATE and UNIT_INSN.
Error ExplainDeadlock(RtlMachine& machine, const RunCode& code);

// The budget is spent: where the units were.
Error ExplainTimeout(RtlMachine& machine, const RunCode& code, uint64_t budget);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_RTL_EXPLAIN_H_
