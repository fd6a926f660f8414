// SPDX-License-Identifier: Apache-2.0
//
// The memories of the VECTOR unit as arrays, and the part of a change in a digest.
#ifndef TESSERA_TESTS_HW_VECTOR_VECTOR_STATE_H_
#define TESSERA_TESTS_HW_VECTOR_VECTOR_STATE_H_

#include <cstdint>
#include <vector>

#include "isa/config.h"
#include "tests/hw/gemm/change_digest.h"

namespace tessera::hw {

struct VectorState {
  explicit VectorState(const isa::Config& c)
      : uop(c.uop_bytes / 8),
        prm(c.prm_depth * 9 * c.block_out),
        acc(c.acc_bytes / 4),
        out(c.out_bytes),
        inp(c.inp_bytes),
        tab(c.tab_bytes) {}
  std::vector<uint64_t> uop;
  std::vector<uint8_t> prm;  // records without filling
  std::vector<int32_t> acc;
  std::vector<int8_t> out, inp, tab;
  bool operator==(const VectorState&) const = default;
};

// |memory|: enum VectorMemory.
inline uint64_t ChangeOfElement(int memory, uint64_t index, int32_t before, int32_t after) {
  if (memory == 0) return ChangeOfWord(kAccSpace, index, before, after);
  return ChangeOfByte(memory == 1 ? kOutSpace : kInpSpace, index, static_cast<uint8_t>(before),
                      static_cast<uint8_t>(after));
}

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_VECTOR_VECTOR_STATE_H_
