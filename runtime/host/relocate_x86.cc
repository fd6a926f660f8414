// SPDX-License-Identifier: Apache-2.0
//
// Relocations of x86-64 (System V ABI, AMD64 supplement).
#include <elf.h>

#include <cstring>

#include "runtime/host/architecture.h"

namespace tessera {
namespace {

constexpr uint8_t kX8664Jump[] = {0xff, 0x25, 0, 0, 0, 0};  // jmp *0(%rip)

RelocationKind X8664Kind(uint32_t type) {
  switch (type) {
    case R_X86_64_64:
      return {RelocationWants::kAddress, 8};
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      return {RelocationWants::kNear, 4};
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      return {RelocationWants::kSlot, 4};
    default:
      return {};
  }
}

bool X8664Patch(uint32_t type, uint8_t* place, uint64_t address, uint64_t target) {
  if (type == R_X86_64_64) {
    std::memcpy(place, &target, 8);
    return true;
  }
  const auto distance = static_cast<int64_t>(target - address);
  const auto value = static_cast<int32_t>(distance);
  std::memcpy(place, &value, 4);
  return value == distance;
}

}  // namespace

const HostArchitecture kX8664Architecture = {.name = "x86-64",
                                             .machine = EM_X86_64,
                                             .wide = true,
                                             .jump = kX8664Jump,
                                             .kind = X8664Kind,
                                             .addend = nullptr,
                                             .patch = X8664Patch};

}  // namespace tessera
