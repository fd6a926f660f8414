// SPDX-License-Identifier: Apache-2.0
//
// One program on several machines: the first is the reference, each other is compared with it
// instruction by instruction and byte by byte; those whose trace says when, with each other in time
// as well. Depends on: run_image.h, timing.h, runtime/device/registry.h. Used by: tests/cosim,
// `tessera regress`.
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

// How the memory behind a machine with a clock behaves.
struct MemoryChoice {
  isa::DramModel model = isa::DramModel::kTsim;
  uint64_t stall_seed = 0;  // 0: exact timing
  bool operator==(const MemoryChoice&) const = default;
};

// A choice for a seed: both models, one in four without hesitation.
MemoryChoice MemoryFor(uint64_t seed);
// "memory zynq, stall seed 3"; "memory tsim" for exact timing.
std::string Text(const MemoryChoice& memory);

// |spec| as it is opened in front of |memory|: with its stall seed, if it takes one and was given
// none; and |config| with its model, if it has a clock.
//   errors  FindDriver's
Status PutBefore(const MemoryChoice& memory, DeviceSpec& spec, isa::Config& config);

struct Verdict {
  std::string machine;     // the first that does not agree; "" if all do
  std::string difference;  // what it does otherwise, in one line that names it; "" if all agree
  std::vector<RunReport> reports;  // of the machines that ran, in their order
  TokenCounts tokens{};            // at most in each counter, on any machine with a clock
};

class Lockstep {
 public:
  // Opens |machines| for |config|; two at least. An option stall-seed that a machine with a clock
  // is given here stands in for that of the MemoryChoice.
  //   errors  those of OpenDevice
  static Result<Lockstep> Open(const isa::Config& config, std::vector<DeviceSpec> machines);

  // |image| is legal. The first machine must run it; what another says instead is the difference.
  // |check_races|: it may race; that it does is the difference, and how it did.
  //   errors  those of OpenDevice
  Result<Verdict> Run(const isa::ProgramImage& image, const MemoryChoice& memory,
                      bool check_races = false);

  // What a run of |image| may take, in cycles; on a machine without a clock, in steps.
  static uint64_t Budget(const isa::ProgramImage& image);

  const isa::Config& config() const { return config_; }

 private:
  struct Participant {
    DeviceSpec spec;
    bool clock = false;
    MemoryChoice memory;  // of |device|, which is opened again where another is asked for
    std::unique_ptr<Device> device;
  };
  explicit Lockstep(const isa::Config& config) : config_(config) {}
  Status Ready(Participant& machine, const MemoryChoice& memory) const;

  isa::Config config_;
  std::vector<Participant> machines_;
};

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_LOCKSTEP_H_
