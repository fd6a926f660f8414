// SPDX-License-Identifier: Apache-2.0
//
// TlmMemory: the memory of the cycle model as a TLM-2.0 initiator. Any target of the base protocol
// (AT) can be the memory behind the bus. Depends on: SystemC, sim/dram/memory_model.h. Used by:
// kernel.
//
// A burst is one transaction. The beats of a read arrive one a cycle, from the cycle after
// BEGIN_RESP on. A write is sent when its last beat has arrived and answered in the cycle after
// BEGIN_RESP. So the order of SystemC processes at one time has no effect. Reads are answered in
// the order of their requests, and so are writes. The machine keeps the data: transactions carry no
// bytes (their data pointer is null).
#ifndef TESSERA_SIM_CYCLE_TLM_MEMORY_H_
#define TESSERA_SIM_CYCLE_TLM_MEMORY_H_

#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <memory>
#include <systemc>

#include "sim/dram/memory_model.h"

namespace tessera::sim::cycle {

class TlmMemory final : public sc_core::sc_module, public MemoryModel {
 public:
  tlm_utils::simple_initiator_socket<TlmMemory> bus{"bus"};

  TlmMemory(const sc_core::sc_module_name& name, uint32_t bus_bytes);

  void Reset() override;
  void BeginCycle(bool write_offered) override;
  void AcceptRead(const DramRequest& request) override;
  void AcceptWrite(const DramRequest& request) override;
  void TakeReadBeat() override;
  void PutWriteBeat() override;
  void TakeResponse() override;
  void EndCycle() override { ++cycle_; }
  void Skip(uint64_t cycles) override { cycle_ += cycles; }
  uint64_t NextOffer() const override { return idle() ? ~uint64_t{0} : cycle_; }
  bool idle() const override { return open_.empty(); }

 private:
  static constexpr size_t kReads = 16, kWrites = 8;  // outstanding bursts
  struct Transfer {
    tlm::tlm_generic_payload payload;
    DramRequest request;
    bool write = false;
    uint32_t left = 0;         // beats left
    bool sent = false;         // BEGIN_REQ is sent
    bool answered = false;     // BEGIN_RESP has arrived
    uint64_t answered_at = 0;  // the cycle of BEGIN_RESP
    bool ended = false;        // the target completed the transaction: it needs no END_RESP
  };
  tlm::tlm_sync_enum Backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  Transfer* First(bool write);
  size_t Count(bool write) const;
  void Open(const DramRequest& request, bool write);
  void SendNext();
  void Answered(Transfer& transfer);
  void End(Transfer& transfer);

  const uint32_t bus_bytes_;
  std::deque<std::unique_ptr<Transfer>> open_;  // in the order of their requests
  bool request_pending_ = false;                // the target has not ended a request
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_TLM_MEMORY_H_
