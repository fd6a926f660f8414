// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/bus.h"

namespace tessera::sim::cycle {

void BusModel::Observe(Cycles t, BusUser user) {
  if (observer_ != nullptr) observer_->OnBus({user, 1, t, t + 1});
}

void BusModel::Cycle(Cycles t) {
  Sleep();
  const uint64_t now = memory_begin_ + t;
  if (now > memory_.cycle()) memory_.Skip(now - memory_.cycle());
  memory_.BeginCycle(store_->offers_word());

  // ---- Requests to the read channel: fetch has priority over LOAD.
  const bool room = requests_.ready();
  issue_->BusRoom(room && !flush_);
  Request request;
  bool push = false;
  if (room && !flush_) {
    if (issue_->asks()) {
      request = {issue_->burst(), kFetch};
      push = true;
      issue_->WakeAt(t);
    } else if (load_->asks()) {
      request = {load_->burst(), kLoad};
      push = true;
      load_->BurstTaken(t);
    }
  }
  const bool pop = requests_.valid() && memory_.read_ready();
  const Request sent = pop ? requests_.front() : Request{};
  requests_.Step(pop, push, request);
  open_reads_ += static_cast<uint64_t>(push);

  // ---- Beats and responses.
  if (memory_.beat_valid()) {
    const DramBeat beat = memory_.read_beat();
    const bool fetch = beat.id == kFetch;
    if (fetch || flush_ || load_->beat_ready()) {
      ++beats_read_;
      open_reads_ -= static_cast<uint64_t>(beat.last);
      memory_.TakeReadBeat();
      Observe(t, fetch ? BusUser::kFetch : BusUser::kLoad);
      if (!flush_) {
        if (fetch) {
          issue_->Beat(t);
        } else {
          load_->Beat(t, beat.last);
        }
      }
    }
  }
  if (store_->offers_word() && memory_.beat_ready()) {
    memory_.PutWriteBeat();
    store_->WordTaken(t);
    Observe(t, BusUser::kStore);
  }
  if (memory_.response_valid()) {
    memory_.TakeResponse();
    store_->Response(t);
  }
  if (pop) memory_.AcceptRead({sent.burst.address, sent.burst.beats, sent.id});
  if (store_->offers_request() && memory_.write_ready()) {
    memory_.AcceptWrite({store_->request().address, store_->request().beats, 0});
    store_->RequestTaken(t);
  }
  memory_.EndCycle();

  if (room != requests_.ready()) issue_->WakeAt(t + 1);
  const bool asked = issue_->asks() || load_->asks() || store_->offers_request() ||
                     store_->offers_word() || requests_.valid() || room != requests_.ready();
  const uint64_t next = memory_.NextOffer();
  if (asked) {
    WakeAt(t + 1);
  } else if (next != ~uint64_t{0}) {
    WakeAt(next - memory_begin_);
  }
}

}  // namespace tessera::sim::cycle
