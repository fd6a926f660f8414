// SPDX-License-Identifier: Apache-2.0
//
// ProgramImage: a relocatable program with its constant data. The compiler makes it, every device
// runs it, `tessera asm` and `disasm` read and write it. It addresses memory through segments only,
// so the same image runs wherever a driver puts them. Depends on: isa/insns.h, isa/config.h.
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

// Data and size of one segment. |size| >= data.size(); the rest is not initialised.
// The segments that are the arena which programs exchange: one memory for both. A program reads
// what is there before it through kInput, and never writes through it.
inline constexpr std::array kArenaSegments{Segment::kInput, Segment::kArena};

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

  // "conv1+relu" for the source operator that instruction |n| implements, or "".
  std::string_view SourceOf(int64_t n) const;

  bool operator==(const ProgramImage&) const = default;
};

// Limits of the file format. An |op| that is longer is cut when it is written.
inline constexpr uint64_t kMaxConfigNameBytes = 256;
inline constexpr uint64_t kMaxSourceRanges = 1 << 20;
inline constexpr uint64_t kMaxOpBytes = 4096;
inline constexpr uint64_t kMaxCodeBytes = uint64_t{1} << 30;
inline constexpr uint64_t kMaxSegmentBytes = uint64_t{1} << 32;

// Whether the parts of |image| agree: whole instructions, sorted source ranges inside the code,
// data inside its segment, everything inside the limits above.
//   errors  kInvalidArgument  they contradict each other
//           kOutOfRange       a count or size is past its limit
Status CheckImage(const ProgramImage& image);

// File format, little-endian: magic "TSRIMG01", version, profile, config hash, name, source map,
// code, segments, CRC-64 of everything before it. CheckImage(image) holds.
std::vector<uint8_t> SerializeImage(const ProgramImage& image);

// errors  kInvalidArgument  not an image, of another version, or CheckImage's
//         kDataLoss         truncated, or the checksum differs
//         kOutOfRange       a count or size is past its limit
Result<ProgramImage> ParseImage(std::span<const uint8_t> bytes);

// Whether |bytes| begin like an image.
bool LooksLikeImage(std::span<const uint8_t> bytes);

// Refuses an image made for another configuration, naming both.
//   errors  kInvalidArgument  the configurations differ
//           kUnsupported      profile vta, which the configuration cannot express
Status CheckImageMatches(const ProgramImage& image, const Config& config);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_IMAGE_H_
