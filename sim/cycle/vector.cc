// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/vector.h"

namespace tessera::sim::cycle {

using isa::VectorMemory;

VectorModel::VectorModel(const isa::MachineState& state, const GemmModel& gemm,
                         ActivityCount& activity, MachinePart& gates)
    : gemm_(gemm),
      activity_(activity),
      gates_(gates),
      acc_banks_(state.config, isa::Memory::kAcc),
      out_banks_(state.config, isa::Memory::kOut),
      inp_banks_(state.config, isa::Memory::kInp),
      loop_(state),
      passes_(state.config.vector_passes) {}

// Slot 3: whether the banks that this phase reads are free. Banks of OUT always are: no unit has
// priority over VECTOR there.
bool VectorModel::Served(Cycles t) const {
  const VectorStep& step = slot3_.step;
  if (!slot3_.valid || !step.work) return true;
  const bool source_acc = step.source == VectorMemory::kAcc;
  if (step.reads_acc || source_acc) {
    const int64_t tile = step.reads_acc && !second_ ? step.acc_tile : step.source_tile;
    if (gemm_.AccRead(t) == acc_banks_.Of(tile)) return false;
  }
  if (step.source != VectorMemory::kInp) return true;
  return (gemm_.InpReads(t) >> inp_banks_.Of(step.source_tile) & 1) == 0;
}

void VectorModel::BeginPass() {
  second_ = false;
  more_ = slot3_.valid && slot3_.step.work && slot3_.step.reads_acc &&
          slot3_.step.source == VectorMemory::kAcc;
  final_ = slot3_.valid && !more_;
}

void VectorModel::Cycle(Cycles t) {
  Sleep();
  // ---- Outputs of this cycle.
  const bool ok = flight_.ok();
  const bool asks = slot3_.valid && ok && slot3_.step.work;
  const VectorStep& step3 = slot3_.step;
  const bool served = Served(t);
  const bool last_pass = !slot3_.valid || pass_ + 1 == passes_;
  const bool advance = (!slot3_.valid || ok) && served && !more_ && last_pass;
  const bool go = slot3_.valid && ok && served;
  const bool fire = final_ && last_pass && ok && served;

  seen_ = t;
  out_read_ =
      asks && step3.source == VectorMemory::kOut ? out_banks_.Of(step3.source_tile) : kNoBank;
  acc_read_ = kNoBank;
  if (asks && (step3.reads_acc || step3.source == VectorMemory::kAcc)) {
    acc_read_ = acc_banks_.Of(step3.reads_acc && !second_ ? step3.acc_tile : step3.source_tile);
  }
  const auto bank = [](const Banks& banks, int64_t tile) {
    return tile == VectorFlight::kNoTile ? kNoBank : banks.Of(tile);
  };
  acc_write_ = bank(acc_banks_, flight_.acc_tile());
  out_write_ = bank(out_banks_, flight_.out_tile());
  inp_write_ = bank(inp_banks_, flight_.inp_tile());
  const bool acc_ready = acc_write_ == kNoBank || gemm_.AccWrite(t) != acc_write_;

  const bool inside =
      held_ || loop_.valid() || slot1_.valid || slot2_.valid || slot3_.valid || !flight_.empty();
  activity_.SetOwn(t, go && step3.work ? Activity::kBusy
                      : inside         ? Activity::kHazard
                                       : Activity::kIdle);

  // ---- The command in front of the loops.
  const bool taken = takes_ && advanced_;
  const bool offers = known_ && !taken;
  const bool taken_next = offers && loop_.ends();
  const bool free = !held_ || taken;

  // ---- Results.
  if (const VectorStep* written = flight_.Written(acc_ready); written != nullptr && written->last) {
    retired_ = written->command;
    retires_at_ = t + 1;
    gates_.WakeAt(t + 1);
  }
  flight_.Step(t, acc_ready, fire && step3.emits ? &step3 : nullptr,
               advance ? &slot2_.step : nullptr);

  // ---- Slots.
  if (advance) {
    slot3_ = slot2_;
    slot2_ = slot1_;
    slot1_.valid = loop_.valid();
    if (slot1_.valid) slot1_.step = loop_.step();
    pass_ = 0;
    BeginPass();
    if (!loop_.ends()) {
      loop_.Next();
    } else if (offers) {
      loop_.Start(held_command_);
    } else {
      loop_.Stop();
    }
  } else if (go && more_) {
    second_ = true;
    more_ = false;
    final_ = true;
  } else if (go) {
    ++pass_;
    BeginPass();
  }

  known_ = !free;
  takes_ = taken_next;
  advanced_ = advance;
  if (free) {
    held_ = coming_ != nullptr;
    held_command_ = coming_;
    coming_ = nullptr;
  }
  if (taken_next && advance) gates_.WakeAt(t + 1);
  if (inside || held_) WakeAt(t + 1);
}

}  // namespace tessera::sim::cycle
