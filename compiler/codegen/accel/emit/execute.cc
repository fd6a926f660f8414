// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/accel/emit/execute.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/usage.h"
#include "compiler/ir/visit.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::codegen::accel {

using ir::StmtKind;

// The high address bits of ACC and OUT choose one of four banks. Pieces take whole banks, so that
// the next tile of work fills a bank that VECTOR does not read.
Rings::Rings(const isa::Config& config)
    : inp{RingAllocator(config.Depth(isa::Memory::kInp))},
      wgt(config.Depth(isa::Memory::kWgt)),
      acc(config.Depth(isa::Memory::kAcc),
          config.Depth(isa::Memory::kAcc) / isa::RowOf(isa::Memory::kAcc).banks),
      out(config.Depth(isa::Memory::kOut),
          config.Depth(isa::Memory::kOut) / isa::RowOf(isa::Memory::kOut).banks),
      prm(config.Depth(isa::Memory::kPrm)),
      tab(std::max<int64_t>(config.Depth(isa::Memory::kTab), 1)),  // without TAB nothing is taken
      config_(config) {}

int64_t Rings::TilesOf(const ir::Buffer& buffer) const {
  const int64_t elements = ir::SizeInElements(*buffer);
  return std::max<int64_t>(CeilDiv(elements, TileElements(config_, buffer)), 1);
}

void Rings::UseInp(int64_t base, int64_t tiles) {
  if (base == inp.base && tiles == inp.ring.depth()) return;
  // New boxes continue behind the last ones, so LOAD need not wait for these.
  const int64_t next = inp.base + inp.ring.next() - base;
  inp = {RingAllocator(std::max<int64_t>(tiles, 1)), base};
  if (next > 0 && next < tiles) inp.ring.GoOnFrom(next);
}

RingAllocator& Rings::Of(ir::Scope scope) {
  switch (scope) {
    case ir::Scope::kInp:
      return inp.ring;
    case ir::Scope::kWgt:
      return wgt;
    case ir::Scope::kAcc:
      return acc;
    case ir::Scope::kOut:
      return out;
    case ir::Scope::kPrm:
      return prm;
    case ir::Scope::kTab:
      return tab;
    default:
      TESSERA_CHECK(false, "{} is no scratchpad", ir::ScopeName(scope));
  }
}

std::optional<int64_t> Rings::Take(ir::Scope scope, int64_t tiles, int64_t need) {
  RingAllocator& ring = Of(scope);
  if (ring.empty() && ring.next() + need > ring.depth()) ring.Rewind();
  return ring.Allocate(tiles);
}

int64_t MostRotating(const ir::Stmt& s, ir::Scope scope, Rings& rings) {
  return ir::MostInUse(s, scope, [&](const ir::Buffer& buffer) {
    return buffer->rotates ? rings.Of(scope).Rounded(rings.TilesOf(buffer)) : 0;
  });
}

FixedPlaces::~FixedPlaces() {
  for (const auto& [scope, piece] : pieces_) rings_.Of(scope).Release(piece);
}

Status FixedPlaces::Take(const ir::Stmt& body, LeafEmitter& emitter) {
  std::map<ir::Scope, Top> most;
  TESSERA_TRY(FindPlaces(body, {}, &most));
  for (const auto& [scope, top] : most) {
    RingAllocator& ring = rings_.Of(scope);
    if (ring.empty()) ring.Rewind();  // an empty ring starts with one contiguous range
    const std::optional<int64_t> piece = ring.Allocate(top.tiles);
    if (!piece) {
      return Fail(Code::kOutOfRange,
                  "{}: with what is in {} at the same time it takes {} tiles, {} of {} are in use",
                  top.buffer->name, ir::ScopeName(scope), top.tiles, ring.in_use(), ring.depth());
    }
    pieces_[scope] = *piece;
  }
  for (const auto& [buffer, place] : places_) {
    emitter.Place(buffer,
                  {false, rings_.BaseOf(buffer->scope) + pieces_.at(buffer->scope) + place, {}});
  }
  return {};
}

// |now|: tiles of the buffers around |s|.
Status FixedPlaces::FindPlaces(const ir::Stmt& s, std::map<ir::Scope, int64_t> now,
                               std::map<ir::Scope, Top>* most) {
  if (s->kind == StmtKind::kAlloc && s->buffer->scope == ir::Scope::kGlobal) {
    return Fail(
        Code::kUnsupported,
        "{0} is in global memory, where a program has its inputs and results alone; "
        "set_scope {0} to a scratchpad, inline it, or prepare it where the caller can make it",
        s->buffer->name);
  }
  if (s->kind == StmtKind::kAlloc && !s->buffer->rotates) {
    const ir::Scope scope = s->buffer->scope;
    int64_t& top = now[scope];
    places_.emplace_back(s->buffer, top);
    top += rings_.Of(scope).Rounded(rings_.TilesOf(s->buffer));
    if (top > (*most)[scope].tiles) (*most)[scope] = {top, s->buffer};
  }
  for (const ir::Stmt& b : s->body) TESSERA_TRY(FindPlaces(b, now, most));
  return {};
}

namespace {

bool IsProduct(const Leaf& leaf) {
  const target::TileCall* call = target::FindTileCall(leaf.call->name);
  return call != nullptr && call->sums;
}

class BodyEmitter {
 public:
  // Without an emitter, only counts products.
  BodyEmitter(LeafEmitter* emitter, Rings* rings, const Env& env, const RunHooks& hooks)
      : emitter_(emitter), rings_(rings), hooks_(hooks), env_(env) {}

  int64_t products() const { return products_; }

  Status Run(const ir::Stmt& s) {
    const std::optional<Leaf> leaf = MatchLeaf(s);
    // A loop that is not part of an instruction repeats its leaf in each iteration.
    std::optional<target::SolvedLeaf> solved;
    if (leaf && hooks_.wanted && !hooks_.wanted(*leaf)) return {};
    if (leaf) solved = target::Solve(*leaf, env_);
    if (solved) {
      if (hooks_.before_leaf) TESSERA_TRY(hooks_.before_leaf(*solved));
      if (emitter_ != nullptr) TESSERA_TRY(emitter_->Emit(*leaf, std::move(*solved), env_));
      if (!IsProduct(*leaf)) return {};
      ++products_;
      return hooks_.after_product ? hooks_.after_product() : Status{};
    }
    switch (s->kind) {
      case StmtKind::kSeq:
        for (const ir::Stmt& b : s->body) TESSERA_TRY(Run(b));
        return {};
      case StmtKind::kFor:
        return RunFor(s);
      case StmtKind::kIf:
        if (Evaluate(s->value, env_) != 0) return Run(s->body[0]);
        return s->body.size() > 1 ? Run(s->body[1]) : Status{};
      case StmtKind::kAlloc:
        return RunAlloc(s);
      case StmtKind::kStore:
      case StmtKind::kEval:
      case StmtKind::kPrefetch:
        break;
    }
    if (s->kind == StmtKind::kStore) {
      return Fail(Code::kUnsupported,
                  "{}: a statement that is no tile of work; tensorize the loops of its stage",
                  s->buffer->name);
    }
    return Fail(Code::kUnsupported, "a statement that is no tile of work");
  }

 private:
  Status RunFor(const ir::Stmt& s) {
    const int64_t first = Evaluate(s->min, env_), extent = Evaluate(s->extent, env_);
    int64_t& value = env_[s->var.get()];
    for (int64_t k = first; k < first + extent; ++k) {
      value = k;
      TESSERA_TRY(Run(s->body[0]));
    }
    return {};
  }

  Status RunAlloc(const ir::Stmt& s) {
    if (emitter_ == nullptr || !s->buffer->rotates) return Run(s->body[0]);
    const ir::Scope scope = s->buffer->scope;
    const int64_t tiles = rings_->TilesOf(s->buffer), need = MostRotating(s, scope, *rings_);
    const std::optional<int64_t> piece = rings_->Take(scope, tiles, need);
    RingAllocator& ring = rings_->Of(scope);
    if (!piece) {
      return Fail(Code::kOutOfRange, "{}: {} tiles of {}, {} of {} are in use", s->buffer->name,
                  tiles, ir::ScopeName(scope), ring.in_use(), ring.depth());
    }
    const int64_t begin = rings_->BaseOf(scope) + *piece;
    emitter_->Place(s->buffer, {false, begin, {}});
    const auto step = static_cast<int64_t>(hooks_.pieces ? hooks_.pieces->size() : 0);
    if (hooks_.pieces) hooks_.pieces->push_back({scope, tiles, need, begin});
    const Status status = Run(s->body[0]);
    ring.Release(*piece);
    if (hooks_.pieces) hooks_.pieces->push_back({.scope = scope, .taken = step});
    return status;
  }

  LeafEmitter* emitter_;
  Rings* rings_;
  const RunHooks& hooks_;
  int64_t products_ = 0;
  Env env_;
};

}  // namespace

bool Allocates(const ir::Stmt& s, ir::Scope scope) {
  if (s->kind == StmtKind::kAlloc && s->buffer->scope == scope) return true;
  return std::ranges::any_of(s->body, [&](const ir::Stmt& b) { return Allocates(b, scope); });
}

bool Held::Take(const std::vector<ir::Buffer>& buffers, LeafEmitter& emitter, Rings& rings) {
  for (const ir::Buffer& buffer : buffers) {
    RingAllocator& ring = rings.Of(buffer->scope);
    int64_t need = 0;  // of all buffers in this ring; they get one contiguous range
    for (const ir::Buffer& b : buffers)
      need += b->scope == buffer->scope ? ring.Rounded(rings.TilesOf(b)) : 0;
    if (ring.empty() && ring.next() + need > ring.depth()) ring.Rewind();
    const std::optional<int64_t> piece = ring.Allocate(rings.TilesOf(buffer));
    if (!piece) {
      Release(rings);
      return false;
    }
    pieces_.emplace_back(buffer->scope, *piece);
    emitter.Place(buffer, {false, rings.BaseOf(buffer->scope) + *piece, {}});
  }
  return true;
}

void Held::Release(Rings& rings) {
  for (const auto& [scope, piece] : pieces_) rings.Of(scope).Release(piece);
  pieces_.clear();
}

Status ExecuteIn(const ir::Stmt& body, const Env& env, LeafEmitter& emitter, Rings& rings,
                 const RunHooks& hooks) {
  return BodyEmitter(&emitter, &rings, env, hooks).Run(body);
}

Status Execute(const ir::Stmt& body, LeafEmitter& emitter, Rings& rings) {
  FixedPlaces fixed(&rings);
  TESSERA_TRY(fixed.Take(body, emitter));
  return ExecuteIn(body, {}, emitter, rings);
}

Result<int64_t> CountProducts(const ir::Stmt& body) {
  const RunHooks none;
  BodyEmitter counter(nullptr, nullptr, {}, none);
  TESSERA_TRY(counter.Run(body));
  return counter.products();
}

std::vector<TileRun> RunsOf(const target::SolvedLeaf& leaf, size_t op, const isa::Config& config) {
  if (leaf.empty) return {};
  const target::LeafOperand& operand = leaf.operands[op];
  const int64_t tile = TileElements(config, operand.buffer);
  if (op != 0 && operand.buffer->scope == ir::Scope::kTab)  // read as a whole
    return {{operand.buffer, 0, CeilDiv(ir::SizeInElements(*operand.buffer), tile) - 1}};
  std::vector<int64_t> tiles{operand.base / tile};
  for (const target::LeafDim& d : leaf.dims) {
    const size_t count = tiles.size();
    for (int64_t k = 1; k < d.extent && d.strides[op] != 0; ++k) {
      for (size_t t = 0; t < count; ++t) tiles.push_back(tiles[t] + k * d.strides[op] / tile);
    }
  }
  std::ranges::sort(tiles);
  std::vector<TileRun> runs;
  for (const int64_t t : tiles) {
    if (runs.empty() || t > runs.back().last + 1) runs.push_back({operand.buffer, t, t});
    runs.back().last = t;
  }
  return runs;
}

Status VisitLeaves(const ir::Stmt& body,
                   const std::function<Status(const target::SolvedLeaf&)>& visit,
                   const std::function<bool(const Leaf&)>& wanted) {
  return BodyEmitter(nullptr, nullptr, {}, {.wanted = wanted, .before_leaf = visit}).Run(body);
}

}  // namespace tessera::codegen::accel
