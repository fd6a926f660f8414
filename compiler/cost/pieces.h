// SPDX-License-Identifier: Apache-2.0
//
// The cost of the pieces of a schedule's stages on the accelerator: unit, cycles, bytes, copies of
// buffers. Depends on: nests.h, compiler/target, isa. Used by: accel_clock.cc.
#ifndef TESSERA_COMPILER_COST_PIECES_H_
#define TESSERA_COMPILER_COST_PIECES_H_

#include <optional>
#include <vector>

#include "base/error.h"
#include "compiler/cost/cost.h"
#include "compiler/cost/nests.h"
#include "isa/config.h"
#include "isa/insns.h"

namespace tessera::cost {

inline constexpr size_t kMostCopies = 7;  // of a buffer; more have no effect

// The cost of one piece of a nest.
struct Piece {
  isa::Unit unit = isa::Unit::kVector;
  double cycles = 0;
  double bytes = 0;      // of device memory
  double idle_bus = 0;   // cycles of a transfer in which the bus carries nothing
  double micro_ops = 0;  // bytes of micro-ops, which come before the first piece
  size_t copies = 1;     // of the nest's buffer
};

// Constants that stay on chip for the whole function. LOAD brings each part when |reader| first
// needs it, small parts some together.
struct Stream {
  size_t reader = 0;
  Piece part;
  int64_t together = 1;       // what |reader| needs at a time, in a part
  std::vector<LoopOf> still;  // loops around the reader whose iterations need the same part
};

struct Pieces {
  std::vector<Piece> all;                      // by nest
  std::vector<std::optional<Stream>> streams;  // by nest; nothing: the nest runs at its place
};

// errors  kInvalidArgument  a stage without an instruction
Result<Pieces> PiecesOf(const Nests& nests, const schedule::Schedule& schedule,
                        const lower::Bounds& bounds, const isa::Config& config,
                        const CostOptions& options);

}  // namespace tessera::cost

#endif  // TESSERA_COMPILER_COST_PIECES_H_
