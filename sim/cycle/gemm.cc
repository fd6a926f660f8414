// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/gemm.h"

#include <algorithm>
#include <string_view>

#include "isa/semantics/vta_gemm.h"

namespace tessera::sim::cycle {
namespace {

// Pipeline slots, in cycles after slot 0 (tsr_gemm).
constexpr Cycles kInpSlot = 2, kAccReadSlot = 9, kAccWriteSlot = 12, kRetireSlot = 13;
// The least cycles from taking a command to its start. A command is held for one cycle. A depthwise
// takes two more to compute what its first slots read.
constexpr Cycles kHold = 1, kHoldWindow = 3;

// The positions that each slot of a window reads (tsr_dw_reads): the lowest missing position, and
// the next missing one if it lies in another bank. |bank|: of each position.
std::vector<uint16_t> ReadSlots(uint16_t missing, const std::array<int, 9>& bank) {
  std::vector<uint16_t> slots;
  while (missing != 0) {
    const int low = std::countr_zero(missing);
    uint16_t reads = static_cast<uint16_t>(1 << low);
    missing &= static_cast<uint16_t>(~reads);
    if (missing != 0) {
      const int high = std::countr_zero(missing);
      if (bank[low] != bank[high]) reads |= static_cast<uint16_t>(1 << high);
    }
    missing &= static_cast<uint16_t>(~reads);
    slots.push_back(reads);
  }
  return slots;
}

const isa::NestOperand* Find(const isa::InsnNest& nest, std::string_view name, bool write) {
  for (const isa::NestOperand& o : nest.operands()) {
    if (o.row->name == name && o.write == write) return &o;
  }
  return nullptr;
}

}  // namespace

GemmModel::GemmModel(const isa::MachineState& state, ActivityCount& activity, MachinePart& gates)
    : state_(state),
      activity_(activity),
      gates_(gates),
      inp_banks_(state.config, isa::Memory::kInp),
      acc_banks_(state.config, isa::Memory::kAcc),
      passes_(static_cast<uint64_t>(state.config.array_passes)) {}

Cycles GemmModel::GemmWork::retires() const { return last + kRetireSlot; }

void GemmModel::Take(Cycles t, const CommandPtr& command) {
  GemmWork& work = works_.emplace_back();
  work.command = command;
  work.taken = t;
  Plan(t, work);
  held_ = true;
  WakeAt(t);
}

void GemmModel::Plan(Cycles t, GemmWork& work) {
  const isa::InsnNest& nest = work.command->nest;
  const uint64_t steps = static_cast<uint64_t>(nest.steps());
  work.any = steps != 0 && !work.command->stop;
  work.inp = Find(nest, "inp", false);
  work.uops = Find(nest, "uops", false);
  work.acc = Find(nest, "acc", true);
  work.from_zero = Find(nest, "acc", false) == nullptr;
  if (work.any && nest.loop_list[nest.loop_count - 1].within) {
    starts_ = std::max({t + kHoldWindow, loop_last_ + (loop_last_ != 0), window_moved_});
    work.begins = starts_;
    PlanDepthwise(work);
    return;
  }
  starts_ = std::max({t + kHold, loop_last_, window_last_});
  work.first = starts_ + 1;
  work.last = starts_ + (work.any ? steps * passes_ : 1);
  loop_last_ = work.last;
}

// Loops of Depthwise: z, o, i; then ky, kx, which are inside a step.
void GemmModel::PlanDepthwise(GemmWork& work) {
  const isa::InsnNest& nest = work.command->nest;
  const auto count = [&](int loop) { return nest.loop_list[loop].count; };
  const int64_t kh = count(3), kw = count(4);
  const int64_t along = work.inp->strides[2], win_y = work.inp->strides[3],
                win_x = work.inp->strides[4];
  const int64_t keep = kw > 1 && along == win_x ? 1 : kw > 2 && along == 2 * win_x ? 2 : 0;
  // All positions of a window; the positions that it does not share with the window before.
  uint16_t all = 0, fresh = 0;
  std::array<int, 9> bank{};
  for (int64_t ky = 0; ky < kh; ++ky) {
    for (int64_t kx = 0; kx < kw; ++kx) {
      const int64_t at = 3 * ky + kx;
      all |= static_cast<uint16_t>(1 << at);
      if (kx >= kw - keep) fresh |= static_cast<uint16_t>(1 << at);
      bank[at] = inp_banks_.Of(ky * win_y + kx * win_x);
    }
  }
  work.first_reads = ReadSlots(all, bank);
  work.reads = keep == 0 ? work.first_reads : ReadSlots(fresh, bank);
  work.steps =
      2 * passes_ * static_cast<uint64_t>(CeilDiv(kh * kw, state_.config.depthwise_taps()));
  work.columns = static_cast<uint64_t>(count(2));
  work.every = std::max<uint64_t>(work.reads.size(), work.steps);
  work.first_every = std::max<uint64_t>(work.first_reads.size(), work.steps);
  work.row = work.first_every + (work.columns - 1) * work.every;
  const Cycles moved = std::max(work.begins + work.first_reads.size(), window_last_);
  const uint64_t rows = static_cast<uint64_t>(count(0) * count(1));
  work.first = moved + 1;
  window_moved_ = moved + rows * work.row - work.first_every;
  work.last = window_last_ = window_moved_ + work.steps;
}

const Command* GemmModel::retires(Cycles t) const {
  for (const GemmWork& work : works_) {
    if (work.retires() == t) return work.command;
  }
  return nullptr;
}

void GemmModel::Cycle(Cycles t) {
  Sleep();
  if (held_ && t == starts_) {
    held_ = false;
    gates_.WakeAt(t + 1);
  }
  while (!works_.empty() && works_.front().retires() < t) works_.pop_front();
  for (const GemmWork& work : works_) {
    if (work.retires() == t + 1) gates_.WakeAt(t + 1);
  }
  SetActivity(t);
}

// A cycle is busy if a step multiplies; otherwise it is a hazard if GEMM has a command.
void GemmModel::SetActivity(Cycles t) {
  Activity now = Activity::kIdle;
  Cycles next = kNever;
  const auto change = [&](Cycles at) {
    if (at > t) next = std::min(next, at);
  };
  if (held_) change(starts_);
  for (const GemmWork& work : works_) {
    change(work.taken + 1);
    if (t > work.taken && now == Activity::kIdle) now = Activity::kHazard;
    change(work.retires() - 1);
    change(work.retires() + 1);
    change(work.first);
    change(work.last + 1);
    if (!work.any || t < work.first || t > work.last) continue;
    if (!work.depthwise()) {
      now = Activity::kBusy;
      continue;
    }
    const GemmWork::WindowPlace here = work.WindowAt(t - work.first);
    // The cycles of the first step of the window and of the row.
    const Cycles window = t - here.at, row = window - here.column * work.every;
    if (here.at < work.steps) now = Activity::kBusy;
    // The next pause: after this window, or, if windows follow without a pause, after the last
    // window of the row.
    const bool pauses = work.every != work.steps;
    change((pauses ? window : row + (work.columns - 1) * work.every) + work.steps);
    change(pauses && here.column + 1 < work.columns ? window + work.every : row + work.row);
  }
  activity_.SetOwn(t, now);
  WakeAt(next);
}

int64_t GemmModel::LoopTile(const GemmWork& work, const isa::NestOperand& operand, uint64_t n,
                            bool* init) const {
  const isa::InsnNest& nest = work.command->nest;
  int64_t tile = operand.base;
  for (int l = nest.loop_count - 1; l >= 0; --l) {
    const uint64_t count = static_cast<uint64_t>(nest.loop_list[l].count);
    const int64_t i = static_cast<int64_t>(n % count);
    n /= count;
    tile += i * operand.strides[l];
    if (!nest.loop_list[l].uops) continue;
    if (state_.profile == isa::Profile::kVta) {
      isa::VtaUop uop;
      if (isa::ReadVtaUop(state_, work.uops->base + i, &uop)) continue;
      tile += operand.uop == 0 ? uop.dst_idx : uop.src_idx;
    } else {
      isa::Uop uop;
      if (isa::ReadUop(state_, work.uops->base + i, &uop)) continue;
      tile += isa::UopField(uop, operand.uop);
      *init = uop.init != 0;
    }
  }
  return tile;
}

int64_t GemmModel::WindowTile(const GemmWork& work, const isa::NestOperand& operand, uint64_t row,
                              uint64_t column) const {
  const uint64_t rows = static_cast<uint64_t>(work.command->nest.loop_list[1].count);
  return operand.base + static_cast<int64_t>(row / rows) * operand.strides[0] +
         static_cast<int64_t>(row % rows) * operand.strides[1] +
         static_cast<int64_t>(column) * operand.strides[2];
}

GemmModel::GemmStep GemmModel::StepAt(Cycles slot0) const {
  for (const GemmWork& work : works_) {
    if (slot0 < work.first || slot0 > work.last) continue;
    if (!work.any) return {};
    GemmStep step{
        .work = &work, .init = work.from_zero, .last = slot0 == work.last, .stores = true};
    const uint64_t n = slot0 - work.first;
    if (!work.depthwise()) {
      bool init = false;
      step.tile = LoopTile(work, *work.acc, n / passes_, &init);
      step.init = (step.init || init) && n % passes_ == 0;
      return step;
    }
    const GemmWork::WindowPlace window = work.WindowAt(n);
    if (window.at >= work.steps) return {};
    step.tile = WindowTile(work, *work.acc, window.row, window.column);
    step.init = step.init && window.at == 0;
    step.stores = window.at == work.steps - 1;
    return step;
  }
  return {};
}

// tsr_gemm_accum: GEMM does not read a tile that one of the three steps before used.
int GemmModel::AccRead(Cycles t) const {
  if (works_.empty() || t < kAccReadSlot + 1) return kNoBank;
  const GemmStep step = StepAt(t - kAccReadSlot);
  if (step.work == nullptr || step.init) return kNoBank;
  for (Cycles back = 1; back <= 3 && back + kAccReadSlot <= t; ++back) {
    const GemmStep before = StepAt(t - kAccReadSlot - back);
    if (before.work != nullptr && before.tile == step.tile) return kNoBank;
  }
  return acc_banks_.Of(step.tile);
}

// GEMM does not write a result that the next step of the command continues.
int GemmModel::AccWrite(Cycles t) const {
  if (works_.empty() || t < kAccWriteSlot + 1) return kNoBank;
  const GemmStep step = StepAt(t - kAccWriteSlot);
  if (step.work == nullptr || !step.stores) return kNoBank;
  if (!step.last) {
    const GemmStep next = StepAt(t - kAccWriteSlot + 1);
    if (next.work != nullptr && next.tile == step.tile) return kNoBank;
  }
  return acc_banks_.Of(step.tile);
}

// The banks that a depthwise reads in slot |slot|, for the window after the one that is multiplied.
uint32_t GemmModel::WindowReads(const GemmWork& work, Cycles slot) const {
  const std::vector<uint16_t>* reads = &work.first_reads;
  uint64_t row = 0, column = 0, at = slot - work.begins - 1;
  if (slot >= work.first) {  // the window after the one handed over last
    const GemmWork::WindowPlace before = work.WindowAt(slot - work.first);
    at = before.at;
    row = before.row;
    column = before.column + 1;
    if (column == work.columns) {
      column = 0;
      ++row;
    } else {
      reads = &work.reads;
    }
    const isa::InsnNest& nest = work.command->nest;
    if (row == static_cast<uint64_t>(nest.loop_list[0].count * nest.loop_list[1].count)) return 0;
  }
  if (at >= reads->size()) return 0;
  const int64_t tile = WindowTile(work, *work.inp, row, column);
  uint32_t mask = 0;
  for (uint32_t left = (*reads)[at]; left != 0; left &= left - 1) {
    const int position = std::countr_zero(left);
    mask |= 1u << inp_banks_.Of(tile + position / 3 * work.inp->strides[3] +
                                position % 3 * work.inp->strides[4]);
  }
  return mask;
}

uint32_t GemmModel::InpReads(Cycles t) const {
  if (t < kInpSlot) return 0;
  const Cycles slot = t - kInpSlot;
  uint32_t mask = 0;
  for (const GemmWork& work : works_) {
    if (!work.any || work.inp == nullptr || slot > work.last) continue;
    if (work.depthwise()) {
      if (slot > work.begins) mask |= WindowReads(work, slot);
    } else if (slot >= work.first && (slot - work.first) % passes_ == 0) {
      bool init = false;
      mask |= 1u << inp_banks_.Of(LoopTile(work, *work.inp, (slot - work.first) / passes_, &init));
    }
  }
  return mask;
}

}  // namespace tessera::sim::cycle
