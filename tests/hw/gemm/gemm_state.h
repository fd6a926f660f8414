// SPDX-License-Identifier: Apache-2.0
//
// The memories of the GEMM unit as arrays.
#ifndef TESSERA_TESTS_HW_GEMM_GEMM_STATE_H_
#define TESSERA_TESTS_HW_GEMM_GEMM_STATE_H_

#include <cstdint>
#include <vector>

#include "isa/config.h"

namespace tessera::hw {

// What the unit reads and writes.
struct GemmState {
  explicit GemmState(const isa::Config& c)
      : uop(c.uop_bytes / 8), wgt(c.wgt_bytes), inp(c.inp_bytes), acc(c.acc_bytes / 4) {}
  std::vector<uint64_t> uop;
  std::vector<int8_t> wgt, inp;
  std::vector<int32_t> acc;
};

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_GEMM_GEMM_STATE_H_
