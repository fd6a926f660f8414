// SPDX-License-Identifier: Apache-2.0
#include "runtime/board/board.h"

#include <algorithm>
#include <bit>
#include <filesystem>

#include "base/file.h"
#include "isa/config.h"
#include "runtime/board/board_fields.h"

namespace tessera {
namespace {

constexpr uint64_t kMostBytes = 1 << 16;  // of a description
constexpr uint64_t kPage = 4096;          // UIO maps whole pages
constexpr uint64_t kLeastBlockRam = 64 << 10, kMostBlockRam = 1 << 20;
constexpr uint64_t kLeastBaud = 115'200, kMostBaud = 3'000'000;

// What each family allows.
struct FamilyFacts {
  BoardFamily family;
  std::string_view text;
  int64_t axi;                    // of the memory ports
  std::array<int64_t, 3> widths;  // of the memory ports, 0: none
  std::array<std::string_view, 2> masters;
  int64_t interrupt;  // first line from the fabric, numbered as in device trees
};
constexpr FamilyFacts kFamilies[] = {
    {BoardFamily::kZynq, "zynq", 3, {32, 64, 0}, {"M_AXI_GP0", "M_AXI_GP1"}, 29},
    {BoardFamily::kZynqMp, "zynqmp", 4, {32, 64, 128}, {"M_AXI_HPM0", "M_AXI_HPM1"}, 89},
    {BoardFamily::kEcp5, "ecp5", 4, {}, {}, 0},
};
const FamilyFacts& FactsOf(BoardFamily family) { return kFamilies[static_cast<int>(family)]; }

// These fields become file names, device-tree nodes and words of shell commands.
Status CheckNames(const BoardDescription& b) {
  const std::pair<const char*, const std::string*> names[] = {
      {"name", &b.name},         {"config", &b.config}, {"part", &b.part},
      {"loader", &b.loader},     {"port", &b.port},     {"master", &b.master},
      {"firmware", &b.firmware}, {"uio", &b.uio},       {"udmabuf", &b.udmabuf}};
  for (const auto& [key, value] : names) {
    const bool general = value == &b.name || value == &b.config || value == &b.part;
    if (!general && b.HasProcessor() == (value == &b.loader)) continue;  // of another family
    if (!IsPlainName(*value)) {
      return Fail(Code::kInvalidArgument,
                  "\"{}\" is \"{}\"; it must be 1 to 64 letters, digits, '-', '_' and '.'", key,
                  *value);
    }
  }
  if (!b.board_files.empty() && !IsPlainName(b.board_files))
    return Fail(Code::kInvalidArgument, "\"board_files\" is \"{}\"; give a plain name or \"\"",
                b.board_files);
  return {};
}

Status CheckFamily(const BoardDescription& b) {
  const FamilyFacts& facts = FactsOf(b.family);
  if (b.axi != facts.axi)
    return Fail(Code::kInvalidArgument, "\"axi\" is {}; memory ports of {} have AXI{}", b.axi,
                facts.text, facts.axi);
  if (std::ranges::find(facts.widths, b.port_bits) == facts.widths.end() || b.port_bits == 0)
    return Fail(Code::kInvalidArgument, "\"port_bits\" is {}; a port of {} has 32, 64{}",
                b.port_bits, facts.text, facts.widths[2] != 0 ? " or 128" : "");
  constexpr std::string_view kPorts[] = {"S_AXI_HP0", "S_AXI_HP1", "S_AXI_HP2", "S_AXI_HP3"};
  if (std::ranges::find(kPorts, b.port) == std::end(kPorts))
    return Fail(Code::kInvalidArgument, "\"port\" is \"{}\"; there are S_AXI_HP0 to S_AXI_HP3",
                b.port);
  if (std::ranges::find(facts.masters, b.master) == facts.masters.end())
    return Fail(Code::kInvalidArgument, "\"master\" is \"{}\"; {} has {} and {}", b.master,
                facts.text, facts.masters[0], facts.masters[1]);
  if (b.interrupt != facts.interrupt)
    return Fail(Code::kInvalidArgument,
                "\"interrupt\" is {}; the block design uses the first line of the fabric, {} on {}",
                b.interrupt, facts.interrupt, facts.text);
  return {};
}

// A board without a processing system.
Status CheckAlone(const BoardDescription& b) {
  if (b.memory_bytes < kLeastBlockRam || b.memory_bytes > kMostBlockRam ||
      !std::has_single_bit(b.memory_bytes))
    return Fail(Code::kOutOfRange, "\"memory_bytes\" is {}; it must be a power of two, {} to {}",
                b.memory_bytes, kLeastBlockRam, kMostBlockRam);
  if (b.baud < kLeastBaud || b.baud > kMostBaud || b.clock_hz % b.baud != 0 ||
      b.clock_hz / b.baud < 4)
    return Fail(Code::kOutOfRange,
                "\"baud\" is {}; it must divide \"clock_hz\", by 4 at least, and be {} to {}",
                b.baud, kLeastBaud, kMostBaud);
  if (b.idcode == 0 || (b.idcode >> 28) != 0 || (b.idcode & 0xfff) != 0x043)
    return Fail(Code::kOutOfRange,
                "\"idcode\" is 0x{:08x}; it ends in 043, the vendor's number, and its first digit, "
                "which counts the package's variants, is 0",
                b.idcode);
  return {};
}

Status CheckNumbers(const BoardDescription& b) {
  if (b.ps_clock_mhz < 10 || b.ps_clock_mhz > 100)
    return Fail(Code::kOutOfRange, "\"ps_clock_mhz\" is {}; it can be 10 to 100", b.ps_clock_mhz);
  if (b.register_bytes < kPage || b.register_bytes > (1 << 24) ||
      (b.register_bytes & (b.register_bytes - 1)) != 0)
    return Fail(Code::kOutOfRange,
                "\"register_bytes\" is {}; it must be a power of two from 4096 to 16777216",
                b.register_bytes);
  if (b.register_base == 0 || b.register_base % b.register_bytes != 0 ||
      b.register_base + b.register_bytes > (uint64_t{1} << 32))
    return Fail(Code::kOutOfRange,
                "\"register_base\" is 0x{:x}; it must be a multiple of register_bytes below 4 GiB",
                b.register_base);
  if (b.memory_bytes < (1 << 20) || b.memory_bytes > (uint64_t{1} << 31) ||
      b.memory_bytes % kPage != 0)
    return Fail(Code::kOutOfRange,
                "\"memory_bytes\" is {}; it must be whole pages of 4096 bytes, 1 MiB to 2 GiB",
                b.memory_bytes);
  if (b.idcode == 0 || (b.idcode >> 28) != 0 || (b.idcode & 0xfff) != 0x093)
    return Fail(Code::kOutOfRange,
                "\"idcode\" is 0x{:08x}; it ends in 093, the vendor's number, and its first digit, "
                "the revision, is 0",
                b.idcode);
  return {};
}

Status Check(const BoardDescription& b) {
  TESSERA_TRY(CheckNames(b));
  if (b.clock_hz < 1'000'000 || b.clock_hz > 1'000'000'000)
    return Fail(Code::kOutOfRange, "\"clock_hz\" is {}; it can be 1,000,000 to 1,000,000,000",
                b.clock_hz);
  if (b.HasProcessor()) {
    TESSERA_TRY(CheckFamily(b));
    TESSERA_TRY(CheckNumbers(b));
  } else {
    TESSERA_TRY(CheckAlone(b));
  }
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig(b.config));
  if (!b.HasProcessor()) return {};
  if (config.bus_bits != b.port_bits)
    return Fail(Code::kInvalidArgument, "\"port_bits\" is {}; configuration {} has a bus of {}",
                b.port_bits, b.config, config.bus_bits);
  return {};
}

Result<BoardFamily> FamilyOf(const std::string& text) {
  for (const FamilyFacts& facts : kFamilies) {
    if (text == facts.text) return facts.family;
  }
  return Fail(Code::kInvalidArgument,
              "\"family\" is \"{}\"; it can be \"zynq\", \"zynqmp\" or \"ecp5\"", text);
}

Result<BoardFile> FileOf(BoardFields fields) {
  BoardFile file;
  TESSERA_TRY(fields.Take("name", file.name));
  TESSERA_TRY(fields.Take("bytes", file.bytes));
  TESSERA_TRY(fields.TakeHex("crc64", file.crc64));
  TESSERA_TRY(fields.NothingLeft());
  if (!IsPlainName(file.name))
    return Fail(Code::kInvalidArgument,
                "\"name\" of a file is \"{}\"; give a plain name, no folder", file.name);
  return file;
}

Result<BoardImage> ImageOf(BoardFields fields) {
  BoardImage image;
  TESSERA_ASSIGN(BoardFields bitstream, fields.TakeObject("bitstream"));
  TESSERA_ASSIGN(image.bitstream, FileOf(std::move(bitstream)));
  if (fields.Has("overlay")) {
    TESSERA_ASSIGN(BoardFields overlay, fields.TakeObject("overlay"));
    TESSERA_ASSIGN(image.overlay, FileOf(std::move(overlay)));
  }
  TESSERA_TRY(fields.TakeHex("config_hash", image.config_hash));
  TESSERA_TRY(fields.Take("clock_hz", image.clock_hz));
  TESSERA_TRY(fields.Take("slack_ns", image.slack_ns));
  TESSERA_TRY(fields.Take("tool", image.tool));
  TESSERA_TRY(fields.NothingLeft());
  if (image.clock_hz == 0) return Fail(Code::kOutOfRange, "\"clock_hz\" of the image is 0");
  return image;
}

nlohmann::ordered_json FileJson(const BoardFile& file) {
  return {
      {"name", file.name}, {"bytes", file.bytes}, {"crc64", fmt::format("0x{:016x}", file.crc64)}};
}

// The keys that only boards of this family have.
Status TakeFamilys(BoardFields& fields, BoardDescription& b) {
  if (!b.HasProcessor()) {
    TESSERA_TRY(fields.Take("loader", b.loader));
    return fields.Take("baud", b.baud);
  }
  TESSERA_TRY(fields.Take("board_files", b.board_files));
  TESSERA_TRY(fields.Take("ps_clock_mhz", b.ps_clock_mhz));
  TESSERA_TRY(fields.Take("port", b.port));
  TESSERA_TRY(fields.Take("port_bits", b.port_bits));
  TESSERA_TRY(fields.Take("axi", b.axi));
  TESSERA_TRY(fields.Take("master", b.master));
  TESSERA_TRY(fields.TakeHex("register_base", b.register_base));
  TESSERA_TRY(fields.Take("register_bytes", b.register_bytes));
  TESSERA_TRY(fields.Take("interrupt", b.interrupt));
  TESSERA_TRY(fields.Take("firmware", b.firmware));
  TESSERA_TRY(fields.Take("uio", b.uio));
  return fields.Take("udmabuf", b.udmabuf);
}

// As TakeFamilys.
void PutFamilys(const BoardDescription& b, nlohmann::ordered_json& json) {
  if (!b.HasProcessor()) {
    json["loader"] = b.loader;
    json["baud"] = b.baud;
    return;
  }
  json["board_files"] = b.board_files;
  json["ps_clock_mhz"] = b.ps_clock_mhz;
  json["port"] = b.port;
  json["port_bits"] = b.port_bits;
  json["axi"] = b.axi;
  json["master"] = b.master;
  json["register_base"] = fmt::format("0x{:08x}", b.register_base);
  json["register_bytes"] = b.register_bytes;
  json["interrupt"] = b.interrupt;
  json["firmware"] = b.firmware;
  json["uio"] = b.uio;
  json["udmabuf"] = b.udmabuf;
}

}  // namespace

bool IsPlainName(const std::string& name) {
  return !name.empty() && name.size() <= 64 && name[0] != '-' && name[0] != '.' &&
         std::ranges::all_of(name, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
         });
}

std::string_view Text(BoardFamily family) { return FactsOf(family).text; }

Result<BoardDescription> ParseBoard(const std::string& text) {
  TESSERA_ASSIGN(BoardFields fields, BoardFields::Parse(text));
  BoardDescription b;
  std::string family;
  TESSERA_TRY(fields.Take("name", b.name));
  TESSERA_TRY(fields.Take("title", b.title));
  TESSERA_TRY(fields.Take("config", b.config));
  TESSERA_TRY(fields.Take("family", family));
  TESSERA_ASSIGN(b.family, FamilyOf(family));
  TESSERA_TRY(fields.Take("part", b.part));
  uint64_t idcode = 0;
  TESSERA_TRY(fields.TakeHex("idcode", idcode));
  if (idcode > UINT32_MAX) return Fail(Code::kOutOfRange, "\"idcode\" has more than 32 bits");
  b.idcode = static_cast<uint32_t>(idcode);
  TESSERA_TRY(fields.Take("clock_hz", b.clock_hz));
  TESSERA_TRY(fields.Take("memory_bytes", b.memory_bytes));
  TESSERA_TRY(TakeFamilys(fields, b));
  TESSERA_ASSIGN(BoardFields status, fields.TakeObject("status"));
  for (size_t i = 0; i < kBoardStages.size(); ++i)
    TESSERA_TRY(status.TakeOrNull(std::string(kBoardStages[i]), b.proofs[i]));
  TESSERA_TRY(status.NothingLeft());
  if (fields.Has("image")) {
    TESSERA_ASSIGN(BoardFields image, fields.TakeObject("image"));
    TESSERA_ASSIGN(b.image, ImageOf(std::move(image)));
  }
  TESSERA_TRY(fields.NothingLeft());
  TESSERA_TRY(Check(b));
  return b;
}

std::string BoardToJson(const BoardDescription& b) {
  nlohmann::ordered_json json = {
      {"name", b.name},         {"title", b.title},
      {"config", b.config},     {"family", std::string(Text(b.family))},
      {"part", b.part},         {"idcode", fmt::format("0x{:08x}", b.idcode)},
      {"clock_hz", b.clock_hz}, {"memory_bytes", b.memory_bytes}};
  PutFamilys(b, json);
  for (size_t i = 0; i < kBoardStages.size(); ++i) {
    auto& proof = json["status"][std::string(kBoardStages[i])];
    if (!b.proofs[i].empty()) proof = b.proofs[i];
  }
  if (b.image) {
    nlohmann::ordered_json& image = json["image"];
    image["bitstream"] = FileJson(b.image->bitstream);
    if (b.image->overlay) image["overlay"] = FileJson(*b.image->overlay);
    image["config_hash"] = fmt::format("0x{:016x}", b.image->config_hash);
    image["clock_hz"] = b.image->clock_hz;
    image["slack_ns"] = b.image->slack_ns;
    image["tool"] = b.image->tool;
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<BoardDescription> ReadBoard(const std::string& path) {
  const bool folder = std::filesystem::is_directory(path);
  const std::string file = folder ? (std::filesystem::path(path) / "board.json").string() : path;
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(file, kMostBytes));
  auto board = ParseBoard(std::string(bytes.begin(), bytes.end()));
  if (!board) return Within(file, board.error());
  return board;
}

Result<std::vector<BoardDescription>> ReadBoards(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (fs::exists(entry.path() / "board.json")) names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  if (names.empty())
    return Fail(Code::kNotFound, "{} has no folder with a board.json; give another with --boards",
                folder);
  std::vector<BoardDescription> boards;
  for (const std::string& name : names) {
    TESSERA_ASSIGN(BoardDescription board, ReadBoard((fs::path(folder) / name).string()));
    if (board.name != name)
      return Fail(Code::kInvalidArgument,
                  "{}/{}/board.json: \"name\" is \"{}\", the folder's is {}", folder, name,
                  board.name, name);
    boards.push_back(std::move(board));
  }
  return boards;
}

}  // namespace tessera
