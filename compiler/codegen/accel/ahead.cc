// SPDX-License-Identifier: Apache-2.0
//
// What needs nothing of other regions, and when it comes.
#include <algorithm>
#include <iterator>

#include "base/bits.h"
#include "compiler/codegen/accel/compiler.h"

namespace tessera::codegen::accel {

// Tiles of one copy ahead of a region: short enough to let other transfers in between.
constexpr int64_t kPieceTiles = 16;

Status ProgramEmitter::CutAhead(size_t index, Emission& emission) {
  network::LoweredRegion& lowered = emission.lowered;
  std::vector<ir::Stmt> pieces;
  for (const ir::Stmt& s : lowered.ahead) {
    const Result<int64_t> tiles = PieceTiles(index, lowered, s);
    if (!tiles) return Refuse(index, tiles.error());
    CutCopies(s, *tiles, &pieces);
    emission.on_demand = index == 0;
  }
  lowered.ahead = std::move(pieces);
  for (const ir::Stmt& piece : lowered.ahead) {
    emission.units.push_back({.body = piece});
    std::vector<TileRun>& filled = emission.fills.emplace_back();
    TESSERA_TRY(VisitLeaves(piece, [&](const target::SolvedLeaf& leaf) {
      std::ranges::move(RunsOf(leaf, 0, config_), std::back_inserter(filled));
      return Status{};
    }));
  }
  return {};
}

Status ProgramEmitter::Begin(size_t index, Emission& emission, bool must) {
  if (emission.begun) return {};
  if (!emission.held.Take(emission.lowered.resident, emission.emitter, rings_)) {
    if (!must) return {};
    return Refuse(index,
                  {Code::kOutOfRange, "its weights and parameters do not fit on chip together"});
  }
  emission.begun = true;
  return {};
}

Status ProgramEmitter::Ahead(size_t index, Emission& emission, size_t count) {
  for (size_t u = 0; u < count; ++u) {
    if (!emission.emitted[u]) TESSERA_TRY(EmitUnit(index, emission, u));
  }
  return {};
}

// Under a region before it, copies are as long as others can wait. Of the first region,
// instructions that work longer with a piece than it takes to bring it get theirs where they want
// it.
Result<int64_t> ProgramEmitter::PieceTiles(size_t index, const network::LoweredRegion& lowered,
                                           const ir::Stmt& copy) const {
  if (index > 0) return kPieceTiles;
  ir::Buffer buffer;
  int64_t cycles = 0;  // to bring a tile
  TESSERA_TRY(VisitLeaves(copy, [&](const target::SolvedLeaf& leaf) {
    buffer = leaf.operands[0].buffer;
    cycles = CeilDiv(config_.TileBytes(MemoryOf(buffer->scope)), config_.bus_bytes());
    return Status{};
  }));
  int64_t least = kPieceTiles;
  bool longer = true;
  TESSERA_TRY(VisitLeaves(lowered.body, [&](const target::SolvedLeaf& leaf) {
    int64_t steps = 1;
    for (const target::LeafDim& d : leaf.dims) steps *= d.extent;
    for (size_t op = 0; op < leaf.operands.size(); ++op) {
      if (leaf.operands[op].buffer != buffer) continue;
      int64_t tiles = 0;
      for (const TileRun& run : RunsOf(leaf, op, config_)) {
        least = std::min(least, run.last - run.first + 1);
        tiles += run.last - run.first + 1;
      }
      longer &= steps >= tiles * cycles;
    }
    return Status{};
  }));
  return longer ? least : kPieceTiles;
}

// What |leaf| touches of what stays during the region is there before it.
Status ProgramEmitter::Need(size_t index, Emission& emission, const target::SolvedLeaf& leaf) {
  for (size_t op = 0; op < leaf.operands.size(); ++op) {
    if (std::ranges::count(emission.lowered.resident, leaf.operands[op].buffer) == 0) continue;
    const std::vector<TileRun> wanted = RunsOf(leaf, op, config_);
    const auto is_wanted = [&](const TileRun& filled) {
      return std::ranges::any_of(wanted, [&](const TileRun& w) { return w.Meets(filled); });
    };
    for (size_t u = 0; u < emission.fills.size(); ++u) {
      if (!emission.emitted[u] && std::ranges::any_of(emission.fills[u], is_wanted))
        TESSERA_TRY(EmitUnit(index, emission, u));
    }
  }
  return {};
}

}  // namespace tessera::codegen::accel
