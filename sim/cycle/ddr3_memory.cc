// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/ddr3_memory.h"

#include <cmath>
#include <utility>

namespace tessera::sim::cycle {

Ddr3Memory::Ddr3Memory(const sc_core::sc_module_name& name, const Ddr3Parameters& parameters)
    : sc_core::sc_module(name),
      clock_(sc_core::sc_time(1000.0 / parameters.clock_mhz, sc_core::SC_NS)),
      channel_(parameters) {
  port.register_nb_transport_fw(this, &Ddr3Memory::Forward);
  SC_METHOD(Respond);
  sensitive << due_;
  dont_initialize();
}

tlm::tlm_sync_enum Ddr3Memory::Forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& /*delay*/) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;  // END_RESP
  if (answers_.size() == kQueue) {
    waits_ = &payload;
    return tlm::TLM_ACCEPTED;
  }
  Enter(payload);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void Ddr3Memory::Enter(tlm::tlm_generic_payload& payload) {
  const auto now = static_cast<uint64_t>(std::ceil(sc_core::sc_time_stamp() / clock_));
  const Ddr3Channel::Times times =
      channel_.Access(now, payload.get_address(), payload.get_data_length(), payload.is_write());
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  answers_.push_back({&payload, static_cast<double>(times.end) * clock_});
  if (answers_.size() == 1) due_.notify(answers_.front().at - sc_core::sc_time_stamp());
}

void Ddr3Memory::Respond() {
  while (!answers_.empty() && answers_.front().at <= sc_core::sc_time_stamp()) {
    tlm::tlm_generic_payload* payload = answers_.front().payload;
    answers_.pop_front();
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    port->nb_transport_bw(*payload, phase, delay);
    if (waits_ != nullptr) {
      tlm::tlm_generic_payload* next = std::exchange(waits_, nullptr);
      phase = tlm::END_REQ;
      port->nb_transport_bw(*next, phase, delay);
      Enter(*next);
    }
  }
  if (!answers_.empty()) due_.notify(answers_.front().at - sc_core::sc_time_stamp());
}

}  // namespace tessera::sim::cycle
