// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/state_text.h"

#include <algorithm>

#include "runtime/tensor/tensor.h"

namespace tessera::sim {
namespace {

constexpr uint32_t kAround = 5;  // instructions before and after the centre

isa::Unit UnitAt(int index) { return static_cast<isa::Unit>(index); }

std::string LayerName(const DebugTarget& target, std::optional<uint32_t> layer) {
  if (!layer || *layer >= target.layers.size() || target.layers[*layer].empty()) return "";
  return target.layers[*layer];
}

// For each unit in |mask|: the instruction that will push the token, if there is one.
std::string MissingText(const RunProgress& p, isa::Unit unit, uint8_t mask) {
  std::string text;
  for (int from = 0; from < isa::kUnits; ++from) {
    if ((mask >> from & 1) == 0) continue;
    const auto& last = p.Of(UnitAt(from)).last_retired;
    const auto giver = p.facts().NextToken(UnitAt(from), /*push=*/true, unit, last ? *last + 1 : 0);
    text += fmt::format("\n          waits for a token of {}, ", Text(UnitAt(from)));
    text += giver ? fmt::format("which its instruction {} gives", *giver)
                  : "which no instruction that is left gives";
  }
  return text;
}

std::string UnitText(const DebugTarget& target, const RunProgress& p, isa::Unit unit) {
  const UnitProgress& told = p.Of(unit);
  const UnitView view = p.view().Of(unit);
  std::string text = fmt::format("  {:7} ", Text(unit));
  if (told.flight.empty()) {
    text += "nothing in flight";
  } else {
    text += fmt::format("{} in flight, the oldest is {}: {}", told.flight.size(),
                        told.flight.front(), p.facts().text().Text(told.flight.front()));
  }
  text += fmt::format("\n          queue: {} of {}", view.queued,
                      target.config.QueueDepth(p.launch().profile));
  if (view.next)
    text += fmt::format(", the first is {}: {}", *view.next, p.facts().text().Text(*view.next));
  if (view.full == 0) text += MissingText(p, unit, view.missing);
  for (int to = 0; to < isa::kUnits; ++to) {
    if ((view.full >> to & 1) != 0)
      text += fmt::format("\n          waits for room for a token to {}", Text(UnitAt(to)));
  }
  return text + "\n";
}

}  // namespace

std::string MomentText(const DebugTarget& target, const RunProgress& progress) {
  std::string text;
  if (target.clock) text = fmt::format("cycle {}", progress.cycle());
  const std::string layer = LayerName(
      target, progress.insn() ? progress.facts().text().LayerOf(*progress.insn()) : std::nullopt);
  if (!layer.empty()) text += fmt::format("{}layer {}", text.empty() ? "" : ", ", layer);
  return text;
}

std::string StateText(const DebugTarget& target, const RunProgress& p) {
  std::string text = fmt::format("program {} of {}, device {}, configuration {}\n", p.program(),
                                 target.programs.size(), target.device, target.config.name);
  text += fmt::format("{} of {} instructions have retired", p.trace().size(), p.facts().count());
  if (const std::string moment = MomentText(target, p); !moment.empty()) text += "; " + moment;
  text += "\n";
  if (p.insn()) {
    const std::string op(p.facts().text().image().SourceOf(*p.insn()));
    text += p.facts().Line(*p.insn()) + (op.empty() ? "" : "   ; " + op) + "\n";
  }
  text += "units\n";
  for (int u = 0; u < isa::kUnits; ++u) text += UnitText(target, p, UnitAt(u));
  std::string tokens;
  for (int from = 0; from < isa::kUnits; ++from) {
    for (int to = 0; to < isa::kUnits; ++to) {
      if (!p.facts().Uses(UnitAt(from), UnitAt(to))) continue;
      tokens += fmt::format("{}{}->{} {}", tokens.empty() ? "" : ", ", Text(UnitAt(from)),
                            Text(UnitAt(to)), p.view().Tokens(UnitAt(from), UnitAt(to)));
    }
  }
  return text + "tokens: " + (tokens.empty() ? "none are used" : tokens) + "\n";
}

std::string ListText(const DebugTarget& target, const RunProgress& p, uint32_t centre) {
  const uint32_t begin = centre - std::min(centre, kAround);
  const uint32_t end = std::min(centre + kAround + 1, p.facts().count());
  std::string text;
  std::optional<uint32_t> layer;
  for (uint32_t n = begin; n < end; ++n) {
    const auto of = p.facts().text().LayerOf(n);
    if (const std::string name = LayerName(target, of); of != layer && !name.empty())
      text += fmt::format("   ; {}\n", name);
    layer = of;
    text += fmt::format("{}{}\n", p.Retired(n) ? '*' : p.Taken(n) ? '>' : ' ', p.facts().Line(n));
  }
  return text;
}

std::string LayersText(const DebugTarget& target, const std::vector<ProgramFacts>& facts,
                       const RunProgress* progress) {
  std::string text;
  for (uint32_t l = 0; l < target.layers.size(); ++l) {
    if (target.layers[l].empty()) continue;
    text += fmt::format("{:>4}  {}:", l, target.layers[l]);
    bool any = false;
    for (size_t p = 0; p < facts.size(); ++p) {
      const uint32_t count = facts[p].InLayer(l);
      if (count == 0) continue;
      text += fmt::format("{} {} instruction{} of program {}", any ? "," : "", count,
                          count == 1 ? "" : "s", p);
      if (progress != nullptr && progress->program() == p)
        text += fmt::format(", {} retired", progress->RetiredOf(l));
      any = true;
    }
    text += any ? "\n" : " on the host, or nothing to do\n";
  }
  return text.empty() ? "the program names no layers\n" : text;
}

std::string TensorsText(const DebugTarget& target) {
  std::string text;
  for (const DebugTensor& tensor : target.tensors) {
    text += fmt::format("{}: {} {}", target.layers[tensor.layer], Text(tensor.info.dtype),
                        ShapeText(tensor.info.shape));
    if (tensor.absent.empty()) {
      text += fmt::format(", bytes {} to {} of the arena\n", tensor.offset,
                          tensor.offset + tensor.bytes - 1);
    } else {
      text += ", " + tensor.absent + "\n";
    }
  }
  return text.empty() ? "a program image has no tensors, only segments\n" : text;
}

}  // namespace tessera::sim
