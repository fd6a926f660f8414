// SPDX-License-Identifier: Apache-2.0
//
// Host tensors and tensor files: .npy and IDX round trips, every diagnostic, damaged files.
// Expected bytes are written out here from the two formats' descriptions. Not here: files that
// other programs wrote.
#include "runtime/tensor/tensor.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>

#include "base/file.h"
#include "base/rng.h"
#include "runtime/tensor/npy.h"

namespace tessera::tensor_test {
namespace {

class TensorFiles : public ::testing::Test {
 protected:
  ~TensorFiles() override { std::filesystem::remove(path_); }

  // The error of reading a file that holds |bytes|, or "accepted".
  Error Read(std::string_view bytes) {
    EXPECT_TRUE(WriteFile(path_, bytes));
    const auto tensor = ReadTensorFile(path_);
    if (tensor) return {Code::kInvalidArgument, "accepted"};
    EXPECT_EQ(tensor.error().message.find(path_), 0u) << tensor.error().message;
    return tensor.error();
  }
  void ExpectError(std::string_view bytes, Code code, const std::string& message) {
    const Error error = Read(bytes);
    EXPECT_NE(error.message.find(message), std::string::npos) << error.message;
    EXPECT_EQ(error.code, code) << error.message;
  }

  std::string path_ = ::testing::TempDir() + "tensor_test." +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

// A .npy file with |header| as its dictionary.
std::string Npy(std::string header, const std::string& data, char major = 1) {
  header += '\n';
  std::string file = std::string("\x93NUMPY", 6) + major + '\0';
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  if (major > 1) file += std::string(2, '\0');
  return file + header + data;
}

std::string Gzip(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(bytes.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

const std::string kIdx = std::string("\0\0\x08\x02\0\0\0\x02\0\0\0\x03", 12) + "abcdef";

TEST_F(TensorFiles, NpyRoundTripsEveryTypeAndRank) {
  for (const DType dtype : kDTypes) {
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{}, {3}, {2, 3}, {1, 2, 3, 4}, {0, 5}}) {
      Rng rng(7);
      HostTensor tensor = HostTensor::Zeros(dtype, shape);
      for (uint8_t& b : tensor.bytes) b = static_cast<uint8_t>(rng.Next());
      ASSERT_TRUE(WriteNpy(path_, tensor));
      const auto read = ReadNpy(path_);
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(*read, tensor);
      EXPECT_EQ(ReadTensorFile(path_).value(), tensor);
      const auto bytes = ReadFile(path_);
      EXPECT_EQ((bytes->size() - tensor.bytes.size()) % 64, 0u) << "data begin at a multiple of 64";
    }
  }
}

TEST_F(TensorFiles, NpyOfOtherFormatsAndSpacing) {
  const std::string data("\1\0\0\0\2\0\0\0", 8);
  for (const char major : {1, 2, 3}) {
    ASSERT_TRUE(WriteFile(
        path_, Npy("{'shape': (2, 1), 'descr':'<i4','fortran_order':False}", data, major)));
    const auto read = ReadTensorFile(path_);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->shape, (std::vector<int64_t>{2, 1}));
    EXPECT_EQ(read->as<int32_t>()[1], 2);
  }
}

TEST_F(TensorFiles, BadNpyIsRefusedWithTheReason) {
  const std::string good = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }",
                    data(8, '\0');
  ASSERT_TRUE(WriteFile(path_, Npy(good, data)));
  ASSERT_TRUE(ReadNpy(path_));
  ExpectError("\x93NUMPX0000000000", Code::kInvalidArgument, "is not a .npy file");
  ExpectError("\x93NUM", Code::kInvalidArgument, "is not a .npy file");
  ExpectError(Npy(good, data, 4), Code::kInvalidArgument, "format 4.0");
  ExpectError(Npy(good, data).substr(0, 30), Code::kDataLoss, "truncated in its header");
  ExpectError(Npy(good, data.substr(1)), Code::kDataLoss,
              "holds 7 bytes of data, shape [2] of int32 needs 8");
  ExpectError(Npy(good, data + "x"), Code::kDataLoss, "holds 9 bytes");
  ExpectError(Npy("{'fortran_order': False, 'shape': (2,), }", data), Code::kInvalidArgument,
              "lacks descr");
  ExpectError(Npy("{'descr': '<i4', 'shape': (2,), }", data), Code::kInvalidArgument,
              "lacks descr, fortran_order");
  ExpectError(Npy("{'descr': '<i4', 'fortran_order': False}", data), Code::kInvalidArgument,
              "or shape");
  ExpectError(Npy("{'descr': '<i4', 'fortran_order': True, 'shape': (2,), }", data),
              Code::kInvalidArgument, "Fortran order");
  ExpectError(Npy("{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }", data),
              Code::kInvalidArgument, "element type '>i4'");
  ExpectError(Npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", data),
              Code::kInvalidArgument, "element type '<f8'");
  ExpectError(Npy("{'descr': '<i4', 'fortran_order': False, 'shape': 2, }", data),
              Code::kInvalidArgument, "not a tuple");
  ExpectError(Npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2", data),
              Code::kInvalidArgument, "not a tuple");
  ExpectError(Npy("{'descr': '<i4', 'fortran_order': False, 'shape': (-2,), }", data),
              Code::kInvalidArgument, "bad extent");
  ExpectError(Npy("{'descr': '<i4', 'fortran_order': False, 'shape': (a,), }", data),
              Code::kInvalidArgument, "bad extent");
  ExpectError(
      Npy("{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", data),
      Code::kOutOfRange, "more than");
  ExpectError(
      Npy("{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,), }", data),
      Code::kInvalidArgument, "bad extent");
}

TEST_F(TensorFiles, IdxPlainAndPacked) {
  for (const std::string& bytes : {kIdx, Gzip(kIdx)}) {
    ASSERT_TRUE(WriteFile(path_, bytes));
    for (const auto& read : {ReadIdx(path_), ReadTensorFile(path_)}) {
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->dtype, DType::kUint8);
      EXPECT_EQ(read->shape, (std::vector<int64_t>{2, 3}));
      EXPECT_EQ(std::string(read->bytes.begin(), read->bytes.end()), "abcdef");
    }
  }
}

TEST_F(TensorFiles, BadIdxIsRefusedWithTheReason) {
  ExpectError("", Code::kInvalidArgument, "neither a .npy nor an IDX file");
  ExpectError("hello world", Code::kInvalidArgument, "neither a .npy nor an IDX file");
  std::string other = kIdx;
  other[2] = 0x0d;
  ExpectError(other, Code::kUnsupported, "element type 0xd");
  ExpectError(kIdx.substr(0, 9), Code::kDataLoss, "truncated in its header");
  ExpectError(kIdx.substr(0, 17), Code::kDataLoss, "holds 5 bytes of data, shape [2, 3] needs 6");
  ExpectError(kIdx + "x", Code::kDataLoss, "holds 7 bytes");
  ExpectError(std::string("\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16),
              Code::kOutOfRange, "more than");
  ExpectError(Gzip(kIdx).substr(0, 20), Code::kDataLoss, "gzip data are truncated");
  ExpectError(Gzip(kIdx) + "more", Code::kDataLoss, "4 bytes follow the gzip data");
  std::string damaged = Gzip(kIdx);
  damaged[damaged.size() - 6] ^= 1;  // its checksum
  ExpectError(damaged, Code::kDataLoss, "corrupt");
}

TEST_F(TensorFiles, EveryTruncationOfAPackedFileIsRefused) {
  const std::string packed = Gzip(kIdx);
  for (size_t n = 0; n < packed.size(); ++n)
    EXPECT_NE(Read(packed.substr(0, n)).message, "accepted") << n;
}

TEST_F(TensorFiles, MissingFiles) {
  for (const auto& read :
       {ReadNpy("/nowhere.npy"), ReadIdx("/nowhere"), ReadTensorFile("/nowhere")}) {
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Code::kNotFound);
  }
  EXPECT_EQ(WriteNpy("/nowhere/x.npy", HostTensor::Zeros(DType::kInt8, {1})).error().code,
            Code::kUnavailable);
}

TEST(Tensor, CountsElementsWithinALimit) {
  EXPECT_EQ(ElementCount(std::vector<int64_t>{2, 3, 4}).value(), 24);
  EXPECT_EQ(ElementCount(std::vector<int64_t>{}).value(), 1);
  EXPECT_EQ(ElementCount(std::vector<int64_t>{0, 1 << 30, 1 << 30, 1 << 30}).value(), 0);
  EXPECT_EQ(ElementCount(std::vector<int64_t>{10, 10}, 100).value(), 100);
  EXPECT_NE(ElementCount(std::vector<int64_t>{10, 11}, 100)
                .error()
                .message.find("[10, 11] has more than 100"),
            std::string::npos);
  EXPECT_NE(ElementCount(std::vector<int64_t>{4, -1}).error().message.find("negative extent"),
            std::string::npos);
}

TEST(Tensor, SlicesAlongTheFirstAxis) {
  HostTensor t = HostTensor::Zeros(DType::kInt32, {4, 2});
  for (int32_t i = 0; i < 8; ++i) t.as<int32_t>()[static_cast<size_t>(i)] = i;
  const HostTensor part = t.Slice(1, 2);
  EXPECT_EQ(part.shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(part.as<int32_t>()[0], 2);
  EXPECT_EQ(part.as<int32_t>()[3], 5);
  EXPECT_EQ(t.Slice(4, 0).count(), 0);
}

}  // namespace
}  // namespace tessera::tensor_test
