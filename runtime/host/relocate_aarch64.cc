// SPDX-License-Identifier: Apache-2.0
//
// Relocations of AArch64 (ELF for the Arm 64-bit architecture, aaelf64).
#include <elf.h>

#include <cstring>

#include "runtime/host/architecture.h"

namespace tessera {
namespace {

// ldr x16, #8; br x16
constexpr uint8_t kAArch64Jump[] = {0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6};

// How many low bits of a byte offset an instruction drops: the logarithm of its access size.
int ScaleOf(uint32_t type) {
  switch (type) {
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return 1;
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return 2;
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LD64_GOT_LO12_NC:
      return 3;
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return 4;
    default:
      return 0;
  }
}

RelocationKind AArch64Kind(uint32_t type) {
  switch (type) {
    case R_AARCH64_NONE:
      return {RelocationWants::kNothing, 0};
    case R_AARCH64_ABS64:
      return {RelocationWants::kAddress, 8};
    case R_AARCH64_PREL32:
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
    case R_AARCH64_LDST16_ABS_LO12_NC:
    case R_AARCH64_LDST32_ABS_LO12_NC:
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LDST128_ABS_LO12_NC:
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      return {RelocationWants::kNear, 4};
    case R_AARCH64_ADR_GOT_PAGE:
    case R_AARCH64_LD64_GOT_LO12_NC:
      return {RelocationWants::kSlot, 4};
    default:
      return {};
  }
}

// Whether |value| fits a signed field of |bits| bits.
bool Fits(int64_t value, int bits) {
  return value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1);
}

bool AArch64Patch(uint32_t type, uint8_t* place, uint64_t address, uint64_t target) {
  if (type == R_AARCH64_ABS64) {
    std::memcpy(place, &target, 8);
    return true;
  }
  const auto distance = static_cast<int64_t>(target - address);
  uint32_t word = 0;
  std::memcpy(&word, place, 4);
  bool reaches = true;
  switch (type) {
    case R_AARCH64_PREL32:
      word = static_cast<uint32_t>(distance);
      reaches = Fits(distance, 32);
      break;
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      word = (word & 0xfc000000) | (static_cast<uint32_t>(distance >> 2) & 0x03ffffff);
      reaches = Fits(distance, 28) && (distance & 3) == 0;
      break;
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADR_GOT_PAGE: {
      const int64_t pages =
          (static_cast<int64_t>(target) >> 12) - (static_cast<int64_t>(address) >> 12);
      const auto field = static_cast<uint32_t>(pages);
      word = (word & 0x9f00001f) | (field & 3) << 29 | (field >> 2 & 0x7ffff) << 5;
      reaches = Fits(pages, 21);
      break;
    }
    default: {  // the offset in a page, in units of the access
      const int scale = ScaleOf(type);
      const auto offset = static_cast<uint32_t>(target & 0xfff);
      word = (word & 0xffc003ff) | (offset >> scale) << 10;
      reaches = (offset & ((1u << scale) - 1)) == 0;
    }
  }
  std::memcpy(place, &word, 4);
  return reaches;
}

}  // namespace

const HostArchitecture kAarch64Architecture = {.name = "aarch64",
                                               .machine = EM_AARCH64,
                                               .wide = true,
                                               .jump = kAArch64Jump,
                                               .kind = AArch64Kind,
                                               .addend = nullptr,
                                               .patch = AArch64Patch};

}  // namespace tessera
