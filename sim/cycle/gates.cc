// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/gates.h"

#include <bit>

#include "base/check.h"

namespace tessera::sim::cycle {
namespace {

constexpr int kLoad = static_cast<int>(isa::Unit::kLoad);
constexpr int kGemm = static_cast<int>(isa::Unit::kGemm);
constexpr int kVector = static_cast<int>(isa::Unit::kVector);
constexpr int64_t kMargin = 16;  // tsr_tokens

}  // namespace

Gates::Gates(const isa::Config& config, isa::Profile profile, GateUnits& units, MachinePart& issue)
    : profile_(profile),
      config_(config),
      queue_depth_(config.QueueDepth(profile)),
      units_(units),
      issue_(issue) {}

// The depth of profile vta applies to the edges that the profile has: between COMPUTE and LOAD or
// STORE.
int64_t Gates::DepthOf(int from, int to) const {
  const bool wide = (from == kGemm || to == kGemm) && from != kVector && to != kVector;
  return config_.TokenDepth(wide ? profile_ : isa::Profile::kTessera);
}

// The count from which an edge is near its depth, rounded as in tsr_tokens (Near).
int64_t Gates::NearOf(int from, int to) const {
  const int64_t depth = DepthOf(from, to);
  const int64_t round = depth >= 4 * kMargin
                            ? static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(depth))) >> 2
                            : 1;
  return depth < kMargin + 2 ? 0 : (depth - kMargin - 2) / round * round;
}

uint8_t Gates::Missing(int unit) const {
  const uint8_t pops = Pops(gate_[unit]);
  uint8_t missing = 0;
  for (int from = 0; from < isa::kUnits; ++from) {
    if ((pops >> from & 1) != 0 && edge_[from][unit].count == 0)
      missing |= static_cast<uint8_t>(1 << from);
  }
  return missing;
}

bool Gates::Done(const Gate& gate) {
  return gate.oldest != nullptr && (gate.oldest->skip || gate.done != 0);
}

uint8_t Gates::Stalled(int unit) const {
  const Gate& gate = gate_[unit];
  if (!Done(gate)) return 0;
  uint8_t full = 0;
  for (int to = 0; to < isa::kUnits; ++to) {
    if ((gate.oldest->fetched.push >> to & 1) != 0 && edge_[unit][to].count == DepthOf(unit, to))
      full |= static_cast<uint8_t>(1 << to);
  }
  return full;
}

bool Gates::AllIdle() const {
  for (int u = 0; u < isa::kUnits; ++u) {
    if (!Idle(u)) return false;
  }
  return true;
}

bool Gates::AllStuck() const {
  for (int u = 0; u < isa::kUnits; ++u) {
    const Gate& gate = gate_[u];
    const bool stuck = gate.flying != 0 ? Stalled(u) != 0 : Missing(u) != 0 || gate.inside == 0;
    if (!stuck) return false;
  }
  return true;
}

bool Gates::TokensLeft() const {
  for (const auto& from : edge_) {
    for (const Edge& edge : from) {
      if (edge.count != 0) return true;
    }
  }
  return false;
}

const Command* Gates::Standing(int unit) const {
  const Gate& gate = gate_[unit];
  const bool front = Stalled(unit) == 0 &&
                     (Missing(unit) != 0 || (gate.oldest == nullptr && gate.shown != nullptr));
  return front ? gate.shown : gate.oldest;
}

const Command* Gates::Next(int unit, const Command* taken) const {
  const Gate& gate = gate_[unit];
  if (gate.shown != nullptr && gate.shown != taken) return gate.shown;
  if (gate.head != nullptr && !gate.moved) return gate.head;
  return gate.ram.empty() ? gate.coming : gate.ram.front();
}

void Gates::Cycle(Cycles t) {
  Sleep();
  const bool vta = profile_ == isa::Profile::kVta;
  // ---- Outputs of this cycle, for all gates, before any gate changes.
  struct Shown {
    uint8_t missing = 0, stalled = 0;
    bool may = false, offers = false, issues = false, retires = false;
  };
  std::array<Shown, isa::kUnits> show;
  for (int u = 0; u < isa::kUnits; ++u) {
    Gate& gate = gate_[u];
    Shown& s = show[u];
    s.missing = Missing(u);
    s.stalled = Stalled(u);
    const bool serial = vta && u == kGemm;
    s.may = gate.shown != nullptr && s.missing == 0 && gate.flying < kInFlight &&
            !((serial || (gate.near && !gate.offered)) && gate.flying != 0);
    s.offers = s.may && !gate.shown->skip;
    s.retires = Done(gate) && s.stalled == 0;
    units_.Waits(t, static_cast<isa::Unit>(u), s.missing, s.stalled);
  }
  // tsr_route: the gate of LOAD has the turn, unless COMPUTE offers a command to LOAD and did not
  // have the turn.
  const auto unit_of = [&](int u) { return gate_[u].shown->unit; };
  const bool compute_load = show[kGemm].offers && unit_of(kGemm) == isa::Unit::kLoad;
  const bool load_offered = compute_turn_ ? compute_load : show[kLoad].offers;
  for (int u = 0; u < isa::kUnits; ++u) {
    Shown& s = show[u];
    if (!s.may) continue;
    bool takes = gate_[u].shown->skip;
    if (s.offers) {
      const isa::Unit unit = unit_of(u);
      takes = units_.UnitReady(unit);
      if (unit == isa::Unit::kLoad) takes = takes && compute_turn_ == (u == kGemm);
    }
    s.issues = takes;
  }
  const bool load_ready = units_.UnitReady(isa::Unit::kLoad);
  std::array<const Command*, isa::kUnits> unit_retires;
  for (int u = 0; u < isa::kUnits; ++u)
    unit_retires[u] = units_.UnitRetires(t, static_cast<isa::Unit>(u));

  // ---- Changes.
  bool active = false;
  const bool turn = (!load_offered || load_ready) ? compute_load && !compute_turn_ : compute_turn_;
  active = active || turn != compute_turn_;
  for (auto& from : edge_) {
    for (Edge& edge : from) {
      active = active || edge.before[0] != edge.count || edge.before[1] != edge.count;
      edge.before = {edge.count, edge.before[0]};
    }
  }
  // Observers see pushes of tokens before pops.
  for (int u = 0; u < isa::kUnits; ++u) {
    if (!show[u].retires) continue;
    const Command& old = *gate_[u].oldest;
    for (int to = 0; to < isa::kUnits; ++to) edge_[u][to].count += old.fetched.push >> to & 1;
    units_.Retired(t, static_cast<isa::Unit>(u), old);
  }
  for (int u = 0; u < isa::kUnits; ++u) {
    Gate& gate = gate_[u];
    const Shown& s = show[u];
    CommandPtr issued = s.issues ? gate.shown : nullptr;
    gate.offered = s.offers && !s.issues;
    if (issued != nullptr) {
      for (int from = 0; from < isa::kUnits; ++from)
        edge_[from][u].count -= issued->fetched.pop >> from & 1;
      units_.Popped(t, static_cast<isa::Unit>(u), *issued);
      if (!issued->skip) {
        if (issued->unit == isa::Unit::kLoad) load_owners_.push_back(u);
        units_.Issue(t, issued);
      }
    }
    // In flight.
    const bool old_free = gate.oldest == nullptr || s.retires;
    const bool moves = old_free && gate.rest != 0 && !gate.leaves;
    const int64_t rest = gate.rest;
    if (gate.leaves) --gate.rest;
    const bool left = gate.leaves;
    gate.leaves = moves;
    if (s.retires) {
      gate.flight.pop_front();
      --gate.flying;
      if (!gate.oldest->skip) --gate.done;
      units_.Release(gate.oldest);
    }
    if (old_free) gate.oldest = moves ? gate.flight.front() : nullptr;
    if (issued != nullptr) {
      gate.flight.push_back(issued);
      ++gate.flying;
      ++gate.rest;
    }
    // Queue.
    const bool free = gate.shown == nullptr || s.issues;
    const bool shows = free && gate.head != nullptr && !gate.moved;
    const bool reads = !gate.ram.empty() && (gate.head == nullptr || gate.moved);
    const bool moved = gate.moved;
    if (free) gate.shown = shows ? gate.head : nullptr;
    if (gate.moved) gate.head = nullptr;
    gate.moved = shows;
    if (reads) {
      gate.head = gate.ram.front();
      gate.ram.pop_front();
    }
    if (gate.coming != nullptr) gate.ram.push_back(gate.coming);
    gate.inside += static_cast<int64_t>(gate.given) - static_cast<int64_t>(s.issues);
    bool near = false;
    for (int to = 0; to < isa::kUnits; ++to)
      near = near || (to != u && edge_[u][to].before[1] >= NearOf(u, to));
    active = active || s.issues || s.retires || moves || left || rest != gate.rest || shows ||
             reads || moved || gate.coming != nullptr || gate.given || near != gate.near;
    gate.near = near;
    gate.given = false;
    gate.coming = nullptr;
  }
  // A completed command goes to the gate that issued it.
  for (int u = 0; u < isa::kUnits; ++u) {
    if (unit_retires[u] == nullptr) continue;
    int owner = vta && u == kVector ? kGemm : u;
    if (u == kLoad) {
      owner = load_owners_.front();
      load_owners_.pop_front();
    }
    if (!unit_retires[u]->stop) ++gate_[owner].done;
    active = true;
  }
  compute_turn_ = turn;
  if (active) {
    WakeAt(t + 1);
    issue_.WakeAt(t + 1);
  }
}

}  // namespace tessera::sim::cycle
