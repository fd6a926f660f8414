// SPDX-License-Identifier: Apache-2.0
//
// DeviceBase: the common part of every Device: memory, checks of a launch, one run at a time, the
// reset after a failed run. RegisterDevice (register_device.h) derives from it for all machines
// with registers. A model without registers derives from it and implements three functions. Depends
// on: runtime/device.h, isa/semantics/fetch.h. Used by: RegisterDevice, sim/func, null.
#ifndef TESSERA_RUNTIME_DEVICE_DEVICE_BASE_H_
#define TESSERA_RUNTIME_DEVICE_DEVICE_BASE_H_

#include <memory>
#include <optional>
#include <utility>

#include "isa/semantics/fetch.h"
#include "runtime/device.h"
#include "runtime/device/memory.h"
#include "runtime/machine_view.h"

namespace tessera {

class DeviceBase : public Device, public WatchedDevice {
 public:
  const isa::Config& config() const final { return config_; }

  Result<uint64_t> Allocate(uint64_t bytes, uint64_t align) final {
    return memory_.Allocate(bytes, align);
  }
  Status Free(uint64_t address) final { return memory_.Free(address); }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) final {
    return memory_.Write(address, bytes);
  }
  Status Read(uint64_t address, std::span<uint8_t> bytes) final {
    return memory_.Read(address, bytes);
  }

  Status Submit(const Launch& launch) final;
  Result<RunReport> Wait() final;
  Status Reset() final;
  Status SetWatcher(MachineWatcher* watcher) final;

 protected:
  DeviceBase(const isa::Config& config, std::unique_ptr<MemoryPort> memory)
      : config_(config), memory_(std::move(memory)) {}

  // Starts a checked launch and returns. A model that does all work in Finish does nothing here.
  //   errors  those of Device::Submit; the caller resets the device
  virtual Status Start(const Launch& launch, const isa::Fetcher& fetcher);

  // Waits for the end of the started run, or executes it.
  //   errors  those of Device::Wait; the caller resets the device
  virtual Result<RunReport> Finish(const Launch& launch, const isa::Fetcher& fetcher) = 0;

  // Ends the run and zeroes on-chip state, for Device::Reset.
  virtual Status Forget() = 0;

  // Tells |watcher| (null: nobody) of later runs, except OnEnd: DeviceBase calls OnEnd. The default
  // accepts only null.
  //   errors  those of WatchedDevice::SetWatcher
  virtual Status Watch(MachineWatcher* watcher);

  DeviceMemory& memory() { return memory_; }

 private:
  // Resets after |error|; if the reset fails, adds that to the message.
  Error AndReset(Error error);

  isa::Config config_;
  DeviceMemory memory_;
  std::optional<isa::Fetcher> fetcher_;  // for the profile of the last launch
  std::optional<Launch> launch_;         // between Submit and Wait
  MachineWatcher* watcher_ = nullptr;
};

// Checks that a machine with |memory_bytes| of memory can take |launch|.
//   errors  kInvalidArgument  no instruction, no budget, an address that is not a multiple of 64, a
//                             stream that leaves memory
Status CheckLaunch(const Launch& launch, uint64_t memory_bytes);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_DEVICE_BASE_H_
