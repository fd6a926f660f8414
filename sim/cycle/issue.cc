// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/issue.h"

#include <algorithm>

#include "isa/costs.h"

namespace tessera::sim::cycle {

IssueModel::IssueModel(const isa::Config& config, isa::Profile profile, uint64_t address,
                       uint32_t count, Stream& stream, MachinePart& bus)
    : profile_(profile),
      bus_bytes_(static_cast<uint64_t>(config.bus_bytes())),
      insn_bytes_(profile == isa::Profile::kVta ? isa::kVtaInsnBytes : isa::kInsnBytes),
      count_(count),
      stream_(stream),
      bus_(bus),
      at_(address / bus_bytes_),
      left_((count * insn_bytes_ + bus_bytes_ - 1) / bus_bytes_) {
  WakeAt(0);
}

// Asks for bursts while there are places for their beats. A burst ends at the end of the stream or
// of an aligned block.
bool IssueModel::StepAsk(bool leaves) {
  const bool took = asks_ && bus_room_;
  const bool out_go = (bus_room_ && room_) || !out_valid_;
  const uint64_t kept = taken_ - static_cast<uint64_t>(left_late_);
  const uint64_t added = kept + out_.beats;
  const bool room_kept = kept <= kBeats - kMaxBurst, room_added = added <= kBeats - kMaxBurst;
  bool asks = room_kept && (out_valid_ || left_ != 0);
  if (bus_room_) {
    const bool more = room_ || !out_valid_ ? left_ != 0 : true;
    asks = (asks_ ? room_added : room_kept) && more;
  }
  const uint64_t taken = took ? added : kept;
  const bool room = took ? room_added : room_kept;
  bool active = took || taken != taken_ || room != room_ || asks != asks_ || left_late_ != leaves;
  left_late_ = leaves;
  taken_ = taken;
  room_ = room;
  asks_ = asks;
  if (out_go) {
    active = active || out_valid_ || left_ != 0;
    out_valid_ = left_ != 0;
    if (out_valid_) {
      const uint64_t asked = std::min(left_, kMaxBurst - at_ % kMaxBurst);
      out_ = {.address = at_ * bus_bytes_, .beats = static_cast<uint32_t>(asked)};
      at_ += asked;
      left_ -= asked;
    }
  }
  return active;
}

// Turns beats into instructions: several beats make one, or one beat holds several. |go|: the
// register behind is free.
bool IssueModel::StepFetch(bool go) {
  const bool beat = beats_ != 0;
  // The bus is narrower than an instruction of profile tessera.
  const bool narrow = bus_bytes_ < isa::kInsnBytes;
  const uint64_t parts = narrow ? insn_bytes_ / bus_bytes_ : bus_bytes_ / insn_bytes_;
  const bool part_ends = part_ + 1 == parts;
  const bool makes = narrow ? beat && part_ends : beat;
  const bool leaves = beat && (narrow ? go || !part_ends : go && part_ends);
  const bool gives = makes && go;
  if (narrow ? leaves : gives) part_ = part_ends ? 0 : part_ + 1;
  bool active = leaves || gives || beat_came_;
  if (go) {
    const bool valid = gives && number_ != count_;
    active = active || valid != insn_valid_;
    insn_valid_ = valid;
    if (valid) ++number_;
  }
  beats_ += static_cast<uint64_t>(beat_came_) - static_cast<uint64_t>(leaves);
  beat_came_ = false;
  return StepAsk(leaves) || active;
}

bool IssueModel::StepDispatch(Cycles t) {
  const bool vta = profile_ == isa::Profile::kVta;
  // ---- The check takes one instruction at a time.
  const bool check_ready = checked_ == nullptr || check_left_ == 0;
  const bool check_done = checked_ != nullptr && check_left_ == 0;
  const int queue = command_ == nullptr ? 0 : static_cast<int>(command_->fetched.unit);
  const bool room = command_ != nullptr && gates_->room(queue);
  const bool taken = room && (check_ ? check_ready : !blocked_);
  const bool to_check = taken && check_;
  const bool checking = (room && check_ && check_ready) || (checking_ && !check_done);
  bool active = check_done || (checked_ != nullptr) || taken || blocked_ != (checking && vta);
  if (check_done) {
    gates_->Put(t, static_cast<int>(checked_->fetched.unit), checked_);
    checked_ = nullptr;
  } else if (checked_ != nullptr) {
    --check_left_;
  }
  if (to_check) {
    checked_ = command_;
    check_left_ = isa::kCheckCycles - 1;
  }
  checking_ = checking;
  blocked_ = checking && vta;
  if (taken) {
    gates_->Give(t, queue);
    if (!check_) gates_->Put(t, queue, command_);
  }

  // ---- Dispatch.
  finishes_ = finish_ && gates_->AllIdle();
  const bool deadlock =
      (finish_ || (command_ != nullptr && !room)) && !gates_->AllIdle() && gates_->AllStuck();
  const bool go = !waits_ && trouble_ == Trouble::kNone && command_ == nullptr && !bad_;
  const bool moves = insn_valid_ && go;
  const bool finish = waits_ && command_ == nullptr && !bad_ && trouble_ == Trouble::kNone;
  active = active || moves || finish != finish_ || bad_;
  if (trouble_ == Trouble::kNone) {
    if (bad_) {
      trouble_ = Trouble::kRefused;
    } else if (deadlock) {
      trouble_ = Trouble::kDeadlock;
    } else if (ends_ && command_ == nullptr) {
      trouble_ = Trouble::kNoFinish;
    }
    trouble_number_ = last_number_;
    active = active || trouble_ != Trouble::kNone;
  }
  finish_ = finish;
  bad_ = false;
  if (taken) command_ = nullptr;
  if (!moves) return active;

  CommandPtr next = stream_.Decode(number_ - 1);
  last_number_ = next->number;
  bad_ = static_cast<bool>(next->stop);
  refusal_ = next->stop;
  if (bad_) return true;
  waits_ = next->fetched.finish;
  ends_ = !waits_ && number_ == count_;
  const bool queued = !next->fetched.finish || vta;
  if (queued) command_ = next;
  check_ = next->fetched.unit == isa::Unit::kLoad || next->fetched.unit == isa::Unit::kStore ||
           (vta && next->unit == isa::Unit::kLoad);
  return true;
}

void IssueModel::Cycle(Cycles t) {
  Sleep();
  const bool go = !waits_ && trouble_ == Trouble::kNone && command_ == nullptr && !bad_;
  // Dispatch reads the output of fetch in this cycle, so dispatch steps first.
  const bool dispatched = StepDispatch(t);
  const bool fetched = StepFetch(go || !insn_valid_);
  if (asks_) bus_.WakeAt(t + 1);
  if (dispatched || fetched) WakeAt(t + 1);
}

}  // namespace tessera::sim::cycle
