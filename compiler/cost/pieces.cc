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

// The iterations of |loops| from the one of number |first| on.
double Product(const std::vector<int64_t>& loops, size_t first) {
  double product = 1;
  for (size_t k = first; k < loops.size(); ++k) product *= static_cast<double>(loops[k]);
  return product;
}

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
      const int64_t bytes = stage.scope == ir::Scope::kPrm
                                ? config_.prm_tile_bytes()
                                : nest.call_elements * SizeOf(stage.dtype);
      piece.shared = global_.shared > 0 ? global_.shared : 1;
      piece.Transfer(nest.calls, nest.pads, static_cast<double>(bytes), config_);
    } else if (call.call_cycles == nullptr) {
      piece.cycles = nest.calls * intrin.cycles;
    } else {
      const auto cycles = [&](int64_t fresh) {
        return static_cast<double>(call.call_cycles(config_, nest.call_sums, fresh));
      };
      piece.cycles =
          nest.rows * cycles(nest.call_sums) + (nest.calls - nest.rows) * cycles(nest.call_fresh);
    }
    if (piece.tiles > 0) return piece;
    if (call.has_micro_ops) {
      piece.kernels = nest.goes_on ? 2 : 1;
      piece.micro_ops = piece.kernels * Product(nest.loops, 2) * Product(nest.sum_loops, 0) *
                        static_cast<double>(config_.TileBytes(isa::Memory::kUop));
    } else {  // the result lies in a row, so its loops are two of an instruction
      piece.insns = Product(nest.sum_loops, call.sum_loops);
    }
    return piece;
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
    std::vector<LoopOf> loops = nests_.LoopsAround(stream.reader);
    std::erase_if(loops, [&](const LoopOf& l) { return nests_.IsLastIn(stream.reader, l); });
    const std::vector<TileStep> steps = nests_.StepsIn(loops, stream.reader, k);
    double needed = 1;  // parts that the reader needs one after the other
    for (size_t i = 0; i < loops.size(); ++i)
      needed *= steps[i].next > 0 ? static_cast<double>(nests_.At(loops[i]).iterations) : 1;
    // As codegen/accel/ahead.cc cuts them: rows of tiles that work for longer than they load come
    // as they are needed.
    const bool alone = pieces_.all[stream.reader].cycles >= all.cycles / needed;
    const int64_t piece = alone ? 0 : target::kTilesTogether;
    double loads = 1;
    for (size_t i = 0; i < loops.size(); ++i) {
      const int64_t iterations = nests_.At(loops[i]).iterations;
      const int64_t together =
          steps[i].row <= piece ? iterations : std::max<int64_t>(1, piece / steps[i].next);
      loads *= static_cast<double>(CeilDiv(iterations, std::min(iterations, together)));
      if (together >= iterations) {
        stream.still.push_back(loops[i]);
      } else if (together > 1) {
        stream.turn = loops[i];
        stream.together = together;
      }
    }
    const Nest& reader = nests_.all[stream.reader];
    for (size_t e = 0; e < reader.edges.size(); ++e) {
      const auto parts = [&](const EdgeAlong::Move& move) {
        const auto at = std::ranges::find(loops, move.loop);
        if (at == loops.end()) return false;
        const int64_t step = steps[static_cast<size_t>(at - loops.begin())].next;
        return step > 0 && step >= piece;
      };
      if (std::ranges::all_of(reader.edges[e].moves, parts)) stream.edges.push_back(e);
    }
    stream.part.Scale(1 / loads, 1 / loads, config_);
    stream.part.insns = std::ceil(stream.part.tiles / target::kTilesTogether);
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

void Piece::Transfer(double moved, double filled, double tile_bytes, const isa::Config& config) {
  tiles = moved;
  pads = filled;
  bytes = tiles * tile_bytes;
  const auto bus = static_cast<double>(config.bus_bytes());
  const double beats = tiles * std::ceil(tile_bytes / bus);
  cycles = std::max(beats / shared, beats + pads);
  idle_bus = pads + beats - bytes / bus;  // the bus carries small tiles of a row together
}

void Piece::Scale(double ran, double carried, const isa::Config& config) {
  if (tiles == 0) {
    cycles *= carried;
  } else {
    Transfer(tiles * carried, (tiles + pads) * ran - tiles * carried, bytes / tiles, config);
  }
}

Piece Pieces::PieceAt(size_t k, const Nests& nests, const Iterations& now,
                      const isa::Config& config) const {
  Piece piece = all[k];
  double ran = 1, carried = 1;
  for (const EdgeAlong& edge : nests.all[k].edges) {
    const EdgeAlong::Shares shares = edge.Now(now);
    ran *= shares.ran;
    carried *= shares.carried;
  }
  if (ran != 1 || carried != 1) piece.Scale(ran, carried, config);
  return piece;
}

Piece Pieces::PartAt(const Stream& stream, const Nests& nests, const Iterations& now,
                     const isa::Config& config) {
  Piece part = stream.part;
  double share = 1;
  for (const size_t e : stream.edges) share *= nests.all[stream.reader].edges[e].Now(now).carried;
  if (share != 1) part.Scale(share, share, config);
  return part;
}

Result<Pieces> PiecesOf(const Nests& nests, const schedule::Schedule& schedule,
                        const lower::Bounds& bounds, const isa::Config& config,
                        const CostOptions& options) {
  return PieceMaker(nests, schedule, bounds, config, options).Run();
}

}  // namespace tessera::cost
