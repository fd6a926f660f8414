// SPDX-License-Identifier: Apache-2.0
//
// Device: one accelerator, real or modelled, as its users see it. runtime/device/ has the parts of
// drivers, and finds and opens drivers (registry.h). Every driver passes tests/cts unchanged.
// Depends on: isa, observer.h. Used by: the executor, the VTA library, drivers, tools and tests.
// and tests.
//
// The contract:
// - Device memory is byte-addressed from 0 and holds code and segments. Allocate gives out ranges.
// - One run at a time per device; many devices per process. Calls on one device must not overlap:
//   the caller serialises them.
// - The host sees a run's stores after Wait; the device sees the host's writes made before Submit.
// - Every run ends: with success, an error, a detected deadlock or its spent cycle budget. After an
//   error the device is reset and usable; its memory keeps its contents.
#ifndef TESSERA_RUNTIME_DEVICE_H_
#define TESSERA_RUNTIME_DEVICE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "isa/config.h"
#include "isa/image.h"
#include "runtime/observer.h"

namespace tessera {

// The place of a segment in device memory.
struct SegmentBinding {
  uint64_t base = 0;  // multiple of 64
  uint64_t size = 0;  // bytes; accesses past it are an error (profile vta: 0 means no limit)
};

// One run of a stream that is already in device memory.
struct Launch {
  isa::Profile profile = isa::Profile::kTessera;
  uint64_t insn_addr = 0;   // device address, multiple of 64
  uint32_t insn_count = 0;  // FINISH included
  std::array<SegmentBinding, isa::kSegments> segments;
  uint64_t budget = 1'000'000'000;  // device cycles (func: instructions and tile steps); >= 1
};

struct RunReport {
  uint64_t cycles = 0;        // from start to done; 0 on a device without a clock (func, null)
  uint64_t instructions = 0;  // retired
  std::array<UnitCounters, isa::kUnits> units;
  bool leftover_tokens = false;
  uint64_t bytes_read = 0, bytes_written = 0;  // device memory traffic of the run, code included
};

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string_view name() const = 0;  // "func", "rtl", ...
  virtual const isa::Config& config() const = 0;
  virtual bool has_clock() const = 0;  // whether RunReport.cycles means something
  // The machine's clock, for milliseconds: the clock of the board if known, else that of the
  // configuration.
  virtual double clock_mhz() const { return static_cast<double>(config().clock_mhz); }

  // A range of device memory, aligned to |align| (a power of two, at least 64).
  //   errors  kOutOfRange  the memory is full: bytes wanted, bytes free
  virtual Result<uint64_t> Allocate(uint64_t bytes, uint64_t align = 64) = 0;
  // Frees |address|, which must come from Allocate.
  //   errors  kInvalidArgument  not from Allocate, or already freed
  virtual Status Free(uint64_t address) = 0;

  //   errors  kOutOfRange  the range leaves device memory
  virtual Status Write(uint64_t address, std::span<const uint8_t> bytes) = 0;
  virtual Status Read(uint64_t address, std::span<uint8_t> bytes) = 0;

  // Submit starts a run and returns; Wait blocks until the run is over and reports it.
  //   errors of Submit  kInvalidArgument  bad address, count or budget; a run is in progress
  //                     kUnavailable      the machine runs the program of another process
  //   errors of Wait    kInvalidArgument  nothing was submitted; illegal opcode or field
  //                     kOutOfRange       an access leaves a scratchpad, a segment or device memory
  //                     kDeadlock         units wait for tokens that no instruction pushes; the
  //                                       message names unit, token and instruction of each wait
  //                     kTimeout          the budget is spent
  //                     kDataLoss         a bus error; an assertion of the RTL failed; another
  //                                       process reset the machine
  virtual Status Submit(const Launch& launch) = 0;
  virtual Result<RunReport> Wait() = 0;

  // Ends the run, if any, and clears on-chip state (scratchpads become zero); memory and
  // allocations stay.
  virtual Status Reset() = 0;

  // Tells |observer| of every later run, until the observer is null (runtime/observer.h).
  // Scratchpads are zero after Reset, so digests of two devices are comparable after it.
  //   errors  kUnsupported  this device cannot tell
  virtual Status SetObserver(RunObserver* observer) = 0;

  // The same with an observer that appends every retired instruction to |trace|.
  Status SetTrace(std::vector<TraceEntry>* trace) {
    retired_ = RetiredList(trace);
    return SetObserver(trace == nullptr ? nullptr : &retired_);
  }

  Result<RunReport> Run(const Launch& launch) {
    TESSERA_TRY(Submit(launch));
    return Wait();
  }

 private:
  RetiredList retired_;
};

// Device memory for the length of a run: frees its allocations, also after an error.
class DeviceRanges {
 public:
  explicit DeviceRanges(Device& device) : device_(device) {}
  DeviceRanges(const DeviceRanges&) = delete;
  DeviceRanges& operator=(const DeviceRanges&) = delete;
  ~DeviceRanges() {
    for (const uint64_t address : addresses_) static_cast<void>(device_.Free(address));
  }

  // Allocates |bytes| bytes that begin with |data|; returns the address. errors: those of Device
  Result<uint64_t> Place(uint64_t bytes, std::span<const uint8_t> data = {}) {
    TESSERA_ASSIGN(const uint64_t address, device_.Allocate(bytes));
    addresses_.push_back(address);
    TESSERA_TRY(device_.Write(address, data));
    return address;
  }

 private:
  Device& device_;
  std::vector<uint64_t> addresses_;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_H_
