// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/accel/region.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/accel/match.h"
#include "compiler/schedule/accel/packing.h"

namespace tessera::schedule::accel {

size_t PositionOf(size_t rank, size_t dim) {
  if (rank == 1) return 1;
  if (rank == 3 && dim == 2) return 3;
  return dim;
}

Shape4 ToShape4(const std::vector<int64_t>& shape) {
  Shape4 out{1, 1, 1, 1};
  for (size_t d = 0; d < shape.size(); ++d) out[PositionOf(shape.size(), d)] = shape[d];
  return out;
}

bool Anchor::Reads(const te::Tensor& tensor) const {
  return ir::Contains(stage->body, [&](const ir::Expr& e) {
    return e->kind == ir::ExprKind::kTensorRead && e->tensor->name == tensor.name();
  });
}

std::vector<te::Tensor> Anchor::Packed() const {
  std::vector<te::Tensor> packed;
  if (weight_lies) return packed;
  if (packs_weight) packed.push_back(weight);
  if (input_terms > 1) packed.push_back(input);
  return packed;
}

bool EpilogueStep::narrow() const {
  return !loads() && !wide() && te::Inputs(intrin->behaviour)[0].dtype() == DType::kInt8;
}

int64_t AnalyzedRegion::WidePasses() const {
  return std::ranges::count_if(
      steps, [](const EpilogueStep& step) { return step.wide() && !step.in_place(); });
}

std::array<int64_t, 2> AnalyzedRegion::Units() const {
  std::array<int64_t, 2> units{1, 1};
  for (const EpilogueStep& step : steps) {
    for (size_t d = 0; d < 2; ++d) {
      if (step.repeat[d] < shape[2 + d]) units[d] = std::lcm(units[d], step.repeat[d]);
    }
  }
  return units;
}

te::Tensor AnalyzedRegion::Table() const {
  const auto step =
      std::ranges::find_if(steps, [](const EpilogueStep& s) { return static_cast<bool>(s.table); });
  return step == steps.end() ? te::Tensor() : step->table;
}

int64_t AnalyzedRegion::Records() const {
  return std::ranges::count_if(steps,
                               [](const EpilogueStep& step) { return !step.record.empty(); });
}

// Gives results the first free slot in order; a slot is free when no later step reads it. An int8
// result may take the slot of an operand of its own step.
int AnalyzedRegion::SlotsOf(DType type) const {
  const int count = static_cast<int>(steps.size());
  // By value (steps, then the anchor's sum): the value whose slot it uses, and the last step that
  // reads that slot.
  std::vector<int> home, last(steps.size() + 1, -1);
  const auto value_of = [&](int step) { return static_cast<size_t>(step == kSum ? count : step); };
  for (int s = 0; s < count; ++s) {
    const EpilogueStep& step = steps[static_cast<size_t>(s)];
    home.push_back(step.updates() ? step.operands[0].step : s);
    if (step.updates() && home.back() != kSum) home.back() = home[value_of(home.back())];
    for (const EpilogueStep::Operand& operand : step.operands) {
      const int slot = operand.step == kSum ? kSum : home[value_of(operand.step)];
      last[value_of(slot)] = s;
    }
  }
  std::vector<int> used_until;  // by slot
  if (type == DType::kInt32 && anchor.kind != AnchorKind::kNone)
    used_until.push_back(last[value_of(kSum)]);
  for (int s = 0; s < count; ++s) {
    if (steps[static_cast<size_t>(s)].value.dtype() != type || home[value_of(s)] != s) continue;
    const auto free = std::ranges::find_if(
        used_until, [&](int until) { return type == DType::kInt8 ? until <= s : until < s; });
    const int until = s + 1 == count ? count : std::max(last[value_of(s)], s);
    if (free == used_until.end()) {
      used_until.push_back(until);
    } else {
      *free = until;
    }
  }
  return static_cast<int>(used_until.size());
}

std::optional<AnalyzedRegion> Im2colOf(const AnalyzedRegion& region, int axes) {
  const Anchor& a = region.anchor;
  const bool rows = (axes & 1) != 0, columns = (axes & 2) != 0;
  if (a.kind != AnchorKind::kContraction || a.packs_weight || a.group_out < region.shape[1] ||
      (!rows && !columns) || (rows && a.window[0].taps == 1) || (columns && a.window[1].taps == 1))
    return std::nullopt;
  AnalyzedRegion rewritten = region;
  Anchor& m = rewritten.anchor;
  m.im2col = axes;
  m.in_channels = m.group_in =
      a.group_in * (rows ? a.window[0].taps : 1) * (columns ? a.window[1].taps : 1);
  m.input =
      te::Placeholder(a.input.name() + ".taps", DType::kInt8,
                      {region.shape[0], m.in_channels, rows ? a.window[0].out : a.window[0].in,
                       columns ? a.window[1].out : a.window[1].in});
  for (size_t d = 0; d < 2; ++d) {
    WindowAxis& w = m.window[d];
    if (d == 0 ? rows : columns) w = WindowAxis{w.out, w.out, 1, 1, 1, 0};
  }
  return rewritten;
}

Accepted<AnalyzedRegion> AnalyzeRegion(const te::Tensor& output, const ConstantSet& constants,
                                       const isa::Config& config) {
  AnalyzedRegion region{.output = output, .target = target::Accelerator(config)};
  for (const te::Tensor& t : te::TopologicalOrder({output})) {
    if (t.shape().empty() || t.shape().size() > 4) {
      return std::unexpected(Refusal(
          RefusalKind::kRank,
          fmt::format(
              "{} has {} dimensions, the accelerator's tensors have 1 to 4; the host can run it",
              t.name(), t.shape().size()),
          std::to_string(t.shape().size())));
    }
  }
  region.shape = ToShape4(output.shape());
  for (const te::Tensor& t : te::TopologicalOrder({output})) {
    if (t->placeholder || t->reduce_axes.empty()) continue;
    if (region.anchor.stage) {
      return std::unexpected(
          Refusal(RefusalKind::kTwoReductions,
                  fmt::format("{} and {} both reduce; a region has one reduction",
                              region.anchor.stage.name(), t.name())));
    }
    TESSERA_TRY(MatchAnchor(t, constants, config, &region));
  }
  if (output->placeholder) {
    return std::unexpected(
        Refusal(RefusalKind::kNothing, fmt::format("{} is computed by nothing", output.name())));
  }
  TESSERA_TRY(CoverEpilogue(constants, &region));
  return region;
}

namespace {

const char* KindName(AnchorKind kind) {
  switch (kind) {
    case AnchorKind::kNone:
      return "elementwise";
    case AnchorKind::kContraction:
      return "contraction";
    case AnchorKind::kChannelwise:
      return "channelwise window";
    case AnchorKind::kReduction:
      return "window reduction";
  }
  return "?";
}

std::string OperandText(const EpilogueStep::Operand& operand) {
  return operand.step == kSum ? " sum" : fmt::format(" v{}", operand.step);
}

}  // namespace

std::string Print(const AnalyzedRegion& region) {
  const Anchor& a = region.anchor;
  std::string text = fmt::format("region {}: {} -> [{}]\n", region.output.name(), KindName(a.kind),
                                 fmt::join(region.shape, ", "));
  if (a.kind != AnchorKind::kNone) {
    text += fmt::format("  input {} channels {} groups of {} to {} pad {}\n", a.input.name(),
                        a.in_channels, a.group_in, a.group_out, a.pad_value);
    if (a.packs_weight) {
      text += fmt::format("  weights {}{} {}, terms {} by {}\n", a.weight.name(),
                          a.weight_by_image ? " of each image" : "",
                          a.weight_lies ? "as they lie" : "packed by the host", a.input_terms,
                          a.weight_terms);
    }
    const char* names[] = {"y", "x"};
    for (size_t d = 0; d < 2; ++d) {
      const WindowAxis& w = a.window[d];
      text += fmt::format("  {}: {} -> {} taps {} stride {} dilation {} before {}\n", names[d],
                          w.in, w.out, w.taps, w.stride, w.dilation, w.before);
    }
  }
  for (size_t s = 0; s < region.steps.size(); ++s) {
    const EpilogueStep& step = region.steps[s];
    text += fmt::format("  v{} = {}", s,
                        step.loads() ? "load " + step.tensor.name() : step.intrin->name);
    for (const EpilogueStep::Operand& operand : step.operands) text += OperandText(operand);
    text += "\n";
  }
  return text;
}

}  // namespace tessera::schedule::accel
