// SPDX-License-Identifier: Apache-2.0
//
// Makes the errors of Device::Wait: reads the state of a machine from its registers and passes it
// to isa/semantics/diagnosis.h. Depends on: register_port.h, memory.h, isa/semantics. Used by:
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

// The stream of a run in device memory, with what is needed to name its instructions.
struct RunCode {
  const isa::Fetcher* fetcher;
  const isa::Config* config;
  const DeviceMemory* memory;
  const Launch* launch;
};

// Both functions read registers. If a read fails, they return the error of the read.

// The machine stopped with an error: registers ERROR and ERROR_INSN. For a deadlock the message
// names the token that each unit waits for, from UNIT_STATE and UNIT_INSN, and the instruction that
// fetch waits with. For an error of the bus it names the beat, if |refused| has it.
Error ExplainError(RegisterPort& port, const RunCode& code,
                   const std::vector<isa::MemoryRefusal>& refused);

// The budget is spent: names what each unit was doing. |memory|: what memory owes, if known.
Error ExplainTimeout(RegisterPort& port, const RunCode& code, uint64_t budget,
                     std::vector<isa::MemoryWait> memory);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_EXPLAIN_H_
