// SPDX-License-Identifier: Apache-2.0
//
// Which thread touches which element: the analysis below barriers, private memory and the check
// that groups do not meet. Private to compiler/lower/gpu.
//
// It relies on how loops are built: the iterations of a stage's nest store to different elements.
// What follows another stage's loops (Attach::kAfter) may store an element twice; such buffers are
// |loose|, and only index arithmetic counts for them.
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
  unsigned path = 0;  // bit k: inside a loop of thread k; outside of one, thread 0 does it
  bool tile = false;  // the first of a tile that a warp's call has
};

// What |s| touches, in order. Thread loops count by their kind.
std::vector<ElementAccess> AccessesIn(const ir::Stmt& s, unsigned path = 0);

bool HasThreadLoop(const ir::Stmt& s);
bool HasWarpCall(const ir::Stmt& s);
inline unsigned ThreadBit(ir::LoopKind kind) {
  return 1u << (static_cast<int>(kind) - static_cast<int>(ir::LoopKind::kThreadX));
}

// An index as sum(coefficient * id) + base + rest, where the rest and smaller ids never reach the
// next larger coefficient: the index tells the ids.
struct Share {
  std::vector<std::pair<int, int64_t>> terms;  // id, coefficient; the smallest first
  ir::Linear base;                             // of ids that do not count
  ir::Linear rest;
  int64_t rest_extent = 0;  // the rest is in [0, rest_extent); only with terms
};

class Owners {
 public:
  // |across_groups|: threads of all groups are told apart, not those of one alone.
  Owners(const GpuKernel& kernel, const ir::Ranges& ranges, const std::set<std::string>& loose,
         bool across_groups);

  // Is an element that both touch touched by one thread (or group)?
  bool Same(const ElementAccess& a, const ElementAccess& b) const;
  // May a store and another access meet without order?
  bool Conflict(const ElementAccess& a, const ElementAccess& b) const {
    return a.buffer == b.buffer && (a.write || b.write) && !Same(a, b);
  }

  std::optional<Share> ShareOf(const ir::Expr& index) const;  // nothing: not known
  bool UsesIds(const ir::Expr& index) const;                  // that count
  bool OnlyIds(const ir::Expr& index) const;                  // any, and nothing else

 private:
  const ir::Ranges& ranges_;
  const std::set<std::string>& loose_;
  std::vector<ir::Expr> all_, ids_, groups_;  // every id, those that count, groups that do not
  std::vector<int64_t> extents_;              // one an id
  std::vector<unsigned> bits_;                // of ElementAccess::path; 0 for a group's
};

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_GPU_OWNER_H_
