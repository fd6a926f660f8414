// SPDX-License-Identifier: Apache-2.0
//
// `replay`: the same run on another device, compared up to the point where this one stands.
#include <algorithm>

#include "sim/debug/session.h"
#include "sim/trace/compare.h"

namespace tessera::sim {
namespace {

// Cycles that a device may take longer to the same point before it is no longer asked.
constexpr uint64_t kSlack = 4096;

using RetiredTrace = std::vector<TraceEntry>;

// Of each unit as many entries of |trace| as |like| has, in the order of |trace|.
RetiredTrace AsFarAs(const RetiredTrace& like, const RetiredTrace& trace) {
  std::array<int64_t, isa::kUnits> left{};
  for (const TraceEntry& entry : like) ++left[static_cast<size_t>(entry.unit)];
  RetiredTrace cut;
  for (const TraceEntry& entry : trace) {
    if (left[static_cast<size_t>(entry.unit)]-- > 0) cut.push_back(entry);
  }
  return cut;
}

// The first entry of |a| whose cycle is another in |b|, which has the same entries unit by unit.
std::optional<std::pair<TraceEntry, TraceEntry>> OtherCycle(const RetiredTrace& a,
                                                            const RetiredTrace& b) {
  for (const TraceEntry& entry : a) {
    const auto same = std::ranges::find_if(b, [&](const TraceEntry& other) {
      return other.insn == entry.insn && other.unit == entry.unit;
    });
    if (same != b.end() && same->cycle != entry.cycle) return std::pair(entry, *same);
  }
  return std::nullopt;
}

}  // namespace

Status DebugSession::Replay(const CommandWords& words) {
  if (words.size() != 1) return Fail(Code::kInvalidArgument, "give replay DEVICE, as replay rtl");
  TESSERA_TRY(Stands());
  if (!target_.replay) return Fail(Code::kUnsupported, "this session cannot run another device");
  const uint64_t budget = target_.clock ? cycles_ + progress_.cycle() + kSlack : Launch().budget;
  TESSERA_ASSIGN(const std::vector<RetiredTrace> theirs, target_.replay(words[0], budget));
  const std::string& name = words[0];
  size_t count = 0;
  uint64_t last = 0;
  std::string cycles;
  for (uint32_t p = 0; p <= progress_.program(); ++p) {
    const RetiredTrace& ours = p == progress_.program() ? progress_.trace() : before_[p];
    const RetiredTrace other = AsFarAs(ours, p < theirs.size() ? theirs[p] : RetiredTrace());
    const auto differences =
        CompareTraces(ours, other, *target_.programs[p], target_.config, target_.device, name);
    if (!differences.empty()) {
      said_no_ = true;
      console_.Print(fmt::format("program {}: {}\n", p, differences[0].text));
      return {};
    }
    count += ours.size();
    last = 0;
    for (const TraceEntry& entry : other) last = std::max(last, entry.cycle);
    const auto moved = target_.clock && last != 0 ? OtherCycle(ours, other) : std::nullopt;
    if (moved && cycles.empty()) {
      cycles = fmt::format(
          "cycles differ: instruction {} of program {} retires in cycle {} on {}, "
          "in cycle {} on {}\n",
          moved->first.insn, p, moved->first.cycle, target_.device, moved->second.cycle, name);
    }
  }
  const bool clock = last != 0;
  std::string text =
      fmt::format("{}: the same {} instructions retired with the same results{}\n", name, count,
                  clock ? fmt::format(", the last in cycle {}", last) : "");
  if (clock && target_.clock && cycles.empty()) cycles = "each in the same cycle\n";
  said_no_ = said_no_ || cycles.starts_with("cycles differ");
  console_.Print(text + cycles);
  return {};
}

}  // namespace tessera::sim
