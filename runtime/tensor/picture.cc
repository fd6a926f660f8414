// SPDX-License-Identifier: Apache-2.0
#include "runtime/tensor/picture.h"

#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <memory>

#include "base/file.h"

namespace tessera {
namespace {

constexpr uint64_t kMostFileBytes = uint64_t{1} << 30;

Status CheckExtents(int64_t height, int64_t width, const std::string& path) {
  if (height > 0 && width > 0 && height <= kLongestSide && width <= kLongestSide &&
      height * width <= kMostPixels)
    return {};
  return Fail(Code::kOutOfRange,
              "{}: {} x {} pixels; a side of at most {} and {} pixels in all are read", path, width,
              height, kLongestSide, kMostPixels);
}

// What libpng's callbacks use, and where an error jumps to.
struct PngReading {
  std::span<const uint8_t> bytes;
  size_t at = 0;
  std::string error;
  std::jmp_buf leave;
};

void PngRead(png_structp png, png_bytep to, size_t count) {
  auto& reading = *static_cast<PngReading*>(png_get_io_ptr(png));
  if (count > reading.bytes.size() - reading.at) png_error(png, "the file is truncated");
  std::memcpy(to, &reading.bytes[reading.at], count);
  reading.at += count;
}
[[noreturn]] void PngError(png_structp png, png_const_charp message) {
  auto& reading = *static_cast<PngReading*>(png_get_error_ptr(png));
  reading.error = message;
  std::longjmp(reading.leave, 1);
}
void PngWarning(png_structp, png_const_charp) {}

struct PngHeader {
  png_uint_32 width = 0, height = 0;
  int bits = 0, kind = 0;
  bool transparent = false;
};

// Reading in two halves. Neither has an object that an error would have to destroy.
bool ReadPngHeader(png_structp png, png_infop info, PngReading& reading, PngHeader& header) {
  if (setjmp(reading.leave) != 0) return false;
  png_read_info(png, info);
  png_get_IHDR(png, info, &header.width, &header.height, &header.bits, &header.kind, nullptr,
               nullptr, nullptr);
  header.transparent = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  return true;
}
bool ReadPngRows(png_structp png, png_infop info, PngReading& reading, png_bytepp rows) {
  if (setjmp(reading.leave) != 0) return false;
  png_set_palette_to_rgb(png);
  png_set_expand_gray_1_2_4_to_8(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

Result<HostTensor> ReadPng(png_structp png, png_infop info, PngReading& reading,
                           const std::string& path) {
  PngHeader header;
  const auto damaged = [&] { return Fail(Code::kDataLoss, "{}: {}", path, reading.error); };
  png_set_read_fn(png, &reading, PngRead);
  png_set_user_limits(png, kLongestSide, kLongestSide);
  if (!ReadPngHeader(png, info, reading, header)) return damaged();
  TESSERA_TRY(CheckExtents(header.height, header.width, path));
  if ((header.kind & PNG_COLOR_MASK_ALPHA) != 0 || header.transparent) {
    return Fail(Code::kInvalidArgument,
                "{}: has an alpha channel; flatten it onto a background first", path);
  }
  if (header.bits == 16)
    return Fail(Code::kInvalidArgument, "{}: has 16 bits a sample; save it with 8", path);
  const int64_t channels = (header.kind & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1;
  HostTensor picture = HostTensor::Zeros(DType::kUint8, {header.height, header.width, channels});
  std::vector<png_bytep> rows;
  for (size_t y = 0; y < header.height; ++y)
    rows.push_back(&picture.bytes[y * header.width * static_cast<size_t>(channels)]);
  if (!ReadPngRows(png, info, reading, rows.data())) return damaged();
  return picture;
}

Result<HostTensor> FromPng(std::span<const uint8_t> bytes, const std::string& path) {
  PngReading reading{.bytes = bytes, .at = 0, .error = "", .leave = {}};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, PngError, PngWarning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  if (info == nullptr) {
    png_destroy_read_struct(&png, nullptr, nullptr);
    return Fail(Code::kUnavailable, "{}: libpng gives no memory", path);
  }
  Result<HostTensor> picture = ReadPng(png, info, reading, path);
  png_destroy_read_struct(&png, &info, nullptr);
  return picture;
}

struct JpegDestroy {
  void operator()(void* handle) const { tjDestroy(handle); }
};

Result<HostTensor> FromJpeg(std::span<const uint8_t> bytes, const std::string& path) {
  const std::unique_ptr<void, JpegDestroy> jpeg(tjInitDecompress());
  if (jpeg == nullptr) return Fail(Code::kUnavailable, "{}: libjpeg-turbo gives no memory", path);
  int width = 0, height = 0, sampling = 0, colours = 0;
  const auto size = static_cast<unsigned long>(bytes.size());  // NOLINT: the library's type
  const auto damaged = [&] {
    return Fail(Code::kDataLoss, "{}: {}", path, tjGetErrorStr2(jpeg.get()));
  };
  if (tjDecompressHeader3(jpeg.get(), bytes.data(), size, &width, &height, &sampling, &colours) !=
      0)
    return damaged();
  if (width < 1 || height < 1)
    return Fail(Code::kDataLoss, "{}: is truncated: no picture begins in it", path);
  TESSERA_TRY(CheckExtents(height, width, path));
  if (colours == TJCS_CMYK || colours == TJCS_YCCK)
    return Fail(Code::kInvalidArgument, "{}: has four inks; save it as RGB or grey", path);
  const bool grey = colours == TJCS_GRAY;
  HostTensor picture = HostTensor::Zeros(DType::kUint8, {height, width, grey ? 1 : 3});
  if (tjDecompress2(jpeg.get(), bytes.data(), size, picture.bytes.data(), width, 0, height,
                    grey ? TJPF_GRAY : TJPF_RGB, TJFLAG_STOPONWARNING) != 0)
    return damaged();
  return picture;
}

bool IsPng(std::span<const uint8_t> bytes) {
  return bytes.size() >= 8 && png_sig_cmp(bytes.data(), 0, 8) == 0;
}
bool IsJpeg(std::span<const uint8_t> bytes) {
  return bytes.size() >= 3 && bytes[0] == 0xff && bytes[1] == 0xd8 && bytes[2] == 0xff;
}

}  // namespace

bool LooksLikePicture(const std::string& path) {
  const std::vector<uint8_t> bytes = FirstBytes(path, 8);
  return IsPng(bytes) || IsJpeg(bytes);
}

Result<HostTensor> ReadPicture(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path, kMostFileBytes));
  if (IsPng(bytes)) return FromPng(bytes, path);
  if (IsJpeg(bytes)) return FromJpeg(bytes, path);
  return Fail(Code::kInvalidArgument, "{}: is neither a PNG nor a JPEG file", path);
}

}  // namespace tessera
