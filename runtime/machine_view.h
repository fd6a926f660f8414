// SPDX-License-Identifier: Apache-2.0
//
// MachineView: what can be looked at in a machine while a run goes on: its memories, queues and
// tokens; MachineWatcher: who looks. Depends on: isa, runtime/device.h. Used by: the models that
// can be looked at (func, cycle), sim/debug.
//
// The machine stands still while it tells. A model does what an instruction does to memories all at
// once, in the moment in which its unit takes it, after OnTaken; only under device func's option
// schedule it may be later. So a memory holds the results of all that was taken, retired or not.
#ifndef TESSERA_RUNTIME_MACHINE_VIEW_H_
#define TESSERA_RUNTIME_MACHINE_VIEW_H_

#include <cstdint>
#include <optional>
#include <span>

#include "isa/enums.h"
#include "runtime/device.h"

namespace tessera {

// What waits at a unit.
struct UnitView {
  int64_t queued = 0;            // instructions in its queue
  std::optional<uint32_t> next;  // the one that it takes next
  uint8_t missing = 0;           // units whose tokens |next| waits for, a mask over enum Unit
  uint8_t full = 0;              // units to which its oldest instruction in flight cannot push
};

class MachineView {
 public:
  virtual ~MachineView() = default;

  virtual UnitView Of(isa::Unit unit) const = 0;
  // On the counter of the pair from -> to.
  virtual int64_t Tokens(isa::Unit from, isa::Unit to) const = 0;
  // The tiles of |memory|, one after another, as isa::MachineState has them.
  virtual std::span<const uint8_t> Scratchpad(isa::Memory memory) const = 0;
  // Device memory from address 0.
  virtual std::span<const uint8_t> DeviceMemory() const = 0;

  // Ends the run soon, as if its budget were spent.
  virtual void Stop() = 0;
};

// An observer that may look. A device without a clock tells it what is taken and tokens too, at
// cycle 0.
class MachineWatcher : public RunObserver {
 public:
  // A run begins. |view| is good until OnEnd.
  virtual void OnBegin(const Launch& launch, MachineView& view) = 0;
  // The run is over. |error|: null: it reached FINISH; else the machine is not reset yet.
  virtual void OnEnd(const Error* error) = 0;
};

// A device that can be looked at is one of these too.
class WatchedDevice {
 public:
  virtual ~WatchedDevice() = default;
  // Tells |watcher| of every later run, until it is set to null, besides the observer.
  //   errors  kUnsupported  the device cannot be looked at
  virtual Status SetWatcher(MachineWatcher* watcher) = 0;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_MACHINE_VIEW_H_
