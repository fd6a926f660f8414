// SPDX-License-Identifier: Apache-2.0
//
// SerialLine: a serial port of this computer, raw, for this process alone. Depends on: base. Used
// by: SerialLink.
#ifndef TESSERA_RUNTIME_DRIVERS_SERIAL_LINE_H_
#define TESSERA_RUNTIME_DRIVERS_SERIAL_LINE_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::serial {

// The ports that may be a ULX3S: those of |folder| whose name has "ULX3S" (udev's links by
// identity), else the USB serial ports of |devices|. Sorted.
std::vector<std::string> FindPorts(const std::string& folder = "/dev/serial/by-id",
                                   const std::string& devices = "/dev");

class SerialLine {
 public:
  // Opens the port at |path| with |baud| bits a second, 8 bits, no parity, and drops what it has
  // received.
  //   errors  kNotFound         no such file
  //           kInvalidArgument  no serial port; a rate that the system does not know
  //           kUnavailable      no permission; another process has the port
  static Result<std::unique_ptr<SerialLine>> Open(const std::string& path, uint32_t baud);
  SerialLine(const SerialLine&) = delete;
  SerialLine& operator=(const SerialLine&) = delete;
  ~SerialLine();

  const std::string& path() const { return path_; }
  uint32_t baud() const { return baud_; }

  // Sends all of |bytes|.
  //   errors  kUnavailable  the port has gone; it takes nothing for |limit|
  Status Send(std::span<const uint8_t> bytes, std::chrono::milliseconds limit);

  // What has come by now; waits for the first byte up to |limit|. Empty: none came.
  //   errors  kUnavailable  the port has gone
  Result<std::span<const uint8_t>> Receive(std::chrono::milliseconds limit);

 private:
  SerialLine(std::string path, uint32_t baud, int fd)
      : path_(std::move(path)), baud_(baud), fd_(fd), buffer_(4096) {}
  Error Gone(const char* what) const;

  std::string path_;
  uint32_t baud_;
  int fd_;
  std::vector<uint8_t> buffer_;
};

}  // namespace tessera::serial

#endif  // TESSERA_RUNTIME_DRIVERS_SERIAL_LINE_H_
