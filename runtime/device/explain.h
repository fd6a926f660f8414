// SPDX-License-Identifier: Apache-2.0
//
// Turns what a machine stopped with into the errors of Device::Wait: unit, instruction number and
// text, reason. Depends on: register_port.h, memory.h, isa/semantics. Used by: RegisterDevice;
// StoppedAt by the models without registers too.
#ifndef TESSERA_RUNTIME_DEVICE_EXPLAIN_H_
#define TESSERA_RUNTIME_DEVICE_EXPLAIN_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "isa/semantics/fetch.h"
#include "runtime/device/memory.h"
#include "runtime/device/register_port.h"

namespace tessera {

// What is needed to name an instruction of a run: its stream in device memory.
struct RunCode {
  const isa::Fetcher* fetcher;
  const DeviceMemory* memory;
  uint64_t insn_addr;
  uint32_t insn_count;
};

// "instruction 7 (Load pop=2 ...)"; without the text where the stream does not decode.
std::string InstructionText(const RunCode& code, uint32_t number);

// "load: instruction 7 (...): sram_range: <reason>".
Error StoppedAt(std::string_view unit, std::string_view instruction, isa::MachineError error,
                std::string_view reason);

// Each of these reads registers; where that fails, its error is what is returned.

// The machine stopped with an error: registers ERROR and ERROR_INSN. A deadlock: which unit waits
// for which token, from UNIT_STATE and UNIT_INSN, and which instruction fetch waits with.
Error ExplainError(RegisterPort& port, const RunCode& code);

// The budget is spent: where the units were.
Error ExplainTimeout(RegisterPort& port, const RunCode& code, uint64_t budget);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_EXPLAIN_H_
