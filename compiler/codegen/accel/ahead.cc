// SPDX-License-Identifier: Apache-2.0
//
// When the copies of constants that need nothing from other regions are emitted.
#include <algorithm>
#include <iterator>

#include "base/bits.h"
#include "compiler/codegen/accel/program_emitter.h"
#include "compiler/target/accelerator.h"

namespace tessera::codegen::accel {

Status ProgramEmitter::CutAhead(size_t index, Emission& emission) {
  lower::accel::LoweredRegion& lowered = emission.lowered;
  const Result<std::vector<int64_t>> tiles = PieceTiles(index, lowered);
  if (!tiles) return Refuse(index, tiles.error());
  std::vector<ir::Stmt> pieces;
  for (size_t k = 0; k < lowered.ahead.size(); ++k)
    CutCopies(lowered.ahead[k], (*tiles)[k], &pieces);
  emission.on_demand = index == 0;
  lowered.ahead = std::move(pieces);
  emission.fills.resize(lowered.ahead.size());
  for (size_t k = 0; k < lowered.ahead.size(); ++k) {
    emission.units.push_back({.body = lowered.ahead[k]});
    if (!emission.on_demand) continue;
    TESSERA_TRY(VisitLeaves(lowered.ahead[k], [&](const target::SolvedLeaf& leaf) {
      std::ranges::move(RunsOf(leaf, 0, config_), std::back_inserter(emission.fills[k]));
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

// During an earlier region, a copy is as long as other transfers can wait. In the first region, a
// piece is as long as one instruction needs, if its instructions work longer with a piece than LOAD
// takes to bring it; each piece then comes just before its instruction.
Result<std::vector<int64_t>> ProgramEmitter::PieceTiles(
    size_t index, const lower::accel::LoweredRegion& lowered) const {
  std::vector<int64_t> least(lowered.ahead.size(), target::kTilesTogether);
  if (index > 0 || least.empty()) return least;
  struct AheadCopy {
    ir::Buffer buffer;
    int64_t cycles = 0;  // to load a tile
    bool longer = true;  // the instructions work longer with a piece than it loads
  };
  std::vector<AheadCopy> copies(lowered.ahead.size());
  for (size_t k = 0; k < copies.size(); ++k) {
    TESSERA_TRY(VisitLeaves(lowered.ahead[k], [&](const target::SolvedLeaf& leaf) {
      const ir::Buffer& buffer = leaf.operands[0].buffer;
      copies[k].buffer = buffer;
      copies[k].cycles = CeilDiv(config_.TileBytes(MemoryOf(buffer->scope)), config_.bus_bytes());
      return Status{};
    }));
  }
  const auto uses = [&](const Leaf& leaf) {
    return std::ranges::any_of(leaf.call->args, [&](const ir::Expr& arg) {
      return arg->kind == ir::ExprKind::kLoad &&
             std::ranges::count(copies, arg->buffer, &AheadCopy::buffer) > 0;
    });
  };
  const auto visit = [&](const target::SolvedLeaf& leaf) {
    int64_t steps = 1;
    for (const target::LeafDim& d : leaf.dims) steps *= d.extent;
    for (size_t op = 0; op < leaf.operands.size(); ++op) {
      for (size_t k = 0; k < copies.size(); ++k) {
        if (leaf.operands[op].buffer != copies[k].buffer || !copies[k].longer) continue;
        int64_t tiles = 0;
        for (const TileRun& run : RunsOf(leaf, op, config_)) {
          least[k] = std::min(least[k], run.last - run.first + 1);
          tiles += run.last - run.first + 1;
        }
        copies[k].longer = steps >= tiles * copies[k].cycles;
      }
    }
    return Status{};
  };
  TESSERA_TRY(VisitLeaves(lowered.body, visit, uses));
  for (size_t k = 0; k < copies.size(); ++k) {
    if (!copies[k].longer) least[k] = target::kTilesTogether;
  }
  return least;
}

Status ProgramEmitter::NeedTable(size_t index, Emission& emission, const target::SolvedLeaf& leaf) {
  for (size_t op = 0; op < leaf.operands.size(); ++op) {
    const ir::Buffer& buffer = leaf.operands[op].buffer;
    if (buffer->scope != ir::Scope::kTab || in_tab_ == buffer) continue;
    in_tab_ = buffer;
    const auto table =
        std::ranges::find(emission.lowered.tables, buffer, &std::pair<ir::Buffer, ir::Stmt>::first);
    if (op == 0 || table == emission.lowered.tables.end()) continue;  // the region brings it
    const Status status = ExecuteIn(table->second, {}, emission.emitter, rings_, {});
    if (!status) return Refuse(index, status.error());
  }
  return {};
}

// Emits the copies that fill what |leaf| touches of |resident|, unless they are emitted already.
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
