// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/slices.h"

#include <algorithm>

namespace tessera::sim {

UnitCounters Less(const UnitCounters& a, const UnitCounters& b) {
  return {a.busy - b.busy, a.token_wait - b.token_wait, a.memory_wait - b.memory_wait,
          a.hazard - b.hazard, a.idle - b.idle};
}

void SliceObserver::BeginSlices() {
  tracks_ = {};
  tokens_ = {};
  cycle_ = 0;
}

// The youngest instruction of |unit|. Its pops of tokens are reported before OnTaken.
InsnSlice& SliceObserver::Flight(isa::Unit unit, uint32_t insn, uint64_t cycle) {
  std::deque<InsnSlice>& flights = tracks_[Index(unit)].flights;
  if (flights.empty() || flights.back().insn != insn) {
    flights.push_back({.unit = unit, .insn = insn, .taken = cycle, .spent = {}, .popped = {}});
  }
  return flights.back();
}

void SliceObserver::OnTaken(const InsnTaken& taken) {
  Reach(taken.cycle);
  Flight(taken.unit, taken.insn, taken.cycle);
}

void SliceObserver::OnToken(const TokenMove& move) {
  Reach(move.cycle);
  std::deque<TokenFlow>& tokens = tokens_[Index(move.from)][Index(move.to)];
  if (move.push) {
    tokens.push_back({++flows_, move.from, move.insn, move.cycle});
  } else if (!tokens.empty()) {
    Flight(move.to, move.insn, move.cycle).popped.push_back(tokens.front());
    tokens.pop_front();
  }
}

void SliceObserver::OnRetired(const TraceEntry& entry) {
  Reach(entry.cycle);
  Track& track = tracks_[Index(entry.unit)];
  if (track.flights.empty()) return;
  InsnSlice slice = std::move(track.flights.front());
  track.flights.pop_front();
  const UnitCounters& now = entry.units[Index(entry.unit)];
  slice.begin = std::max(slice.taken, track.end);
  slice.end = entry.cycle + 1;
  slice.retired = true;
  slice.spent = Less(now, track.spent);
  track.end = slice.end;
  track.spent = now;
  OnSlice(slice);
}

void SliceObserver::EndSlices(uint64_t cycle) {
  for (Track& track : tracks_) {
    for (InsnSlice& slice : track.flights) {
      slice.begin = std::max(slice.taken, track.end);
      slice.end = track.end = std::max(slice.begin, cycle);
      OnSlice(slice);
    }
    track.flights.clear();
  }
}

}  // namespace tessera::sim
