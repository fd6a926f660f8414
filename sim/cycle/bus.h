// SPDX-License-Identifier: Apache-2.0
//
// BusModel: the AXI master with the memory behind it: fetch and LOAD share the read channel, STORE
// has the write channels (tsr_axi_read; tsr_axi_write is in store.h). Depends on: sim/dram, issue,
// load, store. Used by: machine. hw/rtl/bus is the truth.
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
  // |memory| is at cycle |memory_begin| when the run is at cycle 0.
  BusModel(MemoryModel& memory, uint64_t memory_begin, RunObserver* observer)
      : memory_(memory), memory_begin_(memory_begin), observer_(observer) {}
  void Connect(IssueModel& issue, LoadModel& load, StoreModel& store) {
    issue_ = &issue;
    load_ = &load;
    store_ = &store;
  }

  void Cycle(Cycles t);
  // The run is over: nothing new is asked for, what comes is dropped.
  void Flush() { flush_ = true; }
  bool quiet() const { return open_reads_ == 0 && store_->open_bursts() == 0; }

  uint64_t beats_read() const { return beats_read_; }

 private:
  static constexpr uint32_t kFetch = 0, kLoad = 1;  // ids of reads
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
  uint64_t open_reads_ = 0;  // bursts
  uint64_t beats_read_ = 0;
  bool flush_ = false;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_BUS_H_
