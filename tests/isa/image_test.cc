// SPDX-License-Identifier: Apache-2.0
//
// What is tested: program images: writing, reading, and refusing damaged or contradictory files.
// Space: both profiles; truncation at every length; a flip of every bit of every byte; hostile
// counts under a valid checksum, each diagnostic. Not tested here: programs as text (asm_test),
// whether instructions make sense (tests of isa/check).
#include "isa/image.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/hash.h"
#include "base/rng.h"
#include "isa/encoding.h"

namespace tessera::isa::image_test {
namespace {

ProgramImage Sample() {
  ProgramImage image;
  image.config_hash = NamedConfigs()[0].Hash();
  image.config_name = "default";
  for (int i = 0; i < 5; ++i) {
    Load load;
    load.x_size = i;
    image.Append(Encode(load).value());
  }
  image.Append(Encode(Finish{}).value());
  image.source = {{0, 2, 7, "conv1+relu"}, {3, 5, 8, "add"}};
  image.segments[1] = {16, {1, 2, 3}};
  image.segments[2] = {4096, {}};
  return image;
}

// |bytes| with its checksum made valid again.
std::vector<uint8_t> Sealed(std::vector<uint8_t> bytes) {
  const uint64_t crc = Crc64(std::span(bytes).first(bytes.size() - 8));
  std::memcpy(bytes.data() + bytes.size() - 8, &crc, 8);
  return bytes;
}

// The file of Sample() with |value| at |offset|, sealed. Offsets: 8 version, 12 profile, 16 hash,
// 24 length of the name "default", 28 name, 35 number of ranges, 39 first range, 51 length of its
// op, 55 op (10), 65 second range, 77 length of its op, 81 op (3), 84 size of code, 92 code (192),
// 284 segment 0: size, 292 its data's size, 300 segment 1.
template <typename T>
std::vector<uint8_t> Patched(size_t offset, T value) {
  std::vector<uint8_t> bytes = SerializeImage(Sample());
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  return Sealed(bytes);
}

void ExpectRefused(const std::vector<uint8_t>& bytes, Code code, const std::string& message) {
  const auto image = ParseImage(bytes);
  ASSERT_FALSE(image) << message;
  EXPECT_EQ(image.error().code, code) << image.error().message;
  EXPECT_EQ(image.error().message, "program image: " + message);
}

TEST(Image, ReadsWhatItWrote) {
  EXPECT_EQ(ParseImage(SerializeImage(Sample())).value(), Sample());
  EXPECT_EQ(ParseImage(SerializeImage({})).value(), ProgramImage{});
  ProgramImage vta;
  vta.profile = Profile::kVta;
  vta.Append(VtaInsnWord{3, 0});
  vta.Append(VtaInsnWord{1, ~uint64_t{0}});
  const ProgramImage back = ParseImage(SerializeImage(vta)).value();
  EXPECT_EQ(back, vta);
  EXPECT_EQ(back.insn_count(), 2);
  EXPECT_EQ(back.VtaWord(1), (VtaInsnWord{1, ~uint64_t{0}}));
}

TEST(Image, RandomContentsSurvive) {
  SCOPED_TRACE("seed 6");
  Rng rng(6);
  for (int round = 0; round < 50; ++round) {
    ProgramImage image;
    image.config_hash = rng.Next();
    image.config_name.assign(static_cast<size_t>(rng.Range(0, 256)), 'n');
    for (int64_t i = rng.Range(0, 20); i > 0; --i)
      image.Append(InsnWord{rng.Next(), rng.Next(), rng.Next(), rng.Next()});
    uint32_t at = 0;
    while (at < image.insn_count() && !rng.OneIn(4)) {
      const auto end = static_cast<uint32_t>(rng.Range(at, image.insn_count()));
      image.source.push_back(
          {at, end, static_cast<uint32_t>(rng.Next()), std::string(rng.Next() % 50, 'x')});
      at = end + 1;
    }
    for (SegmentData& segment : image.segments) {
      for (int64_t i = rng.Range(0, 30); i > 0; --i)
        segment.data.push_back(static_cast<uint8_t>(rng.Next()));
      segment.size = segment.data.size() + rng.Next() % 1000;
    }
    EXPECT_EQ(ParseImage(SerializeImage(image)).value(), image);
  }
}

TEST(Image, EveryTruncationIsRefused) {
  const std::vector<uint8_t> bytes = SerializeImage(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto image = ParseImage(std::span(bytes).first(size));
    ASSERT_FALSE(image) << size;
    EXPECT_EQ(image.error().code, Code::kDataLoss) << size;
  }
}

// A truncated file with a valid checksum is refused: the reader never reads past its end.
TEST(Image, EveryTruncationWithARightChecksumIsRefused) {
  const std::vector<uint8_t> bytes = SerializeImage(Sample());
  for (size_t size = 20; size < bytes.size(); ++size) {
    std::vector<uint8_t> part(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_FALSE(ParseImage(Sealed(part))) << size;
  }
}

TEST(Image, EveryFlippedBitIsRefused) {
  const std::vector<uint8_t> bytes = SerializeImage(Sample());
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<uint8_t> damaged = bytes;
      damaged[i] ^= static_cast<uint8_t>(1 << bit);
      const auto image = ParseImage(damaged);
      ASSERT_FALSE(image) << i;
      EXPECT_EQ(image.error().code, i < 8 ? Code::kInvalidArgument : Code::kDataLoss) << i;
    }
  }
}

// Random bytes under a valid checksum never crash the reader, and an accepted image is written back
// to the same bytes.
TEST(Image, HostileBytesNeverCrash) {
  SCOPED_TRACE("seed 7");
  Rng rng(7);
  const std::vector<uint8_t> bytes = SerializeImage(Sample());
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> hostile = bytes;
    for (int64_t i = rng.Range(1, 4); i > 0; --i) {
      hostile[static_cast<size_t>(rng.Range(8, static_cast<int64_t>(bytes.size()) - 9))] =
          static_cast<uint8_t>(rng.OneIn(2) ? 0xff : rng.Next());
    }
    hostile = Sealed(hostile);
    if (const auto image = ParseImage(hostile)) {
      EXPECT_EQ(SerializeImage(*image), hostile);
    }
  }
}

TEST(ImageBad, EachDiagnostic) {
  std::vector<uint8_t> text(100, 'x');
  ExpectRefused(text, Code::kInvalidArgument, "it does not begin with TSRIMG01");
  ExpectRefused({'T', 'S', 'R'}, Code::kDataLoss, "3 bytes are too few");
  std::vector<uint8_t> damaged = SerializeImage(Sample());
  damaged[100] ^= 1;
  ExpectRefused(damaged, Code::kDataLoss, "the checksum differs; the file is truncated or damaged");
  ExpectRefused(Patched<uint32_t>(8, 2), Code::kInvalidArgument,
                "its version is 2, this program reads 1; make it again");
  ExpectRefused(Patched<uint32_t>(12, 2), Code::kInvalidArgument, "profile 2 does not exist");
  ExpectRefused(Patched<uint32_t>(24, 257), Code::kOutOfRange,
                "the length of the configuration's name is 257, at most 256 is accepted");
  ExpectRefused(Patched<uint32_t>(35, 1 << 20), Code::kDataLoss,
                "the number of source ranges is 1048576, but 376 bytes are left");
  ExpectRefused(Patched<uint32_t>(35, (1 << 20) + 1), Code::kOutOfRange,
                "the number of source ranges is 1048577, at most 1048576 is accepted");
  ExpectRefused(Patched<uint32_t>(51, 5000), Code::kOutOfRange,
                "the length of an operator's name is 5000, at most 4096 is accepted");
  ExpectRefused(Patched<uint32_t>(39, 3), Code::kInvalidArgument,
                "source range 3 to 2 is out of order or past the 6 instructions");
  ExpectRefused(Patched<uint32_t>(65, 1), Code::kInvalidArgument,
                "source range 1 to 5 is out of order or past the 6 instructions");
  ExpectRefused(Patched<uint32_t>(69, 7), Code::kInvalidArgument,
                "source range 3 to 7 is out of order or past the 6 instructions");
  ExpectRefused(Patched<uint64_t>(84, (uint64_t{1} << 30) + 1), Code::kOutOfRange,
                "the size of the code is 1073741825, at most 1073741824 is accepted");
  ExpectRefused(Patched<uint64_t>(284, (uint64_t{1} << 32) + 1), Code::kOutOfRange,
                "segment 0 has 4294967297 bytes, at most 4294967296 are accepted");
  ExpectRefused(Patched<uint64_t>(292, (uint64_t{1} << 32) + 1), Code::kOutOfRange,
                "the size of a segment's data is 4294967297, at most 4294967296 is accepted");
  ExpectRefused(Patched<uint64_t>(300, 2), Code::kInvalidArgument,
                "segment 1 has 2 bytes, but 3 of data");
  std::vector<uint8_t> longer = SerializeImage(Sample());
  longer.push_back(0);
  ExpectRefused(Sealed(longer), Code::kInvalidArgument, "1 bytes follow the last segment");
  std::vector<uint8_t> shorter = SerializeImage(Sample());
  shorter.resize(100);
  ExpectRefused(Sealed(shorter), Code::kDataLoss,
                "the size of the code is 192, but 0 bytes are left");
  // A body that ends at |end|, with a valid checksum.
  const auto ends = [](size_t end, const std::string& inside) {
    std::vector<uint8_t> part = SerializeImage(Sample());
    part.resize(end + 8);
    ExpectRefused(Sealed(part), Code::kDataLoss, "it ends inside " + inside);
  };
  ends(12, "the profile");
  ends(17, "the configuration hash");
  ends(26, "the length of the configuration's name");
  ends(37, "the number of source ranges");
  ends(75, "a source range");
  ends(79, "the length of an operator's name");
  ends(86, "the size of the code");
  ends(285, "a segment");
  ends(293, "the size of a segment's data");
  shorter.resize(70);
  ExpectRefused(Sealed(shorter), Code::kDataLoss,
                "the number of source ranges is 2, but 23 bytes are left");
}

TEST(ImageBad, ContradictionsInMemory) {
  ProgramImage image = Sample();
  image.code.pop_back();
  EXPECT_EQ(CheckImage(image).error().message,
            "program image: 191 bytes of code are not whole instructions of 32 bytes");
  image = Sample();
  image.config_name.assign(300, 'n');
  EXPECT_EQ(CheckImage(image).error().message,
            "program image: the configuration's name has 300 bytes, at most 256 are accepted");
  image = Sample();
  image.source.assign(kMaxSourceRanges + 1, {0, 0, 0, ""});
  EXPECT_EQ(CheckImage(image).error().message,
            "program image: 1048577 source ranges, at most 1048576 are accepted");
}

TEST(Image, LongOperatorNamesAreCut) {
  ProgramImage image = Sample();
  image.source[0].op.assign(5000, 'x');
  EXPECT_EQ(ParseImage(SerializeImage(image)).value().source[0].op, std::string(4096, 'x'));
}

TEST(Image, NamesTheSourceOfAnInstruction) {
  const ProgramImage image = Sample();
  const std::string_view want[] = {"conv1+relu", "conv1+relu", "", "add", "add", "", ""};
  for (int64_t n = 0; n < 7; ++n) EXPECT_EQ(image.SourceOf(n), want[n]) << n;
}

TEST(Image, IsRefusedByAnotherConfiguration) {
  EXPECT_TRUE(CheckImageMatches(Sample(), LoadConfig("default").value()));
  Config board;  // the same machine on another board
  board.name = "board";
  board.clock_mhz = 142;
  EXPECT_TRUE(CheckImageMatches(Sample(), board));
  const Config tiny = LoadConfig("tiny").value();
  const auto status = CheckImageMatches(Sample(), tiny);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kInvalidArgument);
  EXPECT_NE(status.error().message.find("made for configuration default ("), std::string::npos);
  EXPECT_NE(status.error().message.find("this machine is tiny ("), std::string::npos);
}

TEST(Image, OfProfileVtaNeedsAConfigurationThatHasIt) {
  const Config wide = LoadConfig("wide").value();
  ProgramImage image;
  image.profile = Profile::kVta;
  image.config_hash = wide.Hash();
  const auto status = CheckImageMatches(image, wide);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kUnsupported);
}

}  // namespace
}  // namespace tessera::isa::image_test
