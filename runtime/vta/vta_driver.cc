// SPDX-License-Identifier: Apache-2.0
#include "runtime/vta/vta_driver.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>

#include "runtime/vta/shared_machine.h"

namespace {

using tessera::Error;
using tessera::vta::SharedMachine;

std::mutex g_turn;

void Complain(const char* function, const Error& error) {
  std::fprintf(stderr, "%s: %s: %s\n", function, tessera::CodeName(error.code),
               error.message.c_str());
}

// The machine, opened at the first call. Null if it cannot be opened; the first call then prints
// why. Never closed: clients free buffers as late as in destructors of static objects.
SharedMachine* Machine() {
  static SharedMachine* const machine = []() -> SharedMachine* {
    auto opened = SharedMachine::Open();
    if (opened) return opened->release();
    Complain("tessera_vta", opened.error());
    return nullptr;
  }();
  return machine;
}

}  // namespace

void* VTAMemAlloc(size_t size, int /*cached*/) {
  const std::lock_guard lock(g_turn);
  if (Machine() == nullptr) return nullptr;
  auto buffer = Machine()->Allocate(size);
  if (buffer) return *buffer;
  Complain("VTAMemAlloc", buffer.error());
  return nullptr;
}

void VTAMemFree(void* buf) {
  const std::lock_guard lock(g_turn);
  if (buf == nullptr || Machine() == nullptr) return;
  if (auto status = Machine()->Free(buf); !status) Complain("VTAMemFree", status.error());
}

vta_phy_addr_t VTAMemGetPhyAddr(void* buf) {
  const std::lock_guard lock(g_turn);
  if (Machine() == nullptr) return 0;
  auto address = Machine()->DeviceAddress(buf);
  if (address) return static_cast<vta_phy_addr_t>(*address);
  Complain("VTAMemGetPhyAddr", address.error());
  return 0;
}

void VTAMemCopyFromHost(void* dst, const void* src, size_t size) { std::memcpy(dst, src, size); }
void VTAMemCopyToHost(void* dst, const void* src, size_t size) { std::memcpy(dst, src, size); }

void VTAFlushCache(void* /*vir_addr*/, vta_phy_addr_t /*phy_addr*/, int /*size*/) {}
void VTAInvalidateCache(void* /*vir_addr*/, vta_phy_addr_t /*phy_addr*/, int /*size*/) {}

VTADeviceHandle VTADeviceAlloc(void) {
  const std::lock_guard lock(g_turn);
  return Machine();
}

void VTADeviceFree(VTADeviceHandle /*handle*/) {}

int VTADeviceRun(VTADeviceHandle handle, vta_phy_addr_t insn_phy_addr, uint32_t insn_count,
                 uint32_t wait_cycles) {
  const std::lock_guard lock(g_turn);
  if (handle == nullptr || handle != Machine()) {
    Complain("VTADeviceRun",
             {tessera::Code::kInvalidArgument, "the handle is not VTADeviceAlloc's"});
    return 1;
  }
  auto status = Machine()->Run(insn_phy_addr, insn_count, wait_cycles);
  if (status) return 0;
  Complain("VTADeviceRun", status.error());
  return 1 + static_cast<int>(status.error().code);
}
