// SPDX-License-Identifier: Apache-2.0
//
// A relocatable ELF object as plain structs. The input is untrusted: the reader compares every
// offset and count with the file before use. Internal to runtime/host.
#ifndef TESSERA_RUNTIME_HOST_ELF_OBJECT_H_
#define TESSERA_RUNTIME_HOST_ELF_OBJECT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/host/architecture.h"

namespace tessera {

struct ElfSection {
  std::string name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t align = 1;             // a power of two
  uint64_t size = 0;              // bytes in memory
  std::span<const uint8_t> data;  // |size| bytes of the file; empty for SHT_NOBITS
  uint32_t link = 0, info = 0;
};

struct ElfSymbol {
  std::string name;
  uint8_t bind = 0, type = 0;
  uint16_t section = 0;  // SHN_UNDEF, another reserved number, or an index into the sections
  uint64_t value = 0;    // offset in the section
};

struct ElfRelocation {
  uint32_t section = 0;  // the section to patch
  uint64_t offset = 0;
  uint32_t type = 0;
  uint32_t symbol = 0;  // an index into the symbols
  int64_t addend = 0;   // 0 if the architecture keeps the addend in the code
};

struct ElfObject {
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;
  std::vector<ElfRelocation> relocations;  // those of allocated sections
};

// Reads |bytes|; the spans of the result point into |bytes|.
//   errors  kInvalidArgument  not ELF of that width, not relocatable, or contradictory
//           kUnsupported      another architecture
//           kDataLoss         a part lies outside the file
Result<ElfObject> ReadElf(std::span<const uint8_t> bytes, const HostArchitecture& architecture);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_HOST_ELF_OBJECT_H_
