// SPDX-License-Identifier: Apache-2.0
//
// simulated_ulx3s: a process in place of a ULX3S with its bitstream: the whole top, verilated,
// behind a pseudo-terminal. It ends with the command that it runs, with the first user of its port,
// or with the process that started it.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "sim/serial/serial_board.h"

namespace tessera::sim {
namespace {

constexpr int kExitBad = 2;

struct Ulx3sFlags {
  LineFaults faults;
  int fd = -1;
  bool stay = false;
  std::vector<std::string> command;
};

void EndWithStarter(pid_t starter) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != starter) _exit(kExitBad);  // it ended before the call
}

pid_t StartCommand(std::vector<std::string> command, const std::string& path) {
  const pid_t board = getpid();
  const pid_t child = fork();
  if (child != 0) return child;
  EndWithStarter(board);
  setenv("TESSERA_SERIAL", path.c_str(), 1);
  std::vector<char*> arguments;
  for (std::string& word : command) {
    for (size_t at = 0; (at = word.find("{}", at)) != std::string::npos; at += path.size())
      word.replace(at, 2, path);
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  std::fprintf(stderr, "simulated_ulx3s: %s: %s\n", arguments[0], std::strerror(errno));
  _exit(127);
}

Result<int> RunUlx3s(const Ulx3sFlags& flags) {
  TESSERA_ASSIGN(const auto board, SerialBoard::Make(flags.faults));
  if (flags.command.empty()) {
    const std::string line = board->path() + "\n";
    if (write(flags.fd, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      return Fail(Code::kUnavailable, "file {}: {}", flags.fd, std::strerror(errno));
    close(flags.fd);
    board->Serve([&](bool closed) { return closed && !flags.stay; });
    return 0;
  }
  const pid_t child = StartCommand(flags.command, board->path());
  if (child < 0) return Fail(Code::kUnavailable, "fork: {}", std::strerror(errno));
  int status = 0;
  board->Serve([&](bool /*closed*/) { return waitpid(child, &status, WNOHANG) == child; });
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace
}  // namespace tessera::sim

int main(int argc, char** argv) {
  using tessera::sim::Ulx3sFlags;
  tessera::sim::EndWithStarter(getppid());
  CLI::App app{
      "Stands for a ULX3S with its bitstream: the board's whole top, verilated, behind a "
      "pseudo-terminal that another process opens as its serial port (tessera run --device "
      "serial:port=PATH).",
      "simulated_ulx3s"};
  Ulx3sFlags flags;
  app.add_option("--lose", flags.faults.lose, "one byte in N does not arrive; 0: none");
  app.add_option("--twice", flags.faults.twice, "one byte in N arrives twice");
  app.add_option("--change", flags.faults.change, "one byte in N arrives with another bit");
  app.add_option("--seed", flags.faults.seed, "of the random numbers of these faults")
      ->capture_default_str();
  app.add_option("--fd", flags.fd,
                 "writes the port's path to this open file, and ends when its first user has "
                 "closed the port");
  app.add_flag("--stay", flags.stay, "with --fd: serves later users too");
  app.add_option("command", flags.command,
                 "runs this with the port's path for {} and in TESSERA_SERIAL, and ends with its "
                 "exit code");
  app.footer(
      "Example: simulated_ulx3s -- tessera run net.tsr --device serial --input IMAGES.idx.gz "
      "--first 4");
  try {
    app.parse(argc, argv);
    if (flags.command.empty() && flags.fd < 0)
      throw CLI::RequiredError("a command to run, or --fd,");
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::fprintf(stderr, "simulated_ulx3s: %s; simulated_ulx3s --help lists what it takes\n",
                 error.what());
    return tessera::sim::kExitBad;
  }
  const tessera::Result<int> code = tessera::sim::RunUlx3s(flags);
  if (code) return *code;
  std::fprintf(stderr, "simulated_ulx3s: %s\n", code.error().message.c_str());
  return tessera::sim::kExitBad;
}
