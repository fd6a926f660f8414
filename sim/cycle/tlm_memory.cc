// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/tlm_memory.h"

#include <algorithm>

#include "base/check.h"

namespace tessera::sim::cycle {

TlmMemory::TlmMemory(const sc_core::sc_module_name& name, uint32_t bus_bytes)
    : sc_core::sc_module(name), bus_bytes_(bus_bytes) {
  bus.register_nb_transport_bw(this, &TlmMemory::Backward);
}

void TlmMemory::Reset() {
  TESSERA_CHECK(idle(), "{} bursts are open", open_.size());
  cycle_ = 0;
  beat_valid_ = response_valid_ = false;
}

TlmMemory::Transfer* TlmMemory::First(bool write) {
  for (const auto& transfer : open_) {
    if (transfer->write == write) return transfer.get();
  }
  return nullptr;
}

size_t TlmMemory::Count(bool write) const {
  return static_cast<size_t>(
      std::count_if(open_.begin(), open_.end(), [&](const auto& t) { return t->write == write; }));
}

void TlmMemory::BeginCycle(bool write_offered) {
  SendNext();
  read_ready_ = Count(false) < kReads;
  write_ready_ = Count(true) < kWrites;
  beat_ready_ = false;
  for (const auto& transfer : open_) {
    if (!transfer->write || transfer->left == 0) continue;
    beat_ready_ = write_offered;
    write_beat_ = {transfer->request.address, transfer->request.id, transfer->left == 1};
    break;
  }
  const auto here = [&](const Transfer* transfer) {
    return transfer != nullptr && transfer->answered && transfer->answered_at < cycle_;
  };
  if (const Transfer* read = First(false); !beat_valid_ && here(read)) {
    beat_valid_ = true;
    read_beat_ = {read->request.address + uint64_t{read->request.beats - read->left} * bus_bytes_,
                  read->request.id, read->left == 1};
  }
  if (const Transfer* write = First(true); !response_valid_ && here(write)) {
    response_valid_ = true;
    response_id_ = write->request.id;
  }
}

void TlmMemory::Open(const DramRequest& request, bool write) {
  auto transfer = std::make_unique<Transfer>();
  transfer->request = request;
  transfer->write = write;
  transfer->left = request.beats;
  tlm::tlm_generic_payload& payload = transfer->payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(request.address);
  payload.set_data_length(request.beats * bus_bytes_);
  payload.set_streaming_width(request.beats * bus_bytes_);
  payload.set_data_ptr(nullptr);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  open_.push_back(std::move(transfer));
}

void TlmMemory::AcceptRead(const DramRequest& request) {
  Open(request, false);
  SendNext();
}

void TlmMemory::AcceptWrite(const DramRequest& request) { Open(request, true); }

// Sends one request at a time, in order. A write waits for its data, so reads may overtake it.
void TlmMemory::SendNext() {
  for (const auto& transfer : open_) {
    if (request_pending_) return;
    if (transfer->sent || (transfer->write && transfer->left != 0)) continue;
    transfer->sent = true;
    request_pending_ = true;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum sync = bus->nb_transport_fw(transfer->payload, phase, delay);
    if (sync == tlm::TLM_ACCEPTED) continue;
    if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP || sync == tlm::TLM_COMPLETED)
      request_pending_ = false;
    if (phase == tlm::BEGIN_RESP || sync == tlm::TLM_COMPLETED) {
      transfer->ended = sync == tlm::TLM_COMPLETED;
      Answered(*transfer);
    }
  }
}

tlm::tlm_sync_enum TlmMemory::Backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& /*delay*/) {
  const auto at = std::find_if(open_.begin(), open_.end(),
                               [&](const auto& t) { return &t->payload == &payload; });
  TESSERA_CHECK(at != open_.end(), "a memory answers a transaction that is not open");
  request_pending_ = request_pending_ && phase != tlm::END_REQ && phase != tlm::BEGIN_RESP;
  if (phase == tlm::BEGIN_RESP) Answered(**at);
  return tlm::TLM_ACCEPTED;
}

void TlmMemory::Answered(Transfer& transfer) {
  TESSERA_CHECK(transfer.payload.is_response_ok(), "a memory answers {}",
                transfer.payload.get_response_string());
  transfer.answered = true;
  transfer.answered_at = cycle_;
}

// Ends a transfer after its last beat or response: the target may release the transaction.
void TlmMemory::End(Transfer& transfer) {
  if (!transfer.ended) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    bus->nb_transport_fw(transfer.payload, phase, delay);
  }
  open_.erase(std::find_if(open_.begin(), open_.end(),
                           [&](const auto& t) { return t.get() == &transfer; }));
}

void TlmMemory::TakeReadBeat() {
  beat_valid_ = false;
  Transfer& read = *First(false);
  if (--read.left == 0) End(read);
}

void TlmMemory::PutWriteBeat() {
  beat_ready_ = false;
  for (const auto& transfer : open_) {
    if (!transfer->write || transfer->left == 0) continue;
    transfer->request.address += bus_bytes_;
    if (--transfer->left == 0) SendNext();
    return;
  }
}

void TlmMemory::TakeResponse() {
  response_valid_ = false;
  End(*First(true));
}

}  // namespace tessera::sim::cycle
