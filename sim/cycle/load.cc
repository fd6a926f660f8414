// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/load.h"

namespace tessera::sim::cycle {

LoadModel::LoadModel(const isa::Config& config, const GemmModel& gemm, const VectorModel& vector,
                     ActivityCount& activity, MachinePart& gates, MachinePart& bus)
    : bus_bytes_(static_cast<uint64_t>(config.bus_bytes())),
      gemm_(gemm),
      vector_(vector),
      activity_(activity),
      gates_(gates),
      bus_(bus),
      acc_banks_(config, isa::Memory::kAcc),
      out_banks_(config, isa::Memory::kOut),
      inp_banks_(config, isa::Memory::kInp),
      front_(bus_bytes_) {}

// Whether the scratchpad takes the write in front: GEMM and VECTOR have priority in a bank.
bool LoadModel::Written(Cycles t) const {
  const Chunk& chunk = writes_.front().chunk;
  if (!chunk.write) return true;
  const int64_t tile = static_cast<int64_t>(chunk.tile);
  switch (chunk.memory) {
    case isa::Memory::kInp:
      return vector_.InpWrite(t) != inp_banks_.Of(tile);
    case isa::Memory::kOut:
      return vector_.OutWrite(t) != out_banks_.Of(tile);
    case isa::Memory::kAcc:
    case isa::Memory::kAcc8: {
      const int bank = acc_banks_.Of(tile);
      return vector_.AccWrite(t) != bank && gemm_.AccWrite(t) != bank;
    }
    default:
      return true;  // no other unit writes there
  }
}

void LoadModel::Cycle(Cycles t) {
  Sleep();
  // ---- Outputs of this cycle.
  const bool was_ready = front_.ready();
  const bool written = writes_.valid() && Written(t);
  const bool room = writes_.ready();
  const bool op_valid = ops_.valid();
  const Chunk chunk = op_valid ? ops_.front().chunk : Chunk{};
  const bool have = !chunk.data || (current_ && (!chunk.spans || beat_.valid()));
  const bool step = op_valid && have && room;
  const bool starved = op_valid && !have;
  const bool holds = inside_ != 0 || entered_late_;
  activity_.SetOwn(t, holds && !starved && room ? Activity::kBusy
                      : holds && starved        ? Activity::kMemory
                      : !room                   ? Activity::kHazard
                                                : Activity::kIdle);

  // ---- The end of a command.
  const bool retired_now = retires_at_ == t;
  const bool done = written && writes_.front().chunk.last;
  if (done) {
    retired_ = writes_.front().command;
    retires_at_ = t + 1;
    gates_.WakeAt(t + 1);
  }
  inside_ += static_cast<uint32_t>(entered_late_) - static_cast<uint32_t>(retired_now);

  // ---- Alignment: the beat in front moves up when all its bytes are used. If the beat behind it
  // ends a run in this step, both leave.
  const bool use_current = step && chunk.data && (chunk.ends_run || chunk.full);
  const bool use_next = step && chunk.data && chunk.ends_run && chunk.spans;
  const bool beat_taken = !current_ || use_current;
  writes_.Step(written, step, step ? ops_.front() : ChunkOp{});
  const bool came = beat_taken && beat_.valid();
  if (beat_taken) current_ = beat_.valid() && !use_next;
  const bool fetched = beats_.valid() && beat_.ready();
  beat_.Step(came, fetched, {});
  if (fetched) beats_.Pop();
  if (beat_came_) beats_.Push({});

  // ---- Chunks.
  const bool box_taken = front_.box_valid() && boxes_.ready();
  const bool chunk_taken = ops_.ready();  // go of tsr_dma_walk
  const bool moves = !walks_ || chunk_taken;
  const bool pushes = walks_ && chunk_taken;
  ops_.Step(step, pushes, pushes ? ChunkOp{walk_.chunk(), walked_} : ChunkOp{});
  bool walked = false;
  if (moves) {
    if (walks_ && !walk_.chunk().last) {
      walk_.Next();
    } else if (boxes_.valid()) {
      walk_ = ChunkWalk(boxes_.front().box, bus_bytes_);
      walked_ = boxes_.front().command;
      boxes_.Pop();
      walks_ = walked = true;
    } else {
      walked = walks_;
      walks_ = false;
    }
  }
  if (box_taken) boxes_.Push({front_.command(), front_.box()});

  // ---- Requests: the comparison with the outstanding beats is one cycle late.
  const uint32_t beats = burst_taken_ ? front_.burst().beats : 0;
  const bool credit =
      (bursts_ < kMaxBursts - 1 && outstanding_ < kMaxBeats) || (credit_ && !burst_taken_);
  const bool credits_move = credit != credit_ || burst_taken_ || beat_came_;
  credit_ = credit;
  bursts_ += static_cast<uint32_t>(burst_taken_) - static_cast<uint32_t>(beat_came_ && beat_last_);
  outstanding_ += beats - static_cast<uint32_t>(beat_came_);
  const bool front_moves = front_.Step(box_taken, burst_taken_);
  if (asks()) bus_.WakeAt(t + 1);
  if (front_.ready() && !was_ready) gates_.WakeAt(t + 1);

  const bool active = written || step || came || fetched || beat_came_ || pushes || walked ||
                      credits_move || front_moves || entered_ || entered_late_ || retired_now ||
                      done || (writes_.valid() && !written);
  entered_late_ = entered_;
  entered_ = burst_taken_ = beat_came_ = false;
  if (active) WakeAt(t + 1);
}

}  // namespace tessera::sim::cycle
