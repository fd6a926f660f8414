// SPDX-License-Identifier: Apache-2.0
//
// Offsets of tensors in one arena: two share bytes only when they are not alive together. Depends
// on base. Used by: compiler/driver for the arenas of the host and of the devices,
// codegen/accel for a program alone.
#ifndef TESSERA_COMPILER_NETWORK_MEMORY_PLAN_H_
#define TESSERA_COMPILER_NETWORK_MEMORY_PLAN_H_

#include <cstdint>
#include <vector>

namespace tessera::network {

// Places in an arena begin at multiples of this; a device's bus beats and a host's vectors want it.
inline constexpr int64_t kArenaAlign = 64;

// Alive from the moment that makes it to the last one that reads it, both included.
struct Lifetime {
  int64_t bytes = 0;
  int64_t first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offsets;
  int64_t bytes = 0;     // the peak
  int64_t unshared = 0;  // what a place of its own for each would take
};

// Largest first, each at the lowest offset (a multiple of |align|) where nothing alive with it is.
MemoryPlan PlanMemory(const std::vector<Lifetime>& buffers, int64_t align = kArenaAlign);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_MEMORY_PLAN_H_
