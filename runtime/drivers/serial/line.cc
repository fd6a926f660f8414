// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/serial/line.h"

#include <fcntl.h>
#include <linux/serial.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace tessera::serial {
namespace {

namespace fs = std::filesystem;

struct Rate {
  uint32_t baud;
  speed_t speed;
};
constexpr Rate kRates[] = {{115200, B115200},   {230400, B230400},   {460800, B460800},
                           {921600, B921600},   {1000000, B1000000}, {1500000, B1500000},
                           {2000000, B2000000}, {3000000, B3000000}};

// USB's bridges hold back a short packet for 16 ms unless they are asked not to. A port that cannot
// be asked is slower, not wrong.
void AskForLowLatency(int fd) {
  serial_struct settings = {};
  if (ioctl(fd, TIOCGSERIAL, &settings) != 0) return;
  settings.flags |= ASYNC_LOW_LATENCY;
  static_cast<void>(ioctl(fd, TIOCSSERIAL, &settings));
}

Status MakeRaw(int fd, const std::string& path, uint32_t baud) {
  const auto rate = std::ranges::find(kRates, baud, &Rate::baud);
  if (rate == std::end(kRates)) {
    return Fail(Code::kInvalidArgument,
                "{}: {} baud is no rate of a port here; it can be 115200 to 3000000 in the usual "
                "steps, and must be that of the bitstream: 2000000 on the ULX3S",
                path, baud);
  }
  termios settings = {};
  if (tcgetattr(fd, &settings) != 0) {
    return Fail(Code::kInvalidArgument,
                "{}: no serial port ({}); the ULX3S has one at its connector US1, for example "
                "/dev/ttyUSB0",
                path, std::strerror(errno));
  }
  cfmakeraw(&settings);
  settings.c_cflag |= CLOCAL | CREAD;
  settings.c_cflag &= ~static_cast<tcflag_t>(CSTOPB | CRTSCTS);
  cfsetispeed(&settings, rate->speed);
  cfsetospeed(&settings, rate->speed);
  if (tcsetattr(fd, TCSANOW, &settings) != 0) {
    return Fail(Code::kInvalidArgument, "{}: the port does not take {} baud: {}", path, baud,
                std::strerror(errno));
  }
  AskForLowLatency(fd);
  tcflush(fd, TCIOFLUSH);
  return {};
}

std::vector<std::string> PathsIn(const std::string& folder, bool (*wanted)(const std::string&)) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (wanted(entry.path().filename().string())) paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

std::vector<std::string> FindPorts(const std::string& folder, const std::string& devices) {
  std::vector<std::string> paths =
      PathsIn(folder, [](const std::string& name) { return name.find("ULX3S") != name.npos; });
  if (paths.empty())
    paths = PathsIn(devices, [](const std::string& name) { return name.starts_with("ttyUSB"); });
  return paths;
}

Result<std::unique_ptr<SerialLine>> SerialLine::Open(const std::string& path, uint32_t baud) {
  const int fd = open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    const int why = errno;
    if (why == ENOENT) {
      return Fail(Code::kNotFound,
                  "{}: no such port; is the board's USB cable (US1) plugged in? `ls /dev/ttyUSB*` "
                  "lists the ports, serial:port=PATH names one",
                  path);
    }
    return Fail(Code::kUnavailable, "{}: cannot be opened: {}{}", path, std::strerror(why),
                why == EACCES ? "; become a member of the port's group (dialout)" : "");
  }
  std::unique_ptr<SerialLine> line(new SerialLine(path, baud, fd));
  TESSERA_TRY(MakeRaw(fd, path, baud));
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return Fail(Code::kUnavailable,
                "{}: another process uses the port; end it first, or wait for its end", path);
  }
  return line;
}

SerialLine::~SerialLine() { close(fd_); }

Error SerialLine::Gone(const char* what) const {
  return Error{
      Code::kUnavailable,
      fmt::format("{}: {}: the port has gone ({}); plug the board in again, `tessera flash "
                  "ulx3s` if it lost its bitstream, and run again",
                  path_, what, std::strerror(errno))};
}

Status SerialLine::Send(std::span<const uint8_t> bytes, std::chrono::milliseconds limit) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd_, bytes.data(), bytes.size());
    if (count > 0) {
      bytes = bytes.subspan(static_cast<size_t>(count));
      continue;
    }
    if (count < 0 && errno != EAGAIN && errno != EINTR) return std::unexpected(Gone("sending"));
    pollfd event = {fd_, POLLOUT, 0};
    const int ready = poll(&event, 1, static_cast<int>(limit.count()));
    if (ready == 0) {
      return Fail(Code::kUnavailable,
                  "{}: the port takes no byte in {} ms: unplug the board and plug it in again",
                  path_, limit.count());
    }
    if ((event.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
      errno = EIO;
      return std::unexpected(Gone("sending"));
    }
  }
  return {};
}

Result<std::span<const uint8_t>> SerialLine::Receive(std::chrono::milliseconds limit) {
  pollfd event = {fd_, POLLIN, 0};
  poll(&event, 1, static_cast<int>(std::max<int64_t>(0, limit.count())));
  const ssize_t count = read(fd_, buffer_.data(), buffer_.size());
  if (count > 0) return std::span<const uint8_t>(buffer_.data(), static_cast<size_t>(count));
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return std::span<const uint8_t>();
  if (count == 0 && (event.revents & POLLHUP) == 0) return std::span<const uint8_t>();
  if (count == 0) errno = EIO;
  return std::unexpected(Gone("receiving"));
}

}  // namespace tessera::serial
