// SPDX-License-Identifier: Apache-2.0
//
// simulated_board: a process in place of a board. It runs the verilated machine of one
// configuration and shares its registers and memory through a file without a name, so nothing is
// left behind however the process ends. It ends with the command that it runs, with the user of its
// file, or with the process that started it.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "sim/board/board.h"

namespace tessera::sim {
namespace {

constexpr int kExitBad = 2;

struct Flags {
  std::string config = "default";
  uint32_t memory_mib = 64;
  int fd = -1;
  std::vector<std::string> command;
};

// Ends this process when the process that started it ends.
void EndWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kExitBad);  // it ended before the call
}

// Whether a process uses the file |fd| (kBoardUserLock).
bool InUse(int fd) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kBoardUserLock;
  lock.l_len = 1;
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// Starts |command| with every {} in it replaced by |path|. Returns the process id, below 0 if there
// is none.
pid_t Start(std::vector<std::string> command, const std::string& path) {
  const pid_t board = getpid();
  const pid_t child = fork();
  if (child != 0) return child;
  EndWithParent(board);
  std::vector<char*> arguments;
  for (std::string& word : command) {
    for (size_t at = 0; (at = word.find("{}", at)) != std::string::npos; at += path.size())
      word.replace(at, 2, path);
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  std::fprintf(stderr, "simulated_board: %s: %s\n", arguments[0], std::strerror(errno));
  _exit(127);
}

Result<int> Run(const Flags& flags) {
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig(flags.config));
  const int fd =
      flags.fd >= 0 ? flags.fd : memfd_create("tessera-board", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return Fail(Code::kUnavailable, "no memory to share: {}", std::strerror(errno));
  TESSERA_ASSIGN(const auto board, Board::Make(config, fd, flags.memory_mib << 20));
  if (flags.command.empty()) {  // serves until the first user of the file has gone
    bool used = false;
    board->Serve([&] {
      const bool now = InUse(fd);
      used = used || now;
      return used && !now;
    });
    return 0;
  }
  const pid_t child =
      Start(flags.command, "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd));
  if (child < 0) return Fail(Code::kUnavailable, "fork: {}", std::strerror(errno));
  int status = 0;
  board->Serve([&] { return waitpid(child, &status, WNOHANG) == child; });
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace
}  // namespace tessera::sim

int main(int argc, char** argv) {
  using tessera::sim::Flags;
  tessera::sim::EndWithParent(getppid());
  CLI::App app{
      "Stands for a board: the verilated machine of a configuration, whose registers and memory "
      "another process reaches through a shared file (tessera run --device zynq:shared=FILE).",
      "simulated_board"};
  Flags flags;
  app.add_option("--config", flags.config, "configuration of the machine")->capture_default_str();
  app.add_option("--memory-mib", flags.memory_mib, "device memory")
      ->check(CLI::Range(1, 2048))
      ->capture_default_str();
  app.add_option("--fd", flags.fd,
                 "share this open file instead of a new one, until its first user has gone");
  app.add_option("command", flags.command,
                 "runs this with the shared file's path for {}, and ends with its exit code");
  app.footer(
      "Example: simulated_board --config default -- tessera run net.tsr --device zynq:shared={} "
      "--input IMAGES.idx.gz --first 4");
  try {
    app.parse(argc, argv);
    if (flags.command.empty() && flags.fd < 0)
      throw CLI::RequiredError("a command to run, or --fd,");
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::fprintf(stderr, "simulated_board: %s; simulated_board --help lists what it takes\n",
                 error.what());
    return tessera::sim::kExitBad;
  }
  const tessera::Result<int> code = tessera::sim::Run(flags);
  if (code) return *code;
  std::fprintf(stderr, "simulated_board: %s\n", code.error().message.c_str());
  return tessera::sim::kExitBad;
}
