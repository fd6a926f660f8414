// SPDX-License-Identifier: Apache-2.0
//
// A command for a unit's port, as the benches of this folder offer it.
#ifndef TESSERA_TESTS_HW_GEMM_COMMAND_H_
#define TESSERA_TESTS_HW_GEMM_COMMAND_H_

#include <cstdint>

#include "isa/insns.h"

namespace tessera::hw {

struct Command {
  isa::InsnWord insn{};
  uint32_t num = 0;
  int delay = 0;  // cycles to wait before offering it
};

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_GEMM_COMMAND_H_
