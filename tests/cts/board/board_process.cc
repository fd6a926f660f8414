// SPDX-License-Identifier: Apache-2.0
#include "tests/cts/board/board_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "runtime/device/board_window.h"

namespace tessera::test {
namespace {

// Whether the device has written its window.
bool Ready(int fd) {
  uint32_t magic = 0;
  return pread(fd, &magic, sizeof magic, offsetof(BoardWindow, magic)) == sizeof magic &&
         magic == BoardWindow::kMagic;
}

Result<std::unique_ptr<Device>> Open(const isa::Config& config, uint64_t memory_bytes,
                                     const OptionValues&) {
  TESSERA_ASSIGN(const BoardProcess board, StartBoard(config.name, memory_bytes));
  auto device = OpenDevice("zynq", config,
                           {.memory_bytes = memory_bytes, .values = {{"shared", board.path}}});
  close(board.fd);  // the device has its own descriptor
  return device;
}

}  // namespace

Result<BoardProcess> StartBoard(const std::string& config, uint64_t memory_bytes) {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }  // reaps boards that have ended
  // A file without a name leaves nothing behind.
  const int fd = memfd_create("tessera-board", 0);
  if (fd < 0) return Fail(Code::kUnavailable, "memfd_create: {}", std::strerror(errno));
  const std::string program = TESSERA_SIMULATED_BOARD, number = std::to_string(fd),
                    mib = std::to_string((memory_bytes + (1 << 20) - 1) >> 20);
  const pid_t child = fork();
  if (child == 0) {
    execl(program.c_str(), program.c_str(), "--config", config.c_str(), "--memory-mib", mib.c_str(),
          "--fd", number.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  while (!Ready(fd)) {
    if (waitpid(child, nullptr, WNOHANG) == child)
      return Fail(Code::kUnavailable, "{} did not start", program);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return BoardProcess{child, fd, "/proc/self/fd/" + number};
}

Driver OnSimulatedBoard(Driver driver) {
  driver.open = Open;
  return driver;
}

}  // namespace tessera::test
