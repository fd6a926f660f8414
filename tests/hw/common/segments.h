// SPDX-License-Identifier: Apache-2.0
//
// WriteSegment: writes a unit's copy of the segment registers as tsr_regs does: four words, one a
// cycle. Used by: tests/hw/load, tests/hw/store.
#ifndef TESSERA_TESTS_HW_COMMON_SEGMENTS_H_
#define TESSERA_TESTS_HW_COMMON_SEGMENTS_H_

#include <cstdint>

#include "tests/hw/common/bench.h"

namespace tessera::hw {

// Takes 4 cycles; the unit must be idle. |base| and |size| in bytes.
template <typename Top>
void WriteSegment(Bench<Top>& bench, int segment, uint64_t base, uint64_t size) {
  const uint64_t words[] = {base & 0xffffffff, base >> 32, size & 0xffffffff, size >> 32};
  for (uint64_t w = 0; w < 4; ++w) {
    // tsr_dma_pkg::seg_write_t: valid, address, data
    bench->seg_write_i =
        uint64_t{1} << 37 | (static_cast<uint64_t>(segment) * 4 + w) << 32 | words[w];
    bench.Settle();
    bench.Edge();
  }
  bench->seg_write_i = 0;
}

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_COMMON_SEGMENTS_H_
