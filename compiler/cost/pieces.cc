// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/pieces.h"

#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "base/flat_map.h"
#include "compiler/ir/layout.h"
#include "compiler/lower/storage.h"
#include "compiler/target/accelerator.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::cost {
namespace {

using isa::Unit;

class PieceMaker {
 public:
  PieceMaker(const Nests& nests, const schedule::Schedule& schedule, const lower::Bounds& bounds,
             const isa::Config& config, const CostOptions& options)
      : nests_(nests),
        schedule_(schedule),
        bounds_(bounds),
        config_(config),
        options_(options),
        global_(*schedule.target().FindMemory(ir::Scope::kGlobal)) {}

  Result<Pieces> Run() {
    pieces_.all.reserve(nests_.all.size());
    pieces_.streams.reserve(nests_.all.size());
    for (const Nest& nest : nests_.all) {
      TESSERA_ASSIGN(pieces_.all.emplace_back(), PieceOf(nest));
    }
    CountCopies();
    for (size_t k = 0; k < nests_.all.size(); ++k) pieces_.streams.push_back(StreamOf(k));
    return std::move(pieces_);
  }

 private:
  Result<Piece> PieceOf(const Nest& nest) const {
    const schedule::Stage& stage = *nest.stage;
    if (stage.intrinsics.empty()) {
      return Fail(Code::kInvalidArgument,
                  "{}: a stage without an instruction has no cost on the accelerator; tensorize it",
                  stage.name);
    }
    const auto& intrin = *schedule_.target().FindIntrinsic(stage.intrinsics.front());
    const target::TileCall& call = *target::FindTileCall(intrin.call);
    Piece piece{.unit = call.unit};
    if (call.unit == Unit::kLoad || call.unit == Unit::kStore) {
      AddTransfer(nest, &piece);
    } else if (call.call_cycles == nullptr) {
      piece.cycles = nest.calls * intrin.cycles;
    } else {
      const auto cycles = [&](int64_t fresh) {
        return static_cast<double>(call.call_cycles(config_, nest.call_sums, fresh));
      };
      piece.cycles =
          nest.rows * cycles(nest.call_sums) + (nest.calls - nest.rows) * cycles(nest.call_fresh);
    }
    if (call.has_micro_ops)
      piece.micro_ops = nest.micro_ops * static_cast<double>(config_.TileBytes(isa::Memory::kUop));
    return piece;
  }

  // A transfer moves whole beats for each tile. It writes pads without the bus, and while the
  // memory carries no beat.
  void AddTransfer(const Nest& nest, Piece* piece) const {
    const schedule::Stage& stage = *nest.stage;
    const int64_t bytes = stage.scope == ir::Scope::kPrm ? config_.prm_tile_bytes()
                                                         : nest.call_elements * SizeOf(stage.dtype);
    const double beats = nest.calls * static_cast<double>(CeilDiv(bytes, config_.bus_bytes()));
    const double carried = beats / (global_.shared > 0 ? global_.shared : 1);
    piece->cycles = std::max(carried, beats + nest.pads);
    piece->bytes = nest.calls * static_cast<double>(bytes);
    // The bus carries small tiles of a row together.
    piece->idle_bus = nest.pads + beats - piece->bytes / static_cast<double>(config_.bus_bytes());
  }

  // A buffer has a second copy if a step says so. With options_.double_buffers it also has one if
  // there is room for it beside one copy of each other buffer (lower::CheckRoom). Buffers with
  // copies share a ring (codegen/accel/emit/ring.h), so small ones have more than two.
  void CountCopies() {
    std::vector<int64_t> bytes;
    FlatMap<ir::Scope, int64_t> used, rotating;
    for (size_t k = 0; k < nests_.all.size(); ++k) {
      const schedule::Stage& stage = *nests_.all[k].stage;
      const target::TargetMemory& memory = *schedule_.target().FindMemory(stage.scope);
      const bool own = nests_.all[k].owner == k && !stage.output && memory.bytes > 0;
      bytes.push_back(
          own ? memory.Taken(ir::SizeInBytes(*lower::MakeBuffer(schedule_, bounds_, stage))) : 0);
      used[stage.scope] += bytes.back();
    }
    const auto doubled = [&](size_t k) {
      const Nest& nest = nests_.all[k];
      if (bytes[k] == 0) return false;
      const bool fits = used[nest.stage->scope] + bytes[k] <= RoomOf(nest.stage->scope);
      return nest.stage->double_buffer || (options_.double_buffers && nests_.IsRepeated(k) && fits);
    };
    for (size_t k = 0; k < nests_.all.size(); ++k)
      rotating[nests_.all[k].stage->scope] += doubled(k) ? bytes[k] : 0;
    for (size_t k = 0; k < nests_.all.size(); ++k) {
      pieces_.all[k].copies = ThreadsAround(k);
      if (!doubled(k)) continue;
      const ir::Scope scope = nests_.all[k].stage->scope;
      const int64_t ring = RoomOf(scope) - (used[scope] - rotating[scope]);
      pieces_.all[k].copies =
          static_cast<size_t>(std::clamp<int64_t>(ring / rotating[scope], 2, int64_t{kMostCopies}));
    }
  }

  // Each virtual thread has its own copy of the buffers inside its loops.
  size_t ThreadsAround(size_t k) const {
    int64_t threads = 1;
    for (const LoopOf& loop : nests_.LoopsAround(k)) {
      const schedule::LoopAxis& axis = nests_.all[loop.nest].stage->leaves[loop.depth];
      if (axis.kind == ir::LoopKind::kVthread) threads *= nests_.At(loop).iterations;
    }
    return static_cast<size_t>(std::min(threads, int64_t{kMostCopies}));
  }

  // Bytes of |scope| for the function's own buffers.
  int64_t RoomOf(ir::Scope scope) const {
    if (scope == ir::Scope::kInp && options_.inp_tiles >= 0)
      return options_.inp_tiles * config_.inp_tile_bytes();
    return schedule_.target().FindMemory(scope)->bytes;
  }

  // If nest |k| only loads constants, once: the stream that brings them to their reader by parts.
  std::optional<Stream> StreamOf(size_t k) const {
    const Nest& nest = nests_.all[k];
    const Piece& all = pieces_.all[k];
    if (all.unit != Unit::kLoad || nest.in || !nest.outer.empty()) return std::nullopt;
    const auto reads = [&](const Nest& by) { return std::ranges::count(by.reads, k) > 0; };
    const auto by = std::ranges::find_if(nests_.all, reads);
    if (by == nests_.all.end()) return std::nullopt;
    Stream stream{.reader = static_cast<size_t>(by - nests_.all.begin()), .part = all, .still = {}};
    double parts = 1;
    const std::vector<LoopOf> loops = nests_.LoopsAround(stream.reader);
    const std::vector<bool> moving = nests_.Moving(loops, stream.reader, k);
    for (size_t loop = 0; loop < loops.size(); ++loop) {
      if (nests_.IsLastIn(stream.reader, loops[loop])) continue;
      if (moving[loop]) {
        parts *= static_cast<double>(nests_.At(loops[loop]).iterations);
      } else {
        stream.still.push_back(loops[loop]);
      }
    }
    // As codegen/accel/ahead.cc cuts them.
    const double tiles = nest.calls / parts, together = target::kTilesTogether;
    double loads = parts;
    if (pieces_.all[stream.reader].cycles < all.cycles / parts && tiles < together)
      loads = std::ceil(parts / std::floor(together / tiles));
    stream.together = static_cast<int64_t>(std::ceil(parts / loads));
    stream.part.cycles /= loads;
    stream.part.bytes /= loads;
    return stream;
  }

  const Nests& nests_;
  const schedule::Schedule& schedule_;
  const lower::Bounds& bounds_;
  const isa::Config& config_;
  const CostOptions& options_;
  const target::TargetMemory& global_;
  Pieces pieces_;
};

}  // namespace

Result<Pieces> PiecesOf(const Nests& nests, const schedule::Schedule& schedule,
                        const lower::Bounds& bounds, const isa::Config& config,
                        const CostOptions& options) {
  return PieceMaker(nests, schedule, bounds, config, options).Run();
}

}  // namespace tessera::cost
