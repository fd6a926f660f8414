// SPDX-License-Identifier: Apache-2.0
//
// SerialLink: requests over a line that may lose, double or change bytes. A request is sent again
// until its answer comes or the tries are spent; the board does it once. Depends on: line.h,
// frame.h. Used by: serial_device.cc.
#ifndef TESSERA_RUNTIME_DRIVERS_SERIAL_LINK_H_
#define TESSERA_RUNTIME_DRIVERS_SERIAL_LINK_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "runtime/drivers/serial/frame.h"
#include "runtime/drivers/serial/line.h"

namespace tessera::serial {

// How long a link waits: for the first answer |answer|, or twice what an answer took where that is
// longer; for each further one twice as long as for the one before; |tries| in all.
struct Patience {
  std::chrono::milliseconds answer{250};
  int tries = 6;
};

// What a board says of itself.
struct BoardFacts {
  uint32_t memory_bytes = 0;
  uint32_t clock_hz = 0;
};

class SerialLink {
 public:
  // Begins a session.
  //   errors  kNotFound     nothing answers; or something that speaks no such frames
  //           kUnsupported  another version of the frames
  //           others        as SerialLine
  static Result<std::unique_ptr<SerialLink>> Open(std::unique_ptr<SerialLine> line,
                                                  Patience patience);

  const BoardFacts& facts() const { return facts_; }
  const std::string& path() const { return line_->path(); }

  // errors of all: kDataLoss     the tries are spent; the machine does not answer the board
  //                kUnavailable  the port has gone; the board was reset or configured meanwhile
  Result<uint32_t> Read(uint32_t offset);
  Status Write(uint32_t offset, uint32_t value);
  Status ReadMemory(uint32_t address, std::span<uint8_t> bytes);
  Status WriteMemory(uint32_t address, std::span<const uint8_t> bytes);
  Status ResetMachine();

  // Requests that were sent more than once.
  uint64_t repeats() const { return repeats_; }

 private:
  SerialLink(std::unique_ptr<SerialLine> line, Patience patience)
      : line_(std::move(line)), patience_(patience) {}
  Status Hello();
  // Sends |request| until an answer with |bytes| bytes of data comes; returns them.
  Result<std::vector<uint8_t>> Ask(Request request, size_t bytes);
  // The answer with |sequence| and, after a hello, its number; nothing after |limit|.
  Result<std::optional<Answer>> Await(const Request& request, std::chrono::milliseconds limit);
  Error NoAnswer(const Request& request, uint64_t noise) const;
  Status CheckStatus(const Request& request, AnswerStatus status) const;

  std::unique_ptr<SerialLine> line_;
  Patience patience_;
  FrameReader reader_;
  BoardFacts facts_;
  uint8_t sequence_ = 0;
  uint64_t repeats_ = 0;
  uint64_t received_ = 0;  // bytes
};

}  // namespace tessera::serial

#endif  // TESSERA_RUNTIME_DRIVERS_SERIAL_LINK_H_
