// SPDX-License-Identifier: Apache-2.0
#include "runtime/tensor/npz.h"

#include <zip.h>

#include <algorithm>
#include <memory>

#include "base/file.h"
#include "runtime/tensor/npy.h"

namespace tessera {
namespace {

constexpr zip_int64_t kMostEntries = 1000;
constexpr uint64_t kMostBytes = 0xffffffff;  // of all entries, unpacked

struct ZipDiscard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using OpenZip = std::unique_ptr<zip_t, ZipDiscard>;

Result<OpenZip> OpenArchive(const std::vector<uint8_t>& bytes, const std::string& path) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* archive = source == nullptr
                       ? nullptr
                       : zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
  if (archive == nullptr) {
    if (source != nullptr) zip_source_free(source);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    return Fail(Code::kDataLoss, "{}: is no whole .npz file: {}", path, why);
  }
  return OpenZip(archive);
}

// The bytes of entry |index|; |stat| says how many they are.
Result<std::vector<uint8_t>> Unpack(zip_t* archive, zip_uint64_t index, const zip_stat_t& stat,
                                    const std::string& place) {
  zip_file_t* entry = zip_fopen_index(archive, index, 0);
  if (entry == nullptr)
    return Fail(Code::kInvalidArgument, "{}: cannot be unpacked: {}", place, zip_strerror(archive));
  // Only the archive states the size, so memory grows as the data come.
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> chunk(1 << 18);
  zip_int64_t got = 0;
  while ((got = zip_fread(entry, chunk.data(), chunk.size())) > 0 && bytes.size() <= stat.size)
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + got);
  const std::string why = got < 0 ? zip_file_strerror(entry) : "";
  zip_fclose(entry);
  if (got < 0) return Fail(Code::kDataLoss, "{}: {}", place, why);
  if (bytes.size() != stat.size) {
    return Fail(Code::kDataLoss, "{}: holds {} bytes, the archive says {}", place, bytes.size(),
                stat.size);
  }
  return bytes;
}

}  // namespace

bool LooksLikeNpz(const std::string& path) {
  return FirstBytes(path, 4) == std::vector<uint8_t>{'P', 'K', 3, 4};
}

Result<std::vector<std::pair<std::string, HostTensor>>> ReadNpz(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path, kMostBytes));
  TESSERA_ASSIGN(const OpenZip archive, OpenArchive(bytes, path));
  const zip_int64_t entries = zip_get_num_entries(archive.get(), 0);
  if (entries > kMostEntries) {
    return Fail(Code::kOutOfRange, "{}: has {} entries, {} are accepted", path, entries,
                kMostEntries);
  }
  std::vector<std::pair<std::string, HostTensor>> arrays;
  uint64_t sum = 0;
  for (zip_int64_t e = 0; e < entries; ++e) {
    const auto index = static_cast<zip_uint64_t>(e);
    zip_stat_t stat;
    zip_stat_init(&stat);
    constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(archive.get(), index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded)
      return Fail(Code::kDataLoss, "{}: entry {} cannot be read", path, e);
    std::string name = stat.name;
    const std::string place = fmt::format("{}: '{}'", path, name);
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
      return Fail(Code::kInvalidArgument,
                  "{}: packed by method {}; np.savez and np.savez_compressed make what can be read",
                  place, stat.comp_method);
    }
    if (!name.ends_with(".npy") || name.size() == 4)
      return Fail(Code::kInvalidArgument, "{}: is no .npy; an .npz file holds nothing else", place);
    name.resize(name.size() - 4);
    if (std::ranges::count(arrays, name, &std::pair<std::string, HostTensor>::first) > 0)
      return Fail(Code::kInvalidArgument, "{}: is there twice", place);
    if (stat.size > kMostBytes - sum)
      return Fail(Code::kOutOfRange, "{}: unpacks to more than {} bytes", path, kMostBytes);
    sum += stat.size;
    TESSERA_ASSIGN(const std::vector<uint8_t> unpacked, Unpack(archive.get(), index, stat, place));
    TESSERA_ASSIGN(HostTensor tensor, ParseNpy(unpacked, place));
    arrays.emplace_back(std::move(name), std::move(tensor));
  }
  return arrays;
}

}  // namespace tessera
