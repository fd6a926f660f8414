// SPDX-License-Identifier: Apache-2.0
//
// What the loader of host code has to know of a processor: how its objects look and what their
// relocations mean. Patching is plain arithmetic on bytes, so every architecture is in every build.
// Internal to runtime/host.
#ifndef TESSERA_RUNTIME_HOST_ARCHITECTURE_H_
#define TESSERA_RUNTIME_HOST_ARCHITECTURE_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace tessera {

// What a relocation wants the address of.
enum class RelocationWants : uint8_t {
  kUnknown,  // the loader does not handle it
  kNothing,
  kAddress,  // the symbol
  kNear,     // the symbol; for one from outside a stub in the image, which short distances reach
  kSlot,     // an entry of the table of addresses that holds the symbol's
};

struct RelocationKind {
  RelocationWants wants = RelocationWants::kUnknown;
  uint8_t bytes = 0;  // that are patched
};

struct HostArchitecture {
  std::string_view name;          // "x86-64"
  uint16_t machine;               // e_machine
  bool wide;                      // ELF64, addends in the table; else ELF32, addends in place
  std::span<const uint8_t> jump;  // a stub: this code, and behind it an address of 8 or 4 bytes

  RelocationKind (*kind)(uint32_t type);
  // The addend at |place|, where it is not in the table.
  int64_t (*addend)(uint32_t type, const uint8_t* place);
  // Writes |target| (with its addend) for the instruction or word at |place|, which is loaded at
  // |address|. False: it does not reach.
  bool (*patch)(uint32_t type, uint8_t* place, uint64_t address, uint64_t target);
};

extern const HostArchitecture kX8664Architecture;
extern const HostArchitecture kAarch64Architecture;
extern const HostArchitecture kArmArchitecture;

// This process's; null: host code does not run here.
const HostArchitecture* ThisArchitecture();

// The only functions that host code may take from outside. All: memcpy, memmove, memset and
// tessera_parallel (threads.h). On 32-bit Arm also what the processor lacks an instruction for:
// 64-bit division, rounding to even.
struct HostExternal {
  std::string_view name;
  uintptr_t address;
};
std::span<const HostExternal> HostExternals();

}  // namespace tessera

#endif  // TESSERA_RUNTIME_HOST_ARCHITECTURE_H_
