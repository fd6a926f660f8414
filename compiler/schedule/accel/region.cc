// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/accel/region.h"

#include <algorithm>

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
  if (packs_weight) packed.push_back(weight);
  if (input_terms > 1) packed.push_back(input);
  return packed;
}

int64_t AnalyzedRegion::WidePasses() const {
  return std::ranges::count_if(steps, [](const EpilogueStep& step) {
    return step.dst.memory == isa::VectorMemory::kAcc && !WorksInPlace(step);
  });
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

Accepted<AnalyzedRegion> AnalyzeRegion(const te::Tensor& output, const ConstantMap& constants) {
  AnalyzedRegion region;
  region.output = output;
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
    TESSERA_TRY(MatchAnchor(t, constants, &region));
  }
  if (output->placeholder) {
    return std::unexpected(
        Refusal(RefusalKind::kNothing, fmt::format("{} is computed by nothing", output.name())));
  }
  TESSERA_TRY(MatchEpilogue(constants, &region));
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

std::string PlaceText(TileSlot p) { return fmt::format("{}.{}", isa::Text(p.memory), p.slot); }

}  // namespace

std::string Print(const AnalyzedRegion& region) {
  const Anchor& a = region.anchor;
  std::string text = fmt::format("region {}: {} -> [{}]\n", region.output.name(), KindName(a.kind),
                                 fmt::join(region.shape, ", "));
  if (a.kind != AnchorKind::kNone) {
    text += fmt::format("  input {} channels {} groups of {} to {} pad {}\n", a.input.name(),
                        a.in_channels, a.group_in, a.group_out, a.pad_value);
    if (a.packs_weight) {
      text += fmt::format("  weights {}{} packed by the host, terms {} by {}\n", a.weight.name(),
                          a.weight_by_image ? " of each image" : "", a.input_terms, a.weight_terms);
    }
    const char* names[] = {"y", "x"};
    for (size_t d = 0; d < 2; ++d) {
      const WindowAxis& w = a.window[d];
      text += fmt::format("  {}: {} -> {} taps {} stride {} dilation {} before {}\n", names[d],
                          w.in, w.out, w.taps, w.stride, w.dilation, w.before);
    }
  }
  for (const EpilogueStep& s : region.steps) {
    switch (s.kind) {
      case EpilogueStepKind::kFetch:
        text += fmt::format("  fetch {} = {}\n", PlaceText(s.dst), s.tensor.name());
        break;
      case EpilogueStepKind::kRequant:
        text += fmt::format("  requant {} = {}{}\n", PlaceText(s.dst), PlaceText(s.src),
                            s.table >= 0 ? fmt::format(" table {}", s.table) : "");
        break;
      case EpilogueStepKind::kAdd:
        text += fmt::format("  add {} = {} + {}\n", PlaceText(s.dst), PlaceText(s.src),
                            PlaceText(s.acc));
        break;
      case EpilogueStepKind::kAlu:
        text += fmt::format("  {} {} {}\n", isa::Text(s.op), PlaceText(s.dst),
                            s.use_imm ? std::to_string(s.imm) : PlaceText(s.src));
        break;
    }
  }
  return text;
}

}  // namespace tessera::schedule::accel
