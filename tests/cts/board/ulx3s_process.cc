// SPDX-License-Identifier: Apache-2.0
#include "tests/cts/board/ulx3s_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tessera::test {
namespace {

Result<std::unique_ptr<Device>> OpenOnUlx3s(const isa::Config& config, uint64_t memory_bytes,
                                            const OptionValues&) {
  TESSERA_ASSIGN(const Ulx3sProcess board, StartUlx3s());
  return OpenDevice("serial", config,
                    {.memory_bytes = memory_bytes, .values = {{"port", board.port}}});
}

}  // namespace

Result<Ulx3sProcess> StartUlx3s(const std::vector<std::string>& options) {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }  // reaps boards that have ended
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Fail(Code::kUnavailable, "pipe: {}", strerror(errno));
  const std::string program = TESSERA_SIMULATED_ULX3S, number = std::to_string(ends[1]);
  std::vector<const char*> arguments = {program.c_str(), "--fd", number.c_str()};
  for (const std::string& option : options) arguments.push_back(option.c_str());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    fcntl(ends[1], F_SETFD, 0);
    execv(program.c_str(), const_cast<char* const*>(arguments.data()));
    _exit(127);
  }
  close(ends[1]);
  Ulx3sProcess board{child, ""};
  char byte = 0;
  while (read(ends[0], &byte, 1) == 1 && byte != '\n') board.port += byte;
  close(ends[0]);
  if (byte != '\n') return Fail(Code::kUnavailable, "{} did not start", program);
  return board;
}

Driver OnSimulatedUlx3s(Driver driver) {
  driver.open = OpenOnUlx3s;
  return driver;
}

}  // namespace tessera::test
