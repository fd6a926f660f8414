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
  double insns = 1;      // except those that load micro-ops
  double micro_ops = 0;  // bytes of micro-ops, which come before the first piece
  double kernels = 1;    // loops of micro-ops; each is loaded by an instruction
  size_t copies = 1;     // of the nest's buffer
  double tiles = 0;      // of a transfer: that it moves
  double pads = 0;       // and that it only fills
  double shared = 0;     // TargetMemory::shared of device memory

  // A transfer that moves |tiles| and fills |pads|. It moves whole beats for each tile, and writes
  // pads without the bus, while the memory carries no beat.
  void Transfer(double tiles, double pads, double tile_bytes, const isa::Config& config);
  // Makes of this mean piece one with |ran| times the calls, and data for |carried| times as many.
  void Scale(double ran, double carried, const isa::Config& config);
};

// Constants that stay on chip for the whole function. LOAD brings each part when |reader| first
// needs it, parts that lie in a row of tiles some together.
struct Stream {
  size_t reader = 0;
  Piece part;                  // the mean one
  std::vector<size_t> edges;   // of the reader: it needs less of the part there
  std::vector<LoopOf> still;   // loops around the reader whose iterations need the same part
  std::optional<LoopOf> turn;  // |together| iterations of this loop need the same part
  int64_t together = 1;
};

struct Pieces {
  std::vector<Piece> all;                      // by nest
  std::vector<std::optional<Stream>> streams;  // by nest; nothing: the nest runs at its place

  // The piece of nest |k|, and the part of |stream|, in the iterations |now|.
  Piece PieceAt(size_t k, const Nests& nests, const Iterations& now,
                const isa::Config& config) const;
  static Piece PartAt(const Stream& stream, const Nests& nests, const Iterations& now,
                      const isa::Config& config);
};

// errors  kInvalidArgument  a stage without an instruction
Result<Pieces> PiecesOf(const Nests& nests, const schedule::Schedule& schedule,
                        const lower::Bounds& bounds, const isa::Config& config,
                        const CostOptions& options);

}  // namespace tessera::cost

#endif  // TESSERA_COMPILER_COST_PIECES_H_
