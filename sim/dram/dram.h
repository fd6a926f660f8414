// SPDX-License-Identifier: Apache-2.0
//
// Dram: the times at which device memory answers. It has the two exact memory models of the machine
// and steps by cycles. It models timing only; the caller keeps the data. Depends on:
// isa/dram_timing.h. Used by: sim/rtl, sim/cycle, tests.
//
//   tsim   reads and writes are independent. Reads are in order, with 256 outstanding bursts of up
//          to 256 beats. If no other read is outstanding, the first beat comes 16 cycles after the
//          request; otherwise in the cycle after the last beat of the read before. One beat a cycle
//          each way. The response of a write comes one cycle after its last beat.
//   zynq   bursts of 16 beats; the model splits longer requests, one part a cycle. 16 outstanding
//          reads, pipelined: the first beat comes 60 cycles after the request of its part. 8
//          outstanding writes: the response comes 30 cycles after the last beat. One data path: 17
//          of every 20 cycles carry one beat, read or write; cycles 6, 13 and 19 of each 20 since
//          Reset carry none. If both directions have a beat, the one not served last goes first.
//
// "N cycles after" a handshake in cycle t means a handshake in cycle t + N at the earliest.
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
  // |bus_bytes|: bytes of a beat. |stall_seed|: if not 0, every channel stalls at random (for
  // tests). |stops|: from this cycle on, the memory still takes requests but answers none.
  Dram(isa::DramModel model, uint32_t bus_bytes, uint64_t stall_seed = 0, uint64_t stops = kNever);
  static constexpr uint64_t kNever = ~uint64_t{0};

  // Returns to cycle 0 of a frame without bursts; the random stalls start over.
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
    // Reads: earliest cycle of the first beat. Responses: earliest cycle of the response.
    uint64_t due = 0;
    uint32_t beats = 0;
    uint32_t id = 0;
    bool final = true;  // the last part of its request
  };
  // A first-in first-out ring. The models bound the number of bursts in flight.
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
  void EnterWrite();  // the next part of write_rest_ becomes outstanding
  void GrantBeats(bool write_offered);

  const isa::DramTiming timing_;
  const uint32_t bus_bytes_;
  const uint64_t stall_seed_;
  const uint64_t stops_;
  uint64_t moved_ = 0;  // the last cycle with a request, a beat or a response
  Stall stall_;

  uint32_t frame_ = 0;  // cycle_ mod frame_cycles
  bool read_served_last_ = false;
  bool idle_at_begin_ = true;  // no read was outstanding when this cycle began

  Ring reads_;                         // outstanding read bursts, oldest first
  DramRequest read_rest_{.beats = 0};  // the part of the accepted read that is not outstanding yet
  Ring writes_;                        // outstanding write bursts whose data is not complete
  DramRequest write_rest_{.beats = 0};
  Ring responses_;  // written bursts that wait for their response
  uint32_t writes_outstanding_ = 0;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DRAM_DRAM_H_
