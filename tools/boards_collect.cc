// SPDX-License-Identifier: Apache-2.0
//
// tessera boards NAME --collect DIR: checks the files of a build in DIR and writes the description
// that drivers and `tessera flash` read.
#include <filesystem>
#include <map>
#include <sstream>

#include "base/file.h"
#include "base/hash.h"
#include "base/number.h"
#include "isa/config.h"
#include "runtime/bitstream/hwh.h"
#include "runtime/board/handoff.h"
#include "tools/boards.h"
#include "tools/flash_package.h"

namespace tessera::tools {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostText = 64 << 20;  // hand-off files of large designs have megabytes

Result<std::string> ReadText(const fs::path& path, uint64_t most) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path.string(), most));
  return std::string(bytes.begin(), bytes.end());
}

// The facts of build.txt: one key and its value on each line.
class BuildFacts {
 public:
  explicit BuildFacts(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const size_t space = line.find(' ');
      if (space != std::string::npos) values_[line.substr(0, space)] = line.substr(space + 1);
    }
  }
  Result<std::string> Word(const std::string& key) const {
    const auto at = values_.find(key);
    if (at == values_.end()) return Fail(Code::kInvalidArgument, "it has no line {}", key);
    return at->second;
  }
  template <typename T>
  Result<T> Number(const std::string& key, int base = 10) const {
    TESSERA_ASSIGN(const std::string text, Word(key));
    if (const auto value = NumberIn<T>(text, base)) return *value;
    return Fail(Code::kInvalidArgument, "{} is \"{}\", no number", key, text);
  }

 private:
  std::map<std::string, std::string> values_;
};

Result<BoardImage> FactsOf(const std::string& text) {
  const BuildFacts facts(text);
  BoardImage image;
  TESSERA_ASSIGN(image.tool, facts.Word("tool"));
  TESSERA_ASSIGN(image.clock_hz, facts.Number<uint64_t>("clock_hz"));
  TESSERA_ASSIGN(image.slack_ns, facts.Number<double>("slack_ns"));
  TESSERA_ASSIGN(image.config_hash, facts.Number<uint64_t>("config_hash", 16));
  if (image.clock_hz == 0) return Fail(Code::kOutOfRange, "clock_hz is 0");
  if (!(image.slack_ns >= 0))
    return Fail(Code::kInvalidArgument, "slack_ns is {}: timing was not met", image.slack_ns);
  return image;
}

Result<BoardFile> FileIn(const fs::path& folder, const std::string& name) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile((folder / name).string()));
  return BoardFile{name, bytes.size(), Crc64(bytes)};
}

Status CheckHandoffIn(const fs::path& dir, const BoardDescription& board) {
  const std::string hwh_path = (dir / "tessera.hwh").string();
  TESSERA_ASSIGN(const std::string text, ReadText(hwh_path, kMostText));
  const auto design = ParseHwh(text);
  if (!design) return Within(hwh_path, design.error());
  if (const Status fits = CheckHandoff(*design, board); !fits)
    return Within(hwh_path, fits.error());
  return {};
}

}  // namespace

Result<BoardDescription> CollectBuild(const BoardDescription& board, const std::string& folder) {
  const fs::path dir(folder);
  BoardDescription built = board;
  const std::string facts_path = (dir / "build.txt").string();
  TESSERA_ASSIGN(const std::string facts_text, ReadText(facts_path, 1 << 16));
  auto facts = FactsOf(facts_text);
  if (!facts) return Within(facts_path, facts.error());
  built.image = std::move(*facts);
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig(board.config));
  if (built.image->config_hash != config.Hash())
    return Fail(
        Code::kInvalidArgument,
        "{}: config_hash is {:016x}, configuration {} of this tessera is {:016x}: build again",
        facts_path, built.image->config_hash, config.name, config.Hash());
  const std::string bit_path = (dir / "tessera.bit").string();
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(bit_path));
  if (const auto bin = CheckedBin(bytes, board, config.Hash()); !bin)
    return Within(bit_path, bin.error());
  built.image->bitstream = {"tessera.bit", bytes.size(), Crc64(bytes)};
  if (board.HasProcessor()) TESSERA_TRY(CheckHandoffIn(dir, board));
  if (fs::exists(dir / "tessera.dtbo")) {
    TESSERA_ASSIGN(built.image->overlay, FileIn(dir, "tessera.dtbo"));
  }
  built.proofs[2] =
      fmt::format("{}: {:.3f} ns to spare at {:.3f} MHz", built.image->tool, built.image->slack_ns,
                  static_cast<double>(built.image->clock_hz) / 1e6);
  built.proofs[3] = "tessera.bit beside this file";
  TESSERA_TRY(WriteFile((dir / "board.json").string(), BoardToJson(built)));
  return built;
}

}  // namespace tessera::tools
