// SPDX-License-Identifier: Apache-2.0
//
// Reads where a machine with registers stands and has isa/semantics/diagnosis.h make the errors of
// Device::Wait of it. Depends on: register_port.h, memory.h, isa/semantics. Used by:
// RegisterDevice.
#ifndef TESSERA_RUNTIME_DEVICE_EXPLAIN_H_
#define TESSERA_RUNTIME_DEVICE_EXPLAIN_H_

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "isa/semantics/diagnosis.h"
#include "runtime/device.h"
#include "runtime/device/memory.h"
#include "runtime/device/register_port.h"

namespace tessera {

// What is needed to name the instructions of a run: its stream in device memory.
struct RunCode {
  const isa::Fetcher* fetcher;
  const isa::Config* config;
  const DeviceMemory* memory;
  const Launch* launch;
};

// Each of these reads registers; where that fails, its error is what is returned.

// The machine stopped with an error: registers ERROR and ERROR_INSN. A deadlock: which unit waits
// for which token, from UNIT_STATE and UNIT_INSN, and which instruction fetch waits with. An error
// of the bus: which beat, where |refused| has it.
Error ExplainError(RegisterPort& port, const RunCode& code,
                   const std::vector<isa::MemoryRefusal>& refused);

// The budget is spent: where the units were. |memory|: what is known of it.
Error ExplainTimeout(RegisterPort& port, const RunCode& code, uint64_t budget,
                     std::vector<isa::MemoryWait> memory);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_EXPLAIN_H_
