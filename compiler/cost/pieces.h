// SPDX-License-Identifier: Apache-2.0
//
// What the pieces of a schedule's stages take of the accelerator: unit, cycles, bytes, copies of
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

inline constexpr size_t kMostCopies = 7;  // of a buffer; more change nothing

// What one piece of a nest takes.
struct Piece {
  isa::Unit unit = isa::Unit::kVector;
  double cycles = 0;
  double bytes = 0;      // of device memory
  double idle_bus = 0;   // cycles of a transfer in which it writes pads
  double micro_ops = 0;  // bytes of micro-ops, which come before the first piece
  size_t copies = 1;     // of the nest's buffer
};

// Constants that stay on chip for the whole function: each part comes when |reader| first wants it.
struct Stream {
  size_t reader = 0;
  Piece part;
  std::vector<LoopOf> still;  // the loops around the reader in which it wants the same part again
};

struct Pieces {
  std::vector<Piece> all;                      // by nest
  std::vector<std::optional<Stream>> streams;  // by nest; nothing: the nest runs where it stands
};

// errors  kInvalidArgument  a stage without an instruction
Result<Pieces> PiecesOf(const Nests& nests, const schedule::Schedule& schedule,
                        const lower::Bounds& bounds, const isa::Config& config,
                        const CostOptions& options);

}  // namespace tessera::cost

#endif  // TESSERA_COMPILER_COST_PIECES_H_
