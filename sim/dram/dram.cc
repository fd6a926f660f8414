// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/dram.h"

#include <algorithm>

namespace tessera::sim {
namespace {

constexpr uint32_t kMaxRequest = 256;  // beats, the limit of AXI

// The cycles of a frame without a beat are spread evenly: of 20 cycles with 17 beats, cycles 6, 13
// and 19.
bool CarriesBeat(const isa::DramTiming& timing, uint32_t cycle) {
  const uint32_t idle = timing.frame_cycles - timing.frame_beats;
  return (cycle + 1) * idle / timing.frame_cycles == cycle * idle / timing.frame_cycles;
}

}  // namespace

Dram::Dram(isa::DramModel model, uint32_t bus_bytes, uint64_t stall_seed, uint64_t stops)
    : timing_(TimingOf(model)),
      bus_bytes_(bus_bytes),
      stall_seed_(stall_seed),
      stops_(stops),
      stall_(stall_seed) {}

void Dram::Reset() {
  stall_ = Stall(stall_seed_);
  cycle_ = moved_ = 0;
  frame_ = 0;
  read_served_last_ = false;
  reads_.clear();
  writes_.clear();
  responses_.clear();
  read_rest_.beats = write_rest_.beats = 0;
  writes_outstanding_ = 0;
  beat_valid_ = response_valid_ = false;
}

void Dram::BeginCycle(bool write_offered) {
  stall_.Step();
  // Starts parts of split requests for which there is room now.
  if (read_rest_.beats != 0 && reads_.size < timing_.reads) EnterRead();
  if (write_rest_.beats != 0 && writes_outstanding_ < timing_.writes) EnterWrite();
  idle_at_begin_ = reads_.size == 0;

  read_ready_ =
      read_rest_.beats == 0 && reads_.size < timing_.reads && !stall_[Stall::kReadRequest];
  write_ready_ = write_rest_.beats == 0 && writes_outstanding_ < timing_.writes &&
                 !stall_[Stall::kWriteRequest];
  GrantBeats(write_offered);

  // Only the last part of a split write has a response.
  while (responses_.size != 0 && !responses_.front().final && cycle_ >= responses_.front().due) {
    responses_.pop();
    --writes_outstanding_;
  }
  if (!response_valid_ && responses_.size != 0 && cycle_ >= responses_.front().due &&
      cycle_ < stops_ && !stall_[Stall::kResponse]) {
    response_valid_ = true;
    response_id_ = responses_.front().id;
  }
}

void Dram::GrantBeats(bool write_offered) {
  bool read =
      !beat_valid_ && reads_.size != 0 && cycle_ >= reads_.front().due && !stall_[Stall::kReadBeat];
  bool write = write_offered && writes_.size != 0 && !stall_[Stall::kWriteBeat];
  if (cycle_ >= stops_) read = write = false;
  if (timing_.shared) {
    if (!CarriesBeat(timing_, frame_)) read = write = false;
    if (read && write) {
      read = !read_served_last_;
      write = !read;
    }
    if (read || write) read_served_last_ = read;
  }
  if (read) {
    Burst& burst = reads_.front();
    beat_valid_ = true;
    read_beat_ = {burst.address, burst.id, burst.beats == 1 && burst.final};
  }
  beat_ready_ = write;
  if (write) {
    Burst& burst = writes_.front();
    write_beat_ = {burst.address, burst.id, burst.beats == 1 && burst.final};
  }
}

void Dram::EnterRead() {
  const uint32_t beats = std::min(read_rest_.beats, timing_.burst_beats);
  read_rest_.beats -= beats;
  const bool now = timing_.pipelined || idle_at_begin_;
  reads_.push({.address = read_rest_.address,
               .due = now ? cycle_ + timing_.read_latency : 0,
               .beats = beats,
               .id = read_rest_.id,
               .final = read_rest_.beats == 0});
  read_rest_.address += uint64_t{beats} * bus_bytes_;
}

void Dram::EnterWrite() {
  const uint32_t beats = std::min(write_rest_.beats, timing_.burst_beats);
  write_rest_.beats -= beats;
  writes_.push({.address = write_rest_.address,
                .beats = beats,
                .id = write_rest_.id,
                .final = write_rest_.beats == 0});
  write_rest_.address += uint64_t{beats} * bus_bytes_;
  ++writes_outstanding_;
}

void Dram::AcceptRead(const DramRequest& request) {
  TESSERA_CHECK(read_ready_);
  TESSERA_CHECK(request.beats >= 1 && request.beats <= kMaxRequest, "{} beats", request.beats);
  moved_ = cycle_;
  read_ready_ = false;
  read_rest_ = request;
  EnterRead();
}

void Dram::AcceptWrite(const DramRequest& request) {
  TESSERA_CHECK(write_ready_);
  TESSERA_CHECK(request.beats >= 1 && request.beats <= kMaxRequest, "{} beats", request.beats);
  moved_ = cycle_;
  write_ready_ = false;
  write_rest_ = request;
  EnterWrite();
}

void Dram::TakeReadBeat() {
  TESSERA_CHECK(beat_valid_);
  moved_ = cycle_;
  beat_valid_ = false;
  Burst& burst = reads_.front();
  burst.address += bus_bytes_;
  if (--burst.beats == 0) reads_.pop();
}

void Dram::PutWriteBeat() {
  TESSERA_CHECK(beat_ready_);
  moved_ = cycle_;
  beat_ready_ = false;
  Burst& burst = writes_.front();
  burst.address += bus_bytes_;
  if (--burst.beats != 0) return;
  burst.due = cycle_ + timing_.write_latency;
  responses_.push(burst);
  writes_.pop();
}

void Dram::TakeResponse() {
  TESSERA_CHECK(response_valid_);
  moved_ = cycle_;
  response_valid_ = false;
  responses_.pop();
  --writes_outstanding_;
}

void Dram::EndCycle() {
  ++cycle_;
  if (++frame_ == timing_.frame_cycles) frame_ = 0;
}

// With a stall seed, the memory draws random numbers in every cycle.
void Dram::Skip(uint64_t cycles) {
  cycle_ += cycles;
  frame_ = static_cast<uint32_t>((frame_ + cycles) % timing_.frame_cycles);
  if (stall_seed_ == 0) return;
  for (uint64_t i = 0; i < cycles; ++i) stall_.Step();
}

std::vector<isa::MemoryWait> Dram::Waits(uint64_t now) const {
  std::vector<isa::MemoryWait> waits;
  const auto add = [&](uint32_t unit, bool write, uint64_t address, uint64_t beats) {
    if (beats == 0) return;
    for (isa::MemoryWait& w : waits) {
      if (w.unit != unit) continue;
      w.bytes += beats * bus_bytes_;
      return;
    }
    waits.push_back({unit, write, address, beats * bus_bytes_, now - moved_});
  };
  const auto reader = [](uint32_t id) {
    return id == 0 ? uint32_t{isa::kUnits} : static_cast<uint32_t>(isa::Unit::kLoad);
  };
  constexpr auto kStore = static_cast<uint32_t>(isa::Unit::kStore);
  const auto each = [](const Ring& ring, const auto& tell) {
    for (uint32_t i = 0; i < ring.size; ++i) tell(ring.slot[(ring.head + i) % Ring::kSlots]);
  };
  each(reads_, [&](const Burst& b) { add(reader(b.id), false, b.address, b.beats); });
  add(reader(read_rest_.id), false, read_rest_.address, read_rest_.beats);
  // A burst without its response: |address| is one word past its last word.
  each(responses_, [&](const Burst& b) { add(kStore, true, b.address - bus_bytes_, 1); });
  each(writes_, [&](const Burst& b) { add(kStore, true, b.address, b.beats); });
  add(kStore, true, write_rest_.address, write_rest_.beats);
  return waits;
}

uint64_t Dram::NextOffer() const {
  if (beat_valid_ || response_valid_ || read_rest_.beats != 0 || write_rest_.beats != 0)
    return cycle_;
  if (cycle_ >= stops_) return kNever;
  uint64_t next = ~uint64_t{0};
  if (reads_.size != 0) next = std::max(cycle_, reads_.front().due);
  if (responses_.size != 0) next = std::min(next, std::max(cycle_, responses_.front().due));
  return next;
}

}  // namespace tessera::sim
