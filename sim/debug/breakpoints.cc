// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/breakpoints.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "sim/debug/names.h"

namespace tessera::sim {
namespace {

constexpr const char* kForms =
    "break insn [PROGRAM:]N, break layer NAME, break write TENSOR, break token FROM->TO "
    "[push|pop], break cycle N";

Result<isa::Unit> UnitNamed(const std::string& word) {
  if (const auto unit = isa::EnumFromText("Unit", word)) return static_cast<isa::Unit>(*unit);
  return Fail(Code::kInvalidArgument, "no unit '{}'; there are load, gemm, vector, store", word);
}

}  // namespace

Result<InsnPlace> Breakpoints::PlaceOf(std::string_view word, uint32_t program) const {
  const size_t colon = word.find(':');
  uint64_t wanted = program;
  if (colon != std::string_view::npos) {
    TESSERA_ASSIGN(wanted, NumberOf("program", word.substr(0, colon)));
  }
  if (wanted >= facts_.size()) {
    return Fail(Code::kOutOfRange, "program {}: there are programs 0 to {}", wanted,
                facts_.size() - 1);
  }
  TESSERA_ASSIGN(
      const uint64_t insn,
      NumberOf("instruction", word.substr(colon == std::string_view::npos ? 0 : colon + 1)));
  const uint32_t count = facts_[wanted].count();
  if (insn >= count) {
    return Fail(Code::kOutOfRange, "instruction {}: program {} has instructions 0 to {}", insn,
                wanted, count - 1);
  }
  const auto& fetched = facts_[wanted].At(static_cast<uint32_t>(insn));
  if (fetched && fetched->finish) {
    return Fail(Code::kNotFound,
                "instruction {} is FINISH, which no unit takes; the run stops at its end anyway",
                insn);
  }
  return InsnPlace{static_cast<uint32_t>(wanted), static_cast<uint32_t>(insn)};
}

Status Breakpoints::FillToken(const std::vector<std::string>& words, Breakpoint& point) const {
  const std::string& pair = words[1];
  const size_t arrow = pair.find("->");
  if (arrow == std::string::npos) {
    return Fail(Code::kInvalidArgument, "'{}' is no pair of units; give FROM->TO, as load->gemm",
                pair);
  }
  TESSERA_ASSIGN(point.from, UnitNamed(pair.substr(0, arrow)));
  TESSERA_ASSIGN(point.to, UnitNamed(pair.substr(arrow + 2)));
  if (words.size() == 3) {
    if (words[2] != "push" && words[2] != "pop")
      return Fail(Code::kInvalidArgument, "'{}' is neither push nor pop", words[2]);
    point.push = words[2] == "push";
  }
  const auto used = [&](isa::Unit from, isa::Unit to) {
    return std::ranges::any_of(facts_, [&](const ProgramFacts& facts) {
      return (point.push != false && facts.NextToken(from, /*push=*/true, to, 0)) ||
             (point.push != true && facts.NextToken(to, /*push=*/false, from, 0));
    });
  };
  if (used(point.from, point.to)) return {};
  std::vector<std::string> pairs;
  for (int from = 0; from < isa::kUnits; ++from) {
    for (int to = 0; to < isa::kUnits; ++to) {
      const auto a = static_cast<isa::Unit>(from), b = static_cast<isa::Unit>(to);
      if (used(a, b)) pairs.push_back(fmt::format("{}->{}", Text(a), Text(b)));
    }
  }
  return Fail(Code::kNotFound, "no instruction {} a token {}; pairs of which one does: {}",
              !point.push   ? "moves"
              : *point.push ? "pushes"
                            : "pops",
              pair, pairs.empty() ? "none" : fmt::format("{}", fmt::join(pairs, ", ")));
}

Status Breakpoints::Fill(const std::vector<std::string>& words, Breakpoint& point) const {
  const std::string kind = words.empty() ? "" : words[0];
  const size_t most = kind == "token" ? 3 : 2;
  if (words.size() < 2 || words.size() > most)
    return Fail(Code::kInvalidArgument, "give {}", kForms);
  if (kind == "insn") {
    point.kind = Breakpoint::BreakKind::kInsn;
    TESSERA_ASSIGN(point.place, PlaceOf(words[1], 0));
    point.text = fmt::format("insn {}:{}", point.place.program, point.place.insn);
    return {};
  }
  if (kind == "layer") {
    point.kind = Breakpoint::BreakKind::kLayer;
    TESSERA_ASSIGN(const size_t layer, FindNamed("layer", words[1], target_.layers));
    point.layer = static_cast<uint32_t>(layer);
    point.text = "layer " + target_.layers[layer];
    const auto has = [&](const ProgramFacts& facts) { return facts.InLayer(point.layer) != 0; };
    if (std::ranges::any_of(facts_, has)) return {};
    return Fail(Code::kNotFound,
                "layer {} has no instruction of the accelerator: the host runs it, or it moves "
                "nothing; `layers` says where each runs",
                target_.layers[layer]);
  }
  if (kind == "write") {
    point.kind = Breakpoint::BreakKind::kWrite;
    TESSERA_ASSIGN(const DebugTensor* tensor, FindTensor(target_, words[1]));
    point.stores = StoresOf(target_, *tensor).own;
    point.text = "write " + target_.layers[tensor->layer];
    if (!point.stores.empty()) return {};
    return Fail(Code::kNotFound, "no STORE of its layer writes tensor {}",
                target_.layers[tensor->layer]);
  }
  if (kind == "token") {
    point.kind = Breakpoint::BreakKind::kToken;
    TESSERA_TRY(FillToken(words, point));
    point.text = fmt::format("token {}->{}{}", Text(point.from), Text(point.to),
                             !point.push   ? ""
                             : *point.push ? " push"
                                           : " pop");
    return {};
  }
  if (kind == "cycle") {
    if (!target_.clock) {
      return Fail(Code::kInvalidArgument,
                  "--device {} has no clock, so it has no cycles to break at; --device cycle has",
                  target_.device);
    }
    point.kind = Breakpoint::BreakKind::kCycle;
    TESSERA_ASSIGN(point.cycle, NumberOf("cycle", words[1]));
    point.text = fmt::format("cycle {}", point.cycle);
    return {};
  }
  return Fail(Code::kInvalidArgument, "nothing to break at is called '{}'; give {}", kind, kForms);
}

Result<const Breakpoint*> Breakpoints::Add(const std::vector<std::string>& words) {
  Breakpoint point;
  TESSERA_TRY(Fill(words, point));
  point.number = ++last_;
  return &list_.emplace_back(std::move(point));
}

Status Breakpoints::Delete(int number) {
  if (std::erase_if(list_, [&](const Breakpoint& b) { return b.number == number; }) == 1) return {};
  return Fail(Code::kNotFound, "no breakpoint {}; `info breaks` lists them", number);
}

void Breakpoints::BeginRun() {
  for (Breakpoint& point : list_) point.hits = 0;
}

void Breakpoints::Hit(Breakpoint& point, std::string& text) {
  ++point.hits;
  text += fmt::format("{}breakpoint {} ({})", text.empty() ? "" : ", ", point.number, point.text);
}

bool Breakpoints::Arrives(const Breakpoint& point, uint64_t cycle) const {
  return point.kind == Breakpoint::BreakKind::kCycle && point.hits == 0 && cycle >= point.cycle;
}

std::string Breakpoints::OnTaken(uint32_t program, const InsnTaken& taken) {
  std::string text;
  const InsnPlace place{program, taken.insn};
  for (Breakpoint& point : list_) {
    const bool first_of_layer = point.kind == Breakpoint::BreakKind::kLayer && point.hits == 0 &&
                                facts_[program].text().LayerOf(taken.insn) == point.layer;
    const bool here = point.kind == Breakpoint::BreakKind::kInsn && point.place == place;
    if (first_of_layer || here || Arrives(point, taken.cycle)) Hit(point, text);
  }
  return text;
}

std::string Breakpoints::OnRetired(uint32_t program, const TraceEntry& entry) {
  std::string text;
  const InsnPlace place{program, entry.insn};
  for (Breakpoint& point : list_) {
    const bool writes = point.kind == Breakpoint::BreakKind::kWrite && point.hits == 0 &&
                        std::ranges::count(point.stores, place) != 0;
    if (writes || Arrives(point, entry.cycle)) Hit(point, text);
  }
  return text;
}

std::string Breakpoints::OnToken(const TokenMove& move) {
  std::string text;
  for (Breakpoint& point : list_) {
    const bool moves = point.kind == Breakpoint::BreakKind::kToken && point.from == move.from &&
                       point.to == move.to && point.push.value_or(move.push) == move.push;
    if (moves || Arrives(point, move.cycle)) Hit(point, text);
  }
  return text;
}

std::string Breakpoints::NeverHit() const {
  std::string text;
  for (const Breakpoint& point : list_) {
    if (point.hits == 0)
      text += fmt::format("breakpoint {} ({}) was never reached\n", point.number, point.text);
  }
  return text;
}

}  // namespace tessera::sim
