// SPDX-License-Identifier: Apache-2.0
//
// One program on the functional simulator and on the RTL, compared instruction by instruction and
// byte by byte. Depends on: tests/rig, runtime/device.h. Used by: cosim tests.
#ifndef TESSERA_TESTS_COSIM_LOCKSTEP_H_
#define TESSERA_TESTS_COSIM_LOCKSTEP_H_

#include <cstdint>
#include <memory>
#include <string>

#include "isa/image.h"
#include "runtime/device.h"

namespace tessera::cosim {

// How the memory behind the RTL behaves.
struct MemoryChoice {
  isa::DramModel model = isa::DramModel::kTsim;
  uint64_t stall_seed = 0;  // 0: exact timing
};

// A choice for a seed: both models, one in four without hesitation.
MemoryChoice MemoryFor(uint64_t seed);

struct Verdict {
  std::string difference;  // "" if the two agree
  uint64_t cycles = 0;     // of the RTL
};

class Lockstep {
 public:
  explicit Lockstep(const isa::Config& config);

  // |image| is legal. The func device must run it; what the RTL says instead is the difference.
  Verdict Run(const isa::ProgramImage& image, const MemoryChoice& memory);

 private:
  isa::Config config_;
  std::unique_ptr<Device> func_;
};

}  // namespace tessera::cosim

#endif  // TESSERA_TESTS_COSIM_LOCKSTEP_H_
