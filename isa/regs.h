// SPDX-License-Identifier: Apache-2.0
//
// The control registers of isa/regs.def as C++ constants, and as a table for printers and tests.
// Depends on nothing. Used by drivers, the register model, isa_gen.
//
//   reg::kControl                 byte offset of a register
//   reg::kControlStart            its bits: lsb and width
//   reg::kSegmentBaseLo[2]        byte offset of one register of an array
#ifndef TESSERA_ISA_REGS_H_
#define TESSERA_ISA_REGS_H_

#include <cstdint>
#include <string_view>

namespace tessera::isa {

enum class RegAccess : uint8_t { kReadOnly, kReadWrite };

// One REG or REG_ARRAY line; a single register has count 1 and stride 4.
struct RegInfo {
  std::string_view name;  // without the k
  uint32_t offset;        // bytes
  uint32_t count;
  uint32_t stride;  // bytes
  RegAccess access;
  std::string_view meaning;
  bool array;
};

// One REG_BIT line.
struct RegBitInfo {
  std::string_view reg;  // without the k
  std::string_view name;
  int lsb;
  int width;
  std::string_view meaning;
};

// Bits of a register.
struct RegBits {
  int lsb;
  int width;
  constexpr uint32_t Mask() const {
    return static_cast<uint32_t>(((uint64_t{1} << width) - 1) << lsb);
  }
  constexpr uint32_t Get(uint32_t word) const { return (word & Mask()) >> lsb; }
  constexpr uint32_t Put(uint32_t value) const { return (value << lsb) & Mask(); }
};

// Byte offsets of equal registers; the index is not checked.
struct RegArray {
  uint32_t offset;
  uint32_t count;
  uint32_t stride;
  constexpr uint32_t operator[](uint32_t i) const { return offset + i * stride; }
};

namespace reg {
#define REG(name, offset, access, meaning) inline constexpr uint32_t name = offset;
#define REG_ARRAY(name, offset, count, stride, access, meaning) \
  inline constexpr RegArray name{offset, count, stride};
#define REG_BIT(reg, name, lsb, width, meaning) inline constexpr RegBits reg##name{lsb, width};
#define REG_CONST(name, value, meaning) inline constexpr uint32_t name = value;
#include "isa/regs.def"
}  // namespace reg

namespace regs_internal {
inline constexpr RegAccess RO = RegAccess::kReadOnly;
inline constexpr RegAccess RW = RegAccess::kReadWrite;
constexpr std::string_view Bare(std::string_view name) { return name.substr(1); }
}  // namespace regs_internal

inline constexpr RegInfo kRegs[] = {
#define REG(name, offset, access, meaning) \
  {regs_internal::Bare(#name), offset, 1, 4, regs_internal::access, meaning, false},
#define REG_ARRAY(name, offset, count, stride, access, meaning) \
  {regs_internal::Bare(#name), offset, count, stride, regs_internal::access, meaning, true},
#include "isa/regs.def"
};

inline constexpr RegBitInfo kRegBits[] = {
#define REG_BIT(reg, name, lsb, width, meaning) \
  {regs_internal::Bare(#reg), #name, lsb, width, meaning},
#include "isa/regs.def"
};

// Bytes of the register window; a power of two.
inline constexpr uint32_t kRegWindowBytes = 4096;

}  // namespace tessera::isa

#endif  // TESSERA_ISA_REGS_H_
