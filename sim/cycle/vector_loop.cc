// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/vector_loop.h"

#include "base/check.h"
#include "isa/semantics/vta_gemm.h"

namespace tessera::sim::cycle {
namespace {

using isa::VectorMemory;

VectorMemory VectorMemoryOf(isa::Memory memory) {
  switch (memory) {
    case isa::Memory::kOut:
      return VectorMemory::kOut;
    case isa::Memory::kInp:
      return VectorMemory::kInp;
    default:
      return VectorMemory::kAcc;
  }
}

}  // namespace

void VectorLoop::Start(const CommandPtr& command) {
  const isa::InsnNest& nest = command->nest;
  step_ = {};
  step_.command = command;
  step_.work = nest.steps() != 0 && !command->stop;
  loops_ = nest.loop_count;
  uops_ = nullptr;
  source_ = acc_ = result_ = {};
  for (int l = 0; l < loops_; ++l) {
    count_[l] = nest.loop_list[l].count;
    index_[l] = 0;
  }
  bool combines = false;
  adds_ = false;
  for (const isa::NestOperand& o : nest.operands()) {
    const Place place{o.base, o.strides, o.uop};
    if (o.row->name == "source") {
      source_ = place;
      step_.source = VectorMemoryOf(o.space.memory());
    } else if (o.row->name == "result" || (o.row->name == "acc" && o.write)) {
      result_ = place;
      step_.result = VectorMemoryOf(o.space.memory());
    } else if (o.row->name == "acc") {
      acc_ = place;
      combines = true;
    } else if (o.row->name == "cleared") {
      step_.clears = true;
    } else if (o.space == isa::Space::Of(isa::Memory::kUop)) {
      uops_ = &o;
    }
  }
  // The reduction loops of an Alu are those that do not move its result.
  const auto* insn = std::get_if<isa::Insn>(&command->fetched.insn);
  const isa::Alu* alu = insn == nullptr ? nullptr : std::get_if<isa::Alu>(insn);
  adds_ = insn != nullptr && std::holds_alternative<isa::Add>(*insn);
  reduction_ = loops_;
  folds_ = moves_first_ = false;
  combines_ = combines && !adds_;
  if (alu != nullptr) {
    const auto op = static_cast<isa::AluOp>(alu->alu_op);
    reduction_ = 2;
    folds_ = op != isa::AluOp::kShr && op != isa::AluOp::kMul;
    moves_first_ = alu->init != 0;
  }
  valid_ = true;
  Make();
}

int64_t VectorLoop::TileOf(const Place& place) const {
  int64_t tile = place.base;
  for (int l = 0; l < loops_; ++l) tile += index_[l] * place.strides[l];
  if (uops_ != nullptr && place.uop >= 0 && step_.work) {
    isa::VtaUop uop;
    if (isa::ReadVtaUop(state_, uops_->base + index_[loops_ - 1], &uop)) return tile;
    tile += place.uop == 0 ? uop.dst_idx : uop.src_idx;
  }
  return tile;
}

void VectorLoop::Make() {
  bool first = true, ends = true, last = true;
  for (int l = 0; l < loops_; ++l) {
    const bool at_end = index_[l] + 1 >= count_[l];
    last = last && at_end;
    if (l < reduction_) continue;
    first = first && index_[l] == 0;
    ends = ends && at_end;
  }
  step_.last = last || !step_.work;
  step_.emits = !step_.work || !folds_ || ends;
  step_.reads_acc = adds_ || (combines_ && (!folds_ || first) && !(moves_first_ && first));
  step_.source_tile = TileOf(source_);
  step_.result_tile = TileOf(result_);
  step_.acc_tile = adds_ ? TileOf(acc_) : step_.result_tile;
  step_.clear_tile = adds_ ? step_.acc_tile : step_.source_tile;
}

void VectorLoop::Next() {
  TESSERA_CHECK(valid_ && !step_.last);
  for (int l = loops_ - 1; l >= 0; --l) {
    if (++index_[l] < count_[l]) break;
    index_[l] = 0;
  }
  Make();
}

}  // namespace tessera::sim::cycle
