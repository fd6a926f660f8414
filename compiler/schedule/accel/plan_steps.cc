// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/accel/plan_steps.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/accel/match.h"
#include "compiler/schedule/accel/step_writer.h"

namespace tessera::schedule::accel {

using ir::Expr;

Trace StepWriter::Run() {
  // The machine computes the maximum and minimum of int8 values in ACC.
  const bool narrowed = a_.kind == AnchorKind::kReduction && a_.reduce != isa::AluOp::kAdd &&
                        a_.stage.dtype() == DType::kInt8;
  if (narrowed) {
    sum_ = Fresh(a_.stage.name() + ".a");
    Add(CacheWriteStep{a_.stage.name(), ir::Scope::kAcc, sum_, DType::kInt32});
  }
  for (const te::Tensor& t : te::TopologicalOrder({region_.output})) {
    const bool input = boxed() && ReadBySum(t);
    if (!t->placeholder && t != region_.output && (t != a_.stage || narrowed) && !input)
      Add(InlineStep{t.name()});
  }
  if (stays()) {
    result_ = out_;
    Add(SetScopeStep{out_, ir::Scope::kInp});
  } else {
    result_ = Fresh("o");
    Add(CacheWriteStep{out_, ir::Scope::kOut, result_});
  }
  if (region_.output != a_.stage) Sums(InlineStages(region_.output->body), ".");
  Passes(region_.steps.size() - 1, result_);
  Fetches();
  if (contraction_) SumOperands();
  if (anchored_ && !contraction_) WindowOperands();
  Records();
  Table();
  Layouts();
  TilesOfWork();
  Attach();
  TilesOfTheMachine();
  Instructions();
  return std::move(trace_);
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

std::string StepWriter::Text(const target::Way& way) {
  return fmt::format("{}", fmt::join(way, "."));
}

void StepWriter::Sums(const Expr& e, const std::string& way) {
  if (e->kind == ir::ExprKind::kTensorRead) return;
  const bool difference = IsDifference(e);
  if (difference) Add(RewriteStep{result_, way, "negated"});
  for (size_t k = 0; k < e->args.size(); ++k) {
    std::string operand = way == "." ? std::to_string(k) : fmt::format("{}.{}", way, k);
    if (difference && k == 1) operand += ".0";
    Sums(e->args[k], operand);
  }
}

void StepWriter::Passes(size_t k, const std::string& name) {
  const EpilogueStep& step = region_.steps[k];
  const size_t place = passes_.size();
  passes_.push_back({name, &step, step.updates() && a_.stage ? a_.stage.name() : ""});
  const bool to_inp = stays() && name == out_;
  for (size_t operand = step.operands.size(); operand-- > 0;) {
    const auto& [from, way] = step.operands[operand];
    if (from == kSum) continue;
    const EpilogueStep& other = region_.steps[static_cast<size_t>(from)];
    if (other.loads() && !other.repeats()) continue;
    const std::string stage = Fresh(fmt::format("v{}", from));
    const ir::Scope scope = other.wide() ? ir::Scope::kAcc : ir::Scope::kOut;
    Add(LiftStep{name, Text(way), scope, stage});
    const bool updated = step.updates() && operand == 0;
    if (updated || (step.narrow() && !to_inp && !other.wide())) passes_[place].changes = stage;
    Passes(static_cast<size_t>(from), stage);
  }
}

void StepWriter::Fetches() {
  for (int f = 0; f < static_cast<int>(region_.steps.size()); ++f) {
    const EpilogueStep& fetch = region_.steps[static_cast<size_t>(f)];
    if (!fetch.loads() || fetch.repeats()) continue;
    if (on_chip_.HaloOf(fetch.tensor) != nullptr) {
      if (!on_chip_.input || fetch.tensor != a_.input)
        Add(SetScopeStep{fetch.tensor.name(), ir::Scope::kInp});
      continue;
    }
    if (&fetch == &region_.steps.back()) continue;  // the result itself is a copy
    std::vector<Pass*> readers;
    for (Pass& pass : passes_) {
      if (std::ranges::count(pass.step->operands, f, &EpilogueStep::Operand::step) > 0)
        readers.push_back(&pass);
    }
    Names names;
    for (const Pass* reader : readers) names.push_back(reader->name);
    const std::string copy = Fresh(fetch.tensor.name() + ".o");
    Add(CacheReadStep{fetch.tensor.name(), ir::Scope::kOut, copy, names});
    fetched_[fetch.tensor.name()] = copy;
    if (readers.size() == 1 && readers[0]->step->narrow() && readers[0]->changes.empty() &&
        !(stays() && readers[0]->name == out_))
      readers[0]->changes = copy;
  }
}

void StepWriter::InputStage() {
  if (on_chip_.input) {
    input_ = a_.input.name();
    Add(SetScopeStep{input_, ir::Scope::kInp});
    return;
  }
  const te::Tensor source = te::TensorOf(input_read_);
  if (a_.FillsInput()) {
    input_ = std::exchange(prepared_, "");
    Add(SetScopeStep{input_, ir::Scope::kInp});
    return;
  }
  if (!prepared_.empty()) {
    input_ = Fresh(prepared_ + ".i");
    Add(CacheReadStep{prepared_, ir::Scope::kInp, input_, {sum_}});
    return;
  }
  input_channel_ = ChannelDim(source.shape().size());
  if (!source->placeholder) {
    input_ = source.name();
    Add(SetScopeStep{input_, ir::Scope::kInp});
    for (const ir::Axis& axis : source->axes) input_axes_.push_back(axis.name());
  } else if (extents_.steps_over) {
    input_ = Fresh(source.name() + ".i");
    Add(ReindexStep{source.name(), sum_, input_});
    Add(SetScopeStep{input_, ir::Scope::kInp});
    input_axes_ = StridedAxes();
    input_channel_ =
        static_cast<size_t>(std::ranges::find(input_axes_, channel_->name) - input_axes_.begin());
  } else {
    input_ = Fresh(source.name() + ".i");
    Add(CacheReadStep{source.name(), ir::Scope::kInp, input_, {sum_}});
    for (size_t d = 0; d < source.shape().size(); ++d) input_axes_.push_back(fmt::format("i{}", d));
  }
}

void StepWriter::SumOperands() {
  sum_ = a_.stage.name();
  Add(SetScopeStep{sum_, ir::Scope::kAcc});
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
      if (PositionOf(rank, d) != 1) continue;
      for (const ir::Axis& axis : a_.stage->reduce_axes) {
        if (ir::UsesVar(e->args[d], axis.var)) channel_ = axis.var;
      }
    }
  });
  // One channel per group: the channel loop has one iteration, and no index of the input has it.
  for (const ir::Axis& axis : a_.stage->reduce_axes) {
    const auto uses = [&](const Expr& index) { return ir::UsesVar(index, axis.var); };
    if (!channel_ && axis.extent == 1 && std::ranges::none_of(input_read_->args, uses))
      channel_ = axis.var;
  }
  TESSERA_CHECK(input_read_ && weight_read_ && channel_, "{}", sum_);
  for (const ir::Axis& axis : axes) sum_axes_.push_back(axis.name());
  for (const ir::Axis& axis : a_.stage->reduce_axes) {
    if (axis.var.get() != channel_.get()) taps_.push_back(axis.name());
  }
  packed_ = a_.weight.name();
  reduced_ = channel_->name;
  if (grouped_) PackGroups();
  if (a_.im2col != 0) TapsAsChannels();
  if (a_.packs_weight) PackActivations();
  InputStage();
  if (a_.weight_lies) {
    weight_ = packed_;
    return Add(SetScopeStep{weight_, ir::Scope::kWgt});
  }
  weight_ = Fresh(packed_ + ".w");
  Add(CacheReadStep{packed_, ir::Scope::kWgt, weight_, {sum_}});
}

// Reduces over the input blocks that a block of the output needs, with weights of zero for channels
// of other groups.
void StepWriter::PackGroups() {
  // A resident input has its pads in INP.
  const te::Tensor input = boxed() ? te::TensorOf(input_read_) : a_.input;
  Add(AlignStep{sum_, channel_->name, input.name(), {block_}});
  packed_ = Fresh(a_.weight.name() + ".g");
  Add(ReindexStep{a_.weight.name(), sum_, packed_, {}, 0});
  Add(PrepareStep{packed_});
  // The output's channel, and the sum's loops that choose a weight.
  weight_axes_ = {sum_axes_[ChannelDim(sum_axes_.size())]};
  for (const ir::Axis& axis : a_.stage->reduce_axes) {
    if (axis.var.get() == channel_.get() || ir::UsesVar(weight_read_, axis.var))
      weight_axes_.push_back(axis.name());
  }
}

void StepWriter::Records() {
  for (const Pass& pass : passes_) {
    Names tensors;
    for (const auto& [tensor, to, missing] : pass.step->record) {
      std::string way = Text(to);
      if (missing) {
        Add(RewriteStep{pass.name, way, "plus_zero"});
        way += ".1";
      }
      if (tensor) {
        tensors.push_back(tensor.name());
        continue;
      }
      tensors.push_back(Fresh("number"));
      AxisChoice axes;
      if (const std::string channel = AxisAt(1); !channel.empty()) axes.names = {channel};
      Add(LiftStep{pass.name, way, ir::Scope::kGlobal, tensors.back(), axes});
      Add(PrepareStep{tensors.back()});
    }
    if (tensors.empty()) continue;
    const std::string stack = Fresh("p"), copy = Fresh(stack + ".p");
    Add(StackStep{stack, pass.name, tensors});
    Add(PrepareStep{stack});
    Add(CacheReadStep{stack, ir::Scope::kPrm, copy, {pass.name}});
    records_.emplace_back(stack, copy);
  }
}

void StepWriter::Table() {
  const te::Tensor table = region_.Table();
  if (!table) return;
  Names readers;
  for (const Pass& pass : passes_) {
    if (pass.step->table) readers.push_back(pass.name);
  }
  table_ = Fresh(table.name() + ".t");
  Add(CacheReadStep{table.name(), ir::Scope::kTab, table_, readers});
}

StepWriter::Names StepWriter::StridedAxes() const {
  Names names;
  for (size_t d = 0; d < sum_axes_.size(); ++d) {
    const ir::Axis& axis = a_.stage->axes[d];
    if (ir::UsesVar(input_read_, axis.var)) names.push_back(axis.name());
  }
  for (const ir::Axis& axis : a_.stage->reduce_axes) {
    if (ir::UsesVar(input_read_, axis.var)) names.push_back(axis.name());
  }
  return names;
}

Trace StepsOf(const AnalyzedRegion& region, const TilePlan& plan, const isa::Config& config,
              const OnChip& on_chip) {
  return StepWriter(region, plan, config, on_chip).Run();
}

}  // namespace tessera::schedule::accel
