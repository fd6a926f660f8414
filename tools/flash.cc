// SPDX-License-Identifier: Apache-2.0
//
// tessera flash: programs a board, here or over ssh, after it has verified everything.
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "tools/flash_host.h"
#include "tools/flash_loader.h"
#include "tools/flash_package.h"
#include "tools/flash_steps.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct FlashFlags {
  std::string target, boards = TESSERA_BOARDS, built = "build/boards", port;
  FlashHostOptions host;
  int64_t seconds = 60;
  bool check = false;
};

// A board that is plugged into this computer.
Result<int> RunLoader(const FlashFlags& options, const FlashPackage& package) {
  if (!options.host.host.empty() || options.host.sudo || !options.host.root.empty()) {
    return Fail(Code::kInvalidArgument,
                "{} has no processor: it is flashed by the computer that it is plugged into, "
                "without --host, --sudo and --root",
                package.board.name);
  }
  const Status done =
      FlashByLoader(package, {std::chrono::seconds(options.seconds), options.port, options.check});
  if (done) return kExitOk;
  std::fprintf(stderr, "tessera: %s: %s\n", package.board.name.c_str(),
               done.error().message.c_str());
  return kExitNo;
}

Result<int> Run(const FlashFlags& options) {
  TESSERA_ASSIGN(const FlashPackage package,
                 LoadFlashPackage(options.target, options.boards, options.built));
  if (!package.board.HasProcessor()) return RunLoader(options, package);
  if (!options.port.empty()) {
    return Fail(Code::kInvalidArgument, "{} has no serial port to flash: leave --port out",
                package.board.name);
  }
  FlashHostOptions chosen = options.host;
  chosen.limit = std::chrono::seconds(options.seconds);
  TESSERA_ASSIGN(const FlashHost host, FlashHost::Make(chosen));
  const BoardDescription& board = package.board;
  std::fprintf(stderr, "flash %s: verified for %s, configuration %s (%016llx), %.3f MHz\n",
               board.name.c_str(), board.part.c_str(), board.config.c_str(),
               static_cast<unsigned long long>(board.image->config_hash),
               static_cast<double>(board.image->clock_hz) / 1e6);
  BoardFlasher flasher(host, package, [&](int step, int steps, const std::string& what) {
    const std::string count = steps == 0 ? "failed" : fmt::format("{}/{}", step, steps);
    std::fprintf(stderr, "flash %s: %s %s\n", board.name.c_str(), count.c_str(),
                 Legible(what).c_str());
  });
  Status done;
  if (options.check) {
    const auto sight = flasher.Look();
    if (sight)
      std::printf("%s: can be flashed on %s; there: %s, %s, overlays by configfs: %s\n",
                  board.name.c_str(), host.name().c_str(), Legible(sight->manager).c_str(),
                  sight->before.empty() ? "nothing of ours loaded" : sight->before.c_str(),
                  sight->configfs ? "yes" : "no");
    done = sight ? Status{} : std::unexpected(sight.error());
  } else {
    done = flasher.Flash();
    if (done)
      std::printf("%s: runs on %s: configuration %s, %.3f MHz, identity read back\n",
                  board.name.c_str(), host.name().c_str(), board.config.c_str(),
                  static_cast<double>(board.image->clock_hz) / 1e6);
  }
  if (done) return kExitOk;
  std::fprintf(stderr, "tessera: %s on %s: %s\n", board.name.c_str(), host.name().c_str(),
               done.error().message.c_str());
  return kExitNo;
}

}  // namespace

Action AddFlash(CLI::App& app) {
  auto options = std::make_shared<FlashFlags>();
  CLI::App* verb = app.add_subcommand(
      "flash",
      "program a board: through its kernel's FPGA manager, here or over ssh, or by openFPGALoader");
  verb->add_option("target", options->target,
                   "a board that was built, the folder of a build, or a .bit in one")
      ->required();
  verb->add_option("--host", options->host.host, "USER@ADDR: the board, by ssh; default: here");
  verb->add_option("--ssh-config", options->host.ssh_config, "a file for ssh -F: port, key");
  verb->add_flag("--sudo", options->host.sudo, "run each step there by sudo -n");
  verb->add_option("--timeout", options->seconds, "seconds that a step may take; default 60")
      ->check(CountFromOne());
  verb->add_flag("--check", options->check, "verify and look, touch nothing");
  verb->add_option("--root", options->host.root, "a folder that stands for / (a simulated board)");
  verb->add_option("--port", options->port,
                   "the serial port of a board without a processor; default: as driver serial");
  verb->add_option("--built", options->built, "where builds are; default build/boards");
  verb->add_option("--boards", options->boards, "the folder with the boards' folders");
  verb->footer(
      "Example: tessera flash pynq-z1 --host root@192.168.2.99\n"
      "Exits with 1 when the board could not be flashed; the last line says what state it is in.");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
