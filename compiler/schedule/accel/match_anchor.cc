// SPDX-License-Identifier: Apache-2.0
//
// Finds the roles of a reduction's axes from the indices of its operands.
#include <algorithm>

#include "base/check.h"
#include "compiler/ir/print.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/accel/match.h"
#include "compiler/te/roles.h"
#include "isa/field_values.h"
#include "isa/insns.h"

namespace tessera::schedule::accel {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Linear;

// Analyses one anchor stage; errors name the stage.
class AnchorMatcher {
 public:
  AnchorMatcher(const te::Tensor& stage, const ConstantSet& constants, const isa::Config& config,
                Anchor* anchor)
      : stage_(stage),
        constants_(constants),
        config_(config),
        anchor_(*anchor),
        forms_(stage),
        shape_(ToShape4(stage.shape())) {}

  Acceptance Run();

 private:
  std::unexpected<Refusal> No(RefusalKind kind, const std::string& why,
                              const std::string& about = "") const {
    return std::unexpected(
        Refusal(kind, fmt::format("stage {}: {}; the host can run it", stage_.name(), why), about));
  }
  // The result's axis at position |p| (0 batch .. 3 x); nothing if it has extent 1.
  const ir::Axis* OutAxis(size_t p) const {
    for (size_t d = 0; d < stage_->axes.size(); ++d) {
      if (PositionOf(stage_->axes.size(), d) == p && stage_->axes[d].extent > 1)
        return &stage_->axes[d];
    }
    return nullptr;
  }
  Acceptance MatchIndex(const te::Roles& roles, size_t dim);
  Acceptance MatchPads(const Expr& condition, const std::vector<Linear>& index,
                       const std::vector<int64_t>& shape);
  Acceptance MatchWeight(const Expr& read);
  // Finds the roles of |input|, multiplied by |weight| if there is one.
  Acceptance MatchOperands(const Expr& input, const std::optional<Source>& weight);
  // Of a product of two activations, the weights are the factor that has the axes of weights.
  Acceptance MatchProduct(const Expr& value);
  bool ReducesChannels(const Expr& input) const;
  // Whether tiles of weights are in device memory as an activation that is read by |element| lies
  // there: its channels are summed, and its positions are the result's channels.
  bool LiesAsWeights(const Expr& element) const;
  Acceptance MatchTerms(const Source& input, const Source& weight);
  // The reason why neither of |factors| can be the weights.
  std::unexpected<Refusal> OtherFactors(const std::vector<Expr>& factors) const;

  te::Tensor stage_;
  const ConstantSet& constants_;
  const isa::Config& config_;
  Anchor& anchor_;
  IndexForms forms_;
  Shape4 shape_;
  const ir::Axis* channel_tap_ = nullptr;                  // reduced input channel
  std::array<const ir::Axis*, 2> taps_{nullptr, nullptr};  // reduced window positions
};

// Reads index |dim| of the input: axes of the result and of the reduction.
Acceptance AnchorMatcher::MatchIndex(const te::Roles& roles, size_t dim) {
  const te::AxisRole *data = nullptr, *reduced = nullptr;
  bool several = false;
  const auto find = [&](const std::vector<te::AxisRole>& axes, const te::AxisRole** found) {
    for (const te::AxisRole& a : axes) {
      if (a.input_dim != static_cast<int>(dim) || a.axis.extent == 1) continue;
      several |= *found != nullptr;
      *found = &a;
    }
  };
  find(roles.data, &data);
  find(roles.reduced, &reduced);
  const size_t position = PositionOf(roles.offsets.size(), dim);
  const ir::Axis* out = OutAxis(position);
  const bool own = data == nullptr || (out != nullptr && out->var.get() == data->axis.var.get());
  const int64_t offset = roles.offsets[dim];
  const int64_t group = data == nullptr ? 0 : std::max<int64_t>(data->group, 1);
  if (position == 0) {
    const bool same = offset == 0 && reduced == nullptr && !several && own &&
                      (out == nullptr || (data != nullptr && data->coeff == 1 && group == 1));
    return same ? Acceptance{} : No(RefusalKind::kBatchOrder, "a batch index that changes");
  }
  if (position == 1) {
    // (o / group_out) * group_in + i
    if (several || !own || (reduced != nullptr && reduced->coeff != 1))
      return No(RefusalKind::kChannelOrder,
                "an input channel index that is neither reduced nor a group's");
    if (offset != 0) return No(RefusalKind::kChannelOrder, "input channels that do not start at 0");
    anchor_.group_in = reduced == nullptr ? 1 : reduced->axis.extent;
    anchor_.group_out = data == nullptr ? shape_[1] : group;
    if (data != nullptr && data->coeff != anchor_.group_in)
      return No(RefusalKind::kChannelOrder, "groups of input channels that overlap or leave gaps");
    channel_tap_ = reduced == nullptr ? nullptr : &reduced->axis;
    return {};
  }
  const size_t d = position - 2;
  WindowAxis& w = anchor_.window[d];
  w.in = anchor_.input.shape()[dim];
  w.before = -offset;
  if (several || !own || (data == nullptr && out != nullptr) ||
      (data != nullptr && (data->coeff <= 0 || group != 1)) ||
      (reduced != nullptr && reduced->coeff <= 0))
    return No(RefusalKind::kWindow,
              "a spatial index that is not out * stride + tap * dilation - pad");
  if (data != nullptr) w.stride = data->coeff;
  if (reduced == nullptr) return {};
  taps_[d] = &reduced->axis;
  w.taps = reduced->axis.extent;
  w.dilation = reduced->coeff;
  return {};
}

// |condition| must say exactly that the spatial indices are inside the input.
Acceptance AnchorMatcher::MatchPads(const Expr& condition, const std::vector<Linear>& index,
                                    const std::vector<int64_t>& shape) {
  if (IsBin(condition, ir::BinOp::kAnd)) {
    TESSERA_TRY(MatchPads(condition->args[0], index, shape));
    return MatchPads(condition->args[1], index, shape);
  }
  const bool less = IsBin(condition, ir::BinOp::kLt);
  if (!less && !IsBin(condition, ir::BinOp::kLe))
    return No(RefusalKind::kPads, "a pad condition that is not a range");
  Linear slack =
      ir::Add(forms_.Of(condition->args[1]), forms_.Of(condition->args[0]), -1);  // >= 0 holds
  if (less) slack.constant -= 1;
  const ir::Interval bounds = ir::BoundsOf(slack, forms_.ranges());
  if (bounds.known() && bounds.lo >= 0) return {};  // always true
  for (size_t d = 0; d < index.size(); ++d) {
    Linear below = ir::Scale(index[d], -1);
    below.constant += shape[d] - 1;
    if (SameForm(slack, index[d]) || SameForm(slack, below)) return {};
  }
  return No(RefusalKind::kPads, "a pad condition that is not the input's bounds");
}

Acceptance AnchorMatcher::MatchWeight(const Expr& read) {
  anchor_.weight = te::TensorOf(read);
  const std::vector<int64_t>& shape = anchor_.weight.shape();
  Linear flat;
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    flat = ir::Add(flat, forms_.Of(read->args[d]), step);
    step *= shape[d];
  }
  const ir::Axis* out = OutAxis(1);
  for (const Linear::Term& t : flat.terms) {
    const auto is = [&](const ir::Axis* axis) {
      return axis != nullptr && t.atom.get() == axis->var.get();
    };
    const bool image = anchor_.packs_weight && is(OutAxis(0));
    if (!image && !is(out) && !is(channel_tap_) && !is(taps_[0]) && !is(taps_[1]))
      return No(RefusalKind::kWeightOrder,
                "a weight index that is not affine in channels and window");
    anchor_.weight_by_image |= image;
    // The steps of an instruction from one tile to the next are unsigned.
    if (t.coeff < 0) return No(RefusalKind::kWeightOrder, "weights that are read backwards");
  }
  return {};
}

std::unexpected<Refusal> AnchorMatcher::OtherFactors(const std::vector<Expr>& factors) const {
  for (const Expr& side : factors) {
    bool activation = false;
    DType type = DType::kInt8;  // of a constant that is not int8, if there is one
    ir::Visit(side, [&](const Expr& e) {
      if (e->kind != ExprKind::kTensorRead) return;
      activation |= !constants_.contains(te::TensorOf(e).get());
      if (e.dtype() != DType::kInt8) type = e.dtype();
    });
    if (activation || !ReadsTensor(side)) continue;
    if (type == DType::kInt8)
      return No(RefusalKind::kZeroPoint, "weights with a zero point of each channel");
    return No(RefusalKind::kWeightType, fmt::format("weights of {}", Text(type)),
              std::string(Text(type)));
  }
  return No(RefusalKind::kTwoActivations,
            "a product of two activations, neither of which has the axes of weights");
}

Acceptance AnchorMatcher::Run() {
  const Expr& reduce = stage_->body;
  TESSERA_CHECK(reduce->kind == ExprKind::kReduce);
  if (reduce->start()) return No(RefusalKind::kSumStart, "a sum that starts at a value");
  const Expr value = InlineStages(reduce->args[0]);

  if (!IsBin(value, ir::BinOp::kMul)) return MatchOperands(value, std::nullopt);
  if (reduce->reduce() != ir::ReduceOp::kSum)
    return No(RefusalKind::kProducts, "products that are not summed");
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const std::optional<Source> w = MatchSource(value->args[side]);
    if (!w || !constants_.contains(te::TensorOf(w->element).get())) continue;
    if (w->zero != 0 || w->condition)
      return No(RefusalKind::kZeroPoint, "weights with a zero point");
    const Anchor given = anchor_;
    const Acceptance matched = MatchOperands(value->args[1 - side], w);
    if (matched) return {};
    // The constant may be the input, and the activation the weights.
    anchor_ = given;
    return MatchProduct(value) ? Acceptance{} : matched;
  }
  return MatchProduct(value);
}

// Whether the reduction is over channels of |input| alone. A loop of one iteration also looks like
// a window of one tap.
bool AnchorMatcher::ReducesChannels(const Expr& input) const {
  const Expr read = MatchSource(input)->element;
  for (size_t d = 0; d < read->args.size(); ++d) {
    if (PositionOf(read->args.size(), d) == 1) continue;
    for (const ir::Axis& axis : stage_->reduce_axes) {
      if (ir::UsesVar(read->args[d], axis.var)) return false;
    }
  }
  return true;
}

bool AnchorMatcher::LiesAsWeights(const Expr& element) const {
  const std::vector<int64_t>& shape = te::TensorOf(element).shape();
  const Shape4 in = ToShape4(shape);
  if (std::min(in[0], config_.batch) > 1 || in[1] % config_.block_in != 0 ||
      in[3] % config_.block_out != 0 || config_.block_in != config_.block_out)
    return false;
  for (size_t d = 0; d < shape.size(); ++d) {
    const size_t position = PositionOf(shape.size(), d);
    const ir::Axis* const axes[] = {OutAxis(0), channel_tap_, nullptr, OutAxis(1)};
    const ir::Axis* axis = axes[position];
    if (shape[d] == 1) continue;
    if (axis == nullptr || axis->extent != shape[d] || element->args[d].get() != axis->var.get())
      return false;
  }
  return true;
}

Acceptance AnchorMatcher::MatchProduct(const Expr& value) {
  const Anchor given = anchor_;
  for (const size_t side : {size_t{1}, size_t{0}}) {
    const std::optional<Source> w = MatchSource(value->args[side]);
    if (!w || w->condition || !te::TensorOf(w->element)->placeholder ||
        constants_.contains(te::TensorOf(w->element).get()))
      continue;
    anchor_ = given;
    anchor_.packs_weight = true;
    channel_tap_ = nullptr;
    taps_ = {nullptr, nullptr};
    if (!MatchOperands(value->args[1 - side], w) || !ReducesChannels(value->args[1 - side]))
      continue;
    if (anchor_.weight == anchor_.input)
      return No(RefusalKind::kTwoActivations, "a product of an activation with itself");
    // The host packs a whole tensor as the sum reads it, so pads, strides and groups are refused.
    const std::array plain{WindowAxis{shape_[2], shape_[2]}, WindowAxis{shape_[3], shape_[3]}};
    if (anchor_.kind == AnchorKind::kContraction && !anchor_.InGroups(shape_[1]) &&
        anchor_.window == plain && anchor_.Reads(anchor_.weight) && anchor_.ReadsInput()) {
      // The host packs activations; a constant input is packed as an activation lies.
      anchor_.constant_input = constants_.contains(anchor_.input.get());
      if (!anchor_.constant_input || (anchor_.weight_lies && anchor_.input_terms == 1)) return {};
    }
  }
  return OtherFactors(value->args);
}

// An element less its zero point can leave int8. The terms are the element and one number or, since
// 128 is not int8, two numbers of 64.
Acceptance AnchorMatcher::MatchTerms(const Source& input, const Source& weight) {
  const auto terms = [](int64_t zero) { return zero == 0 ? 1 : zero > -128 ? 2 : 3; };
  for (const Source* source : {&input, &weight}) {
    if (source->zero < -128 || source->zero > 127)
      return No(RefusalKind::kZeroPoint, "a zero point outside int8");
  }
  anchor_.src_zero = 0;
  anchor_.input_terms = terms(input.zero);
  anchor_.weight_terms = terms(weight.zero);
  return {};
}

Acceptance AnchorMatcher::MatchOperands(const Expr& input, const std::optional<Source>& weight) {
  const std::optional<Source> source = MatchSource(input);
  if (!source)
    return No(RefusalKind::kComputedInput,
              "an input that is not an int8 tensor: " + ir::Print(input));
  anchor_.input = te::TensorOf(source->element);
  if (!anchor_.input->placeholder)
    return No(RefusalKind::kTwoReductions, "an input that is a reduction");
  if (constants_.contains(anchor_.input.get()) && !anchor_.packs_weight)
    return No(RefusalKind::kParameters, "an input that is a constant");
  anchor_.src_zero = source->zero;
  anchor_.pad_value = source->pad;
  if (source->condition && (source->pad < -128 || source->pad > 127))
    return No(RefusalKind::kPads, "a pad outside int8");

  const size_t rank = anchor_.input.shape().size();
  const Shape4 in_shape = ToShape4(anchor_.input.shape());
  anchor_.in_channels = in_shape[1];
  anchor_.window[0].out = shape_[2];
  anchor_.window[1].out = shape_[3];
  const std::optional<te::Roles> roles =
      te::RolesOf(stage_->axes, stage_->reduce_axes, source->element,
                  weight ? std::optional(weight->element) : std::nullopt);
  if (!roles)
    return No(RefusalKind::kStrides, "an index that is not affine, or an axis in two of them");
  std::vector<Linear> spatial;
  std::vector<int64_t> extents;
  for (size_t d = 0; d < rank; ++d) {
    TESSERA_TRY(MatchIndex(*roles, d));
    if (PositionOf(rank, d) < 2) continue;
    spatial.push_back(forms_.Of(source->element->args[d]));
    extents.push_back(in_shape[PositionOf(rank, d)]);
  }
  if (source->condition) TESSERA_TRY(MatchPads(*source->condition, spatial, extents));
  for (const te::AxisRole& r : roles->reduced) {
    if (r.axis.extent > 1 && r.input_dim < 0)
      return No(RefusalKind::kStrides, "a reduced axis of no known role");
  }

  if (weight) {
    if (anchor_.packs_weight) TESSERA_TRY(MatchTerms(*source, *weight));
    if (anchor_.src_zero != 0)
      return No(RefusalKind::kZeroPoint, "a zero point inside the products");
    TESSERA_TRY(MatchWeight(weight->element));
    anchor_.weight_lies = anchor_.packs_weight && LiesAsWeights(weight->element);
    // Without DEPTHWISE such sums are products in groups of one channel.
    const bool channelwise = isa::HasInsn(isa::Depthwise::kName, config_) &&
                             anchor_.group_in == 1 && anchor_.group_out == 1 &&
                             anchor_.in_channels > 1;
    anchor_.kind = channelwise ? AnchorKind::kChannelwise : AnchorKind::kContraction;
    return {};
  }
  if (anchor_.group_in != 1 || (anchor_.group_out != 1 && shape_[1] > 1))
    return No(RefusalKind::kOverChannels, "a reduction over channels");
  anchor_.kind = AnchorKind::kReduction;
  switch (stage_->body->reduce()) {
    case ir::ReduceOp::kSum:
    case ir::ReduceOp::kFusedSum:
      anchor_.reduce = isa::AluOp::kAdd;
      break;
    case ir::ReduceOp::kMax:
      anchor_.reduce = isa::AluOp::kMax;
      break;
    case ir::ReduceOp::kMin:
      anchor_.reduce = isa::AluOp::kMin;
      break;
    case ir::ReduceOp::kProd:
      return No(RefusalKind::kProductOf, "a product of elements");
  }
  return {};
}

}  // namespace

Acceptance MatchAnchor(const te::Tensor& stage, const ConstantSet& constants,
                       const isa::Config& config, AnalyzedRegion* region) {
  region->anchor.stage = stage;
  return AnchorMatcher(stage, constants, config, &region->anchor).Run();
}

}  // namespace tessera::schedule::accel
