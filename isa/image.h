// SPDX-License-Identifier: Apache-2.0
//
// ProgramImage: a relocatable program with its constant data. The compiler makes it, every device
// runs it, `tessera asm` and `disasm` read and write it. It addresses memory through segments only,
// so one image runs at any addresses that a driver picks. Depends on: isa/insns.h, isa/config.h.
#ifndef TESSERA_ISA_IMAGE_H_
#define TESSERA_ISA_IMAGE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "isa/config.h"
#include "isa/insns.h"

namespace tessera::isa {

// The segments of the arena through which programs exchange data; both name one memory. A program
// reads the data of earlier programs through kInput, and never writes through kInput.
inline constexpr std::array kArenaSegments{Segment::kInput, Segment::kArena};

// Data and size of one segment; size >= data.size(), and nothing initialises the rest.
struct SegmentData {
  uint64_t size = 0;          // bytes; 0: the program does not use it
  std::vector<uint8_t> data;  // initial contents, from offset 0
  bool operator==(const SegmentData&) const = default;
};

// Instructions [begin, end) implement |op| of layer |layer|.
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t layer = 0;  // index into the artifact's layer table
  std::string op;      // name of the source operator(s), e.g. "conv1+relu"
  bool operator==(const SourceRange&) const = default;
};

struct ProgramImage {
  Profile profile = Profile::kTessera;
  uint64_t config_hash = 0;
  std::string config_name;                      // for messages only
  std::vector<uint8_t> code;                    // encoded instructions, 32 or 16 bytes each
  std::array<SegmentData, kSegments> segments;  // profile tessera: enum Segment
  std::vector<SourceRange> source;              // in order, not overlapping

  int64_t insn_bytes() const { return profile == Profile::kVta ? kVtaInsnBytes : kInsnBytes; }
  int64_t insn_count() const { return static_cast<int64_t>(code.size()) / insn_bytes(); }
  InsnWord Word(int64_t n) const;        // profile tessera; n < insn_count()
  VtaInsnWord VtaWord(int64_t n) const;  // profile vta
  void Append(const InsnWord& word);
  void Append(const VtaInsnWord& word);

  // The source operator that instruction |n| implements, such as "conv1+relu"; "" if unknown.
  std::string_view SourceOf(int64_t n) const;

  bool operator==(const ProgramImage&) const = default;
};

// Limits of the file format. SerializeImage cuts a longer |op|.
inline constexpr uint64_t kMaxConfigNameBytes = 256;
inline constexpr uint64_t kMaxSourceRanges = 1 << 20;
inline constexpr uint64_t kMaxOpBytes = 4096;
inline constexpr uint64_t kMaxCodeBytes = uint64_t{1} << 30;
inline constexpr uint64_t kMaxSegmentBytes = uint64_t{1} << 32;

// Checks that the parts of |image| agree: whole instructions, sorted source ranges inside the code,
// data inside its segment, everything inside the limits above.
//   errors  kInvalidArgument  they contradict each other
//           kOutOfRange       a count or size is past its limit
Status CheckImage(const ProgramImage& image);

// File format, little-endian: magic "TSRIMG01", version, profile, config hash, name, source map,
// code, segments, CRC-64 of everything before it. CheckImage(image) must hold.
std::vector<uint8_t> SerializeImage(const ProgramImage& image);

// errors  kInvalidArgument  not an image, another version, or an error of CheckImage
//         kDataLoss         truncated, or the checksum differs
//         kOutOfRange       a count or size is past its limit
Result<ProgramImage> ParseImage(std::span<const uint8_t> bytes);

// Whether |bytes| begin like an image.
bool LooksLikeImage(std::span<const uint8_t> bytes);

// Rejects an image made for another configuration; the message names both configurations.
//   errors  kInvalidArgument  the configurations differ
//           kUnsupported      profile vta, which the configuration cannot express
Status CheckImageMatches(const ProgramImage& image, const Config& config);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_IMAGE_H_
