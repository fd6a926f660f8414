// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/accel/execute.h"

#include <algorithm>
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

// ACC and OUT have four banks by their high address bits: pieces take whole ones, so that the next
// tile of work fills a bank that VECTOR does not read.
Rings::Rings(const isa::Config& config)
    : inp(config.Depth(isa::Memory::kInp)),
      wgt(config.Depth(isa::Memory::kWgt)),
      acc(config.Depth(isa::Memory::kAcc),
          config.Depth(isa::Memory::kAcc) / isa::RowOf(isa::Memory::kAcc).banks),
      out(config.Depth(isa::Memory::kOut),
          config.Depth(isa::Memory::kOut) / isa::RowOf(isa::Memory::kOut).banks),
      prm(config.Depth(isa::Memory::kPrm)),
      config_(config) {}

int64_t Rings::TilesOf(const ir::Buffer& buffer) const {
  const int64_t elements = ir::SizeInElements(*buffer);
  return std::max<int64_t>(CeilDiv(elements, TileElements(config_, buffer)), 1);
}

void Rings::UseInp(int64_t base, int64_t tiles) {
  if (base == inp_base && tiles == inp.depth()) return;
  inp = RingAllocator(std::max<int64_t>(tiles, 1));
  inp_base = base;
}

RingAllocator& Rings::Of(ir::Scope scope) {
  switch (scope) {
    case ir::Scope::kInp:
      return inp;
    case ir::Scope::kWgt:
      return wgt;
    case ir::Scope::kAcc:
      return acc;
    case ir::Scope::kOut:
      return out;
    case ir::Scope::kPrm:
      return prm;
    default:
      TESSERA_CHECK(false, "{} is no scratchpad", ir::ScopeName(scope));
  }
}

namespace {

// The most tiles of |scope| that are in use at one time inside |s|.
int64_t Need(const ir::Stmt& s, ir::Scope scope, Rings& rings) {
  return ir::MostInUse(s, scope, [&](const ir::Buffer& buffer) {
    return buffer->rotates ? rings.Of(scope).Rounded(rings.TilesOf(buffer)) : 0;
  });
}

// Where buffers that do not rotate are: in one piece of each ring, taken while their function runs.
class FixedPlaces {
 public:
  explicit FixedPlaces(Rings* rings) : rings_(*rings) {}
  ~FixedPlaces() {
    for (const auto& [scope, piece] : pieces_) rings_.Of(scope).Release(piece);
  }

  //   errors  kOutOfRange  those that |body| has at one time do not fit: names one of them
  Status Take(const ir::Stmt& body) {
    std::map<ir::Scope, Top> most;
    FindPlaces(body, {}, &most);
    for (const auto& [scope, top] : most) {
      RingAllocator& ring = rings_.Of(scope);
      if (ring.empty()) ring.Rewind();  // what it leaves is in one stretch
      const std::optional<int64_t> piece = ring.Allocate(top.tiles);
      if (!piece) {
        return Fail(Code::kOutOfRange,
                    "{}: with what is in {} at the same time it takes {} tiles, {} of {} are in "
                    "use; choose smaller tiles of work",
                    top.buffer->name, ir::ScopeName(scope), top.tiles, ring.in_use(), ring.depth());
      }
      pieces_[scope] = *piece;
    }
    return {};
  }

  // The first tile of |buffer|, counted from its ring's; none: it rotates.
  std::optional<int64_t> Of(const ir::Buffer& buffer) const {
    const auto found = places_.find(buffer.get());
    if (found == places_.end()) return std::nullopt;
    return pieces_.at(buffer->scope) + found->second;
  }

 private:
  struct Top {
    int64_t tiles = 0;
    ir::Buffer buffer;  // that reaches so far
  };

  // |now|: what the buffers around |s| take.
  void FindPlaces(const ir::Stmt& s, std::map<ir::Scope, int64_t> now,
                  std::map<ir::Scope, Top>* most) {
    if (s->kind == StmtKind::kAlloc && !s->buffer->rotates) {
      const ir::Scope scope = s->buffer->scope;
      int64_t& top = now[scope];
      places_[s->buffer.get()] = top;
      top += rings_.Of(scope).Rounded(rings_.TilesOf(s->buffer));
      if (top > (*most)[scope].tiles) (*most)[scope] = {top, s->buffer};
    }
    for (const ir::Stmt& b : s->body) FindPlaces(b, now, most);
  }

  Rings& rings_;
  std::unordered_map<const ir::BufferNode*, int64_t> places_;  // in their piece
  std::map<ir::Scope, int64_t> pieces_;
};

bool IsProduct(const Leaf& leaf) {
  const std::string& name = leaf.call->name;
  return name == target::kTileGemm || name == target::kTileWindow || name == target::kTileAlu;
}

class BodyEmitter {
 public:
  // Without an emitter, only counts.
  BodyEmitter(LeafEmitter* emitter, Rings* rings, const FixedPlaces* fixed,
              const std::function<Status(int64_t)>& after_product)
      : emitter_(emitter), rings_(rings), fixed_(fixed), after_product_(after_product) {}

  int64_t products() const { return products_; }

  Status Run(const ir::Stmt& s) {
    const std::optional<Leaf> leaf = MatchLeaf(s);
    // What is no instruction's loops is the same leaf again in each iteration of the outer one.
    std::optional<target::SolvedLeaf> solved;
    if (leaf) solved = target::Solve(*leaf, env_);
    if (solved) {
      if (emitter_ != nullptr) TESSERA_TRY(emitter_->Emit(*leaf, std::move(*solved), env_));
      if (!IsProduct(*leaf)) return {};
      ++products_;
      return after_product_ ? after_product_(products_) : Status{};
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
    return Fail(Code::kUnsupported, "a statement that is no tile of work");
  }

 private:
  Status RunFor(const ir::Stmt& s) {
    const int64_t first = Evaluate(s->min, env_), extent = Evaluate(s->extent, env_);
    for (int64_t k = first; k < first + extent; ++k) {
      env_[s->var.get()] = k;
      TESSERA_TRY(Run(s->body[0]));
    }
    return {};
  }

  Status RunAlloc(const ir::Stmt& s) {
    if (emitter_ == nullptr) return Run(s->body[0]);
    if (const std::optional<int64_t> fixed = fixed_->Of(s->buffer)) {
      emitter_->Place(s->buffer, {false, rings_->BaseOf(s->buffer->scope) + *fixed, {}});
      return Run(s->body[0]);
    }
    RingAllocator& ring = rings_->Of(s->buffer->scope);
    // Everything used together lies in one stretch, else a late piece may find only scattered room.
    if (ring.empty() && ring.next() + Need(s, s->buffer->scope, *rings_) > ring.depth())
      ring.Rewind();
    const std::optional<int64_t> piece = ring.Allocate(rings_->TilesOf(s->buffer));
    if (!piece) {
      return Fail(Code::kOutOfRange, "{}: {} tiles of {}, {} of {} are in use", s->buffer->name,
                  rings_->TilesOf(s->buffer), ir::ScopeName(s->buffer->scope), ring.in_use(),
                  ring.depth());
    }
    emitter_->Place(s->buffer, {false, rings_->BaseOf(s->buffer->scope) + *piece, {}});
    const Status status = Run(s->body[0]);
    ring.Release(*piece);
    return status;
  }

  LeafEmitter* emitter_;
  Rings* rings_;
  const FixedPlaces* fixed_;
  std::function<Status(int64_t)> after_product_;
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
    int64_t need = 0;  // of all of them in this ring: they lie in one stretch
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

Status Execute(const ir::Stmt& body, LeafEmitter& emitter, Rings& rings,
               const std::function<Status(int64_t)>& after_product) {
  FixedPlaces fixed(&rings);
  TESSERA_TRY(fixed.Take(body));
  return BodyEmitter(&emitter, &rings, &fixed, after_product).Run(body);
}

Result<int64_t> CountProducts(const ir::Stmt& body) {
  BodyEmitter counter(nullptr, nullptr, nullptr, {});
  TESSERA_TRY(counter.Run(body));
  return counter.products();
}

}  // namespace tessera::codegen::accel
