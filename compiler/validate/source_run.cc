// SPDX-License-Identifier: Apache-2.0
#include "compiler/validate/source_run.h"

#include <algorithm>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/ir/layout.h"
#include "compiler/target/accelerator.h"
#include "compiler/target/tile_intrin.h"
#include "compiler/validate/input_pieces.h"

namespace tessera::validate {
namespace {

using ir::StmtKind;
using lower::accel::RegionBuffer;

// The elements of |buffer| if all of it is present at once.
int64_t ElementsOf(const ir::BufferNode& buffer) {
  const std::vector<int64_t> shape = ir::PhysicalShape(buffer), steps = ir::PhysicalStrides(buffer);
  int64_t last = 0;
  for (size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * steps[d];
  return last + 1;
}

}  // namespace

SourceRun::SourceRun(const network::ProgramPlan& plan,
                     const std::vector<lower::accel::AccelRegion>& regions,
                     const isa::Config& config, int64_t grain, SourceListener* listener)
    : plan_(plan), regions_(regions), config_(config), grain_(grain), listener_(listener) {
  const network::MemoryPlan places = plan.PlaceNeeds();
  memory_.resize(static_cast<size_t>(CeilDiv(places.bytes, grain)), kNothing);
  for (size_t n = 0; n < plan.needs.size(); ++n) {
    const int64_t first = places.offsets[n] / grain, bytes = plan.needs[n].packing.bytes();
    pieces_.push_back(std::span(memory_).subspan(static_cast<size_t>(first),
                                                 static_cast<size_t>(CeilDiv(bytes, grain))));
    for (const size_t k : InputPieces(plan, n, grain)) pieces_[n][k] = InputPiece(n, k);
  }
}

Status SourceRun::Run() {
  for (region_ = 0; region_ < regions_.size(); ++region_) {
    const network::PlannedRegion& planned = plan_.regions[region_];
    Status status = RunFunc(planned.steps.lowered);
    if (status && planned.store) status = RunFunc(planned.store->lowered);
    if (!status) return Within(regions_[region_].op, status.error());
  }
  return {};
}

Status SourceRun::RunFunc(const lower::accel::LoweredRegion& lowered) {
  rooms_.clear();
  nests_.clear();
  for (size_t k = 0; k < lowered.func.params.size(); ++k) {
    const ir::Buffer& param = lowered.func.params[k];
    rooms_[param.get()] = RoomOf(lowered.buffers[k], param);
  }
  TESSERA_TRY(Exec(lowered.func.body));
  if (!wrong_.empty()) return Fail(Code::kUnsupported, "{}", wrong_);
  return {};
}

SourceRun::Room SourceRun::RoomOf(const RegionBuffer& bound, const ir::Buffer& param) {
  if (bound.role == RegionBuffer::Use::kConstant) return {.constant = bound.data.get()};
  const int activation = bound.role == RegionBuffer::Use::kResult
                             ? regions_[region_].result
                             : regions_[region_].activations.at(bound.tensor.get());
  if (param->scope == ir::Scope::kGlobal)
    return {.pieces = pieces_[plan_.NeedOf(activation, bound.packing)]};
  // A resident tensor: its pads are present from the start.
  const auto tiles =
      static_cast<size_t>(CeilDiv(ElementsOf(*param), target::TileElements(config_, param)));
  std::vector<SymbolCell>& kept = kept_[activation];
  const network::Resident* resident = plan_.residency.Of(activation);
  while (kept.size() < tiles) {
    const bool pads = resident != nullptr && resident->halo.any();
    kept.push_back({pads ? Pad(resident->pad) : Unwritten(++unwritten_)});
  }
  return {.tiles = &kept};
}

Status SourceRun::Exec(const ir::Stmt& s) {
  TESSERA_ASSIGN(const NestCode* nest, NestOf(s));
  if (nest != nullptr) return RunNest(*nest);
  switch (s->kind) {
    case StmtKind::kSeq:
      for (const ir::Stmt& b : s->body) TESSERA_TRY(Exec(b));
      return {};
    case StmtKind::kFor: {
      TESSERA_ASSIGN(const IndexCode min, IndexCode::Make(s->min, &loops_));
      TESSERA_ASSIGN(const IndexCode extent, IndexCode::Make(s->extent, &loops_));
      const size_t slot = loops_.SlotOf(s->var);
      const int64_t first = min(loops_), count = extent(loops_);
      for (int64_t k = first; k < first + count; ++k) {
        loops_[slot] = k;
        TESSERA_TRY(Exec(s->body[0]));
      }
      return {};
    }
    case StmtKind::kIf: {
      TESSERA_ASSIGN(const IndexCode condition, IndexCode::Make(s->value, &loops_));
      if (condition(loops_) != 0) return Exec(s->body[0]);
      return s->body.size() > 1 ? Exec(s->body[1]) : Status{};
    }
    case StmtKind::kAlloc: {
      // Each allocation starts unwritten.
      std::vector<SymbolCell> tiles(static_cast<size_t>(
          CeilDiv(ElementsOf(*s->buffer), target::TileElements(config_, s->buffer))));
      for (SymbolCell& cell : tiles) cell.value = Unwritten(++unwritten_);
      rooms_[s->buffer.get()] = {.tiles = &tiles};
      const Status status = Exec(s->body[0]);
      rooms_.erase(s->buffer.get());
      return status;
    }
    case StmtKind::kStore:
    case StmtKind::kEval:
    case StmtKind::kPrefetch:
      break;
  }
  return Fail(Code::kUnsupported, "a statement that is no tile of work");
}

Status SourceRun::RunNest(const NestCode& nest) {
  std::vector<int64_t> extents;
  for (size_t l = 0; l < nest.slots.size(); ++l) {
    extents.push_back(nest.extents[l](loops_));
    loops_[nest.slots[l]] = 0;
    if (extents.back() <= 0) return {};
  }
  if (nest.plain) {
    RunPlain(nest, extents);
    return {};
  }
  NestRun run{.nest = &nest, .extents = extents};
  std::array<Places, 2> at{};
  for (size_t c = 0; c < (nest.otherwise ? 2u : 1u); ++c) {
    const TileCallCode& code = c == 0 ? nest.call : *nest.otherwise;
    run.ready[c] = MakeReady(code);
    for (size_t p = 0; p < code.places.size(); ++p) {
      if (code.places[p].affine) at[c][p] = PlaceAt(code.places[p]);
    }
  }
  return RunEach(run, 0, at, true);
}

int64_t SourceRun::PlaceAt(const PlaceCode& place) {
  const int64_t offset = place.offset(loops_);
  if (offset % place.unit != 0 && wrong_.empty())
    wrong_ = fmt::format("{}: an access that is not of whole tiles", place.buffer->name);
  return offset / place.unit;
}

Status SourceRun::RunEach(const NestRun& run, size_t loop, std::array<Places, 2> at, bool inside) {
  const NestCode& nest = *run.nest;
  for (const PartCode& guard : nest.guards) {
    if (guard.level == loop && guard.code(loops_) == 0) return {};
  }
  for (const PartCode& part : nest.conditions)
    inside = inside && (part.level != loop || part.code(loops_) != 0);
  if (loop < run.extents.size()) {
    for (int64_t k = 0; k < run.extents[loop]; ++k) {
      loops_[nest.slots[loop]] = k;
      TESSERA_TRY(RunEach(run, loop + 1, at, inside));
      for (size_t c = 0; c < (nest.otherwise ? 2u : 1u); ++c) {
        const TileCallCode& code = c == 0 ? nest.call : *nest.otherwise;
        for (size_t p = 0; p < code.places.size(); ++p) {
          if (code.places[p].affine) at[c][p] += code.places[p].strides[loop];
        }
      }
    }
    return {};
  }
  const size_t c = inside ? 0 : 1;
  const TileCallCode& code = c == 0 ? nest.call : *nest.otherwise;
  for (size_t p = 0; p < code.places.size(); ++p) {
    if (!code.places[p].affine) at[c][p] = PlaceAt(code.places[p]);
  }
  const size_t start = code.op == TileOp::kAlu ? 1 : 0;
  if (std::ranges::count(code.varies, true) == 0) {
    Step(run.ready[c], at[c], run.ready[c].values[start] != 0);
  } else {
    const Ready ready = MakeReady(code);
    Step(ready, at[c], ready.values[start] != 0);
  }
  return {};
}

// Evaluates whether a sum starts once for each combination of the loops that decide it.
void SourceRun::RunPlain(const NestCode& nest, const std::vector<int64_t>& extents) {
  const TileCallCode& code = nest.call;
  const size_t loops = extents.size(), start = code.op == TileOp::kAlu ? 1 : 0;
  const Ready ready = MakeReady(code);
  std::vector<std::array<int64_t, 4>> strides(loops);  // of places; the fourth is for |starts|
  std::vector<uint8_t> starts{ready.values[start] != 0};
  if (start < code.varies.size() && code.varies[start]) {
    std::vector<size_t> varying;
    int64_t count = 1;
    for (size_t l = loops; l-- > 0;) {
      if (!code.values[start].Uses(nest.slots[l])) continue;
      varying.push_back(l);
      strides[l][3] = count;
      count *= extents[l];
    }
    starts.resize(static_cast<size_t>(count));
    for (int64_t k = 0; k < count; ++k) {
      int64_t rest = k;
      for (const size_t l : varying) loops_[nest.slots[l]] = rest % extents[l], rest /= extents[l];
      starts[static_cast<size_t>(k)] = code.values[start](loops_) != 0;
    }
    for (const size_t l : varying) loops_[nest.slots[l]] = 0;
  }
  std::array<int64_t, 4> at{};
  for (size_t p = 0; p < code.places.size(); ++p) {
    at[p] = PlaceAt(code.places[p]);
    for (size_t l = 0; l < loops; ++l) strides[l][p] = code.places[p].strides[l];
  }
  std::vector<int64_t> done(loops);
  while (true) {
    Step(ready, {at[0], at[1], at[2]}, starts[static_cast<size_t>(at[3])] != 0);
    size_t l = loops;
    for (; l-- > 0;) {
      for (size_t p = 0; p < 4; ++p) at[p] += strides[l][p];
      if (++done[l] < extents[l]) break;
      for (size_t p = 0; p < 4; ++p) at[p] -= strides[l][p] * extents[l];
      done[l] = 0;
    }
    if (l == SIZE_MAX) return;
  }
}

SourceRun::Ready SourceRun::MakeReady(const TileCallCode& code) const {
  Ready ready{.code = &code};
  for (size_t p = 0; p < code.places.size(); ++p)
    ready.rooms[p] = rooms_.at(code.places[p].buffer.get());
  for (size_t v = 0; v < code.values.size(); ++v) ready.values[v] = code.values[v](loops_);
  if (code.table) ready.table = TableSymbol(*rooms_.at(code.table.get()).tiles);
  Finish(&ready);
  return ready;
}

// Joins the numbers in VECTOR's instructions. An accumulator has no zero point and no limits.
void SourceRun::Finish(Ready* ready) const {
  const auto wide = [&](size_t place) {
    return ready->code->places[place].buffer->dtype == DType::kInt32;
  };
  const auto& v = ready->values;
  const auto numbers = [&](size_t from, bool scaled) {
    const bool w = wide(0), a = wide(1);
    const size_t k = from + (scaled ? 2 : 0);  // rounding
    return Join({scaled ? v[from] : 0, scaled ? v[from + 1] : 0, v[k], a ? 0 : v[k + 1],
                 a ? 0 : v[k + 2], w ? 0 : v[k + 3], w ? 0 : v[k + 4], w ? 0 : v[k + 5], w, a});
  };
  switch (ready->code->op) {
    case TileOp::kRequant:
    case TileOp::kAdd:
      ready->numbers = numbers(0, true);
      break;
    case TileOp::kRequantRecord:
      ready->numbers = numbers(0, false);
      break;
    case TileOp::kAlu:
      if (wide(1)) ready->values[2] = 0;
      break;
    default:
      break;
  }
}

SymbolCell& SourceRun::TileAt(const Ready& ready, size_t place, int64_t at) {
  std::vector<SymbolCell>& tiles = *ready.rooms[place].tiles;
  if (at >= 0 && at < static_cast<int64_t>(tiles.size())) return tiles[static_cast<size_t>(at)];
  static SymbolCell nowhere;
  if (wrong_.empty())
    wrong_ =
        fmt::format("{}: tile {} of {}", ready.code->places[place].buffer->name, at, tiles.size());
  return nowhere;
}

// The tile that LOAD makes from device memory at |at|.
Symbol SourceRun::LoadFrom(const Ready& ready, int64_t at) {
  const Room& from = ready.rooms[1];
  const PlaceCode& place = ready.code->places[1];
  const int64_t count = ready.values[0];
  const auto outside = [&](int64_t size) {
    if (at >= 0 && count >= 0 && at + count <= size) return false;
    if (wrong_.empty())
      wrong_ = fmt::format("{}: elements {} to {} of {}", place.buffer->name, at, at + count, size);
    return true;
  };
  if (from.constant != nullptr) {
    const int64_t bytes = SizeOf(place.buffer->dtype);
    if (outside(static_cast<int64_t>(from.constant->size()) / bytes)) return 0;
    return Bytes(std::span(*from.constant)
                     .subspan(static_cast<size_t>(at * bytes), static_cast<size_t>(count * bytes)));
  }
  if (at % grain_ != 0 || count % grain_ != 0) {
    wrong_ = fmt::format("{}: elements {} to {} are not whole pieces of {} bytes",
                         place.buffer->name, at, at + count, grain_);
    return 0;
  }
  if (outside(static_cast<int64_t>(from.pieces->size()) * grain_)) return 0;
  return LoadedTile(
      std::span(*from.pieces)
          .subspan(static_cast<size_t>(at / grain_), static_cast<size_t>(count / grain_)));
}

// Writes the tile |stored| to device memory at |at|.
void SourceRun::StoreTo(const Ready& ready, int64_t at, Symbol stored) {
  const std::span<Symbol> pieces = *ready.rooms[0].pieces;
  const ir::Buffer& buffer = ready.code->places[0].buffer;
  const int64_t count = ready.values[0];
  if (at % grain_ != 0 || count % grain_ != 0 || at < 0 ||
      (at + count) / grain_ > static_cast<int64_t>(pieces.size())) {
    wrong_ = fmt::format("{}: elements {} to {} are not whole pieces of {} bytes of it",
                         buffer->name, at, at + count, grain_);
    return;
  }
  for (int64_t k = 0; k < count / grain_; ++k) {
    Symbol& piece = pieces[static_cast<size_t>(at / grain_ + k)];
    piece = StoredPiece(stored, static_cast<uint64_t>(k));
    if (listener_ != nullptr)
      listener_->Made(region_, buffer, at + k * grain_, piece, std::span(&stored, 1));
  }
}

void SourceRun::Step(const Ready& ready, const Places& at, bool first) {
  const auto& v = ready.values;
  const TileCallCode& code = *ready.code;
  std::array<Symbol, 4> reads{};
  size_t read = 0;
  const auto tile = [&](size_t place, int64_t index) {
    return reads[read++] = TileAt(ready, place, index).symbol();
  };
  const auto made = [&](int64_t index, Symbol result) {
    if (listener_ != nullptr)
      listener_->Made(region_, code.places[0].buffer, index, result, std::span(reads).first(read));
  };
  const auto becomes = [&](Symbol result) {
    TileAt(ready, 0, at[0]) = {result};
    made(at[0], result);
  };
  const auto finished = [&](Symbol value) {
    if (!code.table) return becomes(value);
    reads[read++] = ready.table;
    becomes(LookedUp(value, ready.table));
  };
  // Appends to a sum: the tile's old value is the last operand read.
  const auto sum = [&](Operation operation, Symbol term) {
    SymbolCell& cell = TileAt(ready, 0, at[0]);
    if (first || operation == AluSum(static_cast<int64_t>(isa::AluOp::kMov))) {
      cell.Begin(operation);
    } else if (listener_ != nullptr) {
      reads[read++] = cell.symbol();
    }
    cell.Append(operation, term);
    if (listener_ != nullptr) made(at[0], cell.symbol());
  };
  switch (code.op) {
    case TileOp::kLoad:
      return becomes(LoadFrom(ready, at[1]));
    case TileOp::kFill:
      return becomes(Pad(v[1]));
    case TileOp::kStore:
      return StoreTo(ready, at[0], tile(1, at[1]));
    case TileOp::kGemm: {
      const Symbol inp = tile(1, at[1]), wgt = tile(2, at[2]);
      return sum(Operation::kProduct, ProductTerm(inp, wgt));
    }
    case TileOp::kWindow: {
      const int64_t taps = config_.depthwise_taps(), unit = code.places[1].unit;
      Symbol term = 0;
      for (int64_t t = 0; t < v[1] * v[2]; ++t) {
        const int64_t place = at[1] + (t / v[2] * v[3] + t % v[2] * v[4]) / unit;
        read = 0;
        const Symbol inp = tile(1, place), wgt = tile(2, at[2] + t / taps);
        term += TapTerm(inp, wgt, t % taps);
      }
      return sum(Operation::kProduct, term);
    }
    case TileOp::kRequant:
      return finished(Requantised(tile(1, at[1]), ready.numbers));
    case TileOp::kRequantRecord: {
      const Symbol src = tile(1, at[1]), record = tile(2, at[2]);
      return finished(RequantisedBy(src, record, ready.numbers));
    }
    case TileOp::kAdd: {
      const Symbol src = tile(1, at[1]), acc = tile(2, at[2]);
      return finished(Added(src, acc, ready.numbers));
    }
    case TileOp::kAlu:
      return sum(AluSum(v[0]), AluTerm(tile(1, at[1]), v[2]));
    case TileOp::kAluNumber:
      first = false;
      return sum(AluSum(v[1]), AluNumber(v[0]));
  }
}

}  // namespace tessera::validate
