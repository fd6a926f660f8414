// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/accel/plan_steps.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/check.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/accel/match.h"
#include "compiler/schedule/accel/step_writer.h"

namespace tessera::schedule::accel {

using ir::Expr;
using isa::VectorMemory;

Result<std::string> StepWriter::Run() {
  TESSERA_TRY(Supported());
  Say("# one instruction is one stage");
  for (const te::Tensor& t : te::TopologicalOrder({region_.output})) {
    const bool input = boxed() && ReadBySum(t);
    if (!t->placeholder && t != region_.output && t != a_.stage && !input)
      Say("inline {}", t.name());
  }
  if (stays()) {
    result_ = out_;
    Say("set_scope {} inp", out_);
  } else {
    result_ = Fresh("o");
    Say("cache_write {} out {}", out_, result_);
  }
  Passes(region_.steps.size() - 1, result_);
  Fetches();
  if (contraction_) SumOperands();
  if (anchored_ && !contraction_) WindowOperands();
  TESSERA_TRY(Records());
  Layouts();
  TilesOfWork();
  Attach();
  TilesOfTheMachine();
  Instructions();
  return text_;
}

std::unexpected<Error> StepWriter::No(const std::string& what) const {
  return Fail(Code::kUnsupported, "{} is not said in steps yet", what);
}

Status StepWriter::Supported() const {
  if (config_.batch != 1) return No("an array of several rows");
  const bool windowed = a_.kind == AnchorKind::kChannelwise;
  if (a_.kind == AnchorKind::kReduction && a_.reduce != isa::AluOp::kAdd)
    return No("a greatest or least value, which is int8 in its expression,");
  if (windowed && (std::max(a_.window[0].taps, a_.window[1].taps) > kWindowTaps ||
                   a_.window[0].taps * a_.window[1].taps > block_))
    return No("a window channel by channel of more taps than one instruction has");
  if (windowed && a_.window[0].taps * a_.window[1].taps == 1)
    return No("a window channel by channel of one tap");
  if (windowed && a_.group_out != 1) return No("channels in groups");
  if (contraction_ && (a_.group_out != region_.shape[1] || a_.group_in != a_.in_channels))
    return No("channels in groups");
  const EpilogueStep& last = region_.steps.back();
  if (last.kind == EpilogueStepKind::kFetch && on_chip_.HaloOf(last.tensor) == nullptr)
    return No("a copy alone");
  if (a_.im2col != 0) return No("an input packed by taps");
  for (const EpilogueStep& s : region_.steps) {
    if (!s.value) return No("a difference of accumulators");
  }
  return {};
}

std::string StepWriter::Fresh(const std::string& name) {
  if (names_.empty()) {
    for (const te::Tensor& t : te::TopologicalOrder({region_.output})) names_.insert(t.name());
  }
  std::string fresh = name;
  for (int k = 1; !names_.insert(fresh).second; ++k) fresh = fmt::format("{}{}", name, k);
  return fresh;
}

bool StepWriter::ReadBySum(const te::Tensor& t) const {
  const std::vector<te::Tensor> inputs = te::Inputs(a_.stage);
  return std::ranges::count(inputs, t) > 0;
}

std::optional<std::string> StepWriter::WayTo(const Expr& root, const Expr& node) {
  if (root.get() == node.get()) return "";
  if (root->kind == ir::ExprKind::kTensorRead) return std::nullopt;
  for (size_t k = 0; k < root->args.size(); ++k) {
    const std::optional<std::string> rest = WayTo(root->args[k], node);
    if (rest) return rest->empty() ? std::to_string(k) : fmt::format("{}.{}", k, *rest);
  }
  return std::nullopt;
}

bool StepWriter::IsNarrow(const EpilogueStep& step) {
  return step.kind != EpilogueStepKind::kAlu && step.src.memory == VectorMemory::kOut &&
         step.dst.memory == VectorMemory::kOut;
}

void StepWriter::Passes(size_t k, const std::string& name) {
  const EpilogueStep& step = region_.steps[k];
  Pass pass{name, &step, {}};
  if (step.kind == EpilogueStepKind::kAlu) pass.changes = a_.stage ? a_.stage.name() : "";
  const bool narrow = IsNarrow(step);
  const size_t place = passes_.size();
  passes_.push_back(pass);
  for (size_t from = k; from-- > 0;) {
    const EpilogueStep& other = region_.steps[from];
    const std::optional<std::string> way = WayTo(step.value, other.value);
    if (!way || taken_.contains(from)) continue;
    if (other.kind == EpilogueStepKind::kFetch) continue;
    const std::string stage = Fresh(fmt::format("v{}", from));
    Say("lift {} {} {} {}", name, *way, other.dst.memory == VectorMemory::kAcc ? "acc" : "out",
        stage);
    const bool updated = step.kind == EpilogueStepKind::kAlu && *way == "0";
    const bool to_inp = stays() && name == out_;
    if (updated || (narrow && !to_inp && other.dst.memory == VectorMemory::kOut))
      passes_[place].changes = stage;
    taken_.insert(from);
    Passes(from, stage);
  }
}

void StepWriter::Fetches() {
  std::set<const ir::ExprNode*> lifted;
  for (const Pass& pass : passes_) lifted.insert(pass.step->value.get());
  for (const EpilogueStep& fetch : region_.steps) {
    if (fetch.kind != EpilogueStepKind::kFetch) continue;
    std::vector<Pass*> readers;
    for (Pass& pass : passes_) {
      // What the stage reads itself: not behind what has become another.
      const std::function<bool(const Expr&)> reads = [&](const Expr& e) {
        if (e->kind == ir::ExprKind::kTensorRead) return te::TensorOf(e) == fetch.tensor;
        return std::ranges::any_of(e->args, [&](const Expr& operand) {
          return !lifted.contains(operand.get()) && reads(operand);
        });
      };
      if (reads(pass.step->value)) readers.push_back(&pass);
    }
    if (on_chip_.HaloOf(fetch.tensor) != nullptr) {
      if (!on_chip_.input || fetch.tensor != a_.input) Say("set_scope {} inp", fetch.tensor.name());
      continue;
    }
    Names names;
    for (const Pass* reader : readers) names.push_back(reader->name);
    const std::string copy = Fresh(fetch.tensor.name() + ".o");
    Say("cache_read {} out {} {}", fetch.tensor.name(), copy, fmt::join(names, " "));
    fetched_[fetch.tensor.name()] = copy;
    if (readers.size() == 1 && IsNarrow(*readers[0]->step) && readers[0]->changes.empty() &&
        !(stays() && readers[0]->name == out_))
      readers[0]->changes = copy;
  }
}

void StepWriter::InputStage() {
  if (on_chip_.input) {
    input_ = a_.input.name();
    Say("set_scope {} inp", input_);
    return;
  }
  const te::Tensor source = te::TensorOf(input_read_);
  input_channel_ = ChannelDim(source.shape().size());
  if (!source->placeholder) {
    input_ = source.name();
    Say("set_scope {} inp", input_);
    for (const ir::Axis& axis : source->axes) input_axes_.push_back(axis.name());
  } else if (contraction_ && a_.window[0].taps * a_.window[1].taps == 1 &&
             a_.window[0].stride * a_.window[1].stride > 1) {
    // A window of one tap that steps over positions: only those that it reads.
    input_ = Fresh(source.name() + ".i");
    Say("reindex {} {} {}\nset_scope {} inp", source.name(), sum_, input_, input_);
    input_axes_ = StridedAxes();
    input_channel_ =
        static_cast<size_t>(std::ranges::find(input_axes_, channel_->name) - input_axes_.begin());
  } else {
    input_ = Fresh(source.name() + ".i");
    Say("cache_read {} inp {} {}", source.name(), input_, sum_);
    for (size_t d = 0; d < source.shape().size(); ++d) input_axes_.push_back(fmt::format("i{}", d));
  }
}

void StepWriter::SumOperands() {
  sum_ = a_.stage.name();
  Say("set_scope {} acc", sum_);
  const std::vector<ir::Axis>& axes = a_.stage->axes;
  ir::Visit(a_.stage->body, [&](const Expr& e) {
    if (e->kind != ir::ExprKind::kTensorRead) return;
    const te::Tensor t = te::TensorOf(e);
    if (t == a_.weight) {
      weight_read_ = e;
      return;
    }
    input_read_ = e;
    const size_t rank = t.shape().size();
    for (size_t d = 0; d < rank; ++d) {
      if (PositionOf(rank, d) == 1) channel_ = e->args[d];
    }
  });
  TESSERA_CHECK(input_read_ && weight_read_ && channel_->kind == ir::ExprKind::kVar, "{}", sum_);
  for (const ir::Axis& axis : axes) sum_axes_.push_back(axis.name());
  for (const ir::Axis& axis : a_.stage->reduce_axes) {
    if (axis.var.get() != channel_.get()) taps_.push_back(axis.name());
  }
  InputStage();
  weight_ = Fresh(a_.weight.name() + ".w");
  Say("cache_read {} wgt {} {}", a_.weight.name(), weight_, sum_);
}

Status StepWriter::Records() {
  for (const Pass& pass : passes_) {
    if (pass.step->kind != EpilogueStepKind::kRequant || pass.step->table < 0) continue;
    const ParamTable& table = region_.tables[static_cast<size_t>(pass.step->table)];
    if (pass.step->src.memory != VectorMemory::kAcc) return No("an int8 value by records");
    Expr requant;
    ir::Visit(pass.step->value, [&](const Expr& e) {
      if (IsCall(e, "requant")) requant = e;  // the outermost comes last
    });
    const std::string at = *WayTo(pass.step->value, requant);
    const Expr& sum = requant->args[0];
    if (!IsBin(sum, ir::BinOp::kAdd)) return No("a record without a bias");
    const auto is_param = [&](const Expr& e) {
      return e->kind == ir::ExprKind::kImm ||
             (e->kind == ir::ExprKind::kTensorRead && te::TensorOf(e) == table.bias.tensor);
    };
    const size_t bias = is_param(sum->args[1]) ? 1 : 0;
    const std::array<std::pair<const Param*, std::string>, 3> numbers{
        {{&table.bias, fmt::format("{}.0.{}", at, bias)},
         {&table.multiplier, at + ".1"},
         {&table.shift, at + ".2"}}};
    Names tensors;
    for (const auto& [param, way] : numbers) {
      if (param->tensor) {
        tensors.push_back(param->tensor.name());
        continue;
      }
      tensors.push_back(Fresh("number"));
      Say("lift {} {} global {} {}\nprepare {}", pass.name, way, tensors.back(), AxisAt(1),
          tensors.back());
    }
    const std::string stack = Fresh("p"), copy = Fresh(stack + ".p");
    Say("stack {} {} {}\nprepare {}\ncache_read {} prm {} {}", stack, pass.name,
        fmt::join(tensors, " "), stack, stack, copy, pass.name);
    records_.emplace_back(stack, copy);
  }
  return {};
}

StepWriter::Names StepWriter::StridedAxes() const {
  Names names;
  for (size_t d = 0; d < sum_axes_.size(); ++d) {
    const ir::Axis& axis = a_.stage->axes[d];
    bool uses = false;
    for (const Expr& index : input_read_->args) uses |= ir::UsesVar(index, axis.var);
    if (uses) names.push_back(axis.name());
  }
  for (const ir::Axis& axis : a_.stage->reduce_axes) {
    bool uses = false;
    for (const Expr& index : input_read_->args) uses |= ir::UsesVar(index, axis.var);
    if (uses) names.push_back(axis.name());
  }
  return names;
}

Result<std::string> StepsOf(const AnalyzedRegion& region, const TilePlan& plan,
                            const isa::Config& config, const OnChip& on_chip) {
  return StepWriter(region, plan, config, on_chip).Run();
}

}  // namespace tessera::schedule::accel
