// SPDX-License-Identifier: Apache-2.0
#include "runtime/tensor/npy.h"

#if !defined(TESSERA_RUNTIME_ONLY)
#include <zlib.h>
#endif

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/bits.h"
#include "base/file.h"
#include "base/number.h"

namespace tessera {
namespace {

constexpr std::string_view kNpyMagic("\x93NUMPY", 6);
constexpr uint64_t kMaxBytes = 0xffffffff;  // of any tensor file, packed or not

struct NpyType {
  std::string_view descr;
  DType dtype;
};
constexpr NpyType kNpyTypes[] = {{"|b1", DType::kBool},    {"|i1", DType::kInt8},
                                 {"|u1", DType::kUint8},   {"<i2", DType::kInt16},
                                 {"<i4", DType::kInt32},   {"<i8", DType::kInt64},
                                 {"<f4", DType::kFloat32}, {"<f2", DType::kFloat16}};

// The text after `'key':` in a header dictionary, from its first character that is not a blank.
std::optional<std::string_view> ValueOf(std::string_view header, std::string_view key) {
  size_t at = header.find(fmt::format("'{}'", key));
  if (at == std::string_view::npos) return std::nullopt;
  at = header.find(':', at);
  if (at == std::string_view::npos) return std::nullopt;
  at = header.find_first_not_of(' ', at + 1);
  if (at == std::string_view::npos) return std::nullopt;
  return header.substr(at);
}

Result<std::vector<int64_t>> ParseShape(std::string_view text, const std::string& path) {
  std::vector<int64_t> shape;
  const size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos) {
    return Fail(Code::kInvalidArgument, "{}: the header's shape is not a tuple", path);
  }
  text = text.substr(1, end - 1);
  while (true) {
    const size_t start = text.find_first_not_of(", ");
    if (start == std::string_view::npos) return shape;
    text.remove_prefix(start);
    const auto extent = TakeNumber<int64_t>(text);
    if (!extent || *extent < 0 || shape.size() >= 16) {
      return Fail(Code::kInvalidArgument, "{}: the header's shape has a bad extent", path);
    }
    shape.push_back(*extent);
  }
}

#if defined(TESSERA_RUNTIME_ONLY)
Result<std::vector<uint8_t>> Gunzip(const std::vector<uint8_t>&, const std::string& path) {
  return Fail(Code::kUnsupported,
              "{}: this tessera, made for a board, does not unpack: run gunzip on it first", path);
}
#else
Result<std::vector<uint8_t>> Gunzip(const std::vector<uint8_t>& packed, const std::string& path) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK)
    return Fail(Code::kUnavailable, "{}: zlib failed", path);
  std::vector<uint8_t> out;
  stream.next_in = const_cast<uint8_t*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());  // kMaxBytes fits
  int rc = Z_OK;
  std::vector<uint8_t> chunk(1 << 18);
  while (rc == Z_OK && out.size() <= kMaxBytes) {
    stream.next_out = chunk.data();
    stream.avail_out = static_cast<uInt>(chunk.size());
    rc = inflate(&stream, Z_NO_FLUSH);
    out.insert(out.end(), chunk.begin(), chunk.end() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (out.size() > kMaxBytes)
    return Fail(Code::kOutOfRange, "{}: unpacks to more than {} bytes", path, kMaxBytes);
  if (rc != Z_STREAM_END)
    return Fail(Code::kDataLoss, "{}: the gzip data are truncated or corrupt", path);
  if (stream.avail_in != 0)
    return Fail(Code::kDataLoss, "{}: {} bytes follow the gzip data", path, stream.avail_in);
  return out;
}
#endif

Result<HostTensor> ParseIdx(std::span<const uint8_t> bytes, const std::string& path) {
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0) {
    return Fail(Code::kInvalidArgument, "{}: is neither a .npy nor an IDX file", path);
  }
  if (bytes[2] != 0x08) {
    return Fail(Code::kUnsupported, "{}: IDX element type {:#x}; unsigned bytes (0x08) can be read",
                path, bytes[2]);
  }
  const size_t rank = bytes[3];
  const size_t head = 4 + 4 * rank;
  if (rank == 0 || rank > 8 || bytes.size() < head)
    return Fail(Code::kDataLoss, "{}: is truncated in its header", path);
  HostTensor tensor;
  tensor.dtype = DType::kUint8;
  for (size_t i = 0; i < rank; ++i) {
    const uint8_t* p = &bytes[4 + 4 * i];
    tensor.shape.push_back(int64_t{p[0]} << 24 | p[1] << 16 | p[2] << 8 | p[3]);
  }
  const Result<int64_t> count = ElementCount(tensor.shape, static_cast<int64_t>(kMaxBytes));
  if (!count) return Within(path, count.error());
  if (bytes.size() - head != static_cast<size_t>(*count)) {
    return Fail(Code::kDataLoss, "{}: holds {} bytes of data, shape {} needs {}", path,
                bytes.size() - head, ShapeText(tensor.shape), *count);
  }
  tensor.bytes.assign(bytes.begin() + static_cast<int64_t>(head), bytes.end());
  return tensor;
}

Result<std::vector<uint8_t>> ReadUnpacked(const std::string& path) {
  TESSERA_ASSIGN(std::vector<uint8_t> bytes, ReadFile(path, kMaxBytes));
  if (bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b) return Gunzip(bytes, path);
  return bytes;
}

}  // namespace

Result<HostTensor> ParseNpy(std::span<const uint8_t> bytes, const std::string& path) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kNpyMagic) || bytes.size() < 10) {
    return Fail(Code::kInvalidArgument, "{}: is not a .npy file", path);
  }
  const bool wide = bytes[6] >= 2;
  const size_t head = wide ? 12 : 10;
  if (bytes[6] < 1 || bytes[6] > 3 || bytes.size() < head) {
    return Fail(Code::kInvalidArgument, "{}: .npy format {}.{}; 1.0 to 3.0 can be read", path,
                bytes[6], bytes[7]);
  }
  size_t length = bytes[8] | bytes[9] << 8;
  if (wide) length |= static_cast<size_t>(bytes[10]) << 16 | static_cast<size_t>(bytes[11]) << 24;
  if (length > bytes.size() - head)
    return Fail(Code::kDataLoss, "{}: is truncated in its header", path);
  const std::string_view header = text.substr(head, length);

  const auto descr = ValueOf(header, "descr");
  const auto order = ValueOf(header, "fortran_order");
  const auto shape_text = ValueOf(header, "shape");
  if (!descr || !order || !shape_text) {
    return Fail(Code::kInvalidArgument, "{}: the header lacks descr, fortran_order or shape", path);
  }
  if (!order->starts_with("False")) {
    return Fail(Code::kInvalidArgument,
                "{}: is in Fortran order; save it with np.ascontiguousarray", path);
  }
  HostTensor tensor;
  const auto type = std::ranges::find_if(kNpyTypes, [&](const NpyType& t) {
    return descr->size() > 4 && descr->substr(1, 3) == t.descr;
  });
  if (type == std::end(kNpyTypes)) {
    return Fail(Code::kInvalidArgument,
                "{}: element type {} is not one of b1 i1 u1 i4 i8 f4 f2, little-endian", path,
                descr->substr(0, std::min<size_t>(descr->find(','), 12)));
  }
  tensor.dtype = type->dtype;
  TESSERA_ASSIGN(tensor.shape, ParseShape(*shape_text, path));
  const Result<int64_t> count = ElementCount(tensor.shape, static_cast<int64_t>(kMaxBytes) / 8);
  if (!count) return Within(path, count.error());
  const std::span<const uint8_t> data = bytes.subspan(head + length);
  const size_t want = static_cast<size_t>(*count * SizeOf(tensor.dtype));
  if (data.size() != want) {
    return Fail(Code::kDataLoss, "{}: holds {} bytes of data, shape {} of {} needs {}", path,
                data.size(), ShapeText(tensor.shape), Text(tensor.dtype), want);
  }
  tensor.bytes.assign(data.begin(), data.end());
  return tensor;
}

Result<HostTensor> ReadNpy(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path, kMaxBytes));
  return ParseNpy(bytes, path);
}

Result<HostTensor> ReadIdx(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadUnpacked(path));
  return ParseIdx(bytes, path);
}

Result<HostTensor> ReadTensorFile(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadUnpacked(path));
  if (!bytes.empty() && bytes[0] == 0x93) return ParseNpy(bytes, path);
  return ParseIdx(bytes, path);
}

Status WriteNpy(const std::string& path, const HostTensor& tensor) {
  const auto type = std::ranges::find(kNpyTypes, tensor.dtype, &NpyType::dtype);
  std::string shape;
  for (int64_t extent : tensor.shape) shape += fmt::format("{},", extent);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type->descr, shape);
  header.resize(static_cast<size_t>(RoundUp(static_cast<int64_t>(header.size()) + 11, 64) - 11),
                ' ');
  header += '\n';
  std::string file(kNpyMagic);
  file += {'\x01', '\x00', static_cast<char>(header.size() & 0xff),
           static_cast<char>(header.size() >> 8)};
  file += header;
  file.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return WriteFile(path, file);
}

}  // namespace tessera
