// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/serial/frame.h"

#include <array>
#include <utility>

namespace tessera::serial {
namespace {

constexpr uint32_t kPolynomial = 0xedb88320;
constexpr size_t kAnswerHead = 2;
// No answer is longer; what follows is noise.
constexpr size_t kLongest = kHeaderBytes + kMostData + kCrcBytes;

constexpr std::array<uint32_t, 256> kTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[i] = crc;
  }
  return table;
}();

}  // namespace

std::string_view Text(Operation operation) {
  switch (operation) {
    case Operation::kHello:
      return "hello";
    case Operation::kRead:
      return "read a register";
    case Operation::kWrite:
      return "write a register";
    case Operation::kReadMemory:
      return "read memory";
    case Operation::kWriteMemory:
      return "write memory";
    case Operation::kReset:
      return "reset";
  }
  return "no operation";
}

uint32_t Crc32(std::span<const uint8_t> bytes) {
  uint32_t crc = ~uint32_t{0};
  for (const uint8_t byte : bytes) crc = (crc >> 8) ^ kTable[(crc ^ byte) & 0xff];
  return ~crc;
}

void PutWord(std::vector<uint8_t>& bytes, uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<uint8_t>(word >> shift));
}

uint32_t WordAt(std::span<const uint8_t> bytes, size_t at) {
  uint32_t word = 0;
  for (size_t i = 0; i < 4; ++i) word |= uint32_t{bytes[at + i]} << (8 * i);
  return word;
}

std::vector<uint8_t> FrameOf(std::span<const uint8_t> body) {
  std::vector<uint8_t> whole(body.begin(), body.end());
  PutWord(whole, Crc32(body));
  std::vector<uint8_t> line = {kFlag};
  for (const uint8_t byte : whole) {
    if (byte == kFlag || byte == kEscape) {
      line.push_back(kEscape);
      line.push_back(byte ^ kEscapeXor);
    } else {
      line.push_back(byte);
    }
  }
  line.push_back(kFlag);
  return line;
}

std::vector<uint8_t> BodyOf(const Request& request) {
  std::vector<uint8_t> body = {request.sequence, static_cast<uint8_t>(request.operation)};
  PutWord(body, request.address);
  PutWord(body, request.value);
  body.insert(body.end(), request.data.begin(), request.data.end());
  return body;
}

std::optional<std::vector<uint8_t>> FrameReader::Take(uint8_t byte) {
  if (byte != kFlag) {
    ++raw_;
    if (byte == kEscape) {
      escape_ = true;
    } else if (body_.size() <= kLongest) {
      body_.push_back(escape_ ? byte ^ kEscapeXor : byte);
      escape_ = false;
    }
    return std::nullopt;
  }
  std::vector<uint8_t> body = std::exchange(body_, {});
  const uint64_t raw = std::exchange(raw_, 0);
  const bool cut = std::exchange(escape_, false);
  if (!cut && body.size() > kCrcBytes) {
    const std::span<const uint8_t> content = std::span(body).first(body.size() - kCrcBytes);
    if (Crc32(content) == WordAt(body, content.size())) {
      body.resize(content.size());
      return body;
    }
  }
  noise_ += raw;
  return std::nullopt;
}

std::optional<Answer> AnswerOf(std::span<const uint8_t> body) {
  if (body.size() < kAnswerHead) return std::nullopt;
  const auto data = body.subspan(kAnswerHead);
  return Answer{body[0], static_cast<AnswerStatus>(body[1]), {data.begin(), data.end()}};
}

}  // namespace tessera::serial
