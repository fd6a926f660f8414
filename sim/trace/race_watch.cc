// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/race_watch.h"

#include <utility>

namespace tessera::sim {

RaceWatch::RaceWatch(const isa::ProgramImage& image, const isa::Config& config) {
  for (isa::Diagnostic& d : isa::CheckProgram(image, config).diagnostics) {
    if (d.finding != isa::Finding::kRace) continue;
    for (const uint32_t insn : d.insns) moments_[insn] = {};
    races_.push_back(std::move(d));
  }
}

void RaceWatch::OnTaken(const InsnTaken& taken) {
  const auto found = moments_.find(taken.insn);
  if (found == moments_.end()) return;
  found->second.taken = true;
  found->second.taken_at = taken.cycle;
}

void RaceWatch::OnRetired(const TraceEntry& entry) {
  ++retired_;
  const auto found = moments_.find(entry.insn);
  if (found == moments_.end()) return;
  found->second.retired = true;
  found->second.retired_at = entry.cycle;
  found->second.order = retired_;
}

std::string RaceWatch::HowTheyRan(uint32_t first, uint32_t second) const {
  const Moments& a = moments_.at(first);
  const Moments& b = moments_.at(second);
  if (!a.retired || !b.retired) return "this run ended before both had retired";
  if (!a.taken || !b.taken) {  // the device has no clock: instructions run one after the other
    return fmt::format("in this run instruction {} was done first{}",
                       a.order < b.order ? first : second,
                       a.order < b.order ? ", as the program means it, which no machine promises"
                                         : ": the result may be another than the program means");
  }
  if (a.retired_at <= b.taken_at) {
    return fmt::format(
        "in this run instruction {} retired in cycle {} and {} was taken in cycle "
        "{}, as the program means it, which no machine promises",
        first, a.retired_at, second, b.taken_at);
  }
  return fmt::format(
      "in this run instruction {} was taken in cycle {}, before {} retired in cycle "
      "{}: the result may be another than the program means",
      second, b.taken_at, first, a.retired_at);
}

std::vector<std::string> RaceWatch::Lines() const {
  std::vector<std::string> lines;
  for (const isa::Diagnostic& d : races_)
    lines.push_back(d.text + "; " + HowTheyRan(d.insns[0], d.insns[1]));
  return lines;
}

}  // namespace tessera::sim
