// SPDX-License-Identifier: Apache-2.0
//
// Offsets of tensors in one arena: two tensors share bytes only when their lifetimes do not meet.
// Depends on: base. Used by: compiler/driver for the arenas of the host and of the devices,
// network/program.h for the arena of a single program.
#ifndef TESSERA_COMPILER_NETWORK_MEMORY_PLAN_H_
#define TESSERA_COMPILER_NETWORK_MEMORY_PLAN_H_

#include <cstdint>
#include <vector>

namespace tessera::network {

// Alignment in bytes of offsets in an arena; suits a device's bus beats and a host's vectors.
inline constexpr int64_t kArenaAlign = 64;

// From the moment that makes the tensor to the last one that reads it, both included.
struct Lifetime {
  int64_t bytes = 0;
  int64_t first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offsets;
  int64_t bytes = 0;     // size of the arena
  int64_t unshared = 0;  // size if no tensors shared bytes
};

// Places the largest buffers first, each at the lowest free offset that is a multiple of |align|.
MemoryPlan PlanMemory(const std::vector<Lifetime>& buffers, int64_t align = kArenaAlign);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_MEMORY_PLAN_H_
