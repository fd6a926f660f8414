// SPDX-License-Identifier: Apache-2.0
//
// Offsets of buffers in one arena: two buffers share bytes only when they are not alive together.
// Depends on base. Used by: accel.cc.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_MEMORY_PLAN_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_MEMORY_PLAN_H_

#include <cstdint>
#include <vector>

namespace tessera::codegen::accel {

// Alive from the step that makes it to the last one that reads it, both included.
struct Lifetime {
  int64_t bytes = 0;
  int64_t first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offsets;
  int64_t bytes = 0;
};

// Largest first, each at the lowest offset (a multiple of |align|) where nothing alive with it is.
MemoryPlan PlanMemory(const std::vector<Lifetime>& buffers, int64_t align);

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_MEMORY_PLAN_H_
