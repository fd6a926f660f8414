// SPDX-License-Identifier: Apache-2.0
//
// BusModel: the AXI master and the memory behind it. Fetch and LOAD share the read channel; STORE
// has the write channels (this is tsr_axi_read; store.h has tsr_axi_write). Must match hw/rtl/bus.
// Depends on: sim/dram, issue, load, store. Used by: machine.
#ifndef TESSERA_SIM_CYCLE_BUS_H_
#define TESSERA_SIM_CYCLE_BUS_H_

#include "runtime/observer.h"
#include "sim/cycle/issue.h"
#include "sim/cycle/load.h"
#include "sim/cycle/store.h"
#include "sim/dram/memory_model.h"

namespace tessera::sim::cycle {

class BusModel : public MachinePart {
 public:
  // |memory| is in cycle |memory_begin| when the run is in cycle 0.
  BusModel(MemoryModel& memory, uint64_t memory_begin, RunObserver* observer)
      : memory_(memory), memory_begin_(memory_begin), observer_(observer) {}
  void Connect(IssueModel& issue, LoadModel& load, StoreModel& store) {
    issue_ = &issue;
    load_ = &load;
    store_ = &store;
  }

  void Cycle(Cycles t);
  // The run is over: the bus sends no new requests and drops the beats that arrive.
  void Flush() { flush_ = true; }
  bool quiet() const { return open_reads_ == 0 && store_->open_bursts() == 0; }

  uint64_t beats_read() const { return beats_read_; }

 private:
  static constexpr uint32_t kFetch = 0, kLoad = 1;  // ids of read requests
  struct Request {
    BusBurst burst;
    uint32_t id = kFetch;
  };
  void Observe(Cycles t, BusUser user);

  MemoryModel& memory_;
  const uint64_t memory_begin_;
  RunObserver* observer_;
  IssueModel* issue_ = nullptr;
  LoadModel* load_ = nullptr;
  StoreModel* store_ = nullptr;
  Skid<Request> requests_;
  uint64_t open_reads_ = 0;  // bursts without their last beat
  uint64_t beats_read_ = 0;
  bool flush_ = false;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_BUS_H_
