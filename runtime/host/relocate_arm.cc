// SPDX-License-Identifier: Apache-2.0
//
// Relocations of 32-bit Arm in Arm state (ELF for the Arm architecture, aaelf32), with addends in
// the code. The loader rejects code in Thumb state, which has other relocations.
#include <elf.h>

#include <cstring>

#include "runtime/host/architecture.h"

namespace tessera {
namespace {

constexpr uint8_t kArmJump[] = {0x04, 0xf0, 0x1f, 0xe5};  // ldr pc, [pc, #-4]

RelocationKind ArmKind(uint32_t type) {
  switch (type) {
    case R_ARM_NONE:
    case R_ARM_V4BX:
      return {RelocationWants::kNothing, 0};
    case R_ARM_ABS32:
      return {RelocationWants::kAddress, 4};
    case R_ARM_REL32:
    case R_ARM_CALL:
    case R_ARM_JUMP24:
    case R_ARM_MOVW_PREL_NC:
    case R_ARM_MOVT_PREL:
      return {RelocationWants::kNear, 4};
    case R_ARM_GOT_PREL:
      return {RelocationWants::kSlot, 4};
    default:
      return {};
  }
}

uint32_t WordAt(const uint8_t* place) {
  uint32_t word = 0;
  std::memcpy(&word, place, 4);
  return word;
}

int64_t ArmAddend(uint32_t type, const uint8_t* place) {
  const uint32_t word = WordAt(place);
  switch (type) {
    case R_ARM_CALL:
    case R_ARM_JUMP24:
      return static_cast<int32_t>(word << 8) >> 6;
    case R_ARM_MOVW_PREL_NC:
    case R_ARM_MOVT_PREL:
      return static_cast<int16_t>((word >> 4 & 0xf000) | (word & 0xfff));
    default:
      return static_cast<int32_t>(word);
  }
}

bool ArmPatch(uint32_t type, uint8_t* place, uint64_t address, uint64_t target) {
  const auto distance = static_cast<int32_t>(target - address);
  uint32_t word = WordAt(place);
  bool reaches = true;
  switch (type) {
    case R_ARM_ABS32:
      word = static_cast<uint32_t>(target);
      break;
    case R_ARM_CALL:
    case R_ARM_JUMP24:
      word = (word & 0xff000000) | (static_cast<uint32_t>(distance >> 2) & 0x00ffffff);
      reaches = distance >= -(1 << 25) && distance < 1 << 25 && (distance & 3) == 0;
      break;
    case R_ARM_MOVW_PREL_NC:
    case R_ARM_MOVT_PREL: {
      const uint32_t half =
          static_cast<uint32_t>(distance) >> (type == R_ARM_MOVT_PREL ? 16 : 0) & 0xffff;
      word = (word & 0xfff0f000) | (half & 0xf000) << 4 | (half & 0xfff);
      break;
    }
    default:
      word = static_cast<uint32_t>(distance);
  }
  std::memcpy(place, &word, 4);
  return reaches;
}

}  // namespace

const HostArchitecture kArmArchitecture = {.name = "32-bit Arm",
                                           .machine = EM_ARM,
                                           .wide = false,
                                           .jump = kArmJump,
                                           .kind = ArmKind,
                                           .addend = ArmAddend,
                                           .patch = ArmPatch};

}  // namespace tessera
