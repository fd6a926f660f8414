// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/diagnosis.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tessera::isa {
namespace {

constexpr uint32_t kFetch = kUnits;

// A memory that does nothing for so many cycles counts as one that never answers. The first beat
// of the slowest model takes 60.
constexpr uint64_t kSilent = 1000;

struct ClassRow {
  std::string_view name, cause;
};
constexpr ClassRow kClasses[] = {
    {"lost token",
     "a pop without its push: set the push flag on the instruction that makes ready "
     "what this one needs, or drop the pop"},
    {"too few credits",
     "a loop of tokens that was given fewer ahead than its buffers, or more than "
     "a counter holds: push as many before the loop as there are buffers"},
    {"cyclic wait",
     "pops that wait for later instructions in a ring: let one of them push before "
     "it pops"},
    {"queue overflow",
     "too much put ahead of what takes it away: move the pushes forward in the "
     "stream, or pop every token that is pushed"},
    {"race", "a push and a pop left out between the two"},
    {"bus never answers",
     "an address at which no memory is, an interconnect held in reset, or a "
     "memory clock that stands"},
    {"error response",
     "an address outside the memory: a segment's base or size, or the "
     "instruction's own address"},
    {"bounds",
     "a count, step or base too large for what the program has: a scratchpad of the configuration, "
     "or a segment of the image"},
    {"unfinished", "more work than the budget allows"},
};

std::string Ordinal(uint64_t n) {
  const uint64_t tens = n % 100, ones = n % 10;
  const bool teen = tens >= 11 && tens <= 13;
  return fmt::format("{}{}", n,
                     teen        ? "th"
                     : ones == 1 ? "st"
                     : ones == 2 ? "nd"
                     : ones == 3 ? "rd"
                                 : "th");
}

std::string UnitList(uint32_t mask) {
  std::string text;
  for (uint32_t unit = 0; unit < kUnits; ++unit) {
    if (mask >> unit & 1) text += (text.empty() ? "" : ", ") + UnitName(unit);
  }
  return text;
}

class Diagnoser {
 public:
  Diagnoser(const InsnStream& stream, const MachineStanding& at) : stream_(stream), at_(at) {}

  Diagnosis Run() {
    CollectWaits();
    Diagnosis d;
    if (const MemoryWait* wait = SilentMemory()) {
      Memory(*wait, d);
    } else if (const DiagnosisWait* lost =
                   First([](const auto& w) { return !w.giver && !w.room; })) {
      d.kind = DiagnosisClass::kLostToken;
      d.waits = {*lost};
      d.story = lost->text + "; " + WhoLacksThePush(*lost);
    } else if (const DiagnosisWait* over =
                   First([](const auto& w) { return !w.giver && w.room; })) {
      d.kind = DiagnosisClass::kQueueOverflow;
      d.waits = {*over};
      d.story = over->text;
    } else if (std::vector<DiagnosisWait> ring = FindRing(); !ring.empty()) {
      d.kind = ClassOf(ring);
      for (const DiagnosisWait& w : ring) d.story += (d.story.empty() ? "" : "; ") + w.text;
      d.waits = std::move(ring);
    }
    for (uint32_t unit = 0; unit < kUnits; ++unit) d.units.push_back(UnitClause(unit));
    if (at_.knows_fetch) d.units.push_back(FetchClause());
    return d;
  }

 private:
  template <typename F>
  const DiagnosisWait* First(const F& is) const {
    const DiagnosisWait* first = nullptr;
    for (const DiagnosisWait& w : waits_) {
      if (is(w) && (first == nullptr || w.insn < first->insn)) first = &w;
    }
    return first;
  }

  void CollectWaits() {
    for (uint32_t unit = 0; unit < kUnits; ++unit) {
      const UnitStanding& s = at_.units[unit];
      if (!s.holds) continue;
      for (uint32_t partner = 0; partner < kUnits; ++partner) {
        if (s.missing >> partner & 1) AddPop(unit, partner, s.insn);
        if (s.full >> partner & 1) AddPush(unit, partner, s.insn);
      }
    }
    if (at_.fetch && *at_.fetch < stream_.size() && !stream_.NoUnit(*at_.fetch)) {
      const auto to = static_cast<uint32_t>(stream_[*at_.fetch].unit);
      waits_.push_back({.unit = kFetch,
                        .insn = *at_.fetch,
                        .partner = to,
                        .giver = at_.units[to].insn,
                        .room = true,
                        .text = fmt::format("fetch waits for room in the queue of {} (it holds {}) "
                                            "at instruction {}",
                                            UnitName(to), stream_.queue_depth(), *at_.fetch)});
    }
  }

  // The place of |insn| in |list|, from 1; 0 if |list| does not have it.
  static uint64_t PlaceOf(uint32_t insn, const std::vector<uint32_t>& list) {
    const auto at = std::ranges::lower_bound(list, insn);
    return at == list.end() || *at != insn ? 0 : static_cast<uint64_t>(at - list.begin()) + 1;
  }

  void AddPop(uint32_t unit, uint32_t partner, uint32_t insn) {
    const auto& pushes = stream_.Pushes(static_cast<int>(partner), static_cast<int>(unit));
    const uint64_t nth =
        PlaceOf(insn, stream_.Pops(static_cast<int>(partner), static_cast<int>(unit)));
    if (nth == 0) return;  // the stream has no such pop: the machine contradicts the stream
    DiagnosisWait w{
        .unit = unit, .insn = insn, .partner = partner, .nth = nth, .given = pushes.size()};
    if (nth <= pushes.size()) w.giver = pushes[nth - 1];
    w.text = fmt::format("{}'s instruction {} waits for its {} token from {}, ", UnitName(unit),
                         insn, Ordinal(nth), UnitName(partner));
    w.text += w.giver ? fmt::format("which instruction {} would push", *w.giver)
                      : fmt::format("whose instructions push {} to it", pushes.size());
    waits_.push_back(std::move(w));
  }

  void AddPush(uint32_t unit, uint32_t partner, uint32_t insn) {
    const auto& pushes = stream_.Pushes(static_cast<int>(unit), static_cast<int>(partner));
    const auto& pops = stream_.Pops(static_cast<int>(unit), static_cast<int>(partner));
    const uint64_t place = PlaceOf(insn, pushes);
    const auto depth = static_cast<uint64_t>(stream_.token_depth());
    if (place <= depth) return;  // the stream says that there is room
    DiagnosisWait w{.unit = unit,
                    .insn = insn,
                    .partner = partner,
                    .room = true,
                    .nth = place - depth,
                    .given = pushes.size()};
    if (w.nth <= pops.size()) w.giver = pops[w.nth - 1];
    w.text = fmt::format(
        "{}'s instruction {} waits for room to push its {} token to {} (the "
        "counter holds {}), ",
        UnitName(unit), insn, Ordinal(place), UnitName(partner), depth);
    w.text += w.giver ? fmt::format("which instruction {} would make by its pop", *w.giver)
                      : fmt::format("whose instructions pop {}", pops.size());
    waits_.push_back(std::move(w));
  }

  const MemoryWait* SilentMemory() const {
    for (const MemoryWait& w : at_.memory) {
      if (w.silent >= kSilent) return &w;
    }
    return nullptr;
  }

  void Memory(const MemoryWait& m, Diagnosis& d) const {
    d.kind = DiagnosisClass::kBusSilent;
    DiagnosisWait w{.unit = m.unit, .partner = m.unit};
    std::string who = "fetch";
    if (m.unit < kUnits) {
      w.insn = at_.units[m.unit].insn;
      who = fmt::format("{}'s instruction {}", UnitName(m.unit), w.insn);
    }
    w.text = fmt::format("{} waits for device memory", who);
    if (m.bytes != 0) {
      w.text += fmt::format(" to {} {} bytes from address {:#x} on", m.write ? "write" : "give",
                            m.bytes, m.address);
    }
    w.text += fmt::format(", and it has done nothing for {} cycles", m.silent);
    d.story = w.text;
    d.waits = {std::move(w)};
  }

  // Names the instruction of the partner that most likely lacks its push. In a correct program
  // every push stands before its pop. So a push is missing before the first pop that takes the
  // token of a later push.
  std::string WhoLacksThePush(const DiagnosisWait& w) const {
    const int from = static_cast<int>(w.partner), to = static_cast<int>(w.unit);
    const auto& pushes = stream_.Pushes(from, to);
    const auto& pops = stream_.Pops(from, to);
    size_t k = 0;
    while (k < pushes.size() && k < pops.size() && pushes[k] < pops[k]) ++k;
    const uint32_t pop = k < pops.size() ? pops[k] : w.insn;
    std::string text;
    if (pop != w.insn) {
      text =
          fmt::format("from {} on its pops take tokens of later instructions; ", stream_.Name(pop));
    }
    for (uint32_t n = pop; n-- > 0;) {
      if (static_cast<int>(stream_[n].unit) != from || stream_.NoUnit(n)) continue;
      if (stream_[n].push >> to & 1) continue;
      return text + fmt::format("{} is the last of {} before it and pushes none", stream_.Name(n),
                                UnitName(w.partner));
    }
    return text + fmt::format("no instruction of {} stands before it that could push one more",
                              UnitName(w.partner));
  }

  // The unit that owes |w| what it needs: the partner, or fetch while fetch still holds the giver.
  uint32_t Holder(const DiagnosisWait& w) const {
    const bool fetched = w.unit == kFetch || !at_.fetch || *w.giver < *at_.fetch;
    return fetched ? w.partner : kFetch;
  }

  // A ring of waits, the lowest instruction first; empty if the waits form no ring.
  std::vector<DiagnosisWait> FindRing() const {
    std::vector<DiagnosisWait> path;
    std::array<bool, kUnits + 1> tried{};
    for (uint32_t unit = 0; unit <= kUnits; ++unit) {
      if (Follow(unit, path, tried)) break;
    }
    if (path.empty()) return path;
    std::ranges::rotate(path, std::ranges::min_element(path, {}, &DiagnosisWait::insn));
    return path;
  }

  // Whether the waits from |unit| on lead into a ring; |path| is then the ring.
  bool Follow(uint32_t unit, std::vector<DiagnosisWait>& path,
              std::array<bool, kUnits + 1>& tried) const {
    const auto seen = std::ranges::find(path, unit, &DiagnosisWait::unit);
    if (seen != path.end()) {
      path.erase(path.begin(), seen);
      return true;
    }
    if (std::exchange(tried[unit], true)) return false;
    for (const DiagnosisWait& w : waits_) {
      if (w.unit != unit) continue;
      path.push_back(w);
      if (Follow(Holder(w), path, tried)) return true;
      path.pop_back();
    }
    return false;
  }

  static DiagnosisClass ClassOf(const std::vector<DiagnosisWait>& ring) {
    const auto fetch = [](const DiagnosisWait& w) { return w.unit == kFetch; };
    const auto room = [](const DiagnosisWait& w) { return w.room; };
    const auto worked = [](const DiagnosisWait& w) { return w.nth > 1; };
    if (std::ranges::any_of(ring, fetch)) return DiagnosisClass::kQueueOverflow;
    if (std::ranges::any_of(ring, room) || std::ranges::all_of(ring, worked))
      return DiagnosisClass::kTooFewCredits;
    return DiagnosisClass::kCyclicWait;
  }

  std::string UnitClause(uint32_t unit) const {
    const UnitStanding& s = at_.units[unit];
    if (!s.holds) return fmt::format("{} has nothing to do", UnitName(unit));
    const std::string where = stream_.Name(s.insn);
    if (s.missing != 0) {
      return fmt::format("{} waits for a token from {} at {}", UnitName(unit), UnitList(s.missing),
                         where);
    }
    if (s.full != 0) {
      return fmt::format("{} waits to push to {} (its counter is full) at {}", UnitName(unit),
                         UnitList(s.full), where);
    }
    const bool memory = std::ranges::any_of(
        at_.memory, [&](const MemoryWait& m) { return m.unit == unit && m.silent >= kSilent; });
    return fmt::format("{} {} {}", UnitName(unit),
                       memory ? "waits for device memory at" : "executes", where);
  }

  std::string FetchClause() const {
    if (!at_.fetch || stream_.NoUnit(*at_.fetch))
      return fmt::format("fetch has passed all {} instructions", stream_.size());
    if (*at_.fetch >= stream_.size()) return fmt::format("fetch has {}", stream_.Name(*at_.fetch));
    return fmt::format("fetch waits for room in the queue of {} at {}",
                       Text(stream_[*at_.fetch].unit), stream_.Name(*at_.fetch));
  }

  const InsnStream& stream_;
  const MachineStanding& at_;
  std::vector<DiagnosisWait> waits_;
};

}  // namespace

std::string_view Text(DiagnosisClass kind) { return kClasses[static_cast<size_t>(kind)].name; }

std::string_view UsualCause(DiagnosisClass kind) {
  return kClasses[static_cast<size_t>(kind)].cause;
}

std::string UnitName(uint32_t unit) {
  if (unit == kFetch) return "fetch";
  if (unit < kUnits) return std::string(Text(static_cast<Unit>(unit)));
  return fmt::format("unit {}, which this version lacks", unit);
}

std::string Diagnosis::Line() const {
  std::string text;
  if (!story.empty())
    text = fmt::format("{}: {}; usual cause: {}", Text(kind), story, UsualCause(kind));
  for (const std::string& unit : units) text += (text.empty() ? "" : "; ") + unit;
  return text;
}

Diagnosis Diagnose(const InsnStream& stream, const MachineStanding& at) {
  return Diagnoser(stream, at).Run();
}

Diagnosis RaceBetween(const InsnStream& stream, uint32_t one, uint32_t other, Space space,
                      int64_t address) {
  // In the program's order the instruction with the lower number is first.
  const auto [first, second] = std::minmax(one, other);
  const auto giver = static_cast<uint32_t>(stream[first].unit);
  const auto taker = static_cast<uint32_t>(stream[second].unit);
  Diagnosis d{.kind = DiagnosisClass::kRace};
  d.waits = {{.unit = taker, .insn = second, .partner = giver, .giver = first}};
  d.story = d.waits[0].text = fmt::format(
      "{} and {} touch {} {} {} and no token path orders them; let {} push to {} at or after {}, "
      "and {} pop it at or before {}",
      stream.Name(first), stream.Name(second), Text(space), space.is_segment() ? "byte" : "tile",
      address, UnitName(giver), UnitName(taker), first, UnitName(taker), second);
  return d;
}

Diagnosis OutOfBounds(const InsnStream& stream, uint32_t insn, std::string_view what) {
  return {.kind = DiagnosisClass::kBounds,
          .waits = {},
          .story = fmt::format("{}: {}", stream.Name(insn), what),
          .units = {}};
}

std::string SegmentBytes(const AnyInsn& insn, const Config& config,
                         const std::array<uint64_t, kSegments>& bases) {
  const InsnNest nest = std::visit([&](const auto& i) { return NestOf(i, config); }, insn);
  for (const NestOperand& o : nest.operands()) {
    if (!o.space.is_segment() || nest.steps() == 0) continue;
    int64_t last = o.base;
    for (int l = 0; l < nest.loop_count; ++l) {
      if (nest.CountFor(o, l) > 1) last += (nest.CountFor(o, l) - 1) * o.strides[l];
    }
    return fmt::format("bytes {} to {} of segment {} at address {:#x}", o.base, last + o.extent,
                       o.space.segment(), bases[o.space.segment()]);
  }
  return "";
}

std::optional<uint64_t> FirstBeatOutside(const AnyInsn& insn, const Config& config,
                                         const std::array<uint64_t, kSegments>& bases,
                                         uint64_t memory_bytes) {
  const InsnNest nest = std::visit([&](const auto& i) { return NestOf(i, config); }, insn);
  const auto beat = static_cast<uint64_t>(config.bus_bytes());
  for (const NestOperand& o : nest.operands()) {
    if (!o.space.is_segment() || nest.steps() == 0) continue;
    bool some = true;
    for (int l = 0; l < nest.loop_count; ++l) some = some && nest.CountFor(o, l) != 0;
    if (!some) continue;
    std::array<int64_t, kMaxLoops> at{};  // iterations of the loops that move it
    for (;;) {
      uint64_t address = bases[o.space.segment()] + static_cast<uint64_t>(o.base);
      for (int l = 0; l < nest.loop_count; ++l)
        address += static_cast<uint64_t>(at[l] * o.strides[l]);
      const uint64_t end = address + static_cast<uint64_t>(o.extent);
      for (uint64_t b = address / beat * beat; b < end; b += beat) {
        if (b + beat > memory_bytes) return b;
      }
      int l = nest.loop_count - 1;
      while (l >= 0 && (o.strides[l] == 0 || ++at[l] >= nest.CountFor(o, l))) at[l--] = 0;
      if (l < 0) break;
    }
  }
  return {};
}

Error StoppedAt(std::string_view unit, std::string_view instruction, MachineError error,
                std::string_view reason, std::optional<uint64_t> refused) {
  std::string text = fmt::format("{}: {}: {}: {}", unit, instruction, isa::Text(error), reason);
  if (error == MachineError::kBus) {
    if (refused) {
      text += fmt::format("; the beat at bus address {:#x} was answered with an error", *refused);
    }
    text += fmt::format("; usual cause: {}", UsualCause(DiagnosisClass::kErrorResponse));
  }
  return {CodeOf(error), text};
}

}  // namespace tessera::isa
