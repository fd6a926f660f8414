// SPDX-License-Identifier: Apache-2.0
//
// What is tested: an xclbin is written and read back the same, and XRT's own header has every field
// where we write it (that header is the second derivation of the layout; the check needs XRT). Each
// refusal of the container with its text; any mutation is refused or comes back the same. Space:
// seeded containers of up to 6 sections, 4,000 mutations a run. Not tested here: contents of the
// sections (machine_test.cc).
#include "runtime/xclbin/container.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/rng.h"
#ifdef TESSERA_TEST_XRT
#include <xclbin.h>
#endif

namespace tessera::xclbin::container_test {
namespace {

ContainerFile Sample(Rng& rng) {
  ContainerFile file{.unique_id = rng.Next(),
                     .time = rng.Next(),
                     .version_patch = static_cast<uint16_t>(rng.Next()),
                     .mode = LoadMode::kSoftwareEm,
                     .platform = "vendor:board:name:1.0"};
  for (uint8_t& byte : file.uuid) byte = static_cast<uint8_t>(rng.Next());
  const SectionKind kinds[] = {SectionKind::kBitstream,  SectionKind::kEmbeddedMetadata,
                               SectionKind::kIpLayout,   SectionKind::kMemTopology,
                               SectionKind::kSoftKernel, static_cast<SectionKind>(77)};
  const int64_t count = rng.Range(1, 6);
  for (int64_t i = 0; i < count; ++i) {
    ContainerSection section{.kind = kinds[i], .name = rng.OneIn(2) ? "" : "a name"};
    section.bytes.resize(static_cast<size_t>(rng.Range(0, 40)));
    for (uint8_t& byte : section.bytes) byte = static_cast<uint8_t>(rng.Next());
    file.sections.push_back(std::move(section));
  }
  return file;
}

TEST(Container, ComesBackTheSame) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const ContainerFile file = Sample(rng);
    const std::vector<uint8_t> bytes = WriteContainer(file);
    const auto again = ReadContainer(bytes, "f");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, file);
    EXPECT_EQ(WriteContainer(*again), bytes);
  }
}

#ifdef TESSERA_TEST_XRT
TEST(Container, HasEveryFieldWhereXrtHasIt) {
  Rng rng(1);
  const ContainerFile file = Sample(rng);
  const std::vector<uint8_t> bytes = WriteContainer(file);
  axlf top;
  ASSERT_GE(bytes.size(), sizeof(top));
  std::memcpy(&top, bytes.data(), sizeof(top));
  EXPECT_EQ(std::memcmp(top.m_magic, "xclbin2\0", 8), 0);
  EXPECT_EQ(top.m_signature_length, -1);
  EXPECT_EQ(top.m_uniqueId, file.unique_id);
  EXPECT_EQ(top.m_header.m_length, bytes.size());
  EXPECT_EQ(top.m_header.m_timeStamp, file.time);
  EXPECT_EQ(top.m_header.m_versionPatch, file.version_patch);
  EXPECT_EQ(top.m_header.m_versionMajor, 2);
  EXPECT_EQ(top.m_header.m_versionMinor, 1);
  EXPECT_EQ(top.m_header.m_mode, XCLBIN_SW_EMU);
  EXPECT_STREQ(reinterpret_cast<const char*>(top.m_header.m_platformVBNV), "vendor:board:name:1.0");
  EXPECT_EQ(std::memcmp(top.m_header.uuid, file.uuid.data(), 16), 0);
  ASSERT_EQ(top.m_header.m_numSections, file.sections.size());
  uint64_t end = offsetof(axlf, m_sections) + file.sections.size() * sizeof(axlf_section_header);
  for (size_t i = 0; i < file.sections.size(); ++i) {
    axlf_section_header header;
    std::memcpy(&header, bytes.data() + offsetof(axlf, m_sections) + i * sizeof(header),
                sizeof(header));
    const ContainerSection& section = file.sections[i];
    EXPECT_EQ(header.m_sectionKind, static_cast<uint32_t>(section.kind));
    EXPECT_EQ(std::string(header.m_sectionName), section.name);
    EXPECT_EQ(header.m_sectionOffset % 8, 0u);
    EXPECT_GE(header.m_sectionOffset, end);
    ASSERT_EQ(header.m_sectionSize, section.bytes.size());
    EXPECT_TRUE(std::equal(section.bytes.begin(), section.bytes.end(),
                           bytes.begin() + static_cast<ptrdiff_t>(header.m_sectionOffset)));
    end = header.m_sectionOffset + header.m_sectionSize;
  }
}
#endif

// Three sections of 16, 8 and 8 bytes, at offsets 576, 592 and 600 of 608.
std::vector<uint8_t> Good() {
  ContainerFile file;
  file.sections = {{SectionKind::kIpLayout, "", std::vector<uint8_t>(16, 1)},
                   {SectionKind::kMemTopology, "", std::vector<uint8_t>(8, 2)},
                   {SectionKind::kBitstream, "bits", std::vector<uint8_t>(8, 3)}};
  return WriteContainer(file);
}

void Put(std::vector<uint8_t>& bytes, size_t at, uint64_t value, size_t count) {
  for (size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

// Expects that the file with |change| is refused with |code| and |message|.
template <typename Change>
void ExpectRefused(Code code, const std::string& message, Change change) {
  std::vector<uint8_t> bytes = Good();
  change(bytes);
  const auto file = ReadContainer(bytes, "f.xclbin");
  ASSERT_FALSE(file) << message;
  EXPECT_EQ(file.error().code, code);
  EXPECT_EQ(file.error().message, "f.xclbin: " + message);
}

constexpr size_t kTable = 456, kOffset = 24, kSize = 32, kEntry = 40;

TEST(ContainerBad, Header) {
  ASSERT_TRUE(ReadContainer(Good(), "f"));
  ExpectRefused(Code::kInvalidArgument, "not an xclbin: the first 8 bytes are not 'xclbin2'",
                [](auto& b) { b[6] = '0'; });
  ExpectRefused(Code::kInvalidArgument, "not an xclbin: the first 8 bytes are not 'xclbin2'",
                [](auto& b) { b.clear(); });
  ExpectRefused(Code::kDataLoss, "truncated: 455 bytes, the header alone has 456",
                [](auto& b) { b.resize(455); });
  ExpectRefused(Code::kDataLoss,
                "truncated: the header says 608 bytes, the file has 607; copy it again",
                [](auto& b) { b.pop_back(); });
  ExpectRefused(Code::kDataLoss,
                "3 bytes follow the 608 that the header says, and a signature of 0",
                [](auto& b) { b.resize(611); });
  ExpectRefused(Code::kInvalidArgument, "the header says 0 sections, 1 to 65536 are possible",
                [](auto& b) { Put(b, 448, 0, 4); });
  ExpectRefused(Code::kInvalidArgument,
                "the header says 4294967295 sections, 1 to 65536 are possible",
                [](auto& b) { Put(b, 448, 0xffffffff, 4); });
  ExpectRefused(Code::kDataLoss,
                "the table of 60000 sections ends at byte 2400456, the file has 608",
                [](auto& b) { Put(b, 448, 60000, 4); });
}

TEST(ContainerBad, ASignatureIsPassedOver) {
  std::vector<uint8_t> bytes = Good();
  bytes.resize(608 + 100);
  Put(bytes, 8, 100, 4);
  EXPECT_TRUE(ReadContainer(bytes, "f"));
}

TEST(ContainerBad, Sections) {
  const std::string between =
      " does not lie between the end of the table, 576, and the end of the file, 608";
  ExpectRefused(Code::kDataLoss, "section IP_LAYOUT at offset 500 with 16 bytes" + between,
                [](auto& b) { Put(b, kTable + kOffset, 500, 8); });
  ExpectRefused(Code::kDataLoss, "section IP_LAYOUT at offset 576 with 33 bytes" + between,
                [](auto& b) { Put(b, kTable + kSize, 33, 8); });
  ExpectRefused(Code::kDataLoss,
                "section IP_LAYOUT at offset 18446744073709551615 with 16 bytes" + between,
                [](auto& b) { Put(b, kTable + kOffset, ~uint64_t{0}, 8); });
  // offset + size would wrap around
  ExpectRefused(Code::kDataLoss,
                "section IP_LAYOUT at offset 576 with 18446744073709551600 bytes" + between,
                [](auto& b) { Put(b, kTable + kSize, ~uint64_t{15}, 8); });
  ExpectRefused(
      Code::kDataLoss,
      "sections overlap: IP_LAYOUT is bytes 576 to 593, MEM_TOPOLOGY begins at 592; write "
      "the file again",
      [](auto& b) { Put(b, kTable + kSize, 17, 8); });
  ExpectRefused(
      Code::kDataLoss,
      "sections overlap: MEM_TOPOLOGY is bytes 592 to 601, BITSTREAM 'bits' begins at 600; "
      "write the file again",
      [](auto& b) { Put(b, kTable + kEntry + kSize, 9, 8); });
  ExpectRefused(Code::kInvalidArgument, "section IP_LAYOUT is there twice, at offsets 576 and 592",
                [](auto& b) { Put(b, kTable + kEntry, 8, 4); });
}

TEST(ContainerBad, AMutationIsRefusedOrComesBack) {
  int refused = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    std::vector<uint8_t> bytes = WriteContainer(Sample(rng));
    for (int64_t n = rng.Range(1, 4); n > 0; --n) {
      // Changes bytes of the header and the table.
      const auto last = static_cast<int64_t>(std::min<size_t>(bytes.size(), 700)) - 1;
      bytes[static_cast<size_t>(rng.Range(rng.OneIn(3) ? 0 : 296, last))] =
          static_cast<uint8_t>(rng.OneIn(2) ? rng.Next() : (rng.OneIn(2) ? 0xff : 0));
    }
    if (rng.OneIn(10)) bytes.resize(static_cast<size_t>(rng.Range(0, 800)));
    const auto file = ReadContainer(bytes, "f");
    if (!file) {
      ++refused;
      EXPECT_EQ(file.error().message.find('\n'), std::string::npos);
      continue;
    }
    const auto again = ReadContainer(WriteContainer(*file), "f");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, *file);
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 3900);
}

}  // namespace
}  // namespace tessera::xclbin::container_test
