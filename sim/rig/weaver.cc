// SPDX-License-Identifier: Apache-2.0
#include "sim/rig/weaver.h"

#include <cstring>

#include "base/check.h"
#include "isa/encoding.h"
#include "sim/rig/program.h"

namespace tessera::rig {

using isa::AnyInsn;
using isa::kUnits;
using isa::Memory;
using isa::Profile;
using isa::Space;
using isa::Unit;
using isa::VectorClock;

Weaver::Weaver(const isa::Config& config, Profile profile,
               const std::array<isa::SegmentData, isa::kSegments>& data, Rng& rng)
    : config_(config),
      profile_(profile),
      data_(data),
      rng_(rng),
      uops_(config.Depth(Memory::kUop, profile)) {
  if (profile == Profile::kVta) vta_ = isa::VtaCodec::Make(config).value();
  for (int s = 0; s < isa::kSpaces; ++s) {
    const Space space{static_cast<uint8_t>(s)};
    shadow_[s] = isa::Shadow(Limit(space), 1);
    if (space.is_segment())
      shadow_[s].Initialise(static_cast<int64_t>(data[space.segment()].data.size()));
  }
}

int64_t Weaver::Limit(Space space) const {
  return space.is_segment() ? static_cast<int64_t>(data_[space.segment()].size)
                            : config_.Depth(space.memory(), profile_);
}

uint8_t Weaver::Partners(int unit) const {
  uint8_t partners = 0;
  for (int to = 0; to < kUnits; ++to)
    partners |= static_cast<uint8_t>(HasEdge(profile_, unit, to) << to);
  return partners;
}

int Weaver::Add(const AnyInsn& insn, int unit) {
  const int index = static_cast<int>(items_.size());
  by_unit_[unit].push_back(index);
  clock_[unit][unit] = static_cast<uint32_t>(by_unit_[unit].size());
  items_.push_back({insn, unit, pending_pop_[unit], 0, clock_[unit]});
  pending_pop_[unit] = 0;
  return index;
}

int Weaver::AddCarrier(int unit) { return Add(Carrier(profile_, unit), unit); }

// Adds a token from instruction |number| of |from|, or from a later one, to the next instruction of
// |to|.
void Weaver::Tie(int from, int to, uint32_t number) {
  if (rng_.OneIn(8)) AddCarrier(from);
  const uint32_t giver =
      static_cast<uint32_t>(rng_.Range(number, static_cast<int64_t>(by_unit_[from].size())));
  Item& item = items_[by_unit_[from][giver - 1]];
  TESSERA_CHECK(giver > last_push_[from][to] && ((item.push >> to) & 1) == 0);
  item.push |= static_cast<uint8_t>(1 << to);
  last_push_[from][to] = giver;
  pending_pop_[to] |= static_cast<uint8_t>(1 << from);
  isa::Join(clock_[to], item.clock);
  if (rng_.OneIn(8)) AddCarrier(to);
}

// Makes the next instruction of |unit| come after instruction needed[u] of each unit u.
void Weaver::Order(int unit, const VectorClock& needed) {
  const int first = static_cast<int>(rng_.Range(0, kUnits - 1));
  for (int k = 0; k < kUnits; ++k) {
    const int from = (first + k) % kUnits;
    if (!HasEdge(profile_, from, unit)) continue;
    const bool pending = (pending_pop_[unit] >> from) & 1;
    if (needed[from] > clock_[unit][from]) {
      // An instruction pops at most one token from each unit, so a carrier pops the earlier token.
      if (pending) AddCarrier(unit);
      Tie(from, unit, needed[from]);
    } else if (!pending && rng_.OneIn(16) && by_unit_[from].size() > last_push_[from][unit]) {
      Tie(from, unit, last_push_[from][unit] + 1);  // a redundant token
    }
  }
}

std::optional<Weaver::Candidate> Weaver::Look(const AnyInsn& insn) const {
  isa::Fetched fetched;
  if (Route(insn, &fetched) || CheckFields(insn, config_) || isa::Steps(insn) > 4096)
    return std::nullopt;
  const isa::UopRange range = isa::UopsOf(insn, config_);
  std::vector<isa::Uop> uops;
  for (int64_t u = range.begin; u < range.begin + range.count; ++u) {
    if (u >= static_cast<int64_t>(uops_.size()) || !uops_[u]) return std::nullopt;
    uops.push_back(*uops_[u]);
  }
  Candidate candidate{.unit = static_cast<int>(fetched.unit), .touches = {}};
  bool legal = true;
  isa::Shadow::Found found;
  isa::Walk(insn, config_, uops, [&](const isa::Touch& t) {
    legal &= t.first + t.count <= Limit(t.space);
    if (!legal) return;
    shadow_[t.space.index].Look(t.first, t.count, t.write, candidate.unit, found);
    candidate.touches.push_back(t);
  });
  if (!legal || found.unwritten >= 0) return std::nullopt;
  candidate.needed = found.conflict;
  return candidate;
}

int Weaver::Place(const AnyInsn& insn, const Candidate& candidate) {
  const int index = Add(insn, candidate.unit);
  for (const isa::Touch& t : candidate.touches) {
    shadow_[t.space.index].Note(t.first, t.count, t.write, candidate.unit,
                                items_[index].clock[candidate.unit]);
  }
  NoteUops(insn);
  return index;
}

bool Weaver::Append(const AnyInsn& insn) {
  const std::optional<Candidate> candidate = Look(insn);
  if (!candidate) return false;
  Order(candidate->unit, candidate->needed);
  Place(insn, *candidate);
  return true;
}

// Adds an instruction of |unit|. One in eight does work, if |any| gives one that needs no new
// token; the others only move tokens.
int Weaver::AddSome(int unit, const std::function<AnyInsn()>& any) {
  for (int attempt = 0; rng_.OneIn(8) && attempt < 4; ++attempt) {
    const AnyInsn insn = any();
    const std::optional<Candidate> candidate = Look(insn);
    if (!candidate || candidate->unit != unit) continue;
    bool free = true;
    for (int u = 0; u < kUnits; ++u) free &= candidate->needed[u] <= clock_[unit][u];
    if (free) return Place(insn, *candidate);
  }
  return AddCarrier(unit);
}

void Weaver::Crowd(int from, uint8_t to, int64_t count, const std::function<AnyInsn()>& any) {
  TESSERA_CHECK((to & ~Partners(from)) == 0 && count <= MostTokens());
  std::vector<int> takers;
  for (int unit = 0; unit < kUnits; ++unit) {
    if (((to >> unit) & 1) == 0) continue;
    takers.push_back(unit);
    if ((pending_pop_[unit] >> from) & 1) AddCarrier(unit);
  }
  std::vector<int> givers;
  for (int64_t n = 0; n < count; ++n) {
    givers.push_back(AddSome(from, any));
    items_[givers.back()].push |= to;
  }
  for (const int giver : givers) {
    for (const int unit : takers) {
      last_push_[from][unit] = items_[giver].clock[from];
      pending_pop_[unit] |= static_cast<uint8_t>(1 << from);
      isa::Join(clock_[unit], items_[giver].clock);
      AddSome(unit, any);
    }
  }
}

void Weaver::NoteUops(const AnyInsn& insn) {
  if (const isa::Insn* one = std::get_if<isa::Insn>(&insn)) {
    const isa::Load* v = std::get_if<isa::Load>(one);
    if (v == nullptr || v->memory != 0) return;
    int64_t tile = v->sram_base;
    for (int64_t n = 0; n < v->x_size * v->y_size * v->z_size; ++n, ++tile) {
      const int64_t at = v->dram_base + n % v->x_size * v->x_step +
                         n / v->x_size % v->y_size * v->y_step +
                         n / v->x_size / v->y_size * v->z_step;
      uint64_t word;
      std::memcpy(&word, &data_[v->segment].data[at], 8);
      uops_[tile] = isa::DecodeUop(word).value();
    }
    return;
  }
  const isa::VtaLoad* v = std::get_if<isa::VtaLoad>(&std::get<isa::VtaInsn>(insn));
  if (v == nullptr || v->memory_type != 0 || v->x_size == 0) return;
  const int64_t columns = v->x_pad_0 + v->x_size + v->x_pad_1,
                rows = v->y_pad_0 + v->y_size + v->y_pad_1;
  for (int64_t n = 0; n < rows * columns; ++n) {
    const int64_t x = n % columns - v->x_pad_0, y = n / columns - v->y_pad_0;
    uint32_t word = 0;
    if (x >= 0 && x < v->x_size && y >= 0 && y < v->y_size) {
      std::memcpy(&word, &data_[0].data[4 * (v->dram_base + y * v->x_stride + x)], 4);
    }
    const isa::VtaUop uop = vta_->DecodeUop(word);
    uops_[v->sram_base + n] = isa::Uop{uop.dst_idx, uop.src_idx, uop.wgt_idx, 0};
  }
}

std::vector<AnyInsn> Weaver::Finish() {
  for (int unit = 0; unit < kUnits; ++unit) {
    if (pending_pop_[unit] != 0) AddCarrier(unit);
  }
  std::vector<AnyInsn> program;
  for (Item& item : items_) {
    SetTokens(item.insn, item.unit, item.pop, item.push);
    program.push_back(item.insn);
  }
  program.push_back(profile_ == Profile::kVta ? AnyInsn(isa::VtaInsn(isa::VtaFinish{}))
                                              : AnyInsn(isa::Insn(isa::Finish{})));
  return program;
}

}  // namespace tessera::rig
