// SPDX-License-Identifier: Apache-2.0
//
// `replay`: runs the program on another device and compares it up to the current point of this run.
#include <algorithm>
#include <set>

#include "sim/debug/names.h"
#include "sim/debug/session.h"
#include "sim/trace/compare.h"

namespace tessera::sim {
namespace {

// Extra cycles that the other device may take to reach the same point.
constexpr uint64_t kSlack = 4096;

// Cycles of signals recorded if the user gives no number.
constexpr uint64_t kWaveCycles = 2000;

using RetiredTrace = std::vector<TraceEntry>;

// For each unit, as many entries of |trace| as |like| has, in the order of |trace|.
RetiredTrace AsFarAs(const RetiredTrace& like, const RetiredTrace& trace) {
  std::array<int64_t, isa::kUnits> left{};
  for (const TraceEntry& entry : like) ++left[static_cast<size_t>(entry.unit)];
  RetiredTrace cut;
  for (const TraceEntry& entry : trace) {
    if (left[static_cast<size_t>(entry.unit)]-- > 0) cut.push_back(entry);
  }
  return cut;
}

// The first entry of |a| that has another cycle in |b|, with both entries. |b| has the same entries
// for each unit.
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

// The instructions that |run| has taken and not retired by the end of |cycle|, with their units.
std::string InFlightText(const ReplayedRun& run, uint64_t cycle, const ProgramFacts& facts,
                         std::string_view device) {
  std::set<uint32_t> retired;
  for (const TraceEntry& entry : run.retired) {
    if (entry.cycle <= cycle) retired.insert(entry.insn);
  }
  std::string text;
  for (const InsnTaken& taken : run.taken) {
    if (taken.cycle > cycle || retired.contains(taken.insn)) continue;
    text += fmt::format("  {:<8}{}\n", Text(taken.unit), facts.Line(taken.insn));
  }
  return text.empty() ? fmt::format("nothing is in flight on {} in that cycle\n", device)
                      : fmt::format("in flight on {} in that cycle:\n{}", device, text);
}

}  // namespace

// Records a window of signals with |cycle| in its middle.
Status DebugSession::RecordAround(const CommandWords& words, uint64_t cycle) {
  if (!target_.record) return Fail(Code::kUnsupported, "this session cannot record signals");
  WaveWindow window{.device = words[0], .path = words[1], .program = progress_.program()};
  window.cycles = kWaveCycles;
  if (words.size() > 2) {
    TESSERA_ASSIGN(window.cycles, NumberOf("replay", words[2]));
    if (window.cycles == 0) return Fail(Code::kInvalidArgument, "replay: 0 cycles; give 1 or more");
  }
  window.cycle = cycle - std::min(cycle, window.cycles / 2);
  TESSERA_ASSIGN(const uint64_t first, target_.record(window));
  console_.Print(fmt::format("wrote {}: signals from cycle {} on; gtkwave {}.gtkw\n", words[1],
                             first, words[1].substr(0, words[1].rfind('.'))));
  return {};
}

Status DebugSession::Replay(const CommandWords& words) {
  if (words.empty() || words.size() > 3) {
    return Fail(Code::kInvalidArgument,
                "give replay DEVICE, as replay rtl; or replay rtl FILE.fst [CYCLES]");
  }
  TESSERA_TRY(Stands());
  if (!target_.replay) return Fail(Code::kUnsupported, "this session cannot run another device");
  const uint64_t budget = target_.clock ? cycles_ + progress_.cycle() + kSlack : Launch().budget;
  TESSERA_ASSIGN(const std::vector<ReplayedRun> theirs, target_.replay(words[0], budget));
  const std::string name = words[0].substr(0, words[0].find(':'));
  size_t count = 0;
  uint64_t last = 0;
  std::string cycles;
  for (uint32_t p = 0; p <= progress_.program(); ++p) {
    const RetiredTrace& ours = p == progress_.program() ? progress_.trace() : before_[p];
    const RetiredTrace other =
        AsFarAs(ours, p < theirs.size() ? theirs[p].retired : RetiredTrace());
    last = 0;
    for (const TraceEntry& entry : other) last = std::max(last, entry.cycle);
    const auto differences =
        CompareTraces(ours, other, *target_.programs[p], target_.config, target_.device, name);
    if (!differences.empty()) {
      said_no_ = true;
      console_.Print(fmt::format("program {}: {}\n", p, differences[0].text));
      return words.size() > 1 && p == progress_.program() ? RecordAround(words, last) : Status{};
    }
    count += ours.size();
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
  const uint32_t here = progress_.program();
  if (clock && here < theirs.size())
    console_.Print(InFlightText(theirs[here], last, progress_.facts(), name));
  return words.size() > 1 ? RecordAround(words, last) : Status{};
}

}  // namespace tessera::sim
