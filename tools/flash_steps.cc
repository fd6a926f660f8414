// SPDX-License-Identifier: Apache-2.0
#include "tools/flash_steps.h"

#include <map>
#include <sstream>

#include "isa/config.h"
#include "isa/regs.h"
#include "isa/version.h"
#include "runtime/board/fabric.h"
#include "tools/flash_scripts.h"
#include "tools/output.h"

namespace tessera::tools {
namespace {

// The lines "key value" of |text|.
std::map<std::string, std::string> Lines(const std::string& text) {
  std::map<std::string, std::string> values;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const size_t space = line.find(' ');
    if (space != std::string::npos) values[line.substr(0, space)] = line.substr(space + 1);
  }
  return values;
}

Status CheckManager(const std::string& manager, const BoardDescription& board) {
  const bool zynq = manager.find("Zynq") != std::string::npos;
  const bool mp = manager.find("ZynqMP") != std::string::npos;
  if (zynq && mp == (board.family == BoardFamily::kZynqMp)) return {};
  return Fail(Code::kInvalidArgument, "its FPGA manager is '{}', {} is a {}: another board?",
              manager, board.name, Text(board.family));
}

}  // namespace

std::string PosixChecksum(std::span<const uint8_t> bytes) {
  uint32_t crc = 0;
  const auto feed = [&](uint8_t byte) {
    crc ^= static_cast<uint32_t>(byte) << 24;
    for (int i = 0; i < 8; ++i) crc = crc << 1 ^ ((crc >> 31) != 0 ? 0x04c11db7u : 0);
  };
  for (uint8_t byte : bytes) feed(byte);
  for (uint64_t length = bytes.size(); length != 0; length >>= 8)
    feed(static_cast<uint8_t>(length));
  return fmt::format("{} {}", ~crc, bytes.size());
}

Result<std::string> BoardFlasher::Step(const std::string& what, const std::string& script,
                                       std::span<const uint8_t> input) {
  const int steps = looking_only_ ? 1 : package_.overlay.empty() ? 8 : 9;
  if (say_) say_(++step_, steps, what);
  auto output = host_.Run(script, input);
  if (!output) return Within(what, output.error());
  return output;
}

Result<FlashSight> BoardFlasher::Look() {
  // Room for both files, and for the files that exist meanwhile.
  const uint64_t kib = (package_.bin.size() + package_.overlay.size()) / 1024 + 64;
  TESSERA_ASSIGN(const std::string said,
                 Step("look at " + host_.name(), LookScript(package_.board, kib)));
  auto values = Lines(said);
  FlashSight sight{values["manager"], values["before"] == "-" ? "" : values["before"],
                   values["configfs"] == "yes"};
  TESSERA_TRY(CheckManager(sight.manager, package_.board));
  return sight;
}

Status BoardFlasher::Upload(const std::string& ending, std::span<const uint8_t> bytes) {
  const std::string file = package_.board.firmware + ending;
  TESSERA_ASSIGN(
      const std::string said,
      Step(fmt::format("upload {}, {} bytes", file, Grouped(static_cast<int64_t>(bytes.size()))),
           UploadScript(package_.board, ending), bytes));
  const std::string want = PosixChecksum(bytes);
  if (said.starts_with(want + "\n")) return {};
  return Fail(Code::kDataLoss, "upload {}: checksum and size arrived as '{}', sent were '{}'", file,
              said.substr(0, said.find('\n')), want);
}

Status BoardFlasher::CheckIdentity() {
  TESSERA_ASSIGN(const std::string said,
                 Step("read the identity registers", IdentityScript(package_.board)));
  std::istringstream in(said);
  uint32_t words[4] = {};
  for (uint32_t& word : words) in >> std::hex >> word;
  if (!in)
    return Fail(Code::kDataLoss, "read the identity registers: '{}' is not four words",
                said.substr(0, 60));
  if (words[0] != isa::reg::kIdValue)
    return Fail(Code::kDataLoss, "register ID is {:08x}, of this machine {:08x}", words[0],
                isa::reg::kIdValue);
  if (words[1] != isa::reg::kVersionValue)
    return Fail(Code::kDataLoss, "register VERSION is {:08x}, of this tessera {:08x}", words[1],
                isa::reg::kVersionValue);
  const uint64_t hash = static_cast<uint64_t>(words[3]) << 32 | words[2];
  if (hash != package_.board.image->config_hash)
    return Fail(Code::kDataLoss, "the machine has configuration hash {:016x}, the image {:016x}",
                hash, package_.board.image->config_hash);
  return {};
}

// The first changes to the board begin here.
Status BoardFlasher::Change() {
  const BoardDescription& board = package_.board;
  const auto step = [&](const std::string& what, const std::string& script,
                        std::span<const uint8_t> input = {}) -> Status {
    const auto output = Step(what, script, input);
    return output ? Status{} : std::unexpected(output.error());
  };
  TESSERA_TRY(step("put the files in place", SwapScript(board)));
  TESSERA_TRY(step("program " + board.FirmwareBin(), ProgramScript(board.firmware)));
  TESSERA_TRY(step("apply the overlay", AttachScript(board, board.firmware)));
  TESSERA_TRY(CheckIdentity());
  const std::string json = BoardToJson(board);
  return step("write down what is loaded", RecordScript(board),
              {reinterpret_cast<const uint8_t*>(json.data()), json.size()});
}

// Undoes the changes of Change after |why|, and says which state the board is in.
std::string BoardFlasher::Restored(const FlashSight& sight, const Error& why) {
  const std::string again = "run this again when it is reachable, or switch it off and on";
  const auto unknown = [&](const Error& second) {
    return fmt::format(
        "restoring failed too ({}): the state of the fabric is unknown, what was in "
        "/lib/firmware before is there as {}.bin.before; {}",
        second.message, package_.board.firmware, again);
  };
  if (say_) say_(step_, 0, "restore what was there");
  if (const auto files = host_.Run(UnswapScript(package_.board)); !files)
    return unknown(files.error());
  if (sight.before.empty())
    return fmt::format(
        "the files are as before; what the fabric ran before is not known, so it is {}",
        why.code == Code::kUnavailable ? "in an unknown state"
                                       : "left without a machine of ours in use");
  if (const auto program = host_.Run(ProgramScript(sight.before)); !program)
    return unknown(program.error());
  if (const auto attach = host_.Run(AttachScript(package_.board, sight.before)); !attach)
    return unknown(attach.error());
  return fmt::format("restored: {} runs as before", sight.before);
}

Status BoardFlasher::Flash() {
  looking_only_ = false;
  const auto sight = Look();
  if (!sight) return Fail(sight.error().code, "{}; nothing was changed", sight.error().message);
  Status uploaded = Upload(".bin", package_.bin);
  if (uploaded && !package_.overlay.empty()) uploaded = Upload(".dtbo", package_.overlay);
  if (uploaded) {
    const auto off = Step("take the overlay off", DetachScript(package_.board));
    if (!off) uploaded = std::unexpected(off.error());
  }
  if (!uploaded) {
    const bool dropped = host_.Run(DropScript(package_.board)).has_value();
    return Fail(uploaded.error().code, "{}; {}", uploaded.error().message,
                dropped ? "nothing was changed"
                        : "the fabric is unchanged, a file ending in .new may be left in "
                          "/lib/firmware");
  }
  const Status changed = Change();
  if (changed) return {};
  return Fail(changed.error().code, "{}; {}", changed.error().message,
              Restored(*sight, changed.error()));
}

}  // namespace tessera::tools
