// SPDX-License-Identifier: Apache-2.0
#include "sim/xrt/card.h"

#include <cstdio>
#include <cstring>
#include <span>

#include "base/file.h"
#include "isa/regs.h"
#include "messages.pb.h"
#include "runtime/xclbin/machine.h"

namespace tessera::sim {
namespace {

// Cycles that Turn() steps.
constexpr uint64_t kTurnCycles = 64;
constexpr uint64_t kLargestConfiguration = 1 << 20;  // most bytes of JSON

void Say(const std::string& what) { std::fprintf(stderr, "emulated card: %s\n", what.c_str()); }

template <typename Message>
Result<Message> Parse(const std::string& bytes) {
  Message message;
  if (message.ParseFromString(bytes)) return message;
  return Fail(Code::kDataLoss, "{} bytes are not a {}", bytes.size(), message.GetTypeName());
}

std::string Acknowledge(const Status& status) {
  if (!status) Say(status.error().message);
  xrt::Ack ack;
  ack.set_ok(status.has_value());
  return ack.SerializeAsString();
}

}  // namespace

Result<std::unique_ptr<EmulatedCard>> EmulatedCard::Make(uint64_t memory_bytes) {
  TESSERA_ASSIGN(std::unique_ptr<HostMemory> memory, HostMemory::Make(memory_bytes));
  return std::unique_ptr<EmulatedCard>(new EmulatedCard(std::move(memory)));
}

Status EmulatedCard::Load(const std::string& bitstream_file) {
  machine_.reset();
  running_ = false;
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(bitstream_file, kLargestConfiguration));
  TESSERA_ASSIGN(const isa::Config config,
                 isa::ParseConfig(std::string(bytes.begin(), bytes.end()), "emulated"));
  TESSERA_ASSIGN(plugin_, FindRtlPlugin(config, WaveKind::kNone, ""));
  dram_ = config.dram;
  NewMachine();
  return {};
}

void EmulatedCard::NewMachine() {
  const uint64_t end = buffers_.empty() ? 0 : buffers_.rbegin()->first + buffers_.rbegin()->second;
  machine_ =
      plugin_->NewMachine({.memory = memory_->bytes().data(), .memory_bytes = end, .dram = dram_});
  machine_->BeginRun();
}

Status EmulatedCard::Allocate(uint64_t address, uint64_t size) {
  TESSERA_TRY(CheckRange(address, size));
  buffers_[address] = size;
  if (machine_ != nullptr && !running_) NewMachine();
  return {};
}

void EmulatedCard::Free(uint64_t address) {
  buffers_.erase(address);
  if (machine_ != nullptr && !running_) NewMachine();
}

void EmulatedCard::Turn() {
  machine_->Step(kTurnCycles);
  if (!machine_->assertion().empty()) {
    Say(fmt::format("an assertion of the RTL failed, registers do not answer from now on: {}",
                    machine_->assertion()));
    machine_.reset();
    running_ = false;
    return;
  }
  uint32_t status = 0;
  running_ =
      machine_->ReadRegister(isa::reg::kStatus, &status) && isa::reg::kStatusBusy.Get(status) != 0;
}

Status EmulatedCard::CheckRange(uint64_t address, uint64_t size) const {
  if (address <= memory_->size() && size <= memory_->size() - address) return {};
  return Fail(Code::kOutOfRange, "address {:#x} with {} bytes leaves the card's {} of memory",
              address, size, memory_->size());
}

Result<std::string> EmulatedCard::Memory(CallCode code, const std::string& bytes) {
  if (code == CallCode::kPutMemory) {
    TESSERA_ASSIGN(const auto call, Parse<xrt::PutMemoryCall>(bytes));
    Status status = CheckRange(call.address(), call.data().size());
    if (status) {
      status = memory_->Write(call.address(), {reinterpret_cast<const uint8_t*>(call.data().data()),
                                               call.data().size()});
    }
    if (!status) Say(status.error().message);
    xrt::PutMemoryAnswer answer;
    answer.set_size(status ? call.size() : 0);
    return answer.SerializeAsString();
  }
  TESSERA_ASSIGN(const auto call, Parse<xrt::GetMemoryCall>(bytes));
  xrt::GetMemoryAnswer answer;
  const Status status = CheckRange(call.address(), call.size());
  if (!status) Say(status.error().message);
  if (status) {
    const auto data = memory_->bytes().subspan(call.address(), call.size());
    answer.set_data(data.data(), data.size());
  } else {
    answer.set_data("");
  }
  answer.set_size(status ? call.size() : 0);
  return answer.SerializeAsString();
}

Result<std::string> EmulatedCard::Register(CallCode code, const std::string& bytes) {
  // XRT gives addresses of the control bus; the machine uses their low 12 bits.
  const auto offset = [](uint64_t address) {
    return static_cast<uint32_t>(address & (xclbin::kRegisterRange - 1));
  };
  uint32_t value = 0;
  if (code == CallCode::kPutRegister) {
    TESSERA_ASSIGN(const auto call, Parse<xrt::PutRegisterCall>(bytes));
    if (call.data().size() != sizeof(value)) {
      return Acknowledge(Fail(Code::kUnsupported, "a write of {} bytes to registers, of 4 only",
                              call.data().size()));
    }
    std::memcpy(&value, call.data().data(), sizeof(value));
    const bool answered =
        machine_ != nullptr && machine_->WriteRegister(offset(call.address()), value);
    running_ = answered;
    return Acknowledge(answered ? Status{}
                                : Fail(Code::kDataLoss, "no answer to a write of register {:#x}",
                                       offset(call.address())));
  }
  TESSERA_ASSIGN(const auto call, Parse<xrt::GetRegisterCall>(bytes));
  xrt::GetRegisterAnswer answer;
  answer.set_valid(machine_ != nullptr && call.size() == sizeof(value) &&
                   machine_->ReadRegister(offset(call.address()), &value));
  answer.set_data(&value, sizeof(value));
  return answer.SerializeAsString();
}

Result<std::string> EmulatedCard::Answer(uint32_t code, const std::string& bytes) {
  const auto call_code = static_cast<CallCode>(code);
  switch (call_code) {
    case CallCode::kClose: {
      TESSERA_ASSIGN(const auto call, Parse<xrt::CloseCall>(bytes));
      closed_ = closed_ || call.all();
      return Acknowledge({});
    }
    case CallCode::kLoad: {
      TESSERA_ASSIGN(const auto call, Parse<xrt::LoadCall>(bytes));
      folder_ = call.device_folder();
      // Without a file, XRT only wants to allocate on the card.
      return Acknowledge(call.bitstream_file().empty() ? Status{} : Load(call.bitstream_file()));
    }
    case CallCode::kAllocate: {
      TESSERA_ASSIGN(const auto call, Parse<xrt::AllocateCall>(bytes));
      return Acknowledge(Allocate(call.address(), call.size()));
    }
    case CallCode::kFree: {
      TESSERA_ASSIGN(const auto call, Parse<xrt::FreeCall>(bytes));
      Free(call.address());
      return Acknowledge({});
    }
    case CallCode::kSetUp:
      return Acknowledge({});
    case CallCode::kPutMemory:
    case CallCode::kGetMemory:
      return Memory(call_code, bytes);
    case CallCode::kPutRegister:
    case CallCode::kGetRegister:
      return Register(call_code, bytes);
  }
  return Fail(Code::kUnsupported, "XRT makes call {}, which this card does not have", code);
}

}  // namespace tessera::sim
