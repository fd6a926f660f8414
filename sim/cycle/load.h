// SPDX-License-Identifier: Apache-2.0
//
// LOAD, cycle by cycle: asks for bursts within its credits, takes beats as they arrive, writes
// chunks to the scratchpads. Must match hw/rtl/load. Depends on: box; gemm.h and vector.h, which
// have priority in a bank. Used by: machine.
#ifndef TESSERA_SIM_CYCLE_LOAD_H_
#define TESSERA_SIM_CYCLE_LOAD_H_

#include "sim/cycle/activity.h"
#include "sim/cycle/banks.h"
#include "sim/cycle/dma_front.h"
#include "sim/cycle/gemm.h"
#include "sim/cycle/vector.h"

namespace tessera::sim::cycle {

class LoadModel : public MachinePart {
 public:
  LoadModel(const isa::Config& config, const GemmModel& gemm, const VectorModel& vector,
            ActivityCount& activity, MachinePart& gates, MachinePart& bus);

  bool ready() const { return front_.ready(); }
  void Take(CommandPtr command, const CheckedBox& box, Cycles t) {
    front_.Take(command, box);
    entered_ = true;
    WakeAt(t);
  }
  void Cycle(Cycles t);
  const Command* retires(Cycles t) const { return retires_at_ == t ? retired_ : nullptr; }

  // For the bus: the burst that LOAD asks for in this cycle, and whether LOAD takes a beat.
  bool asks() const { return front_.burst_valid() && credit_; }
  const BusBurst& burst() const { return front_.burst(); }
  bool beat_ready() const { return beats_.ready(); }
  void BurstTaken(Cycles t) {
    burst_taken_ = true;
    WakeAt(t);
  }
  void Beat(Cycles t, bool last) {
    beat_came_ = true;
    beat_last_ = last;
    WakeAt(t);
  }

 private:
  static constexpr uint32_t kMaxBursts = 32, kMaxBeats = 128;  // tsr_load
  struct Box {
    CommandPtr command = nullptr;
    CheckedBox box;
  };
  struct ChunkOp {
    Chunk chunk;
    CommandPtr command = nullptr;
  };
  bool Written(Cycles t) const;

  const uint64_t bus_bytes_;
  const GemmModel& gemm_;
  const VectorModel& vector_;
  ActivityCount& activity_;
  MachinePart& gates_;
  MachinePart& bus_;
  const Banks acc_banks_, out_banks_, inp_banks_;

  DmaFront front_;
  // A command entered in this cycle, in the one before.
  bool entered_ = false, entered_late_ = false;
  uint32_t inside_ = 0;  // commands inside, without the one that just entered
  // Requests.
  bool credit_ = false, burst_taken_ = false;
  uint32_t bursts_ = 0, outstanding_ = 0;  // outstanding_: beats
  // Boxes, their chunks, beats, writes.
  Fifo<Box, 16> boxes_;
  bool walks_ = false;
  ChunkWalk walk_;
  CommandPtr walked_ = nullptr;
  Skid<ChunkOp> ops_;
  Fifo<Mark, 32> beats_;
  Skid<Mark> beat_;
  bool current_ = false;  // a beat is in front of the aligner
  Skid<ChunkOp> writes_;
  bool beat_came_ = false, beat_last_ = false;

  CommandPtr retired_ = nullptr;
  Cycles retires_at_ = kNever;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_LOAD_H_
