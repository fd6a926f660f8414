// SPDX-License-Identifier: Apache-2.0
//
// The xclbin container that XRT loads: a header, a table of sections, the sections. This file reads
// and writes it field by field, little-endian, and trusts no offset and no length. Tests compare
// with XRT's own library and xclbinutil. Depends on: base. Used by: sections.h, machine.h,
// drivers/xrt, sim/xrt, the command.
#ifndef TESSERA_RUNTIME_XCLBIN_CONTAINER_H_
#define TESSERA_RUNTIME_XCLBIN_CONTAINER_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::xclbin {

// What a section holds. A file may have other kinds, kept as bytes.
enum class SectionKind : uint32_t {
  kBitstream = 0,
  kEmbeddedMetadata = 2,  // XML: kernels, ports, arguments
  kMemTopology = 6,
  kConnectivity = 7,
  kIpLayout = 8,
  kBuildMetadata = 14,  // JSON
  kSoftKernel = 23,     // may appear more than once
  kGroupTopology = 26,  // as kMemTopology; readers prefer it
  kGroupConnectivity = 27,
};

// "IP_LAYOUT", or "section 77".
std::string SectionName(SectionKind kind);

// What a file is for.
enum class LoadMode : uint16_t {
  kFlat = 0,        // a card or board
  kHardwareEm = 4,  // hw_emu
  kSoftwareEm = 5,  // sw_emu
};

struct ContainerSection {
  SectionKind kind = SectionKind::kBitstream;
  std::string name;  // at most 15 bytes
  std::vector<uint8_t> bytes;
  bool operator==(const ContainerSection&) const = default;
};

struct ContainerFile {
  uint64_t unique_id = 0;  // XRT takes two files with the same id for one
  uint64_t time = 0;       // seconds since 1970
  uint8_t version_major = 2, version_minor = 1;
  uint16_t version_patch = 0;
  LoadMode mode = LoadMode::kFlat;
  std::string platform;               // vendor:board:name:version; at most 63 bytes
  std::array<uint8_t, 16> uuid = {};  // XRT does not load a file that is loaded already
  std::vector<ContainerSection> sections;
  bool operator==(const ContainerFile&) const = default;

  // The first section of |kind|, or null.
  const ContainerSection* Find(SectionKind kind) const;
};

inline constexpr size_t kContainerHeaderBytes = 456;
inline constexpr size_t kSectionHeaderBytes = 40;
inline constexpr uint32_t kMostSections = 0x10000;

// The bytes of the file; each section begins at a multiple of 8. A name or platform that is too
// long is a bug of the caller.
std::vector<uint8_t> WriteContainer(const ContainerFile& file);

// Reads a file of WriteContainer or of AMD's tools; every message begins with |name|. Skips a
// signature after the end.
//   errors  kInvalidArgument  not an xclbin (magic), no section, a repeated section
//           kDataLoss         truncated, or a length, an offset or the table leaves the file, or
//                             two sections overlap; names section, offset, size and limit
Result<ContainerFile> ReadContainer(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace tessera::xclbin

#endif  // TESSERA_RUNTIME_XCLBIN_CONTAINER_H_
