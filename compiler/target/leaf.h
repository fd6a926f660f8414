// SPDX-License-Identifier: Apache-2.0
//
// Leaf nests: a perfect loop nest around one tile intrinsic, for known values of all outer
// variables. Expresses each operand as base + sum of stride * loop and merges loops where possible.
// Depends on: compiler/ir, isa. Used by: the instructions (tile_*.cc), codegen/accel.
#ifndef TESSERA_COMPILER_TARGET_LEAF_H_
#define TESSERA_COMPILER_TARGET_LEAF_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "compiler/ir/ir.h"
#include "isa/insns.h"

namespace tessera::target {

// Values of loop variables.
using Env = std::unordered_map<const ir::ExprNode*, int64_t>;

// The value of an i64 or bool expression whose variables are all in |env|.
int64_t Evaluate(const ir::Expr& e, const Env& env);

// A perfect nest: loops outermost first, around |call|. Iterations where a guard fails are skipped.
// With |condition|, iterations in which it fails execute |fill| instead.
struct Leaf {
  struct LeafLoop {
    ir::Expr var;
    ir::Expr extent;
  };
  std::vector<LeafLoop> loops;
  std::vector<ir::Expr> guards;
  ir::Expr call;
  std::optional<ir::Expr> condition;
  ir::Expr fill;  // executed where |condition| fails
};

// |s| as a leaf, if it is one.
std::optional<Leaf> MatchLeaf(const ir::Stmt& s);

inline constexpr size_t kMostOperands = 4;  // in memory, of a tile intrinsic

// One loop of a solved leaf, its stride for each operand in tiles (on chip) or bytes (global), 0
// behind the last one, and the iterations [first, last) in which the leaf's condition holds.
struct LeafDim {
  int64_t extent = 1;
  std::array<int64_t, kMostOperands> strides{};
  int64_t first = 0, last = 1;
  bool whole() const { return first == 0 && last == extent; }
};

// An operand in memory: its buffer and the offset of the first iteration, in elements; after the
// buffer is placed, in tiles of a scratchpad or bytes of a segment.
struct LeafOperand {
  ir::Buffer buffer;
  int64_t base = 0;
  isa::Segment segment = isa::Segment::kArena;  // of an operand in global memory
};

struct SolvedLeaf {
  std::vector<LeafOperand> operands;  // the Loads of the call, in order
  std::vector<int64_t> values;        // its other operands, at the first iteration
  std::vector<LeafDim> dims;          // outermost first, extents > 1 only; strides in elements
  std::vector<ir::Expr> vars;         // the variables of dims
  bool outside = false;               // the condition holds nowhere
  bool empty = false;                 // some extent is 0
};

// Solves |leaf| under |env|, which also serves as scratch space for the leaf's own variables. Fails
// if the loops are not those of an instruction: an index is not affine, the condition or a guard is
// not a range of each loop by itself, or a guard cuts off the start of a reduction. A leaf without
// loops always has a solution, so a caller that unrolls outer loops finds one in the end.
std::optional<SolvedLeaf> Solve(const Leaf& leaf, Env& env);

// Merges loops whose strides continue each other in every operand. |ordered|: only neighbouring
// loops, in order.
void Fold(std::vector<LeafDim>& dims, bool ordered);

// The number of loops of an instruction and their limits.
struct LoopLimits {
  size_t loops = 2;
  int64_t extent = 1;            // iterations
  std::vector<int64_t> strides;  // greatest stride for each operand
};

// Runs |emit| for pieces of the nest with at most |limits.loops| loops each (outer first); the
// other loops are unrolled. |offsets| are added to the operands' bases.
using EmitPiece =
    std::function<Status(std::span<const int64_t> offsets, std::span<const LeafDim> loops)>;
Status ForPieces(std::vector<LeafDim> dims, const LoopLimits& limits, size_t operands,
                 const EmitPiece& emit);

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_LEAF_H_
