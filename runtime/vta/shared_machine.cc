// SPDX-License-Identifier: Apache-2.0
#include "runtime/vta/shared_machine.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/bits.h"
#include "runtime/device/registry.h"

namespace tessera::vta {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMemoryBytes = uint64_t{512} << 20;

std::string Environment(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != 0 ? value : fallback;
}

}  // namespace

void SharedMachine::FreeHost::operator()(uint8_t* bytes) const { std::free(bytes); }

Result<std::unique_ptr<SharedMachine>> SharedMachine::Open() {
  TESSERA_ASSIGN(const isa::Config config,
                 isa::LoadConfig(Environment("TESSERA_VTA_CONFIG", "default")));
  TESSERA_TRY(isa::ValidateVtaProfile(config));
  TESSERA_ASSIGN(DeviceSpec spec, ParseDeviceSpec(Environment("TESSERA_DEVICE", "func")));
  TESSERA_ASSIGN(std::unique_ptr<Device> device,
                 OpenDevice(spec.name, config,
                            {.memory_bytes = kMemoryBytes, .values = std::move(spec.values)}));
  TESSERA_TRY(device->Allocate(kPage, kPage));  // so that no buffer has address 0
  return std::unique_ptr<SharedMachine>(new SharedMachine(std::move(device)));
}

Result<void*> SharedMachine::Allocate(uint64_t size) {
  if (size > kMemoryBytes) {
    return Fail(Code::kOutOfRange, "a buffer of {} bytes: device memory has {}", size,
                kMemoryBytes);
  }
  const uint64_t bytes =
      static_cast<uint64_t>(RoundUp(static_cast<int64_t>(size == 0 ? 1 : size), kPage));
  SharedBuffer buffer{.size = bytes};
  buffer.host.reset(static_cast<uint8_t*>(std::aligned_alloc(kPage, bytes)));
  if (buffer.host == nullptr)
    return Fail(Code::kUnavailable, "a buffer of {} bytes: the host has no memory", size);
  TESSERA_ASSIGN(buffer.device, device_->Allocate(bytes, kPage));
  uint8_t* host = buffer.host.get();
  std::memset(host, 0, bytes);
  buffers_.emplace(host, std::move(buffer));
  return host;
}

Status SharedMachine::Free(void* host) {
  const auto found = buffers_.find(static_cast<uint8_t*>(host));
  if (found == buffers_.end())
    return Fail(Code::kInvalidArgument, "free of {}, which is not a buffer", host);
  TESSERA_TRY(device_->Free(found->second.device));
  buffers_.erase(found);
  return {};
}

Result<uint64_t> SharedMachine::DeviceAddress(const void* host) const {
  const uint8_t* byte = static_cast<const uint8_t*>(host);
  auto after = buffers_.upper_bound(byte);
  if (after != buffers_.begin()) {
    const auto& [first, buffer] = *--after;
    const uint64_t offset = static_cast<uint64_t>(byte - first);
    if (offset < buffer.size) return buffer.device + offset;
  }
  return Fail(Code::kInvalidArgument, "{} is in no buffer", host);
}

Status SharedMachine::Run(uint64_t insn_addr, uint32_t insn_count, uint64_t budget) {
  for (const auto& [host, buffer] : buffers_) {
    TESSERA_TRY(device_->Write(buffer.device, {host, buffer.size}));
  }
  Launch launch;
  launch.profile = isa::Profile::kVta;
  launch.insn_addr = insn_addr;
  launch.insn_count = insn_count;
  launch.budget = budget;
  const Result<RunReport> report = device_->Run(launch);
  for (const auto& [host, buffer] : buffers_) {
    TESSERA_TRY(device_->Read(buffer.device, {buffer.host.get(), buffer.size}));
  }
  if (!report) return std::unexpected(report.error());
  return {};
}

}  // namespace tessera::vta
