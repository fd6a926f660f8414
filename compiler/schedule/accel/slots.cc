// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/check.h"
#include "compiler/schedule/accel/match.h"

namespace tessera::schedule::accel {

using isa::VectorMemory;

// Values to slots: in order, a step's result takes a slot that no later step reads. A result may
// take the slot of an int8 source that dies here (the machine reads a tile before it writes one).
void AssignSlots(AnalyzedRegion* region) {
  std::vector<EpilogueStep>& steps = region->steps;
  auto last_read = [&](TileSlot value) {
    size_t last = 0;
    for (size_t s = 0; s < steps.size(); ++s) {
      const bool reads = (steps[s].kind != EpilogueStepKind::kFetch && !steps[s].use_imm &&
                          steps[s].src == value) ||
                         (steps[s].kind == EpilogueStepKind::kAdd && steps[s].acc == value) ||
                         (steps[s].kind == EpilogueStepKind::kAlu && steps[s].dst == value);
      if (reads) last = s + 1;
    }
    return last;
  };
  const bool anchored = region->anchor.kind != AnchorKind::kNone;
  struct Slot {
    size_t free_from;  // the step that may write it
  };
  std::vector<Slot> acc, out;
  std::vector<std::pair<TileSlot, TileSlot>> renamed;
  auto rename = [&](TileSlot value) {
    for (const auto& [from, to] : renamed) {
      if (from == value) return to;
    }
    TESSERA_CHECK(false, "a value without a slot");
  };
  if (anchored) {
    acc.push_back({last_read({VectorMemory::kAcc, 0})});
    renamed.push_back({{VectorMemory::kAcc, 0}, {VectorMemory::kAcc, 0}});
  }
  std::vector<EpilogueStep> result = steps;
  for (size_t s = 0; s < steps.size(); ++s) {
    const EpilogueStep& step = steps[s];
    EpilogueStep& r = result[s];
    if (step.kind != EpilogueStepKind::kFetch && !step.use_imm) r.src = rename(step.src);
    if (step.kind == EpilogueStepKind::kAdd) r.acc = rename(step.acc);
    bool known = false;
    for (const auto& pair : renamed) known |= pair.first == step.dst;
    if (known) {
      r.dst = rename(step.dst);
      continue;
    }
    std::vector<Slot>& slots = step.dst.memory == VectorMemory::kAcc ? acc : out;
    // free_from counts steps from 1: a value read last by step s (s + 1) may be replaced by it.
    const size_t limit = step.dst.memory == VectorMemory::kAcc ? s : s + 1;
    size_t slot = 0;
    while (slot < slots.size() && slots[slot].free_from > limit) ++slot;
    if (slot == slots.size()) slots.push_back({0});
    const bool final = s + 1 == steps.size();
    slots[slot].free_from = final ? steps.size() + 1 : std::max(last_read(step.dst), s + 1);
    r.dst = {step.dst.memory, static_cast<int>(slot)};
    renamed.push_back({step.dst, r.dst});
  }
  steps = std::move(result);
  region->acc_slots = static_cast<int>(acc.size());
  region->out_slots = static_cast<int>(out.size());
}

}  // namespace tessera::schedule::accel
