// SPDX-License-Identifier: Apache-2.0
//
// What the body of a nest reads and writes on a processor: the loops around it, and how far apart
// in memory their iterations are. Depends on: nests.h, compiler/lower. Used by: host.cc, gpu.cc.
#ifndef TESSERA_COMPILER_COST_OPERANDS_H_
#define TESSERA_COMPILER_COST_OPERANDS_H_

#include <cstdint>
#include <vector>

#include "compiler/cost/nests.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/bounds.h"
#include "compiler/schedule/schedule.h"

namespace tessera::cost {

// A loop around the body of a nest: one of its stage, or of the stages that it is computed in. The
// loops of an intrinsic's call are among them, innermost.
struct BodyLoop {
  const ir::ExprNode* var = nullptr;
  double iterations = 1;
  ir::LoopKind kind = ir::LoopKind::kSerial;
  bool own = false;     // of the nest's stage
  bool reduce = false;  // of a sum of the nest's stage
};

// An element that the body reads or writes.
struct Operand {
  ir::Scope scope = ir::Scope::kGlobal;
  bool written = false;
  double element_bytes = 1;
  double most_bytes = 1;  // of its buffer
  // By loop: elements of memory between two iterations, the mean if it varies. Infinity: the loop
  // runs through elements whose distance is not known.
  std::vector<double> steps;
  std::vector<size_t> by_step;  // the loops that it moves with, the shortest step first

  bool Moves(size_t loop) const { return steps[loop] != 0; }
};

struct Body {
  const Nest* nest = nullptr;
  std::vector<BodyLoop> loops;  // outermost first
  size_t call = 0;              // loops in front of an intrinsic's call; without one, all loops
  std::vector<Operand> operands;

  // Iterations of the loops in [from, to).
  double Iterations(size_t from, size_t to) const;
  // Bytes of the lines of |line_bytes| that |operand| touches in the loops from |inner| on.
  double Touched(const Operand& operand, size_t inner, double line_bytes) const;
};

// The body of |nest| of |nests|. All have to outlive the result.
Body BodyOf(const Nests& nests, const Nest& nest, const schedule::Schedule& schedule,
            const lower::Bounds& bounds);

}  // namespace tessera::cost

#endif  // TESSERA_COMPILER_COST_OPERANDS_H_
