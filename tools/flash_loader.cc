// SPDX-License-Identifier: Apache-2.0
#include "tools/flash_loader.h"

#include <cstdio>

#include "base/process.h"
#include "base/text.h"
#include "isa/config.h"
#include "runtime/device/registry.h"

namespace tessera::tools {
namespace {

constexpr const char* kLoader = "openFPGALoader";

// |word| as a reader types it into a shell.
std::string Typed(const std::string& word) {
  constexpr std::string_view kQuoted = " \t\"'\\$`&|;<>()*?[]{}~#!";
  return word.find_first_of(kQuoted) == std::string::npos ? word : ShellWord(word);
}

// Opens the board as driver serial does, which compares its identity registers.
Status Greet(const BoardDescription& board, const std::string& port) {
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig(board.config));
  DeviceOptions options{.values = {{"baud", fmt::format("{}", board.baud)}}};
  if (!port.empty()) options.values.emplace("port", port);
  TESSERA_TRY(OpenDevice("serial", config, options));
  return {};
}

}  // namespace

Status FlashByLoader(const FlashPackage& package, const LoaderOptions& options) {
  const BoardDescription& board = package.board;
  const std::vector<std::string> command = {kLoader, "-b", board.loader, package.bitstream};
  std::string shown;
  for (const std::string& word : command) shown += (shown.empty() ? "" : " ") + Typed(word);
  const auto version = RunProcess({kLoader, "--Version"}, {}, options.limit);
  const bool installed = version.has_value();
  if (options.check) {
    std::printf("%s: can be flashed; %s: %s\n", board.name.c_str(),
                installed ? "this runs" : "openFPGALoader is not installed; it would run",
                Legible(shown).c_str());
    return {};
  }
  if (!installed) {
    return Fail(Code::kNotFound,
                "openFPGALoader is not installed; it would run: {}; install the package "
                "openfpgaloader, or run another loader with this file",
                shown);
  }
  std::printf("%s: runs %s\n", board.name.c_str(), Legible(shown).c_str());
  std::fflush(stdout);
  TESSERA_ASSIGN(const ProcessEnd end, RunProcess(command, {}, options.limit));
  if (end.timed_out) {
    return Fail(Code::kUnavailable,
                "openFPGALoader was not done in {} s: is the board switched on, and the cable in "
                "connector US1? --timeout SECONDS gives it more time",
                options.limit.count());
  }
  if (end.code != 0) {
    std::string why = LastLine(end.errors);
    if (why.empty()) why = LastLine(end.output);
    return Fail(Code::kUnavailable,
                "openFPGALoader ended with {}: {}; is a {} plugged in, and may this user reach its "
                "USB device?",
                end.code, why.empty() ? "it said nothing" : why, board.title);
  }
  if (const Status greeted = Greet(board, options.port); !greeted)
    return Within("the bitstream is loaded, but the board is not reached", greeted.error());
  std::printf("%s: runs: configuration %s, %.3f MHz, identity read back\n", board.name.c_str(),
              board.config.c_str(), static_cast<double>(board.image->clock_hz) / 1e6);
  return {};
}

}  // namespace tessera::tools
