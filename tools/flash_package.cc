// SPDX-License-Identifier: Apache-2.0
#include "tools/flash_package.h"

#include <filesystem>

#include "base/file.h"
#include "base/hash.h"
#include "isa/config.h"
#include "runtime/bitstream/bit_file.h"
#include "runtime/bitstream/ecp_file.h"
#include "tools/boards.h"

namespace tessera::tools {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytes = uint64_t{256} << 20;
constexpr uint8_t kTreeMagic[] = {0xd0, 0x0d, 0xfe, 0xed};  // of a compiled device tree

// The folder of the build that |target| names.
Result<fs::path> FolderOf(const std::string& target, const std::string& boards,
                          const std::string& built) {
  if (target.ends_with(".bit") || target.ends_with(".json")) {
    const fs::path folder = fs::path(target).parent_path();
    return folder.empty() ? fs::path(".") : folder;
  }
  if (target.find('/') != std::string::npos) return fs::path(target);
  TESSERA_ASSIGN(const BoardDescription board, FindBoard(target, boards));
  const fs::path folder = fs::path(built) / board.name;
  if (!fs::exists(folder / "board.json"))
    return Fail(Code::kNotFound, "{} has no build in {}; make one: boards/scripts/build.sh {}",
                board.name, folder.string(), board.name);
  return folder;
}

// Reads |file| of the build in |folder|; it must have the size and checksum of its description.
Result<std::vector<uint8_t>> ReadChecked(const fs::path& folder, const BoardFile& file) {
  const std::string path = (folder / file.name).string();
  TESSERA_ASSIGN(std::vector<uint8_t> bytes, ReadFile(path, kMostBytes));
  if (bytes.size() != file.bytes)
    return Fail(Code::kDataLoss, "{} has {} bytes, its board.json says {}: copy it again", path,
                bytes.size(), file.bytes);
  if (Crc64(bytes) != file.crc64)
    return Fail(Code::kDataLoss,
                "{} has the checksum {:016x}, its board.json says {:016x}: copy it "
                "again",
                path, Crc64(bytes), file.crc64);
  return bytes;
}

Status CheckHash(const BoardDescription& board) {
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig(board.config));
  if (board.image->config_hash == config.Hash()) return {};
  return Fail(Code::kInvalidArgument,
              "the image was built for configuration hash {:016x}, {} of this tessera is {:016x}: "
              "build it again",
              board.image->config_hash, board.config, config.Hash());
}

// As CheckBitstream.
Status CheckEcp(const EcpFile& file, const BoardDescription& board, uint64_t config_hash) {
  constexpr uint32_t kDie = 0x0fffffff;  // without the digit for the variant
  if (file.part != board.part)
    return Fail(Code::kInvalidArgument, "it is for part {}, {} has {}",
                file.part.empty() ? "(none named)" : file.part, board.name, board.part);
  if ((file.idcode & kDie) != board.idcode)
    return Fail(Code::kInvalidArgument,
                "its stream is for the part with idcode {:08x}, {} has {:08x}", file.idcode & kDie,
                board.name, board.idcode);
  if (file.hash != fmt::format("{:016x}", config_hash))
    return Fail(Code::kInvalidArgument,
                "it holds configuration {}, {} of this tessera is {:016x}: build it again with "
                "boards/scripts/build.sh {}",
                file.hash.empty() ? "(none named)" : file.hash, board.config, config_hash,
                board.name);
  return {};
}

}  // namespace

Status CheckBitstream(const BitFile& bit, const BoardDescription& board, uint64_t config_hash) {
  if (!SamePart(bit.part, board.part))
    return Fail(Code::kInvalidArgument, "it is for part {}, {} has {}", bit.part, board.name,
                board.part);
  if (bit.idcode && *bit.idcode != board.idcode)
    return Fail(Code::kInvalidArgument,
                "its stream is for the part with idcode {:08x}, {} has {:08x}", *bit.idcode,
                board.name, board.idcode);
  const uint32_t half = static_cast<uint32_t>(config_hash);
  if (!bit.user_id || *bit.user_id != half)
    return Fail(Code::kInvalidArgument,
                "its user id is {}, configuration {} has {:08X}: it was not built by "
                "boards/scripts/build.sh for this configuration",
                bit.user_id ? fmt::format("{:08X}", *bit.user_id) : "missing", board.config, half);
  return {};
}

Result<std::vector<uint8_t>> CheckedBin(std::span<const uint8_t> bytes,
                                        const BoardDescription& board, uint64_t config_hash) {
  if (!board.HasProcessor()) {
    TESSERA_ASSIGN(const EcpFile file, ParseEcp(bytes));
    TESSERA_TRY(CheckEcp(file, board, config_hash));
    return std::vector<uint8_t>();
  }
  TESSERA_ASSIGN(const BitFile bit, ParseBit(bytes));
  TESSERA_TRY(CheckBitstream(bit, board, config_hash));
  return bit.Bin();
}

Result<FlashPackage> LoadFlashPackage(const std::string& target, const std::string& boards,
                                      const std::string& built) {
  TESSERA_ASSIGN(const fs::path folder, FolderOf(target, boards, built));
  const std::string description = (folder / "board.json").string();
  if (!fs::exists(description))
    return Fail(
        Code::kNotFound,
        "{} has no board.json beside it, which says board, size and checksum; tessera boards "
        "NAME --collect {} makes one",
        target, folder.string());
  FlashPackage package;
  TESSERA_ASSIGN(package.board, ReadBoard(description));
  if (!package.board.image)
    return Fail(Code::kNotFound,
                "{} has no \"image\": tessera boards {} --collect {} checks what "
                "was built and writes it",
                description, package.board.name, folder.string());
  const BoardImage& image = *package.board.image;
  if (target.ends_with(".bit") && fs::path(target).filename() != image.bitstream.name)
    return Fail(Code::kInvalidArgument, "{} is not the bitstream of {}, which is {}", target,
                description, image.bitstream.name);
  if (const Status same = CheckHash(package.board); !same) return Within(description, same.error());
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadChecked(folder, image.bitstream));
  package.bitstream = (folder / image.bitstream.name).string();
  auto bin = CheckedBin(bytes, package.board, image.config_hash);
  if (!bin) return Within(package.bitstream, bin.error());
  package.bin = std::move(*bin);
  if (image.overlay) {
    TESSERA_ASSIGN(package.overlay, ReadChecked(folder, *image.overlay));
    if (package.overlay.size() < 4 ||
        !std::equal(std::begin(kTreeMagic), std::end(kTreeMagic), package.overlay.begin()))
      return Fail(Code::kInvalidArgument, "{} is no compiled device tree; dtc -@ makes one",
                  (folder / image.overlay->name).string());
  }
  return package;
}

}  // namespace tessera::tools
