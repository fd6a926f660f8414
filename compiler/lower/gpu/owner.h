// SPDX-License-Identifier: Apache-2.0
//
// Which thread accesses which element: the analysis for barriers, private memory and the check of
// groups against each other. Private to compiler/lower/gpu.
//
// It relies on the way loops are built: the iterations of a stage's nest store to different
// elements. A stage that follows another stage's loops (Attach::kAfter) may store an element twice;
// its buffer is |loose|, and for it only index arithmetic is used.
#ifndef TESSERA_COMPILER_LOWER_GPU_OWNER_H_
#define TESSERA_COMPILER_LOWER_GPU_OWNER_H_

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/affine.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/gpu/kernels.h"

namespace tessera::lower {

// A load or a store in a kernel whose grid and thread loops use the kernel's ids.
struct ElementAccess {
  ir::Buffer buffer;
  bool write = false;
  std::vector<ir::Expr> indices;
  unsigned path = 0;  // bit k: in a loop of thread k; else thread 0 accesses it
  bool tile = false;  // the first element of a tile in a warp's call
};

// The accesses of |s|, in order. Thread loops count by their kind.
std::vector<ElementAccess> AccessesIn(const ir::Stmt& s, unsigned path = 0);

bool HasThreadLoop(const ir::Stmt& s);
bool HasWarpCall(const ir::Stmt& s);
inline unsigned ThreadBit(ir::LoopKind kind) {
  return 1u << (static_cast<int>(kind) - static_cast<int>(ir::LoopKind::kThreadX));
}

// An index as sum(coefficient * id) + base + rest. The rest plus the terms of smaller ids stay
// below the next larger coefficient, so the index determines the ids.
struct Share {
  std::vector<std::pair<int, int64_t>> terms;  // id, coefficient; smallest first
  ir::Linear base;                             // of ids that do not count
  ir::Linear rest;
  int64_t rest_extent = 0;  // the rest is in [0, rest_extent); only with terms
};

class Owners {
 public:
  // |across_groups|: distinguishes threads of all groups; otherwise those of one group.
  Owners(const GpuKernel& kernel, const ir::Ranges& ranges, const std::set<std::string>& loose,
         bool across_groups);

  // Whether only one thread (or group) accesses each element that both access.
  bool Same(const ElementAccess& a, const ElementAccess& b) const;
  // Whether a store and another access of an element may be unordered.
  bool Conflict(const ElementAccess& a, const ElementAccess& b) const {
    return a.buffer == b.buffer && (a.write || b.write) && !Same(a, b);
  }

  std::optional<Share> ShareOf(const ir::Expr& index) const;  // nothing if unknown
  bool UsesIds(const ir::Expr& index) const;                  // ids that count
  bool OnlyIds(const ir::Expr& index) const;                  // any ids, and nothing else

 private:
  const ir::Ranges& ranges_;
  const std::set<std::string>& loose_;
  std::vector<ir::Expr> all_, ids_, groups_;  // every id; those that count; group ids that do not
  std::vector<int64_t> extents_;              // one per id
  std::vector<unsigned> bits_;                // of ElementAccess::path; 0 for a group id
};

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_GPU_OWNER_H_
