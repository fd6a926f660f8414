// SPDX-License-Identifier: Apache-2.0
//
// MachineView: the memories, queues and tokens of a machine during a run. MachineWatcher: an
// observer that looks at them. Depends on: isa, runtime/device.h. Used by: the models that can be
// watched (func, cycle), sim/debug.
//
// The machine stands still during a call of an observer. A model applies an instruction's effects
// on memories at once, when the unit takes the instruction, after OnTaken; only with option
// schedule of device func it may be later. So a memory holds the results of every taken
// instruction, retired or not.
#ifndef TESSERA_RUNTIME_MACHINE_VIEW_H_
#define TESSERA_RUNTIME_MACHINE_VIEW_H_

#include <cstdint>
#include <optional>
#include <span>

#include "isa/enums.h"
#include "runtime/device.h"

namespace tessera {

// What waits in front of a unit.
struct UnitView {
  int64_t queued = 0;            // instructions in its queue
  std::optional<uint32_t> next;  // the instruction that it takes next
  uint8_t missing = 0;           // units whose tokens |next| waits for, a mask over enum Unit
  uint8_t full = 0;              // units to which its oldest instruction in flight cannot push
};

class MachineView {
 public:
  virtual ~MachineView() = default;

  virtual UnitView Of(isa::Unit unit) const = 0;
  // Tokens on the counter of the pair from -> to.
  virtual int64_t Tokens(isa::Unit from, isa::Unit to) const = 0;
  // The tiles of |memory|, one after another, in the form of isa::MachineState.
  virtual std::span<const uint8_t> Scratchpad(isa::Memory memory) const = 0;
  // Device memory from address 0.
  virtual std::span<const uint8_t> DeviceMemory() const = 0;

  // Ends the run soon, as if its budget were spent.
  virtual void Stop() = 0;
};

// An observer that may look. A device without a clock also tells it of taken instructions and of
// tokens, at cycle 0.
class MachineWatcher : public RunObserver {
 public:
  // A run begins. |view| is valid until OnEnd.
  virtual void OnBegin(const Launch& launch, MachineView& view) = 0;
  // The run is over. |error| null: it reached FINISH; else the machine is not reset yet.
  virtual void OnEnd(const Error* error) = 0;
};

// Implemented also by a device whose runs can be watched.
class WatchedDevice {
 public:
  virtual ~WatchedDevice() = default;
  // Tells |watcher|, besides the observer, of every later run until the watcher is null.
  //   errors  kUnsupported  the device cannot be watched
  virtual Status SetWatcher(MachineWatcher* watcher) = 0;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_MACHINE_VIEW_H_
