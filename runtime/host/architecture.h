// SPDX-License-Identifier: Apache-2.0
//
// What the loader of host code needs to know of a processor: the form of its objects and the
// meaning of their relocations. Patching is plain arithmetic on bytes, so every build has every
// architecture. Internal to runtime/host.
#ifndef TESSERA_RUNTIME_HOST_ARCHITECTURE_H_
#define TESSERA_RUNTIME_HOST_ARCHITECTURE_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace tessera {

// What address a relocation takes.
enum class RelocationWants : uint8_t {
  kUnknown,  // the loader does not handle it
  kNothing,
  kAddress,  // the address of the symbol
  kNear,     // the same within a short distance; for an external symbol, its stub in the image
  kSlot,     // the address of an entry, in the table of addresses, that holds the symbol's address
};

struct RelocationKind {
  RelocationWants wants = RelocationWants::kUnknown;
  uint8_t bytes = 0;  // how many it patches
};

struct HostArchitecture {
  std::string_view name;          // "x86-64"
  uint16_t machine;               // e_machine
  bool wide;                      // ELF64, addends in the table; else ELF32, addends in the code
  std::span<const uint8_t> jump;  // a stub: this code, then an address of 8 or 4 bytes

  RelocationKind (*kind)(uint32_t type);
  // The addend at |place|, if the table does not hold it.
  int64_t (*addend)(uint32_t type, const uint8_t* place);
  // Writes |target| (with its addend) for the instruction or word at |place|, whose run-time
  // address is |address|. False: |target| is out of reach.
  bool (*patch)(uint32_t type, uint8_t* place, uint64_t address, uint64_t target);
};

extern const HostArchitecture kX8664Architecture;
extern const HostArchitecture kAarch64Architecture;
extern const HostArchitecture kArmArchitecture;

// The architecture of this process; null: host code does not run here.
const HostArchitecture* ThisArchitecture();

// The only functions that host code may take from outside: memcpy, memmove, memset and
// tessera_parallel (threads.h). On 32-bit Arm also those without an instruction of the processor:
// 64-bit division, rounding to even.
struct HostExternal {
  std::string_view name;
  uintptr_t address;
};
std::span<const HostExternal> HostExternals();

}  // namespace tessera

#endif  // TESSERA_RUNTIME_HOST_ARCHITECTURE_H_
