// SPDX-License-Identifier: Apache-2.0
//
// MemoryModel: the times at which the memory behind the bus answers, cycle by cycle. It models
// timing only; the caller keeps the data. Depends on: isa/semantics/standing.h. Used by: dram.h,
// sim/rtl, sim/cycle.
//
// One cycle, as seen by the caller:
//   BeginCycle(offer)        decides what the memory offers in this cycle
//   read_ready() ...         what it offers
//   AcceptRead() ...         for each handshake that takes place, in any order, each at most once
//   EndCycle()
// If the caller does not take an offered beat or response, the memory offers it again in the next
// cycle, as AXI demands.
#ifndef TESSERA_SIM_DRAM_MEMORY_MODEL_H_
#define TESSERA_SIM_DRAM_MEMORY_MODEL_H_

#include <cstdint>
#include <vector>

#include "isa/semantics/standing.h"

namespace tessera::sim {

// A burst that the master asks for.
struct DramRequest {
  uint64_t address = 0;  // of the first beat, bytes
  uint32_t beats = 1;    // 1 .. 256
  uint32_t id = 0;       // returned with every beat and with the response
};

// One beat of a burst.
struct DramBeat {
  uint64_t address = 0;
  uint32_t id = 0;
  bool last = false;
};

class MemoryModel {
 public:
  virtual ~MemoryModel() = default;

  // Returns the model to its first cycle, idle.
  virtual void Reset() = 0;

  // |write_offered|: the master offers a write beat in this cycle.
  virtual void BeginCycle(bool write_offered) = 0;

  bool read_ready() const { return read_ready_; }          // a read request would be accepted
  bool write_ready() const { return write_ready_; }        // a write request would be accepted
  bool beat_ready() const { return beat_ready_; }          // the offered write beat is accepted
  bool beat_valid() const { return beat_valid_; }          // a read beat is offered
  bool response_valid() const { return response_valid_; }  // a write response is offered

  const DramBeat& read_beat() const { return read_beat_; }    // when beat_valid()
  const DramBeat& write_beat() const { return write_beat_; }  // when beat_ready(): where it goes
  uint32_t response_id() const { return response_id_; }       // when response_valid()

  virtual void AcceptRead(const DramRequest& request) = 0;   // needs read_ready()
  virtual void AcceptWrite(const DramRequest& request) = 0;  // needs write_ready()
  virtual void TakeReadBeat() = 0;                           // needs beat_valid()
  virtual void PutWriteBeat() = 0;                           // needs beat_ready()
  virtual void TakeResponse() = 0;                           // needs response_valid()

  virtual void EndCycle() = 0;

  // Passes |cycles| cycles in which the master asks and offers nothing and the memory offers
  // nothing.
  virtual void Skip(uint64_t cycles) = 0;
  // The first cycle, from this one on, in which the memory may offer a beat or a response if the
  // master asks for nothing more; ~0 if there is none.
  virtual uint64_t NextOffer() const = 0;
  // Nothing is outstanding in either direction.
  virtual bool idle() const = 0;

  // The accesses that each user of the bus waits for when |now| cycles have passed since Reset.
  // Reads of id 0 are fetch's, reads of id 1 are LOAD's. A model that cannot tell returns nothing.
  virtual std::vector<isa::MemoryWait> Waits(uint64_t /*now*/) const { return {}; }

  // Cycles since Reset.
  uint64_t cycle() const { return cycle_; }

 protected:
  uint64_t cycle_ = 0;
  bool read_ready_ = false, write_ready_ = false, beat_ready_ = false;
  bool beat_valid_ = false, response_valid_ = false;
  DramBeat read_beat_, write_beat_;
  uint32_t response_id_ = 0;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DRAM_MEMORY_MODEL_H_
