// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/accel/order/units.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/check.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "jit/unit_clock.h"

namespace tessera::codegen::accel {

using ir::StmtKind;

namespace {

void Cut(const ir::Stmt& s, Env& env, std::vector<WorkUnit>* units) {
  const bool rotating = s->kind == StmtKind::kAlloc && s->buffer->rotates;
  if (!rotating && !MatchLeaf(s)) {
    switch (s->kind) {
      case StmtKind::kSeq:
        for (const ir::Stmt& b : s->body) Cut(b, env, units);
        return;
      case StmtKind::kAlloc:
        return Cut(s->body[0], env, units);
      case StmtKind::kIf:
        if (Evaluate(s->value, env) != 0) return Cut(s->body[0], env, units);
        if (s->body.size() > 1) Cut(s->body[1], env, units);
        return;
      case StmtKind::kFor: {
        const int64_t first = Evaluate(s->min, env), extent = Evaluate(s->extent, env);
        for (int64_t k = first; k < first + extent; ++k) {
          env[s->var.get()] = k;
          Cut(s->body[0], env, units);
        }
        return;
      }
      case StmtKind::kStore:
      case StmtKind::kEval:
      case StmtKind::kPrefetch:
        break;  // ExecuteIn refuses unknown statements
    }
  }
  units->push_back({.body = s, .env = env});
}

// |from| without |holes|; both are normalized.
std::vector<isa::AddressRange> Without(const std::vector<isa::AddressRange>& from,
                                       const std::vector<isa::AddressRange>& holes) {
  std::vector<isa::AddressRange> left;
  for (isa::AddressRange r : from) {
    for (const isa::AddressRange& hole : holes) {
      if (hole.end <= r.begin) continue;
      if (hole.begin >= r.end) break;
      if (hole.begin > r.begin) left.push_back({r.begin, hole.begin});
      r.begin = hole.end;
    }
    if (r.begin < r.end) left.push_back(r);
  }
  return left;
}

using Touched = std::map<std::pair<uint8_t, bool>, std::vector<isa::AddressRange>>;

bool Meet(std::span<const isa::AddressRange> a, std::span<const isa::AddressRange> b) {
  if (a.empty() || b.empty() || a.back().end <= b.front().begin ||
      b.back().end <= a.front().begin) {
    return false;
  }
  auto i = a.begin(), j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (i->end <= j->begin) {
      ++i;
    } else if (j->end <= i->begin) {
      ++j;
    } else {
      return true;
    }
  }
  return false;
}

// The number of tiles that |s| copies; nothing if |s| is not a nest of copies.
std::optional<int64_t> TilesIn(const ir::Stmt& s) {
  int64_t all = 1, extent = 0;
  ir::Stmt at = s;
  for (; at->kind == ir::StmtKind::kFor && ir::IsImm(at->extent, &extent); at = at->body[0])
    all *= extent;
  return at->kind == ir::StmtKind::kEval ? std::optional(all) : std::nullopt;
}

}  // namespace

void CutCopies(const ir::Stmt& s, int64_t tiles, std::vector<ir::Stmt>* pieces) {
  const std::optional<int64_t> all = TilesIn(s);
  if (!all || *all <= tiles || s->kind != ir::StmtKind::kFor) return pieces->push_back(s);
  int64_t extent = 0;
  TESSERA_CHECK(ir::IsImm(s->extent, &extent));
  const int64_t inside = *all / extent, together = std::max<int64_t>(1, tiles / inside);
  for (int64_t k = 0; k < extent; k += together) {
    const ir::Expr var = ir::Var(s->var->name);
    const ir::Stmt body = ir::FreshCopy(s->body[0], {{s->var.get(), s->min + ir::Expr(k) + var}});
    const ir::Stmt piece = ir::Simplify(
        ir::For(var, ir::Expr(0), ir::Expr(std::min(together, extent - k)), s->loop, body));
    CutCopies(piece, tiles, pieces);
  }
}

std::vector<WorkUnit> CutUnits(const ir::Stmt& body) {
  std::vector<WorkUnit> units;
  Env env;
  Cut(body, env, &units);
  return units;
}

Status Survey(std::vector<WorkUnit>& units, const LeafEmitter& emitter, Rings rings,
              const isa::Config& config) {
  for (WorkUnit& unit : units) {
    jit::ProgramBuilder builder(config);
    LeafEmitter scratch(emitter, &builder);
    unit.pieces.clear();
    unit.folded.clear();
    scratch.LogTo(&unit.folded);
    std::vector<size_t> products;  // number of instructions up to each product
    const auto after_product = [&]() -> Status {
      products.push_back(builder.nodes().size());
      return {};
    };
    TESSERA_TRY(ExecuteIn(unit.body, unit.env, scratch, rings,
                          {.after_product = after_product, .pieces = &unit.pieces}));
    std::map<uint8_t, std::vector<isa::AddressRange>> own;
    for (const PieceStep& step : unit.pieces) {
      if (step.taken >= 0) continue;
      own[isa::Space::Of(MemoryOf(step.scope)).index].push_back(
          {step.begin, step.begin + step.tiles});
    }
    for (const FoldedAccess& access : unit.folded) {
      own[isa::Space::Of(isa::Memory::kInp).index].push_back(
          {access.base, access.base + access.tiles});
    }
    for (auto& [space, ranges] : own) isa::Normalize(ranges);
    std::vector<jit::TokenNode> nodes;
    unit.steps.clear();
    unit.products.clear();
    Touched touched;
    for (size_t n = 0; n < builder.nodes().size(); ++n) {
      while (unit.products.size() < products.size() && products[unit.products.size()] <= n)
        unit.products.push_back(unit.steps.size());
      const jit::TokenNode& node = builder.nodes()[n];
      const isa::Space uop = isa::Space::Of(isa::Memory::kUop);
      // The builder orders its loads to UOP itself, and most micro-ops are there from earlier
      // units.
      if (std::ranges::any_of(node.accesses,
                              [&](const isa::Access& a) { return a.space == uop && a.write; })) {
        continue;
      }
      nodes.push_back(node);
      unit.steps.push_back({node.unit, jit::BusyCycles(builder.insns()[n], config), {}});
      for (const isa::Access& a : node.accesses) {
        if (a.space == uop) continue;
        std::vector<isa::AddressRange>& all = touched[{a.space.index, a.write}];
        const std::vector<isa::AddressRange> seen = Without(a.intervals, own[a.space.index]);
        all.insert(all.end(), seen.begin(), seen.end());
      }
    }
    unit.products.resize(products.size(), unit.steps.size());
    TESSERA_ASSIGN(const std::vector<jit::TokenMasks> masks,
                   jit::InsertTokens(nodes, config.TokenDepth(isa::Profile::kTessera)));
    for (size_t n = 0; n < masks.size(); ++n) unit.steps[n].tokens = masks[n];
    unit.shared.clear();
    for (auto& [key, ranges] : touched) {
      isa::Normalize(ranges);
      if (!ranges.empty()) unit.shared.push_back({{key.first}, key.second, std::move(ranges)});
    }
  }
  return {};
}

bool Replay(const std::vector<PieceStep>& steps, const std::vector<PieceStep>& done, Rings& rings) {
  std::vector<int64_t> begins;  // in their rings, by step
  for (const PieceStep& step : done) begins.push_back(step.begin - rings.BaseOf(step.scope));
  for (size_t k = done.size(); k < steps.size(); ++k) {
    const PieceStep& step = steps[k];
    if (step.taken >= 0) {
      rings.Of(step.scope).Release(begins[static_cast<size_t>(step.taken)]);
      begins.push_back(-1);
      continue;
    }
    const std::optional<int64_t> piece = rings.Take(step.scope, step.tiles, step.need);
    if (!piece) return false;
    begins.push_back(*piece);
  }
  return true;
}

bool Conflict(const std::vector<isa::Access>& a, const std::vector<isa::Access>& b) {
  for (const isa::Access& x : a) {
    for (const isa::Access& y : b) {
      if (x.space == y.space && (x.write || y.write) && Meet(x.intervals, y.intervals)) return true;
    }
  }
  return false;
}

namespace {

// Whether |in_use| meets the place of a tensor that |unit| has folded. Such a tensor counts as a
// whole: rows of the other set may be anywhere in its place.
bool MeetsFolded(const WorkUnit& unit, const std::vector<isa::Access>& in_use) {
  constexpr auto kInp = isa::Space::Of(isa::Memory::kInp);
  for (const FoldedAccess& access : unit.folded) {
    const isa::AddressRange place[] = {{access.base, access.base + access.tiles}};
    if (std::ranges::any_of(in_use, [&](const isa::Access& used) {
          return used.space == kInp && Meet(place, used.intervals);
        }))
      return true;
  }
  return false;
}

}  // namespace

bool Touches(const WorkUnit& unit, const std::vector<isa::Access>& in_use) {
  return Conflict(unit.shared, in_use) || MeetsFolded(unit, in_use);
}

Precedence PrecedenceOf(const WorkUnit& a, const WorkUnit& b) {
  bool first = Touches(a, b.shared) || MeetsFolded(b, a.shared), second = false;
  for (const FoldedAccess& x : a.folded) {
    for (const FoldedAccess& y : b.folded) {
      if (x.activation != y.activation) {
        first |= x.base < y.base + y.tiles && y.base < x.base + x.tiles;
      } else if ((x.write || y.write) && x.first < y.last && y.first < x.last) {
        (x.time <= y.time ? first : second) = true;
      }
    }
  }
  if (first && second) return Precedence::kBoth;
  return first ? Precedence::kFirst : second ? Precedence::kSecond : Precedence::kNone;
}

}  // namespace tessera::codegen::accel
