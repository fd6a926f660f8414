// SPDX-License-Identifier: Apache-2.0
//
// The epilogue as VECTOR steps: each step is one pass over the tile of work; each value has a
// number of its own in ACC (int32) or OUT (int8) until AssignSlots gives it a slot.
#include <algorithm>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/print.h"
#include "compiler/ir/scalar_math.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/accel/match.h"

namespace tessera::schedule::accel {
namespace {

using ir::BinOp;
using ir::Expr;
using ir::ExprKind;
using isa::VectorMemory;

// An int8 value less a zero point of int8 has 9 bits; shifted by so many it is still an int32.
constexpr int64_t kMostShift = 22;

class EpilogueMatcher {
 public:
  EpilogueMatcher(const ConstantMap& constants, AnalyzedRegion* region)
      : constants_(constants), region_(*region), forms_(region->output) {}

  Acceptance Run();

 private:
  std::unexpected<Refusal> No(RefusalKind kind, const std::string& what, const Expr& e,
                              const std::string& about = "") const {
    return std::unexpected(Refusal(kind,
                                   fmt::format("stage {}: {}: {}; the host can run it",
                                               region_.output.name(), what, ir::Print(e)),
                                   about));
  }
  std::unexpected<Refusal> NoStep(const std::string& what, const Expr& e) const {
    const Lack lack = LackOf(e, constants_);
    return No(lack.kind, what, e, lack.about);
  }

  Acceptance CheckIndex(const Expr& read);
  Accepted<TileSlot> Int8(const Expr& e) { return Known(e, MakeInt8(e)); }    // of an int8 value
  Accepted<TileSlot> Int32(const Expr& e) { return Known(e, MakeInt32(e)); }  // an int32 one in ACC
  Accepted<TileSlot> MakeInt8(const Expr& e);
  Accepted<TileSlot> MakeInt32(const Expr& e);
  // Of the step that has made |e| in |place|, if one has.
  Accepted<TileSlot> Known(const Expr& e, Accepted<TileSlot> place) {
    if (place && !region_.steps.empty()) {
      EpilogueStep& last = region_.steps.back();
      if (last.dst == *place && !last.value) last.value = e;
    }
    return place;
  }
  // |e| = ((int8 - zero) << shift): the int8 value becomes src of |step|. Nothing: it is not; else
  // the shift.
  Accepted<std::optional<int64_t>> ShiftedInt8(const Expr& e, EpilogueStep* step);
  // The whole of requant(a, multiplier, shift, rounding) into |dst|.
  Accepted<TileSlot> Rescale(const Expr& requant, VectorMemory dst);
  Accepted<bool> MatchParam(const Expr& e, Param* param);
  bool IsParam(const Expr& e);
  TileSlot Same(TileSlot source, VectorMemory dst);  // a pass that changes nothing but the memory

  TileSlot New(VectorMemory memory) {
    int& next = memory == VectorMemory::kAcc ? next_acc_ : next_out_;
    return {memory, next++};
  }
  TileSlot Emit(EpilogueStep step) {
    region_.steps.push_back(step);
    return step.dst;
  }

  const ConstantMap& constants_;
  AnalyzedRegion& region_;
  IndexForms forms_;
  int anchor_reads_ = 0;
  int next_acc_ = 1, next_out_ = 0;  // values; 0 of ACC is the anchor's
  std::vector<std::pair<const te::TensorNode*, TileSlot>> fetched_;
};

// A read must be of the element at the result's own position.
Acceptance EpilogueMatcher::CheckIndex(const Expr& read) {
  const te::Tensor tensor = te::TensorOf(read);
  if (std::ranges::any_of(read->args, ReadsTensor)) {
    const bool table = constants_.contains(tensor.get());
    return No(table ? RefusalKind::kLookup : RefusalKind::kStrides,
              "an operand read where values say", read);
  }
  const Shape4 shape = ToShape4(tensor.shape());
  if (shape != region_.shape) {
    bool repeated = true;  // what has extent 1 there is
    for (size_t p = 0; p < shape.size(); ++p)
      repeated = repeated && (shape[p] == region_.shape[p] || shape[p] == 1);
    return No(repeated ? RefusalKind::kRepeated : RefusalKind::kMoved,
              "an operand of another shape", read);
  }
  const size_t rank = region_.output->axes.size();
  for (size_t d = 0; d < read->args.size(); ++d) {
    const size_t p = PositionOf(read->args.size(), d);
    const ir::Linear form = forms_.Of(read->args[d]);
    bool same = form.constant == 0 && form.terms.empty() && shape[p] == 1;
    for (size_t k = 0; k < rank; ++k) {
      const ir::Axis& axis = region_.output->axes[k];
      if (PositionOf(rank, k) == p && axis.extent > 1) {
        same = form.constant == 0 && form.terms.size() == 1 && form.CoeffOf(axis.var) == 1;
      }
    }
    if (!same) return No(RefusalKind::kMoved, "an operand read at another position", read);
  }
  return {};
}

bool EpilogueMatcher::IsParam(const Expr& e) {
  int64_t value = 0;
  if (ir::IsImm(e, &value)) return true;
  return e->kind == ExprKind::kTensorRead && constants_.contains(te::TensorOf(e).get());
}

Accepted<bool> EpilogueMatcher::MatchParam(const Expr& e, Param* param) {
  if (ir::IsImm(e, &param->value)) return true;
  if (!IsParam(e)) return false;
  const te::Tensor tensor = te::TensorOf(e);
  if (tensor.shape().size() != 1 || tensor.dtype() != DType::kInt32)
    return No(RefusalKind::kParameters, "a parameter that is not one int32 a channel", e);
  const ir::Linear form = forms_.Of(e->args[0]);
  const size_t rank = region_.output->axes.size();
  bool channel = form.terms.empty() && form.constant == 0 && tensor.shape()[0] == 1;
  for (size_t k = 0; k < rank; ++k) {
    const ir::Axis& axis = region_.output->axes[k];
    if (PositionOf(rank, k) == 1 && axis.extent > 1) {
      channel = form.constant == 0 && form.terms.size() == 1 && form.CoeffOf(axis.var) == 1 &&
                tensor.shape()[0] == axis.extent;
    }
  }
  if (!channel)
    return No(RefusalKind::kParameters, "a parameter that does not follow the channel", e);
  param->tensor = tensor;
  return true;
}

Accepted<std::optional<int64_t>> EpilogueMatcher::ShiftedInt8(const Expr& e, EpilogueStep* step) {
  Expr value = e;
  int64_t shift = 0, factor = 0;
  if (IsBin(e, BinOp::kShl) && ir::IsImm(e->args[1], &shift)) {
    value = e->args[0];
  } else if (IsBin(e, BinOp::kMul) && ir::IsImm(e->args[1], &factor) && factor > 0 &&
             IsPowerOfTwo(static_cast<uint64_t>(factor))) {
    value = e->args[0];
    shift = Log2Floor(static_cast<uint64_t>(factor));
  }
  int64_t sum = 0;
  const Expr body = PeelConstant(value, &sum);
  if (shift < 0 || shift > 31 || sum < -127 || sum > 128) return std::nullopt;
  if (!IsCast(body, DType::kInt32) || body->args[0].dtype() != DType::kInt8) return std::nullopt;
  TESSERA_ASSIGN(step->src, Int8(body->args[0]));
  return shift;
}

TileSlot EpilogueMatcher::Same(TileSlot source, VectorMemory dst) {
  EpilogueStep step;
  step.kind = EpilogueStepKind::kRequant;
  step.src = source;
  step.dst = New(dst);
  return Emit(step);
}

Accepted<TileSlot> EpilogueMatcher::MakeInt8(const Expr& e) {
  if (e->kind == ExprKind::kTensorRead) {
    TESSERA_TRY(CheckIndex(e));
    const te::Tensor tensor = te::TensorOf(e);
    if (tensor == region_.anchor.stage) return Same({VectorMemory::kAcc, 0}, VectorMemory::kOut);
    if (constants_.contains(tensor.get()))
      return No(RefusalKind::kParameters, "a constant operand that is not a parameter", e);
    for (const auto& [node, place] : fetched_) {
      if (node == tensor.get()) return place;
    }
    EpilogueStep step;
    step.kind = EpilogueStepKind::kFetch;
    step.tensor = tensor;
    step.dst = New(VectorMemory::kOut);
    fetched_.emplace_back(tensor.get(), step.dst);
    return Emit(step);
  }
  int64_t zero = 0, lo = 0, hi = 0;
  if (IsCast(e, DType::kInt8) && e->args[0].dtype() == DType::kInt32) {
    const Expr& y = e->args[0];
    const bool narrows = IsCall(y, "clamp_add") && ir::IsImm(y->args[1], &zero) &&
                         ir::IsImm(y->args[2], &lo) && ir::IsImm(y->args[3], &hi) && zero >= -128 &&
                         zero <= 127 && lo >= -128 && hi <= 127 && lo <= hi;
    if (narrows) {
      if (IsCall(y->args[0], "requant")) return Rescale(y->args[0], VectorMemory::kOut);
      TESSERA_ASSIGN(const TileSlot value, Int32(y->args[0]));
      return Same(value, VectorMemory::kOut);
    }
  }
  return NoStep("an int8 value that no step makes", e);
}

Accepted<TileSlot> EpilogueMatcher::Rescale(const Expr& requant, VectorMemory dst) {
  EpilogueStep step;
  ParamTable table;
  TESSERA_ASSIGN(const bool multiplier, MatchParam(requant->args[1], &table.multiplier));
  TESSERA_ASSIGN(const bool shift, MatchParam(requant->args[2], &table.shift));
  if (!multiplier || !shift)
    return No(RefusalKind::kParameters, "a multiplier or shift that is no parameter", requant);
  const bool per_tensor = !table.multiplier.tensor && !table.shift.tensor;

  const Expr& a = requant->args[0];
  // An int8 source with its zero point, and a power of two in front.
  TESSERA_ASSIGN(const std::optional<int64_t> shifted, ShiftedInt8(a, &step));
  if (shifted && per_tensor) {
    step.kind = EpilogueStepKind::kRequant;
    step.dst = New(dst);
    return Emit(step);
  }
  // The sum of an int8 value and an accumulator.
  if (per_tensor && IsBin(a, BinOp::kAdd) && !IsParam(a->args[0]) && !IsParam(a->args[1])) {
    for (size_t side = 0; side < 2; ++side) {
      EpilogueStep add = step;
      const size_t before = region_.steps.size();
      TESSERA_ASSIGN(const auto int8, ShiftedInt8(a->args[1 - side], &add));
      if (!int8) {
        TESSERA_CHECK(region_.steps.size() == before);
        continue;
      }
      TESSERA_ASSIGN(add.acc, Int32(a->args[side]));
      add.kind = EpilogueStepKind::kAdd;
      add.dst = New(dst);
      return Emit(add);
    }
  }
  // An accumulator with a bias.
  Expr sum = a;
  if (IsBin(a, BinOp::kAdd)) {
    for (size_t side = 0; side < 2 && !shifted; ++side) {
      if (!IsParam(a->args[1 - side])) continue;
      TESSERA_TRY(MatchParam(a->args[1 - side], &table.bias));
      sum = a->args[side];
      break;
    }
  }
  if (!shifted) {
    TESSERA_ASSIGN(step.src, Int32(sum));
  }
  step.kind = EpilogueStepKind::kRequant;
  if (!per_tensor || table.bias.tensor || table.bias.value != 0) {
    step.table = static_cast<int>(region_.tables.size());
    region_.tables.push_back(table);
  }
  step.dst = New(dst);
  return Emit(step);
}

Accepted<TileSlot> EpilogueMatcher::MakeInt32(const Expr& e) {
  if (e->kind == ExprKind::kTensorRead && te::TensorOf(e) == region_.anchor.stage) {
    TESSERA_TRY(CheckIndex(e));
    return TileSlot{VectorMemory::kAcc, 0};
  }
  if (IsCall(e, "requant")) return Rescale(e, VectorMemory::kAcc);
  EpilogueStep step;
  TESSERA_ASSIGN(const std::optional<int64_t> shifted, ShiftedInt8(e, &step));
  if (shifted) {
    if (*shifted > kMostShift)
      return No(RefusalKind::kWide, "a shift that leaves int32", e, "more bits");
    return Same(step.src, VectorMemory::kAcc);
  }
  struct {
    BinOp bin;
    isa::AluOp alu;
  } const kOps[] = {{BinOp::kAdd, isa::AluOp::kAdd},
                    {BinOp::kMul, isa::AluOp::kMul},
                    {BinOp::kMin, isa::AluOp::kMin},
                    {BinOp::kMax, isa::AluOp::kMax},
                    {BinOp::kShr, isa::AluOp::kShr}};
  for (const auto& op : kOps) {
    if (!IsBin(e, op.bin)) continue;
    step = {};
    step.kind = EpilogueStepKind::kAlu;
    step.op = op.alu;
    TESSERA_ASSIGN(step.dst, Int32(e->args[0]));
    if (step.dst == TileSlot{VectorMemory::kAcc, 0} && anchor_reads_ > 1)
      return No(RefusalKind::kChangedSum, "a sum used both changed and unchanged", e);
    if (ir::IsImm(e->args[1], &step.imm)) {
      step.use_imm = true;
      return Emit(step);
    }
    TESSERA_ASSIGN(const std::optional<int64_t> int8, ShiftedInt8(e->args[1], &step));
    if (int8 != 0) {
      TESSERA_ASSIGN(step.src, Int32(e->args[1]));
    }
    return Emit(step);
  }
  return NoStep("an int32 value that no step makes", e);
}

Acceptance EpilogueMatcher::Run() {
  Expr value;
  if (region_.output == region_.anchor.stage) {
    std::vector<Expr> index;
    for (const ir::Axis& a : region_.output->axes) index.push_back(a.var);
    value = region_.output(index);
  } else {
    value = SumsOfNegated(InlineStages(region_.output->body));
  }
  ir::Visit(value, [&](const Expr& e) {
    anchor_reads_ += e->kind == ExprKind::kTensorRead && te::TensorOf(e) == region_.anchor.stage;
  });
  if (region_.output.dtype() != DType::kInt8) {
    return No(RefusalKind::kResultType, "a result that is not int8", value,
              std::string(Text(region_.output.dtype())));
  }
  TESSERA_ASSIGN(const TileSlot place, Int8(value));
  TESSERA_CHECK(place.memory == VectorMemory::kOut && !region_.steps.empty());
  // Fetches first: LOAD brings them while the products run.
  std::stable_partition(region_.steps.begin(), region_.steps.end(),
                        [](const EpilogueStep& s) { return s.kind == EpilogueStepKind::kFetch; });
  AssignSlots(&region_);
  return {};
}

}  // namespace

Acceptance MatchEpilogue(const ConstantMap& constants, AnalyzedRegion* region) {
  return EpilogueMatcher(constants, region).Run();
}

}  // namespace tessera::schedule::accel
