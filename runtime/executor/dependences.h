// SPDX-License-Identifier: Apache-2.0
//
// Which tasks of a list must wait for which earlier ones, from the bytes that each reads and
// writes. Depends on nothing. Used by: tasks.h.
#ifndef TESSERA_RUNTIME_EXECUTOR_DEPENDENCES_H_
#define TESSERA_RUNTIME_EXECUTOR_DEPENDENCES_H_

#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

// Bytes [begin, end) of a memory; memories have numbers.
struct ByteRange {
  uint32_t memory = 0;
  uint64_t begin = 0, end = 0;
};

// What one task does with memory. Bytes may be in both lists, and ranges may overlap.
struct Access {
  std::vector<ByteRange> reads, writes;
};

// For each task, earlier tasks of the list that must end before it begins, each once, in order. Two
// tasks must keep their order if one writes a byte that the other reads or writes. Those that
// follow from others through tasks between them may be missing.
std::vector<std::vector<uint32_t>> Dependences(std::span<const Access> tasks);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_EXECUTOR_DEPENDENCES_H_
