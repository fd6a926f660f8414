// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/dump.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/file.h"
#include "base/hash.h"
#include "runtime/artifact/codec.h"

namespace tessera::sim {
namespace {

constexpr std::string_view kMagic = "TSRDMP01";
constexpr uint32_t kVersion = 1;
constexpr size_t kCrcBytes = 8;
constexpr uint64_t kMaxText = 1024 * 1024;  // most bytes of a text
constexpr uint64_t kMaxLayers = 1024 * 1024;
constexpr uint64_t kMaxImage = uint64_t{1} << 36;

// Reads or writes the fields in order; |config| and |image| as bytes.
template <typename Codec, typename Dump, typename Text, typename Image>
Status Fields(Codec& codec, Dump& dump, Text& config, Image& image) {
  TESSERA_TRY(codec.Bytes(dump.tool, "the tool's name", kMaxText));
  TESSERA_TRY(codec.Bytes(dump.verb, "the verb", kMaxText));
  TESSERA_TRY(codec.Bytes(dump.model, "the model's name", kMaxText));
  TESSERA_TRY(codec.Bytes(dump.device, "the device", kMaxText));
  TESSERA_TRY(codec.Bytes(dump.error, "the error", kMaxText));
  TESSERA_TRY(codec.Number(dump.budget, "the budget"));
  TESSERA_TRY(codec.Bytes(config, "the configuration", kMaxText));
  TESSERA_TRY(codec.Count(dump.layers, "the list of layers", kMaxLayers, 8));
  for (auto& layer : dump.layers) TESSERA_TRY(codec.Bytes(layer, "a layer's name", kMaxText));
  return codec.Bytes(image, "the program", kMaxImage);
}

// The name of the file. Of the verb it keeps only letters.
std::string NameOf(const RunDump& dump, uint64_t hash, int attempt) {
  std::string verb;
  for (const char c : dump.verb) verb += c >= 'a' && c <= 'z' ? std::string(1, c) : "";
  const std::string more = attempt == 0 ? "" : fmt::format("-{}", attempt);
  return fmt::format("tessera-{}-{:08x}{}.dump", verb, hash & 0xffffffff, more);
}

}  // namespace

std::vector<uint8_t> SerializeDump(const RunDump& dump) {
  artifact::ArtifactWriter writer;
  for (const char c : kMagic) static_cast<void>(writer.Number(c, ""));
  static_cast<void>(writer.Number(kVersion, ""));
  const std::string config = isa::ConfigToJson(dump.config);
  const std::vector<uint8_t> image = isa::SerializeImage(dump.image);
  static_cast<void>(Fields(writer, dump, config, image));
  std::vector<uint8_t> bytes = writer.Take();
  const uint64_t crc = Crc64(bytes);
  const auto* tail = reinterpret_cast<const uint8_t*>(&crc);
  bytes.insert(bytes.end(), tail, tail + kCrcBytes);
  return bytes;
}

bool LooksLikeDump(std::span<const uint8_t> bytes) {
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

Result<RunDump> ParseDump(std::span<const uint8_t> bytes) {
  if (!LooksLikeDump(bytes))
    return Fail(Code::kInvalidArgument, "dump: it does not begin with {}", kMagic);
  if (bytes.size() < kMagic.size() + sizeof kVersion + kCrcBytes)
    return Fail(Code::kDataLoss, "dump: {} bytes are too few", bytes.size());
  const std::span<const uint8_t> body = bytes.first(bytes.size() - kCrcBytes);
  // Checks the version first: another version may have the checksum elsewhere.
  artifact::ArtifactReader reader(body.subspan(kMagic.size()), "dump");
  uint32_t version = 0;
  TESSERA_TRY(reader.Number(version, "the version"));
  if (version != kVersion) {
    return Fail(Code::kInvalidArgument,
                "dump: version {}, this program reads {}; open it with the tessera that wrote it, "
                "or let the run fail again",
                version, kVersion);
  }
  uint64_t crc = 0;
  std::memcpy(&crc, bytes.data() + body.size(), sizeof crc);
  if (crc != Crc64(body)) {
    return Fail(Code::kDataLoss, "dump: the checksum differs; the file is truncated or damaged");
  }
  RunDump dump;
  std::string config;
  std::vector<uint8_t> image;
  TESSERA_TRY(Fields(reader, dump, config, image));
  if (reader.left() != 0)
    return Fail(Code::kInvalidArgument, "dump: {} bytes follow the program", reader.left());
  if (dump.budget == 0) return Fail(Code::kInvalidArgument, "dump: the budget is 0");
  TESSERA_ASSIGN(dump.config, isa::ParseConfig(config, "dump"));
  TESSERA_ASSIGN(dump.image, isa::ParseImage(image));
  TESSERA_TRY(isa::CheckImageMatches(dump.image, dump.config));
  return dump;
}

Result<std::string> WriteDump(const std::string& folder, const RunDump& dump) {
  const std::vector<uint8_t> bytes = SerializeDump(dump);
  // The hash excludes the checksum: with it, every file would have the same hash.
  const uint64_t hash = Crc64(std::span(bytes).first(bytes.size() - kCrcBytes));
  for (int attempt = 0;; ++attempt) {
    const std::string path = (std::filesystem::path(folder) / NameOf(dump, hash, attempt)).string();
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
      TESSERA_TRY(WriteFile(path, bytes));
      return path;
    }
    const Result<std::vector<uint8_t>> there = ReadFile(path);
    if (there && *there == bytes) return path;  // the same failure again
    if (attempt == 99)
      return Fail(Code::kUnavailable, "{}: files of that name are there already", path);
  }
}

}  // namespace tessera::sim
