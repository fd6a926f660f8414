// SPDX-License-Identifier: Apache-2.0
//
// Pictures and archives: every kind of PNG that is read and every kind that is refused, JPEG, .npz,
// damaged files, sizes changed. Expected pixels are formulas, or those that Pillow 11.3.0 decoded.
// Space: each kind once; each file cut at every length. Not here: how the command uses them.
#include "runtime/tensor/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include <filesystem>

#include "base/file.h"
#include "base/rng.h"
#include "runtime/tensor/npy.h"
#include "runtime/tensor/npz.h"
#include "tests/runtime/picture_files.h"

namespace tessera::test::picture_test {
namespace {

using ::testing::HasSubstr;

class PictureFiles : public ::testing::Test {
 protected:
  ~PictureFiles() override { std::filesystem::remove(path_); }
  Result<HostTensor> Read(const std::string& bytes) {
    EXPECT_TRUE(WriteFile(path_, std::string_view(bytes)));
    return ReadPicture(path_);
  }
  void ExpectRefused(const std::string& bytes, Code code, const std::string& says) {
    const auto picture = Read(bytes);
    ASSERT_FALSE(picture) << says;
    EXPECT_EQ(picture.error().code, code) << picture.error().message;
    EXPECT_THAT(picture.error().message, HasSubstr(path_ + ": "));
    EXPECT_THAT(picture.error().message, HasSubstr(says));
  }
  std::string path_ = ::testing::TempDir() + "picture_test." +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(PictureFiles, PngIsReadAsItStands) {
  const auto rgb = Read(FromHex(kRgbPng));
  ASSERT_TRUE(rgb) << rgb.error().message;
  EXPECT_EQ(rgb->shape, (std::vector<int64_t>{9, 11, 3}));
  for (size_t y = 0, at = 0; y < 9; ++y) {
    for (size_t x = 0; x < 11; ++x) {
      EXPECT_EQ(rgb->bytes[at++], x * 20);
      EXPECT_EQ(rgb->bytes[at++], y * 25);
      EXPECT_EQ(rgb->bytes[at++], (x + y) * 10);
    }
  }
  const auto grey = Read(FromHex(kGreyPng)), bits = Read(FromHex(kBitPng));
  ASSERT_TRUE(grey && bits);
  EXPECT_EQ(grey->shape, (std::vector<int64_t>{9, 11, 1}));
  for (size_t i = 0; i < 99; ++i) {
    EXPECT_EQ(grey->bytes[i], i % 11 * 20) << i;
    EXPECT_EQ(bits->bytes[i], (i % 11 + i / 11) % 2 * 255) << i;
  }
  const auto palette = Read(FromHex(kPalettePng));
  ASSERT_TRUE(palette) << palette.error().message;
  EXPECT_EQ(palette->shape, (std::vector<int64_t>{2, 2, 3}));
  EXPECT_EQ(palette->bytes, (std::vector<uint8_t>{0, 0, 0, 20, 0, 10, 0, 25, 10, 20, 25, 20}));
}

TEST_F(PictureFiles, JpegIsWhatPillowMakesOfIt) {
  const auto grey = Read(FromHex(kGreyJpeg));
  ASSERT_TRUE(grey) << grey.error().message;
  EXPECT_EQ(grey->shape, (std::vector<int64_t>{9, 11, 1}));
  const std::vector<uint8_t> row{0, 19, 41, 60, 80, 99, 121, 140, 160, 180, 199};
  for (size_t i = 0; i < 99; ++i) EXPECT_EQ(grey->bytes[i], row[i % 11]) << i;
  const auto rgb = Read(FromHex(kRgbJpeg));
  ASSERT_TRUE(rgb) << rgb.error().message;
  EXPECT_EQ(rgb->shape, (std::vector<int64_t>{4, 4, 3}));
  EXPECT_EQ(rgb->bytes,
            (std::vector<uint8_t>{0,  0,  2,  17, 0,  10, 41, 0,  19, 56, 0,  29, 1,  25, 12, 20,
                                  25, 19, 44, 25, 31, 59, 25, 39, 0,  52, 20, 18, 52, 28, 41, 52,
                                  38, 57, 52, 46, 1,  74, 31, 19, 73, 39, 44, 74, 50, 59, 73, 56}));
}

TEST_F(PictureFiles, WhatIsNoPlainPictureIsRefused) {
  ExpectRefused(FromHex(kAlphaPng), Code::kInvalidArgument, "has an alpha channel; flatten it");
  ExpectRefused(FromHex(kDeepPng), Code::kInvalidArgument, "has 16 bits a sample; save it with 8");
  ExpectRefused(FromHex(kInksJpeg), Code::kInvalidArgument, "has four inks; save it as RGB");
  ExpectRefused("GIF89a", Code::kInvalidArgument, "is neither a PNG nor a JPEG file");
  std::string wide = FromHex(kGreyPng);
  wide[17] = '\x7f';  // a byte of the width in the header
  ExpectRefused(wide, Code::kDataLoss, "");
  EXPECT_EQ(ReadPicture(path_ + ".none").error().code, Code::kNotFound);
}

// A file cut at any byte is refused, and the reader does not read past its end.
TEST_F(PictureFiles, ATruncatedFileIsRefused) {
  for (const char* hex : {kRgbPng, kGreyPng, kPalettePng, kGreyJpeg, kRgbJpeg}) {
    const std::string whole = FromHex(hex);
    // The last two bytes of a JPEG are its end marker, the last twelve of a PNG its end chunk.
    for (size_t length = 8; length + 1 < whole.size(); ++length) {
      const auto picture = Read(whole.substr(0, length));
      ASSERT_FALSE(picture) << whole.size() << " bytes cut at " << length;
      EXPECT_EQ(picture.error().code, Code::kDataLoss) << picture.error().message;
    }
  }
}

TEST_F(PictureFiles, DamagedFilesGiveAnErrorOrAPicture) {
  for (const char* hex : {kRgbPng, kPalettePng, kGreyJpeg, kRgbJpeg}) {
    for (uint64_t seed = 1; seed <= 300; ++seed) {
      std::string bytes = FromHex(hex);
      Rng rng(seed);
      for (int64_t n = rng.Range(1, 6); n > 0; --n)
        bytes[static_cast<size_t>(rng.Range(0, std::ssize(bytes) - 1))] =
            static_cast<char>(rng.Range(0, 255));
      const auto picture = Read(bytes);
      if (!picture) continue;
      EXPECT_EQ(static_cast<int64_t>(picture->bytes.size()),
                picture->shape[0] * picture->shape[1] * picture->shape[2])
          << "seed " << seed;
    }
  }
}

HostTensor Row(std::vector<uint8_t> pixels) {
  HostTensor row{DType::kUint8, {1, std::ssize(pixels), 1}, {}};
  row.bytes = std::move(pixels);
  return row;
}

// Source places by the rule, computed by hand: 4 pixels of 2 lie at -0.25, 0.25, 0.75, 1.25; 2 of 3
// at 0.25 and 1.75; 2 of 4 at 0.5 and 2.5.
TEST(Resize, TakesTheMiddlesOfPixels) {
  const auto bilinear = [](const HostTensor& p, int64_t w) {
    return ResizePicture(p, 1, w, Resampling::kBilinear).bytes;
  };
  EXPECT_EQ(bilinear(Row({0, 100}), 4), (std::vector<uint8_t>{0, 25, 75, 100}));
  EXPECT_EQ(bilinear(Row({0, 100, 200}), 2), (std::vector<uint8_t>{25, 175}));
  EXPECT_EQ(bilinear(Row({10, 21, 30, 200}), 2), (std::vector<uint8_t>{16, 115}));  // 15.5 goes up
  EXPECT_EQ(bilinear(Row({7, 9}), 2), (std::vector<uint8_t>{7, 9}));
  const auto nearest = [](const HostTensor& p, int64_t w) {
    return ResizePicture(p, 1, w, Resampling::kNearest).bytes;
  };
  EXPECT_EQ(nearest(Row({1, 2, 3}), 2), (std::vector<uint8_t>{1, 3}));
  EXPECT_EQ(nearest(Row({1, 2, 3, 4}), 2), (std::vector<uint8_t>{2, 4}));
  EXPECT_EQ(nearest(Row({1, 2}), 5), (std::vector<uint8_t>{1, 1, 2, 2, 2}));
  HostTensor column = Row({0, 100});
  column.shape = {2, 1, 1};
  EXPECT_EQ(ResizePicture(column, 4, 2, Resampling::kBilinear).bytes,
            (std::vector<uint8_t>{0, 0, 25, 25, 75, 75, 100, 100}));
  HostTensor colours{DType::kUint8, {1, 2, 3}, {0, 10, 20, 100, 110, 120}};
  EXPECT_EQ(ResizePicture(colours, 1, 1, Resampling::kBilinear).bytes,
            (std::vector<uint8_t>{50, 60, 70}));
}

class Archives : public PictureFiles {
 protected:
  // A zip archive of |entries|, packed by |method|.
  void Pack(const std::vector<std::pair<std::string, std::string>>& entries, int method) {
    std::filesystem::remove(path_);
    zip_t* zip = zip_open(path_.c_str(), ZIP_CREATE, nullptr);
    ASSERT_NE(zip, nullptr);
    for (const auto& [name, bytes] : entries) {
      zip_source_t* source = zip_source_buffer(zip, bytes.data(), bytes.size(), 0);
      const zip_int64_t at = zip_file_add(zip, name.c_str(), source, 0);
      ASSERT_GE(at, 0);
      ASSERT_EQ(zip_set_file_compression(zip, static_cast<zip_uint64_t>(at), method, 0), 0);
    }
    ASSERT_EQ(zip_close(zip), 0);
  }
  std::string Npy(const HostTensor& tensor) {
    EXPECT_TRUE(WriteNpy(path_, tensor));
    const auto bytes = ReadFile(path_);
    return {bytes->begin(), bytes->end()};
  }
  void ExpectBad(Code code, const std::string& says) {
    const auto arrays = ReadNpz(path_);
    ASSERT_FALSE(arrays) << says;
    EXPECT_EQ(arrays.error().code, code) << arrays.error().message;
    EXPECT_THAT(arrays.error().message, HasSubstr(path_ + ": "));
    EXPECT_THAT(arrays.error().message, HasSubstr(says));
  }
};

TEST_F(Archives, NumPysIsRead) {
  ASSERT_TRUE(WriteFile(path_, std::string_view(FromHex(kTwoNpz))));
  EXPECT_TRUE(LooksLikeNpz(path_));
  const auto arrays = ReadNpz(path_);
  ASSERT_TRUE(arrays) << arrays.error().message;
  ASSERT_EQ(arrays->size(), 2u);
  EXPECT_EQ((*arrays)[0].first, "a");
  EXPECT_EQ((*arrays)[0].second.shape, (std::vector<int64_t>{2, 3}));
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ((*arrays)[0].second.as<float>()[i], static_cast<float>(i));
  EXPECT_EQ((*arrays)[1].first, "b");
  EXPECT_EQ((*arrays)[1].second.as<int64_t>()[1], 2);
}

TEST_F(Archives, StoredAndDeflatedEntriesAreRead) {
  const HostTensor tensor = HostTensor::Zeros(DType::kInt8, {300, 7});
  for (const int method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    const std::string npy = Npy(tensor);
    Pack({{"x.npy", npy}}, method);
    const auto arrays = ReadNpz(path_);
    ASSERT_TRUE(arrays) << arrays.error().message;
    EXPECT_TRUE((*arrays)[0].second == tensor);
  }
}

TEST_F(Archives, OthersAreRefused) {
  const std::string npy = Npy(HostTensor::Zeros(DType::kInt8, {4}));
  Pack({{"readme.txt", "text"}}, ZIP_CM_STORE);
  ExpectBad(Code::kInvalidArgument, "'readme.txt': is no .npy; an .npz file holds nothing else");
  Pack({{"x.npy", "text"}}, ZIP_CM_STORE);
  ExpectBad(Code::kInvalidArgument, "'x.npy': is not a .npy file");
  Pack({{"x.npy", npy}}, ZIP_CM_BZIP2);
  ExpectBad(Code::kInvalidArgument, "packed by method 12; np.savez");
  // Changes a byte of the data, so that its checksum is wrong.
  Pack({{"x.npy", npy}}, ZIP_CM_STORE);
  const auto packed = ReadFile(path_);
  std::string bytes(packed->begin(), packed->end());
  const size_t at = bytes.find(npy);
  ASSERT_NE(at, std::string::npos);
  bytes[at + npy.size() - 1] ^= 1;
  ASSERT_TRUE(WriteFile(path_, std::string_view(bytes)));
  ExpectBad(Code::kDataLoss, "CRC");
}

TEST_F(Archives, CutAndDamagedOnesGiveAnErrorOrArrays) {
  const std::string whole = FromHex(kTwoNpz);
  for (size_t length = 4; length < whole.size(); ++length) {
    ASSERT_TRUE(WriteFile(path_, std::string_view(whole).substr(0, length)));
    EXPECT_FALSE(ReadNpz(path_)) << "cut at " << length;
  }
  int refused = 0;
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    std::string bytes = whole;
    Rng rng(seed);
    for (int64_t n = rng.Range(1, 4); n > 0; --n)
      bytes[static_cast<size_t>(rng.Range(4, std::ssize(bytes) - 1))] =
          static_cast<char>(rng.Range(0, 255));
    ASSERT_TRUE(WriteFile(path_, std::string_view(bytes)));
    refused += !ReadNpz(path_);
  }
  EXPECT_GT(refused, 250);
}

}  // namespace
}  // namespace tessera::test::picture_test
