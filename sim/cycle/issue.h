// SPDX-License-Identifier: Apache-2.0
//
// From the instruction stream to the gates, cycle by cycle: the reads of fetch, dispatch, and the
// check of LOADs and STOREs (tsr_fetch, tsr_dispatch, tsr_dma_check). Must match hw/rtl/issue.
// Depends on: gates.h. Used by: machine.
#ifndef TESSERA_SIM_CYCLE_ISSUE_H_
#define TESSERA_SIM_CYCLE_ISSUE_H_

#include "isa/config.h"
#include "sim/cycle/box.h"
#include "sim/cycle/command.h"
#include "sim/cycle/gates.h"

namespace tessera::sim::cycle {

// The instructions of the stream, decoded by the machine.
class Stream {
 public:
  virtual ~Stream() = default;
  // Instruction |number| as a command. If its |stop| is set, dispatch refuses it.
  virtual CommandPtr Decode(uint32_t number) = 0;
};

class IssueModel : public MachinePart {
 public:
  // |address|: of the stream in device memory, in bytes. |count|: its number of instructions.
  IssueModel(const isa::Config& config, isa::Profile profile, uint64_t address, uint32_t count,
             Stream& stream, MachinePart& bus);
  void Connect(Gates& gates) { gates_ = &gates; }

  void Cycle(Cycles t);

  // For the bus: the burst that fetch asks for. BusRoom: whether the address channel has room in
  // this cycle.
  bool asks() const { return asks_; }
  const BusBurst& burst() const { return out_; }
  void BusRoom(bool room) { bus_room_ = room; }
  void Beat(Cycles t) {
    beat_came_ = true;
    WakeAt(t);
  }

  // Whether dispatch had reached FINISH and every gate was idle in the last cycle.
  bool finishes() const { return finishes_; }
  // Why dispatch stopped: a command that it refuses, no FINISH in the stream, or a deadlock.
  enum class Trouble : uint8_t { kNone, kRefused, kNoFinish, kDeadlock };
  Trouble trouble() const { return trouble_; }
  uint32_t trouble_number() const { return trouble_number_; }
  const isa::Stop& refusal() const { return refusal_; }

 private:
  static constexpr uint64_t kBeats = 64;  // most bus words held or on their way (tsr_issue)
  bool StepFetch(bool go);
  bool StepAsk(bool leaves);
  bool StepDispatch(Cycles t);

  const isa::Profile profile_;
  const uint64_t bus_bytes_;
  const uint64_t insn_bytes_;
  const uint32_t count_;
  Stream& stream_;
  MachinePart& bus_;
  Gates* gates_ = nullptr;

  // Fetch: requests.
  uint64_t at_ = 0, left_ = 0;  // bus words: the next one, the number not yet asked for
  BusBurst out_;
  bool out_valid_ = false, asks_ = false, room_ = true, left_late_ = false, bus_room_ = true;
  uint64_t taken_ = 0;  // places taken by beats that fetch holds or that are on their way
  // Fetch: beats.
  uint64_t beats_ = 0;
  bool beat_came_ = false;
  // Beats collected for an instruction, or instructions already taken from the beat.
  uint64_t part_ = 0;
  bool insn_valid_ = false;
  uint32_t number_ = 0;  // of the next instruction

  // Dispatch.
  CommandPtr command_ = nullptr;  // null: dispatch is free
  bool bad_ = false, check_ = false, waits_ = false, ends_ = false, finish_ = false;
  uint32_t last_number_ = 0;
  bool finishes_ = false;
  Trouble trouble_ = Trouble::kNone;
  uint32_t trouble_number_ = 0;
  isa::Stop refusal_;

  // The check.
  CommandPtr checked_ = nullptr;
  int check_left_ = 0;
  bool blocked_ = false, checking_ = false;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_ISSUE_H_
