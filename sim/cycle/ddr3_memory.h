// SPDX-License-Identifier: Apache-2.0
//
// Ddr3Memory: a DDR3 channel as a TLM-2.0 target (base protocol, AT). Depends on: SystemC,
// ddr3_channel.h. Used by: kernel.
#ifndef TESSERA_SIM_CYCLE_DDR3_MEMORY_H_
#define TESSERA_SIM_CYCLE_DDR3_MEMORY_H_

#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <systemc>

#include "sim/cycle/ddr3_channel.h"

namespace tessera::sim::cycle {

class Ddr3Memory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Ddr3Memory> port{"port"};

  Ddr3Memory(const sc_core::sc_module_name& name, const Ddr3Parameters& parameters);

 private:
  SC_HAS_PROCESS(Ddr3Memory);
  static constexpr size_t kQueue = 16;  // most requests in the queue
  struct Answer {
    tlm::tlm_generic_payload* payload = nullptr;
    sc_core::sc_time at;
  };
  tlm::tlm_sync_enum Forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  void Enter(tlm::tlm_generic_payload& payload);
  void Respond();

  const sc_core::sc_time clock_;
  Ddr3Channel channel_;
  std::deque<Answer> answers_;                 // in order of their times
  tlm::tlm_generic_payload* waits_ = nullptr;  // a request that waits for a place in the queue
  sc_core::sc_event due_;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_DDR3_MEMORY_H_
