// SPDX-License-Identifier: Apache-2.0
//
// Frames on the serial line between this computer and a board without a bus of its own. The other
// end is hw/rtl/serial; its package tsr_serial_pkg.sv says what a frame, a request and an answer
// are, and has the same numbers. Depends on: base. Used by: SerialLink, tests.
#ifndef TESSERA_RUNTIME_DRIVERS_SERIAL_FRAME_H_
#define TESSERA_RUNTIME_DRIVERS_SERIAL_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tessera::serial {

inline constexpr uint8_t kFlag = 0x7e, kEscape = 0x7d, kEscapeXor = 0x20;
inline constexpr size_t kHeaderBytes = 10, kCrcBytes = 4;
inline constexpr size_t kMostData = 512;
inline constexpr uint32_t kHelloMagic = 0x31525354;  // "TSR1" in memory order

enum class Operation : uint8_t {
  kHello = 1,
  kRead = 2,
  kWrite = 3,
  kReadMemory = 4,
  kWriteMemory = 5,
  kReset = 6,
};
std::string_view Text(Operation operation);  // "read a register"

enum class AnswerStatus : uint8_t {
  kDone = 0,
  kNoSession = 1,  // no hello since the part was configured or reset
  kBad = 2,        // no such operation, or a range outside memory
  kNoAnswer = 3,   // the machine's registers do not answer
};

struct Request {
  uint8_t sequence = 0;
  Operation operation = Operation::kHello;
  uint32_t address = 0, value = 0;
  std::span<const uint8_t> data = {};  // kWriteMemory: |value| bytes
};

struct Answer {
  uint8_t sequence = 0;
  AnswerStatus status = AnswerStatus::kDone;
  std::vector<uint8_t> data;
};

// CRC-32 (IEEE 802.3, reflected, inverted at both ends). Check value of "123456789": 0xcbf43926.
uint32_t Crc32(std::span<const uint8_t> bytes);

// The bytes on the line: FLAG, |body| with its CRC and escapes, FLAG.
std::vector<uint8_t> FrameOf(std::span<const uint8_t> body);
std::vector<uint8_t> BodyOf(const Request& request);

// Cuts the bytes of a line into bodies.
class FrameReader {
 public:
  // Takes one byte of the line. Returns a body, without its CRC, when |byte| ends a whole one.
  std::optional<std::vector<uint8_t>> Take(uint8_t byte);

  // Bytes that belonged to no whole frame, since construction.
  uint64_t noise() const { return noise_; }

 private:
  std::vector<uint8_t> body_;
  uint64_t raw_ = 0;  // bytes of the line in |body_|
  bool escape_ = false;
  uint64_t noise_ = 0;
};

// |body| as an answer; nothing if it is too short.
std::optional<Answer> AnswerOf(std::span<const uint8_t> body);

// Numbers in frames are little-endian.
void PutWord(std::vector<uint8_t>& bytes, uint32_t word);
uint32_t WordAt(std::span<const uint8_t> bytes, size_t at);

}  // namespace tessera::serial

#endif  // TESSERA_RUNTIME_DRIVERS_SERIAL_FRAME_H_
