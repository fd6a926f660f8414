// SPDX-License-Identifier: Apache-2.0
//
// Covers the epilogue with instructions of VECTOR: tries the target's intrinsics on the result's
// expression, the largest behaviour first, then covers the operands in the same way.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/check.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/print.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/accel/match.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::schedule::accel {
namespace {

using ir::Expr;
using ir::ExprKind;
using target::TensorIntrin;
using target::Way;

struct Piece {
  Expr e;  // null: a bias of 0 that the expression lacks
  Way way;
};

// The parts of an expression that match the parameters and reads of an intrinsic's behaviour.
struct Found {
  ir::VarMap parameters;
  std::unordered_map<std::string, Piece> operands;  // by the behaviour's tensors
  std::array<Piece, 3> record;                      // bias, multiplier, shift
  te::Tensor table;
};

bool LiesIn(ir::Scope scope, const TensorIntrin& intrin, const std::string& tensor) {
  return std::ranges::any_of(intrin.scopes, [&](const target::TileScopes& s) {
    return s.tensor == tensor && std::ranges::count(s.scopes, scope) > 0;
  });
}
bool IsRecord(const TensorIntrin& intrin, const std::string& tensor) {
  return LiesIn(ir::Scope::kPrm, intrin, tensor);
}
bool IsTable(const TensorIntrin& intrin, const std::string& tensor) {
  return LiesIn(ir::Scope::kTab, intrin, tensor);
}

// The least number of operations, parameters and reads of a value that matches |e|, a part of the
// behaviour of |intrin|.
size_t LeastNodes(const TensorIntrin& intrin, const Expr& e) {
  if (e->kind == ExprKind::kTensorRead)
    return target::LooksUp(e) ? 1 + LeastNodes(intrin, e->args[0]) : 1;
  const bool addend = e->kind == ExprKind::kBin && e->args[1]->kind == ExprKind::kTensorRead &&
                      IsRecord(intrin, e->args[1]->tensor->name);
  if (addend || target::NeutralOf(e)) return LeastNodes(intrin, e->args[0]);
  size_t nodes = 1;
  for (const Expr& operand : e->args) nodes += LeastNodes(intrin, operand);
  return nodes;
}

// The instructions of VECTOR that compute a tile from other tiles, the largest behaviour first.
std::vector<const TensorIntrin*> InstructionsOf(const target::Target& target) {
  std::vector<const TensorIntrin*> all;
  for (const TensorIntrin& intrin : target.intrinsics) {
    const target::TileCall* call = target::FindTileCall(intrin.call);
    const bool computes = intrin.behaviour->reduce_axes.empty() &&
                          !te::Inputs(intrin.behaviour).empty() && intrin.cycles > 0;
    if (computes && call->unit == isa::Unit::kVector) all.push_back(&intrin);
  }
  const auto records = [](const TensorIntrin* intrin) {
    return std::ranges::any_of(te::Inputs(intrin->behaviour),
                               [&](const te::Tensor& t) { return IsRecord(*intrin, t.name()); });
  };
  // Of two of one size, first the one whose numbers are for all channels, then the one with
  // records.
  std::ranges::stable_sort(all, [&](const TensorIntrin* a, const TensorIntrin* b) {
    const size_t nodes_a = LeastNodes(*a, a->behaviour->body),
                 nodes_b = LeastNodes(*b, b->behaviour->body);
    return nodes_a != nodes_b ? nodes_a > nodes_b : records(a) < records(b);
  });
  return all;
}

class EpilogueCover {
 public:
  EpilogueCover(const ConstantSet& constants, AnalyzedRegion* region)
      : constants_(constants),
        region_(*region),
        forms_(region->output),
        instructions_(InstructionsOf(*region->target)) {}

  Acceptance Run();

 private:
  std::unexpected<Refusal> No(RefusalKind kind, const std::string& what, const Expr& e,
                              const std::string& about = "") const {
    return std::unexpected(Refusal(kind,
                                   fmt::format("stage {}: {}: {}; the host can run it",
                                               region_.output.name(), what, ir::Print(e)),
                                   about));
  }

  // The step whose result is |e|; kSum: the anchor's sum is |e|.
  Accepted<int> Cover(const Expr& e);
  Accepted<int> CoverRead(const Expr& e);
  // Covers |e| with the first instruction whose operands can be covered too.
  Accepted<int> CoverValue(const Expr& e);
  Accepted<int> StepOf(const Expr& e, const TensorIntrin& intrin, const Found& found);
  bool Matches(const Expr& e, const TensorIntrin& intrin, Found* found) const;
  bool IsParam(const Expr& e) const;
  // The int32 tensor with one number per channel that |e| reads; empty: |e| is a number.
  Accepted<te::Tensor> ParamOf(const Expr& e) const;
  // Whether |index|, into a dimension of |extent|, is the result's axis at |position| ([batch,
  // channel, y, x]); 0 where the result has one element along it.
  bool IsAxis(const Expr& index, size_t position, int64_t extent) const;
  // How often LOAD repeats the rows and columns of an operand so that the result's element reads
  // the operand at its own position; refuses other indices.
  Accepted<std::array<int64_t, 2>> CheckIndex(const Expr& read) const;
  // Whether |index| is the result's axis at |position|, divided by |times|.
  bool IsRepeated(const Expr& index, size_t position, int64_t times) const;
  void LoadsFirst();

  int Emit(EpilogueStep step) {
    region_.steps.push_back(std::move(step));
    return static_cast<int>(region_.steps.size()) - 1;
  }

  const ConstantSet& constants_;
  AnalyzedRegion& region_;
  IndexForms forms_;
  const std::vector<const TensorIntrin*> instructions_;
  std::unordered_map<const ir::ExprNode*, Refusal> refused_;
  int64_t sum_reads_ = 0;  // places that read the anchor's sum
};

bool EpilogueCover::IsAxis(const Expr& index, size_t position, int64_t extent) const {
  const ir::Linear form = forms_.Of(index);
  if (form.constant != 0) return false;
  const std::vector<ir::Axis>& axes = region_.output->axes;
  for (size_t k = 0; k < axes.size(); ++k) {
    if (PositionOf(axes.size(), k) != position || axes[k].extent == 1) continue;
    return axes[k].extent == extent && form.terms.size() == 1 && form.CoeffOf(axes[k].var) == 1;
  }
  return form.terms.empty() && extent == 1;
}

bool EpilogueCover::IsRepeated(const Expr& index, size_t position, int64_t times) const {
  const int64_t extent = region_.shape[position];
  int64_t by = 0;
  if (times == extent) return ir::IsImm(index, &by) && by == 0;
  return IsBin(index, ir::BinOp::kDiv) && ir::IsImm(index->args[1], &by) && by == times &&
         IsAxis(index->args[0], position, extent);
}

Accepted<std::array<int64_t, 2>> EpilogueCover::CheckIndex(const Expr& read) const {
  const te::Tensor tensor = te::TensorOf(read);
  if (std::ranges::any_of(read->args, ReadsTensor)) {
    const bool table = constants_.contains(tensor.get());
    return No(table ? RefusalKind::kLookup : RefusalKind::kStrides,
              "an operand read where values say", read);
  }
  const Shape4 shape = ToShape4(tensor.shape());
  std::array<int64_t, 2> repeat{1, 1};
  bool moved = false, repeated = true;  // axes of extent 1 that the read repeats
  for (size_t p = 0; p < shape.size(); ++p) {
    if (shape[p] == region_.shape[p]) continue;
    repeated = repeated && shape[p] == 1;
    const bool whole = p >= 2 && region_.shape[p] % shape[p] == 0;
    if (whole) repeat[p - 2] = region_.shape[p] / shape[p];
    moved = moved || !whole;
  }
  if (moved) {
    return No(repeated ? RefusalKind::kRepeated : RefusalKind::kMoved,
              "an operand of another shape", read);
  }
  for (size_t d = 0; d < read->args.size(); ++d) {
    const size_t p = PositionOf(read->args.size(), d);
    const int64_t times = p >= 2 ? repeat[p - 2] : 1;
    if (times > 1 ? !IsRepeated(read->args[d], p, times) : !IsAxis(read->args[d], p, shape[p]))
      return No(RefusalKind::kMoved, "an operand read at another position", read);
  }
  return repeat;
}

bool EpilogueCover::IsParam(const Expr& e) const {
  return e->kind == ExprKind::kImm ||
         (e->kind == ExprKind::kTensorRead && constants_.contains(te::TensorOf(e).get()) &&
          !target::LooksUp(e) && e.dtype() != DType::kInt8);
}

Accepted<te::Tensor> EpilogueCover::ParamOf(const Expr& e) const {
  if (e->kind == ExprKind::kImm) return te::Tensor();
  const te::Tensor tensor = te::TensorOf(e);
  if (tensor.shape().size() != 1 || tensor.dtype() != DType::kInt32)
    return No(RefusalKind::kParameters, "a parameter that is not one int32 a channel", e);
  if (!IsAxis(e->args[0], 1, tensor.shape()[0]))
    return No(RefusalKind::kParameters, "a parameter that does not follow the channel", e);
  return tensor;
}

bool EpilogueCover::Matches(const Expr& e, const TensorIntrin& intrin, Found* found) const {
  const auto number_of = [](const Expr& read) {
    return static_cast<size_t>(read->args[0]->ivalue);
  };
  const auto read = [&](const Expr& pattern, const Expr& piece, const Way& way, Found* state) {
    // A whole value as its own operand would recurse without end.
    if (IsTable(intrin, pattern->tensor->name)) {
      if (piece->kind != ExprKind::kTensorRead || !target::LooksUp(piece)) return false;
      state->table = te::TensorOf(piece);
      return constants_.contains(state->table.get()) &&
             state->table.shape() == pattern->tensor->shape &&
             state->table.dtype() == pattern.dtype();
    }
    if (piece.dtype() != pattern.dtype() || way.empty()) return false;
    const bool record = IsRecord(intrin, pattern->tensor->name);
    if (record != IsParam(piece)) return false;
    if (record) {
      state->record[number_of(pattern)] = {piece, way};
      return true;
    }
    const auto [known, fresh] = state->operands.try_emplace(pattern->tensor->name, piece, way);
    return fresh || known->second.e.get() == piece.get();
  };
  const auto missing = [&](const Expr& pattern, const Way& way, Found* state) {
    if (!IsRecord(intrin, pattern->tensor->name)) return false;
    state->record[number_of(pattern)] = {Expr(), way};
    return true;
  };
  if (!target::Unifier<Found>(read, missing).Match(intrin.behaviour->body, e, found)) return false;
  return std::ranges::all_of(intrin.conditions, [&](const target::ParamCondition& condition) {
    const Result<int64_t> holds = ir::EvalInt(ir::Substitute(condition.holds, found->parameters));
    TESSERA_CHECK(holds.has_value(), "{}: {}", intrin.name, condition.text);
    return *holds != 0;
  });
}

Accepted<int> EpilogueCover::StepOf(const Expr& e, const TensorIntrin& intrin, const Found& found) {
  EpilogueStep step{.value = e, .intrin = &intrin};
  for (const te::Tensor& tile : te::Inputs(intrin.behaviour)) {
    if (IsRecord(intrin, tile.name())) {
      for (const auto& [number, way] : found.record) {
        if (!number) {
          step.record.push_back({.way = way, .missing = true});
          continue;
        }
        TESSERA_ASSIGN(const te::Tensor tensor, ParamOf(number));
        step.record.push_back({.tensor = tensor, .way = way});
      }
      continue;
    }
    if (IsTable(intrin, tile.name())) {
      step.table = found.table;
      continue;
    }
    const Piece& piece = found.operands.at(tile.name());
    TESSERA_ASSIGN(const int made_by, Cover(piece.e));
    step.operands.push_back({made_by, piece.way});
  }
  const te::Tensor other = region_.Table();
  if (step.table && other && other != step.table)
    return No(RefusalKind::kLookup, "a second table of one layer", e);
  if (step.updates() && step.operands[0].step == kSum && sum_reads_ > 1)
    return No(RefusalKind::kChangedSum, "a sum used both changed and unchanged", e);
  return Emit(std::move(step));
}

Accepted<int> EpilogueCover::CoverValue(const Expr& e) {
  const size_t steps = region_.steps.size();
  std::optional<Refusal> first;
  for (const TensorIntrin* intrin : instructions_) {
    Found found;
    if (intrin->behaviour.dtype() != e.dtype() || !Matches(e, *intrin, &found)) continue;
    Accepted<int> step = StepOf(e, *intrin, found);
    if (step) return step;
    region_.steps.resize(steps);
    if (!first) first = step.error();
  }
  if (first) return std::unexpected(*first);
  if (e->kind == ExprKind::kTensorRead) {
    if (const auto index = CheckIndex(e); !index) return std::unexpected(index.error());
  }
  const Lack lack = LackOf(e, constants_);
  return No(lack.kind, fmt::format("an {} value that no step makes", Text(e.dtype())), e,
            lack.about);
}

Accepted<int> EpilogueCover::CoverRead(const Expr& e) {
  TESSERA_ASSIGN(const auto repeat, CheckIndex(e));
  const te::Tensor tensor = te::TensorOf(e);
  if (tensor == region_.anchor.stage) {
    if (tensor.dtype() == DType::kInt32) return kSum;
    const TensorIntrin* narrow = region_.target->FindIntrinsic("tile.narrow");
    return Emit({.value = e, .intrin = narrow, .operands = {{}}});
  }
  const auto loaded = std::ranges::find(region_.steps, tensor, &EpilogueStep::tensor);
  EpilogueStep step{.value = e,
                    .tensor = tensor,
                    .constant = constants_.contains(tensor.get()),
                    .repeat = repeat};
  // Each reader of repeated rows or columns has them as a stage of its own.
  if (loaded != region_.steps.end() && !step.repeats() && !loaded->repeats())
    return static_cast<int>(loaded - region_.steps.begin());
  return Emit(std::move(step));
}

Accepted<int> EpilogueCover::Cover(const Expr& e) {
  const auto refused = refused_.find(e.get());
  if (refused != refused_.end()) return std::unexpected(refused->second);
  const bool looks_up = e->kind == ExprKind::kTensorRead && target::LooksUp(e) &&
                        constants_.contains(te::TensorOf(e).get());
  const bool has_tab = std::ranges::count(region_.target->memories, ir::Scope::kTab,
                                          &target::TargetMemory::scope) > 0;
  if (looks_up && !has_tab) return No(RefusalKind::kNoTab, "a lookup, on a machine without TAB", e);
  const bool tile = e->kind == ExprKind::kTensorRead && !looks_up &&
                    (e.dtype() == DType::kInt8 || te::TensorOf(e) == region_.anchor.stage);
  Accepted<int> step = tile ? CoverRead(e) : CoverValue(e);
  if (!step) refused_.emplace(e.get(), step.error());
  return step;
}

// Orders loads first, so that LOAD brings other activations while the products run.
void EpilogueCover::LoadsFirst() {
  std::vector<EpilogueStep> ordered;
  std::vector<int> place(region_.steps.size());
  for (const bool loads : {true, false}) {
    for (size_t s = 0; s < region_.steps.size(); ++s) {
      if (region_.steps[s].loads() != loads) continue;
      place[s] = static_cast<int>(ordered.size());
      ordered.push_back(region_.steps[s]);
    }
  }
  for (EpilogueStep& step : ordered) {
    for (EpilogueStep::Operand& operand : step.operands) {
      if (operand.step != kSum) operand.step = place[static_cast<size_t>(operand.step)];
    }
  }
  region_.steps = std::move(ordered);
}

Acceptance EpilogueCover::Run() {
  Expr value;
  if (region_.output == region_.anchor.stage) {
    std::vector<Expr> index;
    for (const ir::Axis& a : region_.output->axes) index.push_back(a.var);
    value = region_.output(index);
  } else {
    value = SumsOfNegated(InlineStages(region_.output->body));
  }
  ir::Visit(value, [&](const Expr& e) {
    sum_reads_ += e->kind == ExprKind::kTensorRead && te::TensorOf(e) == region_.anchor.stage;
  });
  if (region_.output.dtype() != DType::kInt8) {
    return No(RefusalKind::kResultType, "a result that is not int8", value,
              std::string(Text(region_.output.dtype())));
  }
  TESSERA_TRY(Cover(value));
  LoadsFirst();
  return {};
}

}  // namespace

Acceptance CoverEpilogue(const ConstantSet& constants, AnalyzedRegion* region) {
  return EpilogueCover(constants, region).Run();
}

}  // namespace tessera::schedule::accel
