// SPDX-License-Identifier: Apache-2.0
//
// STORE, cycle by cycle: reads tiles from OUT (in profile vta, from ACC), packs chunks into bus
// words, sends bursts and counts their responses. Includes the AXI write channels (tsr_axi_write).
// Must match hw/rtl/store. Depends on: box; vector.h and gemm.h, which have priority in a bank.
// Used by: machine.
#ifndef TESSERA_SIM_CYCLE_STORE_H_
#define TESSERA_SIM_CYCLE_STORE_H_

#include "sim/cycle/activity.h"
#include "sim/cycle/banks.h"
#include "sim/cycle/dma_front.h"
#include "sim/cycle/gemm.h"
#include "sim/cycle/vector.h"

namespace tessera::sim::cycle {

class StoreModel : public MachinePart {
 public:
  StoreModel(const isa::MachineState& state, const GemmModel& gemm, const VectorModel& vector,
             ActivityCount& activity, MachinePart& gates, MachinePart& bus);

  bool ready() const { return front_.ready(); }
  void Take(CommandPtr command, const CheckedBox& box, Cycles t) {
    front_.Take(command, box);
    entered_ = true;
    WakeAt(t);
  }
  void Cycle(Cycles t);
  // The command that retires in this cycle, null if there is none.
  const Command* retires() const {
    const bool done = commands_.valid() && (commands_.front().nop || answered_ != 0);
    return done ? commands_.front().command : nullptr;
  }

  // For the bus: the request and the word that STORE offers in this cycle, whether the memory takes
  // them, and responses of the memory.
  bool offers_request() const { return requests_.valid(); }
  const BusBurst& request() const { return requests_.front(); }
  bool offers_word() const { return words_.valid(); }
  void RequestTaken(Cycles t) {
    request_taken_ = true;
    WakeAt(t);
  }
  void WordTaken(Cycles t) {
    word_taken_ = true;
    WakeAt(t);
  }
  void Response(Cycles t) {
    response_ = true;
    WakeAt(t);
  }
  // Bursts without a response. The run ends when there are none.
  uint32_t open_bursts() const { return open_; }

 private:
  static constexpr uint32_t kRoom = 8;  // most tiles on their way (tsr_store_read)
  struct Tiles {
    uint64_t tile = 0, left = 0;
  };
  struct Sent {
    CommandPtr command = nullptr;
    bool nop = false;
  };

  const uint64_t bus_bytes_;
  const isa::MachineState& state_;
  const GemmModel& gemm_;
  const VectorModel& vector_;
  ActivityCount& activity_;
  MachinePart& gates_;
  MachinePart& bus_;
  const Banks acc_banks_, out_banks_;

  DmaFront front_;
  bool entered_ = false, starts_ = false;
  uint32_t inside_ = 0;
  Fifo<Sent, 16> commands_;
  uint32_t answered_ = 0;  // commands with all responses that have not retired
  Fifo<bool, 16> bursts_;  // bursts without a response: whether each is the last of its box
  // Tile reads.
  Fifo<Tiles, 4> reads_;
  bool reads_inside_ = false;
  Tiles at_;  // the tiles left of the box in front, once the first was asked for
  uint32_t room_ = kRoom;
  Skid<uint64_t> asks_;
  bool answer_comes_ = false;  // the tile asked for in the cycle before arrives
  Fifo<Mark, kRoom> tiles_;
  // Chunks and words.
  Fifo<CheckedBox, 4> boxes_;
  bool walks_ = false;
  ChunkWalk walk_;
  Skid<Chunk> ops_, chunks_;
  bool spills_ = false;  // the last bytes of a run leave next
  // The channels.
  Skid<BusBurst> requests_;
  Fifo<uint32_t, 16> owed_;  // words that each request still needs
  uint32_t word_ = 0;        // words sent of the request in front
  Skid<Mark> words_;
  uint32_t open_ = 0;
  bool request_taken_ = false, word_taken_ = false, response_ = false;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_STORE_H_
