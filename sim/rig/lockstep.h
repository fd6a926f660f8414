// SPDX-License-Identifier: Apache-2.0
//
// Lockstep: runs one program on several machines. The first machine is the reference; each other
// one is compared with it instruction by instruction and byte by byte. Machines whose traces have
// cycles are also compared with each other in time. Depends on: run_image.h, timing.h,
// runtime/device/registry.h. Used by: tests/cosim, `tessera regress`.
#ifndef TESSERA_SIM_RIG_LOCKSTEP_H_
#define TESSERA_SIM_RIG_LOCKSTEP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/image.h"
#include "runtime/device.h"
#include "runtime/device/registry.h"
#include "sim/rig/run_image.h"

namespace tessera::rig {

// The memory behind a machine with a clock.
struct MemoryChoice {
  isa::DramModel model = isa::DramModel::kTsim;
  uint64_t stall_seed = 0;  // 0: exact timing
  bool operator==(const MemoryChoice&) const = default;
};

// The choice for a seed: either model; one in four choices has no stalls.
MemoryChoice MemoryFor(uint64_t seed);
// "memory zynq, stall seed 3"; "memory tsim" for exact timing.
std::string Text(const MemoryChoice& memory);

// Prepares |spec| and |config| for |memory|, if the machine has a clock: sets the model of
// |config|, and the stall seed of |spec| if the machine takes one and |spec| has none.
//   errors  those of FindDriver
Status PutBefore(const MemoryChoice& memory, DeviceSpec& spec, isa::Config& config);

struct Verdict {
  std::string machine;     // the first machine that differs; "" if all agree
  std::string difference;  // the difference in one line, which names the machine; "" if all agree
  std::vector<RunReport> reports;  // of the machines that ran, in their order
  TokenCounts tokens{};            // most tokens of each counter, on any machine with a clock
};

class Lockstep {
 public:
  // Opens |machines| for |config|; there must be two at least. If a machine with a clock has an
  // option stall-seed here, it replaces the seed of every MemoryChoice.
  //   errors  those of OpenDevice
  static Result<Lockstep> Open(const isa::Config& config, std::vector<DeviceSpec> machines);

  // |image| must be legal, and the first machine must run it. An error of another machine is the
  // difference. |check_races|: |image| may have races; then the difference is the first race and
  // how it ran.
  //   errors  those of OpenDevice
  Result<Verdict> Run(const isa::ProgramImage& image, const MemoryChoice& memory,
                      bool check_races = false);

  // The budget of a run of |image|, in cycles; for a machine without a clock, in steps.
  static uint64_t Budget(const isa::ProgramImage& image);

  const isa::Config& config() const { return config_; }

 private:
  struct Participant {
    DeviceSpec spec;
    bool clock = false;
    MemoryChoice memory;  // the memory of |device|; for another memory, the device is opened again
    std::unique_ptr<Device> device;
  };
  explicit Lockstep(const isa::Config& config) : config_(config) {}
  Status Ready(Participant& machine, const MemoryChoice& memory) const;

  isa::Config config_;
  std::vector<Participant> machines_;
};

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_LOCKSTEP_H_
