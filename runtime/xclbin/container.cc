// SPDX-License-Identifier: Apache-2.0
#include "runtime/xclbin/container.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "runtime/xclbin/bytes.h"

namespace tessera::xclbin {
namespace {

constexpr std::string_view kMagic("xclbin2\0", 8);
constexpr size_t kNameBytes = 16, kPlatformBytes = 64;
constexpr uint32_t kUnsigned = 0xffffffff;  // -1: no signature

// Byte offsets in the header.
constexpr size_t kAtSignature = 8, kAtUniqueId = 296, kAtLength = 304, kAtTime = 312;
constexpr size_t kAtVersion = 328, kAtMode = 332, kAtPlatform = 352, kAtUuid = 416;
constexpr size_t kAtSections = 448;

// One checked line of the table.
struct TableEntry {
  SectionKind kind;
  std::string name;
  uint64_t offset, size;
};

std::string Label(const TableEntry& entry) {
  return entry.name.empty() ? SectionName(entry.kind)
                            : fmt::format("{} '{}'", SectionName(entry.kind), entry.name);
}

// Checks that no two sections have the same kind and name, and that no two share a byte.
Status CheckTable(std::vector<TableEntry> table, const std::string& name) {
  std::ranges::sort(table, {}, [](const TableEntry& e) { return std::tie(e.kind, e.name); });
  for (size_t i = 1; i < table.size(); ++i) {
    const TableEntry &a = table[i - 1], &b = table[i];
    if (a.kind != b.kind || a.name != b.name || a.kind == SectionKind::kSoftKernel) continue;
    return Fail(Code::kInvalidArgument, "{}: section {} is there twice, at offsets {} and {}", name,
                Label(a), std::min(a.offset, b.offset), std::max(a.offset, b.offset));
  }
  std::erase_if(table, [](const TableEntry& e) { return e.size == 0; });
  std::ranges::sort(table, {}, &TableEntry::offset);
  for (size_t i = 1; i < table.size(); ++i) {
    const TableEntry &a = table[i - 1], &b = table[i];
    if (a.offset + a.size <= b.offset) continue;
    return Fail(Code::kDataLoss,
                "{}: sections overlap: {} is bytes {} to {}, {} begins at {}; write the file again",
                name, Label(a), a.offset, a.offset + a.size, Label(b), b.offset);
  }
  return {};
}

}  // namespace

std::string SectionName(SectionKind kind) {
  switch (kind) {
    case SectionKind::kBitstream:
      return "BITSTREAM";
    case SectionKind::kEmbeddedMetadata:
      return "EMBEDDED_METADATA";
    case SectionKind::kMemTopology:
      return "MEM_TOPOLOGY";
    case SectionKind::kConnectivity:
      return "CONNECTIVITY";
    case SectionKind::kIpLayout:
      return "IP_LAYOUT";
    case SectionKind::kBuildMetadata:
      return "BUILD_METADATA";
    case SectionKind::kSoftKernel:
      return "SOFT_KERNEL";
    case SectionKind::kGroupTopology:
      return "GROUP_TOPOLOGY";
    case SectionKind::kGroupConnectivity:
      return "GROUP_CONNECTIVITY";
  }
  return fmt::format("section {}", static_cast<uint32_t>(kind));
}

const ContainerSection* ContainerFile::Find(SectionKind kind) const {
  const auto at = std::ranges::find(sections, kind, &ContainerSection::kind);
  return at == sections.end() ? nullptr : &*at;
}

std::vector<uint8_t> WriteContainer(const ContainerFile& file) {
  std::vector<uint64_t> offsets;
  uint64_t end = kContainerHeaderBytes + file.sections.size() * kSectionHeaderBytes;
  for (const ContainerSection& section : file.sections) {
    offsets.push_back(end = (end + 7) / 8 * 8);
    end += section.bytes.size();
  }

  std::vector<uint8_t> out(kMagic.begin(), kMagic.end());
  PutNumber(out, kUnsigned);
  PutFill(out, 28, 0xff);
  PutFill(out, 256);  // key block of a signature
  PutNumber(out, file.unique_id);
  PutNumber(out, end);
  PutNumber(out, file.time);
  PutNumber(out, uint64_t{0});  // time stamp of the platform
  PutNumber(out, file.version_patch);
  PutNumber(out, file.version_major);
  PutNumber(out, file.version_minor);
  PutNumber(out, static_cast<uint16_t>(file.mode));
  PutNumber(out, uint16_t{0});  // action mask
  PutFill(out, 16);             // platform's uuid
  PutText(out, file.platform, kPlatformBytes);
  out.insert(out.end(), file.uuid.begin(), file.uuid.end());
  PutFill(out, 16);  // name of a file with debug information
  PutNumber(out, static_cast<uint32_t>(file.sections.size()));
  PutFill(out, kContainerHeaderBytes - out.size());
  for (size_t i = 0; i < file.sections.size(); ++i) {
    const ContainerSection& section = file.sections[i];
    PutNumber(out, static_cast<uint32_t>(section.kind));
    PutText(out, section.name, kNameBytes);
    PutFill(out, 4);
    PutNumber(out, offsets[i]);
    PutNumber(out, uint64_t{section.bytes.size()});
  }
  for (size_t i = 0; i < file.sections.size(); ++i) {
    PutFill(out, offsets[i] - out.size());
    std::ranges::copy(file.sections[i].bytes, std::back_inserter(out));
  }
  return out;
}

Result<ContainerFile> ReadContainer(std::span<const uint8_t> bytes, const std::string& name) {
  if (bytes.size() < kMagic.size() ||
      !std::ranges::equal(bytes.first(kMagic.size()), kMagic,
                          [](uint8_t a, char b) { return a == static_cast<uint8_t>(b); })) {
    return Fail(Code::kInvalidArgument, "{}: not an xclbin: the first 8 bytes are not 'xclbin2'",
                name);
  }
  if (bytes.size() < kContainerHeaderBytes) {
    return Fail(Code::kDataLoss, "{}: truncated: {} bytes, the header alone has {}", name,
                bytes.size(), kContainerHeaderBytes);
  }
  const auto length = GetNumber<uint64_t>(bytes, kAtLength);
  if (length > bytes.size()) {
    return Fail(Code::kDataLoss,
                "{}: truncated: the header says {} bytes, the file has {}; copy it again", name,
                length, bytes.size());
  }
  const auto signature = GetNumber<uint32_t>(bytes, kAtSignature);
  const uint64_t beyond = bytes.size() - length;
  if (beyond != (signature == kUnsigned ? 0 : signature)) {
    return Fail(Code::kDataLoss,
                "{}: {} bytes follow the {} that the header says, and a signature of {}", name,
                beyond, length, signature == kUnsigned ? 0 : signature);
  }

  const auto count = GetNumber<uint32_t>(bytes, kAtSections);
  if (count == 0 || count > kMostSections) {
    return Fail(Code::kInvalidArgument, "{}: the header says {} sections, 1 to {} are possible",
                name, count, kMostSections);
  }
  const uint64_t table_end = kContainerHeaderBytes + uint64_t{count} * kSectionHeaderBytes;
  if (table_end > length) {
    return Fail(Code::kDataLoss, "{}: the table of {} sections ends at byte {}, the file has {}",
                name, count, table_end, length);
  }

  ContainerFile file{.unique_id = GetNumber<uint64_t>(bytes, kAtUniqueId),
                     .time = GetNumber<uint64_t>(bytes, kAtTime),
                     .version_major = bytes[kAtVersion + 2],
                     .version_minor = bytes[kAtVersion + 3],
                     .version_patch = GetNumber<uint16_t>(bytes, kAtVersion),
                     .mode = static_cast<LoadMode>(GetNumber<uint16_t>(bytes, kAtMode)),
                     .platform = GetText(bytes, kAtPlatform, kPlatformBytes)};
  std::ranges::copy(bytes.subspan(kAtUuid, file.uuid.size()), file.uuid.begin());
  std::vector<TableEntry> table;
  for (uint32_t i = 0; i < count; ++i) {
    const size_t at = kContainerHeaderBytes + i * kSectionHeaderBytes;
    TableEntry entry{.kind = static_cast<SectionKind>(GetNumber<uint32_t>(bytes, at)),
                     .name = GetText(bytes, at + 4, kNameBytes),
                     .offset = GetNumber<uint64_t>(bytes, at + 24),
                     .size = GetNumber<uint64_t>(bytes, at + 32)};
    if (entry.offset < table_end || entry.offset > length || entry.size > length - entry.offset) {
      return Fail(Code::kDataLoss,
                  "{}: section {} at offset {} with {} bytes does not lie between the end of the "
                  "table, {}, and the end of the file, {}",
                  name, Label(entry), entry.offset, entry.size, table_end, length);
    }
    table.push_back(std::move(entry));
  }
  TESSERA_TRY(CheckTable(table, name));
  for (const TableEntry& entry : table) {
    const auto body = bytes.subspan(entry.offset, entry.size);
    file.sections.push_back({entry.kind, entry.name, {body.begin(), body.end()}});
  }
  return file;
}

}  // namespace tessera::xclbin
