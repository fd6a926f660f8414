// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/program_needs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"

namespace tessera::network {
namespace {

// Which needs share bytes with what regions make, and which have contents before the program.
void FindMade(std::vector<MemoryNeed>* needs) {
  for (MemoryNeed& n : *needs) {
    int64_t shared = 0;  // elements of |n| that regions make
    for (const MemoryNeed& other : *needs) {
      if (&other == &n || !other.made || !n.Overlaps(other)) continue;
      n.parts_made = true;
      shared += sched::SharedBy(n.piece, other.piece);
    }
    if (!n.made && (n.in < 0 || shared < sched::SizeOf(n.piece))) n.first = -1;
  }
}

}  // namespace

Status ListNeeds(const std::vector<Activation>& activations,
                 const std::vector<lower::accel::AccelRegion>& regions, const isa::Config& config,
                 bool store_all, ProgramPlan* plan) {
  const auto count = static_cast<int64_t>(regions.size());
  const auto need = [&](int activation, const sched::Packing& packing) -> MemoryNeed& {
    for (MemoryNeed& n : plan->needs) {
      if (n.activation == activation && n.packing == packing) return n;
    }
    MemoryNeed& made = plan->needs.emplace_back();
    const Activation& a = activations[static_cast<size_t>(activation)];
    made = {.activation = activation, .packing = packing, .first = count, .last = -1};
    const bool whole = std::ranges::count(activations, activation, &Activation::whole) > 0;
    made.in = whole ? activation : a.whole;
    made.piece = whole ? sched::WholeOf(packing) : a.piece;
    made.offset = a.offset;
    return made;
  };
  for (int64_t r = 0; r < count; ++r) {
    const lower::accel::AccelRegion& region = regions[static_cast<size_t>(r)];
    const PlannedRegion& planned = plan->regions[static_cast<size_t>(r)];
    for (const lower::accel::RegionBuffer& buffer : planned.steps.lowered.buffers) {
      if (buffer.role != lower::accel::RegionBuffer::Use::kActivation) continue;
      const int activation = region.activations.at(buffer.tensor.get());
      const Activation& read = activations[static_cast<size_t>(activation)];
      const bool packs = read.kind == Activation::Kind::kInput || read.on_host;
      if (buffer.packing.prepared && !packs) {
        return Fail(Code::kInvalidArgument,
                    "{}: {} cannot be prepared: it reads {}, which is no constant, nor an input "
                    "that the host packs",
                    region.op, buffer.packing.prepared.name(), buffer.tensor.name());
      }
      const bool before =
          read.kind == Activation::Kind::kInput || read.kind == Activation::Kind::kInMemory;
      if (!before && !store_all && plan->residency.Of(activation)) continue;
      MemoryNeed& n = need(activation, buffer.packing);
      n.first = before ? -1 : std::min(n.first, r);
      n.last = std::max(n.last, r);
    }
    if (!planned.on_chip.stored) continue;
    MemoryNeed& n = need(region.result, lower::accel::PackingOf(region, region.output, config));
    n.made = true;
    n.first = std::min(n.first, r);
    n.last = activations[static_cast<size_t>(region.result)].kind == Activation::Kind::kOutput
                 ? count
                 : std::max(n.last, r);
  }
  FindMade(&plan->needs);
  return {};
}

bool MemoryNeed::Overlaps(const MemoryNeed& other) const {
  return in >= 0 && in == other.in && sched::SharedBy(piece, other.piece) > 0;
}

size_t ProgramPlan::NeedOf(int activation, const sched::Packing& packing) const {
  const auto need = std::ranges::find_if(needs, [&](const MemoryNeed& n) {
    return n.activation == activation && n.packing == packing;
  });
  TESSERA_CHECK(need != needs.end(), "activation {}", activation);
  return static_cast<size_t>(need - needs.begin());
}

MemoryPlan ProgramPlan::PlaceNeeds() const {
  std::vector<Lifetime> lives;
  std::vector<size_t> place;    // by need, of |lives|
  std::map<int, size_t> whole;  // the place of each activation that others lie in
  for (const MemoryNeed& need : needs) {
    place.push_back(need.in < 0 ? lives.size()
                                : whole.try_emplace(need.in, lives.size()).first->second);
    if (place.back() == lives.size()) lives.push_back({0, 0, 0});
    int64_t& bytes = lives[place.back()].bytes;
    bytes = std::max(bytes, need.offset + need.packing.bytes());
  }
  MemoryPlan plan = PlanMemory(lives);
  const std::vector<int64_t> places = std::exchange(plan.offsets, {});
  for (size_t n = 0; n < needs.size(); ++n)
    plan.offsets.push_back(places[place[n]] + needs[n].offset);
  return plan;
}

}  // namespace tessera::network
