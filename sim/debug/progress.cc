// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/progress.h"

#include <algorithm>

namespace tessera::sim {

ProgramFacts::ProgramFacts(const isa::ProgramImage& image, const isa::Config& config)
    : text_(image, config) {
  for (int64_t n = 0; n < image.insn_count(); ++n)
    insns_.push_back(text_.Decode(static_cast<uint32_t>(n)));
}

std::optional<uint32_t> ProgramFacts::NextToken(isa::Unit unit, bool push, isa::Unit other,
                                                uint32_t from) const {
  for (uint32_t n = from; n < count(); ++n) {
    if (!Counts(n) || insns_[n]->unit != unit) continue;
    const uint8_t mask = push ? insns_[n]->push : insns_[n]->pop;
    if ((mask >> static_cast<int>(other) & 1) != 0) return n;
  }
  return std::nullopt;
}

uint32_t ProgramFacts::InLayer(uint32_t layer) const {
  uint32_t sum = 0;
  for (uint32_t n = 0; n < count(); ++n) sum += Counts(n) && text_.LayerOf(n) == layer;
  return sum;
}

std::string ProgramFacts::Line(uint32_t insn) const {
  return fmt::format("{:>6}  {}", insn, text_.Text(insn));
}

void RunProgress::Begin(uint32_t program, const ProgramFacts& facts) {
  *this = RunProgress();
  program_ = program;
  facts_ = &facts;
  taken_.resize(facts.count());
  retired_.resize(facts.count());
}

void RunProgress::OnBegin(const Launch& launch, MachineView& view) {
  launch_ = launch;
  view_ = &view;
}

void RunProgress::At(uint32_t insn, uint64_t cycle) {
  cycle_ = cycle;
  insn_ = insn;
  if (const auto layer = facts_->text().LayerOf(insn)) layer_ = layer;
}

void RunProgress::OnTaken(const InsnTaken& taken) {
  At(taken.insn, taken.cycle);
  taken_[taken.insn] = true;
  units_[static_cast<size_t>(taken.unit)].flight.push_back(taken.insn);
}

void RunProgress::OnToken(const TokenMove& move) { At(move.insn, move.cycle); }

void RunProgress::OnRetired(const TraceEntry& entry) {
  At(entry.insn, entry.cycle);
  retired_[entry.insn] = true;
  UnitProgress& unit = units_[static_cast<size_t>(entry.unit)];
  if (!unit.flight.empty()) unit.flight.pop_front();
  unit.last_retired = entry.insn;
  trace_.push_back(entry);
}

uint32_t RunProgress::RetiredOf(uint32_t layer) const {
  return static_cast<uint32_t>(std::ranges::count_if(trace_, [&](const TraceEntry& entry) {
    return facts_->text().LayerOf(entry.insn) == layer;
  }));
}

}  // namespace tessera::sim
