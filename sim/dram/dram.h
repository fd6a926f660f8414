// SPDX-License-Identifier: Apache-2.0
//
// Dram: when device memory answers. The two exact memory models of the machine, stepped by cycles;
// timing only, the data stays with the caller. Depends on: isa/dram_timing.h. Used by: sim/rtl,
// tests.
//
//   tsim   reads and writes independent; reads in order, 256 outstanding bursts of up to 256 beats.
//          A read accepted while no other is outstanding gives its first beat 16 cycles later; one
//          accepted behind another gives it in the cycle after that one's last beat. A beat a cycle
//          each way. A write's response is offered one cycle after its last beat.
//   zynq   bursts of 16 beats; a longer request is split here, a part a cycle. First beat of a read
//   60
//          cycles after its (part's) request, pipelined over 16 outstanding reads. 8 outstanding
//          writes, response 30 cycles after the last beat. One data path: 17 of every 20 cycles
//          carry one beat, read or write; cycles 6, 13 and 19 of each 20 since Reset carry none.
//          When both directions want a cycle they alternate, the one that was not served last goes
//          first.
//
// "N cycles later": a handshake in cycle t is answered by a handshake in cycle t + N at the
// earliest.
#ifndef TESSERA_SIM_DRAM_DRAM_H_
#define TESSERA_SIM_DRAM_DRAM_H_

#include <array>
#include <cstdint>

#include "base/check.h"
#include "isa/dram_timing.h"
#include "sim/dram/memory_model.h"
#include "sim/dram/stall.h"

namespace tessera::sim {

class Dram final : public MemoryModel {
 public:
  // |bus_bytes|: bytes a beat. |stall_seed|: not 0: every channel hesitates at random (tests).
  // |stops|: from this cycle on it takes requests and answers none.
  Dram(isa::DramModel model, uint32_t bus_bytes, uint64_t stall_seed = 0, uint64_t stops = kNever);
  static constexpr uint64_t kNever = ~uint64_t{0};

  // At cycle 0 of the frame; the stalls of a seed start over.
  void Reset() override;
  void BeginCycle(bool write_offered) override;
  void AcceptRead(const DramRequest& request) override;
  void AcceptWrite(const DramRequest& request) override;
  void TakeReadBeat() override;
  void PutWriteBeat() override;
  void TakeResponse() override;
  void EndCycle() override;
  void Skip(uint64_t cycles) override;
  uint64_t NextOffer() const override;
  std::vector<isa::MemoryWait> Waits(uint64_t now) const override;
  bool idle() const override {
    return reads_.size == 0 && read_rest_.beats == 0 && writes_outstanding_ == 0 &&
           write_rest_.beats == 0;
  }

 private:
  struct Burst {
    uint64_t address = 0;
    uint64_t due = 0;  // reads: the earliest cycle of the first beat; responses: of the response
    uint32_t beats = 0;
    uint32_t id = 0;
    bool final = true;  // the last part of its request
  };
  // A first-in first-out ring; the models bound what is in flight.
  struct Ring {
    static constexpr uint32_t kSlots = 256;
    std::array<Burst, kSlots> slot;
    uint32_t head = 0;
    uint32_t size = 0;
    Burst& front() { return slot[head]; }
    const Burst& front() const { return slot[head]; }
    void push(const Burst& burst) {
      TESSERA_CHECK(size < kSlots);
      slot[(head + size++) % kSlots] = burst;
    }
    void pop() {
      head = (head + 1) % kSlots;
      --size;
    }
    void clear() { head = size = 0; }
  };

  void EnterRead();   // the next part of read_rest_ becomes outstanding
  void EnterWrite();  // the next part of write_rest_
  void GrantBeats(bool write_offered);

  const isa::DramTiming timing_;
  const uint32_t bus_bytes_;
  const uint64_t stall_seed_;
  const uint64_t stops_;
  uint64_t moved_ = 0;  // the last cycle in which anything happened
  Stall stall_;

  uint32_t frame_ = 0;  // cycle_ mod frame_cycles
  bool read_served_last_ = false;
  bool idle_at_begin_ = true;  // no read was outstanding when this cycle began

  Ring reads_;                         // outstanding read bursts, oldest first
  DramRequest read_rest_{.beats = 0};  // what of the accepted read is not outstanding yet
  Ring writes_;                        // outstanding write bursts whose data is not complete
  DramRequest write_rest_{.beats = 0};
  Ring responses_;  // written bursts that wait for their response
  uint32_t writes_outstanding_ = 0;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DRAM_DRAM_H_
