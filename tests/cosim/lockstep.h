// SPDX-License-Identifier: Apache-2.0
//
// One program on the functional simulator and on other machines, compared with it instruction by
// instruction and byte by byte. Depends on: tests/rig, runtime/device.h. Used by: cosim tests.
#ifndef TESSERA_TESTS_COSIM_LOCKSTEP_H_
#define TESSERA_TESTS_COSIM_LOCKSTEP_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "isa/image.h"
#include "runtime/device.h"
#include "tests/rig/run_image.h"

namespace tessera::cosim {

// The drivers that this test program compares with func.
std::span<const char* const> Machines();

// How the memory behind a machine with a clock behaves.
struct MemoryChoice {
  isa::DramModel model = isa::DramModel::kTsim;
  uint64_t stall_seed = 0;  // 0: exact timing
};

// A choice for a seed: both models, one in four without hesitation.
MemoryChoice MemoryFor(uint64_t seed);

struct Verdict {
  std::string difference;  // "" if all agree
  uint64_t cycles = 0;     // of a machine with a clock
};

class Lockstep {
 public:
  explicit Lockstep(const isa::Config& config);

  // |image| is legal. The func device must run it; what another says instead is the difference.
  Verdict Run(const isa::ProgramImage& image, const MemoryChoice& memory);

 private:
  std::string Compare(const char* driver, const rig::Outcome& want, const isa::ProgramImage& image,
                      const MemoryChoice& memory, uint64_t* cycles) const;

  isa::Config config_;
  std::unique_ptr<Device> func_;
};

}  // namespace tessera::cosim

#endif  // TESSERA_TESTS_COSIM_LOCKSTEP_H_
