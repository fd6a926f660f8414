// SPDX-License-Identifier: Apache-2.0
//
// STORE in time: tiles asked of OUT, chunks packed into bus words, bursts and their responses, with
// the AXI write channels behind it (tsr_axi_write). Depends on: box, vector.h and gemm.h (who has a
// bank first). Used by: machine. hw/rtl/store is the truth.
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
  // A command that retires in this cycle.
  const Command* retires() const {
    const bool done = commands_.valid() && (commands_.front().nop || answered_ != 0);
    return done ? commands_.front().command : nullptr;
  }

  // The channels to memory: what they show in this cycle, what memory takes, its responses.
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
  // Requests that are not answered: the run's end waits for them.
  uint32_t open_bursts() const { return open_; }

 private:
  static constexpr uint32_t kRoom = 8;  // tiles under way (tsr_store_read)
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
  uint32_t answered_ = 0;  // commands answered in full and not retired
  Fifo<bool, 16> bursts_;  // without a response; whether the last of their box
  // Tile reads.
  Fifo<Tiles, 4> reads_;
  bool reads_inside_ = false;
  Tiles at_;  // of the box in front, once its first tile was asked for
  uint32_t room_ = kRoom;
  Skid<uint64_t> asks_;
  bool answer_comes_ = false;  // the tile asked for in the cycle before
  Fifo<Mark, kRoom> tiles_;
  // Chunks and words.
  Fifo<CheckedBox, 4> boxes_;
  bool walks_ = false;
  ChunkWalk walk_;
  Skid<Chunk> ops_, chunks_;
  bool spills_ = false;  // a run's last bytes leave next
  // The channels.
  Skid<BusBurst> requests_;
  Fifo<uint32_t, 16> owed_;  // words that requests owe
  uint32_t word_ = 0;        // of the request in front
  Skid<Mark> words_;
  uint32_t open_ = 0;
  bool request_taken_ = false, word_taken_ = false, response_ = false;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_STORE_H_
