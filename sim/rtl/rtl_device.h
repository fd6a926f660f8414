// SPDX-License-Identifier: Apache-2.0
//
// The verilated RTL as a Device: tsr_top with one of the exact memory models behind its bus, in
// this process, on device memory by pointer. Its cycles are the machine's. Depends on: plugin,
// sim/memory, isa/semantics (texts of instructions). Used by: OpenDevice("rtl"), tests.
#ifndef TESSERA_SIM_RTL_RTL_DEVICE_H_
#define TESSERA_SIM_RTL_RTL_DEVICE_H_

#include <memory>

#include "runtime/device.h"

namespace tessera::sim {

// Opens the machine of |config|; one that is not prebuilt is verilated first, which takes minutes.
// A waveform needs a machine with tracing, which is never prebuilt.
//
//   errors  kInvalidArgument  options.waveform does not end in .vcd or .fst
//           kUnavailable      the waveform cannot be written; no memory; the cache cannot be
//           written kUnsupported      the machine cannot be built here: what is missing kOutOfRange
//           ValidateConfig's
Result<std::unique_ptr<Device>> MakeRtlDevice(const isa::Config& config,
                                              const DeviceOptions& options);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_RTL_RTL_DEVICE_H_
