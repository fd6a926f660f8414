// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/instructions.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "compiler/ir/intrin.h"
#include "compiler/ir/visit.h"

namespace tessera::cost {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::LoopKind;
using target::Target;

// Cycles of operations that take more than one, of a register of a current core (Agner Fog's
// tables, Ice Lake and Zen 4).
constexpr double kDivision = 8, kFunction = 24, kRequant = 10, kRequantByFloats = 5,
                 kLongProduct = 3, kIntProduct = 2;
// Cycles until a sum can be added to.
constexpr double kSumLatency = 4;
// Registers for operands beside those of sums.
constexpr double kOperandRegisters = 3;

class WorkCounter {
 public:
  WorkCounter(const Body& body, const Target& target) : body_(body), target_(target) {
    while (block_ > 0 && InBlock(body_.loops[block_ - 1])) --block_;
    for (size_t d = block_; d < body_.call; ++d) {
      if (body_.loops[d].kind == LoopKind::kVector) lanes_ *= body_.loops[d].iterations;
    }
  }

  Work Run() {
    work_.blocks = body_.Iterations(0, block_);
    for (size_t d = 0; d < block_; ++d) {
      if (IsLoop(body_.loops[d].kind)) work_.instructions.loops += body_.Iterations(0, d + 1);
    }
    const schedule::Stage& stage = *body_.nest->stage;
    if (body_.call < body_.loops.size()) {
      const auto& intrin = *target_.FindIntrinsic(stage.intrinsics.front());
      const double calls = body_.Iterations(0, body_.call);
      work_.instructions.intrinsics = calls;
      work_.call_cycles = calls * (intrin.cycles > 0 ? intrin.cycles : 1);
      work_.wait = std::max(intrin.latency, intrin.cycles);
    } else {
      Moved all(body_.loops.size());
      AddArithmetic(stage.body, &all);
      work_.wait = stage.reduce_axes.empty() ? 0 : kSumLatency;
    }
    for (const Operand& operand : body_.operands) AddAccess(operand);
    AddSpills();
    return work_;
  }

 private:
  static bool InBlock(const BodyLoop& loop) {
    return loop.own && (loop.kind == LoopKind::kVector || loop.kind == LoopKind::kUnroll ||
                        loop.iterations == 1);
  }
  static bool IsLoop(LoopKind kind) {
    return kind == LoopKind::kSerial || kind == LoopKind::kParallel;
  }
  double Registers(double bytes) const {
    return target_.vector_bytes > 0
               ? std::ceil(lanes_ * bytes / static_cast<double>(target_.vector_bytes))
               : lanes_;
  }

  // How often the compiled code executes an instruction whose operands move with loop d if
  // moves(d): it stands outside the loops that change nothing. A register holds |lanes_| values.
  template <typename Moves>
  double Executions(const Moves& moves) const {
    double in_block = 1;
    bool any = false;
    for (size_t d = block_; d < body_.call; ++d) {
      if (!moves(d)) continue;
      any = true;
      if (body_.loops[d].kind != LoopKind::kVector) in_block *= body_.loops[d].iterations;
    }
    size_t outside = block_;
    while (!any && outside > 0 && !moves(outside - 1)) --outside;
    return body_.Iterations(0, outside) * in_block;
  }

  // Which loops an expression of the body moves with.
  using Moved = std::vector<bool>;

  // Counts the operations of |e|, each once, and adds the loops that it moves with to |into|.
  void AddArithmetic(const Expr& e, Moved* into) {
    if (e->kind == ExprKind::kImm) return;
    if (const auto known = counted_.find(e.get()); known != counted_.end())
      return Join(known->second, into);
    Moved moved(body_.loops.size());
    if (e->kind == ExprKind::kTensorRead) {
      for (const Expr& index : e->args) AddVars(index, &moved);
    } else if (e->kind == ExprKind::kVar) {
      AddVars(e, &moved);
    } else {
      const auto add = [&](const Expr& operand) { AddArithmetic(operand, &moved); };
      const std::vector<Expr>* factors =
          target_.fma && e->kind == ExprKind::kReduce ? ir::FusedFactors(*e) : nullptr;
      if (factors != nullptr) {  // the sum multiplies
        std::ranges::for_each(*factors, add);
        if (e->args.size() > 1) add(e->args[1]);
      } else {
        std::ranges::for_each(e->args, add);
      }
      if (e->kind == ExprKind::kReduce) {  // one sum an iteration
        for (size_t d = 0; d < moved.size(); ++d) moved[d] = moved[d] || body_.loops[d].own;
      }
      Count(*e, moved);
    }
    Join(moved, into);
    counted_.emplace(e.get(), std::move(moved));
  }

  static void Join(const Moved& moved, Moved* into) {
    for (size_t d = 0; d < moved.size(); ++d) {
      if (moved[d]) (*into)[d] = true;
    }
  }

  void AddVars(const Expr& index, Moved* moved) const {
    body_.nest->bounds->ForEachLoopOf(index, [&](const ir::ExprNode* var) {
      const auto at = std::ranges::find(body_.loops, var, &BodyLoop::var);
      if (at != body_.loops.end()) (*moved)[static_cast<size_t>(at - body_.loops.begin())] = true;
    });
  }

  void Count(const ir::ExprNode& e, const Moved& moved) {
    if (e.type.dtype == DType::kInt64) return;  // an index or a condition on it
    const double cycles = CyclesOf(e);
    if (cycles == 0) return;
    const DType type = e.type.dtype == DType::kBool ? e.args[0].dtype() : e.type.dtype;
    const double registers = Registers(static_cast<double>(SizeOf(type)));
    const double times = registers * Executions([&](size_t d) { return moved[d]; });
    work_.instructions.arithmetic += times;
    work_.arithmetic_cycles += times * cycles;
  }

  static double CyclesOf(const ir::ExprNode& e) {
    switch (e.kind) {
      case ExprKind::kBin:
        if (e.bin() == ir::BinOp::kDiv || e.bin() == ir::BinOp::kMod) return kDivision;
        return e.bin() == ir::BinOp::kMul && !IsFloat(e.type.dtype) ? kIntProduct : 1;
      case ExprKind::kUn:
      case ExprKind::kSelect:
      case ExprKind::kReduce:
        return 1;
      case ExprKind::kCall: {
        const auto intrin = ir::FindScalarIntrin(e.name);
        if (!intrin) return kFunction;
        if (intrin->id == ir::ScalarIntrin::kRequant) return kRequant + kLongProduct;
        if (intrin->id == ir::ScalarIntrin::kRequantClamp) return kRequantByFloats;
        return intrin->function ? kFunction : 2;
      }
      default:
        return 0;
    }
  }

  // Elements of |operand| beside each other that the block's unrolled loops run through.
  double Turns(const Operand& operand) const {
    double turns = 1;
    for (size_t d = block_; d < body_.call; ++d) {
      const bool unrolled = body_.loops[d].kind != LoopKind::kVector;
      if (unrolled && operand.steps[d] == 1) turns *= body_.loops[d].iterations;
    }
    return turns;
  }

  // A vector whose elements lie next to each other, or take turns with those of other vectors, is
  // one load of each register. One value for all lanes is one load. Elements apart from each other
  // are loaded one by one.
  void AddAccess(const Operand& operand) {
    if (operand.scope == ir::Scope::kReg || operand.scope == ir::Scope::kAcc) return;
    double registers = 1;
    for (size_t d = block_; d < body_.call; ++d) {
      if (body_.loops[d].kind != LoopKind::kVector || !operand.Moves(d)) continue;
      const bool beside = operand.steps[d] == 1 || operand.steps[d] == Turns(operand);
      registers *= beside ? Registers(operand.element_bytes) : body_.loops[d].iterations;
    }
    if (body_.call < body_.loops.size()) registers = TileRegisters(operand);
    const double times = registers * Executions([&](size_t d) { return operand.Moves(d); });
    (operand.written ? work_.instructions.stores : work_.instructions.loads) += times;
    const bool sums = operand.written && !body_.nest->stage->reduce_axes.empty();
    if (sums) work_.instructions.loads += times;
  }

  // Registers that hold the operand of a call.
  double TileRegisters(const Operand& operand) const {
    double elements = 1;
    for (size_t d = body_.call; d < body_.loops.size(); ++d) {
      if (operand.Moves(d)) elements *= body_.loops[d].iterations;
    }
    const double bytes = elements * operand.element_bytes;
    return target_.vector_bytes > 0 ? std::ceil(bytes / static_cast<double>(target_.vector_bytes))
                                    : elements;
  }

  // Sums that exceed the registers go to memory and back in each run of the block.
  void AddSpills() {
    for (const Operand& operand : body_.operands) {
      if (!operand.written || operand.scope != ir::Scope::kReg || target_.vector_registers == 0)
        continue;
      double sums = body_.call < body_.loops.size() ? TileRegisters(operand)
                                                    : Registers(operand.element_bytes);
      for (size_t d = block_; d < body_.call; ++d) {
        if (body_.loops[d].kind != LoopKind::kVector && operand.Moves(d))
          sums *= body_.loops[d].iterations;
      }
      const double room = static_cast<double>(target_.vector_registers) - kOperandRegisters;
      const double spilled = std::max(0.0, sums - room) * work_.blocks;
      work_.instructions.loads += spilled;
      work_.instructions.stores += spilled;
      work_.spills += spilled;
    }
  }

  const Body& body_;
  const Target& target_;
  // The first of the innermost loops that are unrolled or a vector.
  size_t block_ = body_.call;
  double lanes_ = 1;
  std::unordered_map<const ir::ExprNode*, Moved> counted_;
  Work work_;
};

}  // namespace

Work WorkOf(const Body& body, const Target& target) { return WorkCounter(body, target).Run(); }

}  // namespace tessera::cost
