// SPDX-License-Identifier: Apache-2.0
//
// DeviceBase: what every Device does alike: memory, checking a launch, one run at a time, the reset
// after a failed run. A machine with registers derives nothing: RegisterDevice does it for it
// (register_device.h). A model without registers derives from this and gives three functions.
// Depends on: runtime/device.h, isa/semantics/fetch.h. Used by: RegisterDevice, sim/func, null.
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

  // Starts a launch that is checked, and returns. Nothing to do for a model that works in Finish.
  //   errors  those of Device::Submit; the device is reset
  virtual Status Start(const Launch& launch, const isa::Fetcher& fetcher);

  // Waits for the end of what was started, or executes it.
  //   errors  those of Device::Wait; the device is reset
  virtual Result<RunReport> Finish(const Launch& launch, const isa::Fetcher& fetcher) = 0;

  // Ends what runs and zeroes on-chip state: Device::Reset.
  virtual Status Forget() = 0;

  // Has later runs told to |watcher|, null: to nobody; OnEnd is told here. The default can only be
  // told not to.
  //   errors  those of WatchedDevice::SetWatcher
  virtual Status Watch(MachineWatcher* watcher);

  DeviceMemory& memory() { return memory_; }

 private:
  // Resets after |error|; the message also says so when that fails.
  Error AndReset(Error error);

  isa::Config config_;
  DeviceMemory memory_;
  std::optional<isa::Fetcher> fetcher_;  // of the last launch's profile
  std::optional<Launch> launch_;         // submitted, and Wait not called
  MachineWatcher* watcher_ = nullptr;
};

// Whether |launch| can be given to a machine with |memory_bytes| of memory.
//   errors  kInvalidArgument  no instruction, no budget, an address that is not a multiple of 64, a
//                             stream that leaves memory
Status CheckLaunch(const Launch& launch, uint64_t memory_bytes);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_DEVICE_BASE_H_
