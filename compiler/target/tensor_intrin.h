// SPDX-License-Identifier: Apache-2.0
//
// Tensor intrinsics: a small tensor expression that defines an instruction, and the tile intrinsic
// (ir/intrin.h) that represents it. The lowering matches the nest of a stage against the
// expression; no other part needs to know the instruction. Depends on te. Used by target.h, lower.
#ifndef TESSERA_COMPILER_TARGET_TENSOR_INTRIN_H_
#define TESSERA_COMPILER_TARGET_TENSOR_INTRIN_H_

#include <optional>
#include <string>
#include <vector>

#include "compiler/target/value_builder.h"
#include "compiler/te/te.h"

namespace tessera::target {

// Two i64 variables that may occur among the call's last operands. FirstStep: 1 in a reduction's
// first step, which ignores the old value, 0 later. TileCount: the iterations of the innermost data
// axis.
const ir::Expr& FirstStep();
const ir::Expr& TileCount();

// The memories that may hold the tile of |tensor|; the output goes by the behaviour's name.
struct TileScopes {
  std::string tensor;
  std::vector<ir::Scope> scopes;
};

// An axis with |count| iterations, an i64 parameter; at most as many as in the behaviour.
struct AxisCount {
  std::string axis;
  ir::Expr count;
};

// A condition on the parameters, and its text: "the shift is 0 to 31".
struct ParamCondition {
  ir::Expr holds;
  std::string text;
};

// What a host does once for a tile of sums to a register of an operand of its products.
struct OperandWork {
  double cycles = 0;
  int64_t registers = 1;  // that the operand takes then
};

// The call's operands: the output tile, the tiles that the behaviour reads in order of first
// appearance, then |trailing|. Tiles are row-major without gaps, like the behaviour's tensors; for
// a tensor that is read at several places the operand is the first element. Variables of the
// behaviour other than axes are parameters: the nest has a constant there, which replaces the
// variable in |trailing|. The nest may lack a parameter that is the right operand of +, -, *, << or
// >> if its value would change nothing. A parameter that multiplies an axis in an index is the step
// of the nest's tile along that axis, or 0 if the loop has one iteration.
struct TensorIntrin {
  std::string name;      // in schedules
  std::string call;      // the registered tile intrinsic
  te::Tensor behaviour;  // one compute stage over placeholders
  std::vector<ir::Expr> trailing = {};
  // The innermost data axis may have fewer iterations than in the behaviour: the output's buffer
  // has room for the rest of the tile, whose content is ignored.
  bool partial = false;
  std::vector<AxisCount> counts = {};
  std::string updates = {};             // the placeholder for the output's own tile; not an operand
  std::vector<TileScopes> scopes = {};  // a tensor not listed may be in any
  std::vector<ParamCondition> conditions = {};
  bool warp = false;                  // executed by all threads of a warp together (target/cuda.h)
  double cycles = 0;                  // of a call that follows another; 0: unknown
  double latency = 0;                 // until the next call can use the result; 0: unknown
  OperandWork left = {}, right = {};  // of products on a host
  int64_t scratch = 0;                // registers that a call on a host takes while it runs
  bool CpuUnits::*unit = nullptr;     // the host's unit that the instruction needs
  EmitValues emit = nullptr;          // null: the back end emits it otherwise (tile_intrin.h)

  // Whether FirstStep starts a reduction. Otherwise stores of its identity precede it.
  bool FlagsStart() const;
};

// A behaviour that sums products of two tiles.
struct ProductTile {
  DType left, right, sums;
  std::vector<int64_t> shape;  // of the sums
  int64_t depth = 1;           // products in each sum
  bool own = false;            // each sum has both factors of its own, as channelwise sums have

  int64_t products() const;
};
// Empty if |intrin| is anything else.
std::optional<ProductTile> ProductsOf(const TensorIntrin& intrin);

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_TENSOR_INTRIN_H_
