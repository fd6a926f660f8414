// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/store.h"

namespace tessera::sim::cycle {

StoreModel::StoreModel(const isa::MachineState& state, const GemmModel& gemm,
                       const VectorModel& vector, ActivityCount& activity, MachinePart& gates,
                       MachinePart& bus)
    : bus_bytes_(static_cast<uint64_t>(state.config.bus_bytes())),
      state_(state),
      gemm_(gemm),
      vector_(vector),
      activity_(activity),
      gates_(gates),
      bus_(bus),
      acc_banks_(state.config, isa::Memory::kAcc),
      out_banks_(state.config, isa::Memory::kOut),
      front_(bus_bytes_) {}

void StoreModel::Cycle(Cycles t) {
  Sleep();
  // ---- Outputs of this cycle.
  const bool was_ready = front_.ready();
  const bool retired = retires() != nullptr;
  const bool read_valid = asks_.valid();
  bool read_ready = false;
  if (read_valid) {
    const int64_t tile = static_cast<int64_t>(asks_.front());
    if (state_.profile == isa::Profile::kVta) {  // profile vta stores the low bytes of ACC
      const int bank = acc_banks_.Of(tile);
      read_ready = gemm_.AccRead(t) != bank && vector_.AccRead(t) != bank;
    } else {
      read_ready = vector_.OutRead(t) != out_banks_.Of(tile);
    }
  }
  const bool blocked = !asks_.ready();
  // Words: a chunk completes a word if it fills the word or ends its run. Bytes past the end of
  // that word may need one more word.
  const bool chunk_valid = chunks_.valid();
  const Chunk chunk = chunk_valid ? chunks_.front() : Chunk{};
  const bool emits = chunk.full || chunk.ends_run;
  const bool word_valid = spills_ || (chunk_valid && emits);
  const bool word_ready = owed_.valid() && words_.ready();
  const bool word = word_valid && word_ready;
  const bool chunk_taken = chunk_valid && !spills_ && (word_ready || !emits);
  // A chunk is cut when its tile has arrived.
  const bool cuts = ops_.valid() && tiles_.valid() && chunks_.ready();
  const bool tile_taken = cuts && ops_.front().ends_tile;

  const bool holds = inside_ != 0;
  const bool busy = holds && ((read_valid && !blocked) || word || starts_);
  const bool hazard = blocked && !word;
  activity_.SetOwn(t, busy               ? Activity::kBusy
                      : holds && !hazard ? Activity::kMemory
                      : hazard           ? Activity::kHazard
                                         : Activity::kIdle);

  // ---- Requests and their responses.
  const bool request_ready = requests_.ready() && owed_.ready();
  const bool request = front_.burst_valid() && bursts_.ready() && request_ready;
  const BusBurst burst = request ? front_.burst() : BusBurst{};
  const bool box_taken = front_.box_valid() && commands_.ready() &&
                         (front_.box().nop || (reads_.ready() && boxes_.ready()));
  const bool work = box_taken && !front_.box().nop;
  const CheckedBox box = box_taken ? front_.box() : CheckedBox{};
  const bool answered = response_ && bursts_.valid() && bursts_.front();
  if (response_) bursts_.Pop();
  if (request) bursts_.Push(burst.last);
  open_ += static_cast<uint32_t>(request) - static_cast<uint32_t>(response_);
  const bool retired_one = retired && !commands_.front().nop;
  answered_ += static_cast<uint32_t>(answered) - static_cast<uint32_t>(retired_one);
  if (retired) commands_.Pop();
  if (box_taken) commands_.Push({front_.command(), box.nop});

  // ---- Words.
  const bool last_word = word && word_ + 1 == owed_.front();
  if (word) word_ = last_word ? 0 : word_ + 1;
  if (last_word) owed_.Pop();
  if (request) owed_.Push(burst.beats);
  words_.Step(word_taken_, word, {});
  requests_.Step(request_taken_, request, burst);
  if (chunk_taken) {
    spills_ = chunk.ends_run && chunk.spans;
  } else if (spills_ && word_ready) {
    spills_ = false;
  }
  chunks_.Step(chunk_taken, cuts, cuts ? ops_.front() : Chunk{});
  const bool op_ready = ops_.ready();
  const bool pushes = walks_ && op_ready;
  ops_.Step(cuts, pushes, pushes ? walk_.chunk() : Chunk{});
  bool walked = false;
  if (!walks_ || op_ready) {
    if (walks_ && !walk_.chunk().last) {
      walk_.Next();
    } else if (boxes_.valid()) {
      walk_ = ChunkWalk(boxes_.front(), bus_bytes_);
      boxes_.Pop();
      walks_ = walked = true;
    } else {
      walked = walks_;
      walks_ = false;
    }
  }
  if (work) boxes_.Push(box);

  // ---- Tile reads.
  const bool asks_ready = asks_.ready();
  const bool ask = reads_.valid() && room_ != 0 && asks_ready;
  uint64_t tile = 0;
  if (ask) {
    if (!reads_inside_) at_ = reads_.front();
    tile = at_.tile++;
    reads_inside_ = --at_.left != 0;
    if (!reads_inside_) reads_.Pop();
  }
  if (work) reads_.Push({box.tile, box.tiles});
  room_ += static_cast<uint32_t>(tile_taken) - static_cast<uint32_t>(ask);
  asks_.Step(read_valid && read_ready, ask, tile);
  if (tile_taken) tiles_.Pop();
  const bool answer = answer_comes_;
  if (answer) tiles_.Push({});
  answer_comes_ = read_valid && read_ready;

  const bool front_moves = front_.Step(box_taken, request);
  starts_ = entered_ || (starts_ && !read_valid && !retired);
  inside_ += static_cast<uint32_t>(entered_) - static_cast<uint32_t>(retired);
  const bool active = retired || read_valid || word || chunk_taken || cuts || box_taken ||
                      request || response_ || request_taken_ || word_taken_ || pushes || walked ||
                      ask || answer || front_moves || entered_ || busy;
  entered_ = request_taken_ = word_taken_ = response_ = false;
  if (front_.ready() && !was_ready) gates_.WakeAt(t + 1);
  if (retires() != nullptr) gates_.WakeAt(t + 1);
  if (requests_.valid() || words_.valid()) bus_.WakeAt(t + 1);
  if (active) WakeAt(t + 1);
}

}  // namespace tessera::sim::cycle
