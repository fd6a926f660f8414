// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/record.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/hash.h"
#include "isa/asm/keep_program.h"
#include "isa/check/check.h"
#include "isa/check/walk.h"

namespace tessera {
namespace {

constexpr int64_t kMaxSteps = 1 << 20;  // of one instruction

// The bytes that a program reads in a segment, and the end of the last byte that it touches.
struct Extent {
  std::vector<std::pair<uint64_t, uint64_t>> reads;  // [begin, end)
  uint64_t end = 0;
};

// Adds the accesses of |insn| if it moves data; other instructions touch scratchpads only. False if
// |insn| is not legal or has too many steps.
bool NoteExtents(const isa::AnyInsn& insn, const isa::Config& config,
                 std::array<Extent, isa::kSegments>& extents) {
  if (isa::CheckFields(insn, config) || isa::Steps(insn) > kMaxSteps) return false;
  if (isa::UopsOf(insn, config).count > 0) return true;
  isa::Walk(insn, config, std::span<const isa::Uop>(), [&](const isa::Touch& touch) {
    if (!touch.space.is_segment() || touch.count == 0) return;
    Extent& extent = extents[touch.space.segment()];
    const auto begin = static_cast<uint64_t>(touch.first), end = begin + touch.count;
    extent.end = std::max(extent.end, end);
    if (touch.write) return;
    if (!extent.reads.empty() && extent.reads.back().second == begin) {
      extent.reads.back().second = end;
    } else {
      extent.reads.emplace_back(begin, end);
    }
  });
  return true;
}

}  // namespace

Status RecordLaunch(const Launch& launch, const isa::Config& config, const isa::Fetcher& fetcher,
                    const MemoryReader& read) {
  const char* folder = std::getenv("TESSERA_RECORD");
  if (folder == nullptr || *folder == '\0') return {};
  isa::ProgramImage image;
  image.profile = launch.profile;
  image.config_hash = config.Hash();
  image.config_name = config.name;
  image.code.resize(uint64_t{launch.insn_count} * static_cast<uint64_t>(fetcher.insn_bytes()));
  TESSERA_TRY(read(launch.insn_addr, image.code));
  std::array<Extent, isa::kSegments> extents;
  for (uint32_t n = 0; n < launch.insn_count; ++n) {
    isa::Fetched fetched;
    const size_t bytes = static_cast<size_t>(fetcher.insn_bytes());
    if (fetcher.Fetch(std::span(image.code).subspan(n * bytes, bytes), &fetched)) return {};
    if (!NoteExtents(fetched.insn, config, extents)) return {};
  }
  uint64_t total = 0;
  for (int s = 0; s < isa::kSegments; ++s) {
    const SegmentBinding& segment = launch.segments[s];
    const uint64_t end = extents[s].end;
    if (segment.size != 0 && end > segment.size) return {};  // the program leaves the segment
    if ((total += end) > kMaxRecordBytes) return {};
    image.segments[s].size = end;
    for (const auto& [from, to] : extents[s].reads) {
      std::vector<uint8_t>& data = image.segments[s].data;
      data.resize(static_cast<size_t>(std::max<uint64_t>(data.size(), to)));
      if (!read(segment.base + from, std::span(data).subspan(from, to - from))) return {};
    }
  }
  if (!isa::CheckProgram(image, config).ok()) return {};
  const char* given = std::getenv("TESSERA_RECORD_NAME");
  const std::string word = given != nullptr && *given != '\0' ? given : "program";
  // Leaves out the checksum at the end, because a CRC over it is equal for every image.
  std::vector<uint8_t> bytes = isa::SerializeImage(image);
  bytes.resize(bytes.size() - sizeof(uint64_t));
  const std::string name = fmt::format("{}_{:08x}", word, static_cast<uint32_t>(Crc64(bytes)));
  if (std::filesystem::exists(fmt::format("{}/{}.tsr.s", folder, name))) return {};
  const Result<std::string> kept =
      isa::KeepProgram(folder, name, "recorded from " + word, image, config);
  return kept ? Status() : std::unexpected(kept.error());
}

}  // namespace tessera
