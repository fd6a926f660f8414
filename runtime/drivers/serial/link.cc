// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/serial/link.h"

#include <algorithm>
#include <random>
#include <utility>

namespace tessera::serial {
namespace {

using Milliseconds = std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr size_t kHelloBytes = 16;
constexpr int kHelloTries = 4;
constexpr Milliseconds kSendLimit{5000};
constexpr Milliseconds kMostPatience{60'000};

// "register 0x040", "512 bytes at 0x1000"
std::string Place(const Request& request) {
  switch (request.operation) {
    case Operation::kRead:
    case Operation::kWrite:
      return fmt::format("{:#05x}", request.address);
    case Operation::kReadMemory:
    case Operation::kWriteMemory:
      return fmt::format("{} bytes at {:#x}", request.value, request.address);
    default:
      return "";
  }
}

std::string Shown(const Request& request) {
  const std::string place = Place(request);
  return fmt::format("{}{}{}", Text(request.operation), place.empty() ? "" : " ", place);
}

}  // namespace

Result<std::unique_ptr<SerialLink>> SerialLink::Open(std::unique_ptr<SerialLine> line,
                                                     Patience patience) {
  std::unique_ptr<SerialLink> link(new SerialLink(std::move(line), patience));
  TESSERA_TRY(link->Hello());
  return link;
}

Status SerialLink::Hello() {
  // The number tells this session's answer from one that an earlier process left on the line.
  std::random_device random;
  const uint32_t number = random();
  const int tries = std::exchange(patience_.tries, std::min(patience_.tries, kHelloTries));
  auto data = Ask({.operation = Operation::kHello, .address = number}, kHelloBytes);
  patience_.tries = tries;
  if (!data) return std::unexpected(data.error());
  const uint32_t magic = WordAt(*data, 4);
  if (magic != kHelloMagic) {
    return Fail(Code::kUnsupported,
                "{}: the board speaks frames of version {:#010x}, this program {:#010x}: build the "
                "bitstream and this program from one version",
                path(), magic, kHelloMagic);
  }
  facts_ = {WordAt(*data, 8), WordAt(*data, 12)};
  return {};
}

Result<std::optional<Answer>> SerialLink::Await(const Request& request, Milliseconds limit) {
  const Clock::time_point end = Clock::now() + limit;
  for (;;) {
    const auto left = std::chrono::ceil<Milliseconds>(end - Clock::now());
    if (left.count() <= 0) return std::nullopt;
    TESSERA_ASSIGN(const std::span<const uint8_t> bytes, line_->Receive(left));
    received_ += bytes.size();
    std::optional<Answer> found;
    for (const uint8_t byte : bytes) {
      const auto body = reader_.Take(byte);
      if (!body) continue;
      std::optional<Answer> answer = AnswerOf(*body);
      // Answers to requests that were sent twice come twice.
      if (!answer || answer->sequence != request.sequence) continue;
      if (request.operation == Operation::kHello &&
          (answer->data.size() != kHelloBytes || WordAt(answer->data, 0) != request.address))
        continue;
      found = std::move(answer);
    }
    if (found) return found;
  }
}

Result<std::vector<uint8_t>> SerialLink::Ask(Request request, size_t bytes) {
  request.sequence = ++sequence_;
  const std::vector<uint8_t> frame = FrameOf(BodyOf(request));
  // What the line itself takes for both directions, at ten bits a byte.
  const Milliseconds transfer(10'000 * (frame.size() + 2 * bytes + 32) / line_->baud() + 1);
  const uint64_t noise = reader_.noise();
  received_ = 0;
  Milliseconds limit = patience_.answer;
  for (int turn = 0; turn < patience_.tries; ++turn, limit *= 2) {
    if (turn > 0) ++repeats_;
    const Clock::time_point sent = Clock::now();
    TESSERA_TRY(line_->Send(frame, kSendLimit));
    TESSERA_ASSIGN(std::optional<Answer> answer, Await(request, transfer + limit));
    if (!answer) continue;
    // A board that takes long (a simulated one, a busy computer) must not be asked twice each time.
    const auto took = std::chrono::ceil<Milliseconds>(Clock::now() - sent);
    if (turn == 0) patience_.answer = std::clamp(2 * took, patience_.answer, kMostPatience);
    TESSERA_TRY(CheckStatus(request, answer->status));
    if (answer->data.size() != bytes) {
      return Fail(Code::kDataLoss,
                  "{}: {}: the board answers with {} bytes, expected are {}: build the bitstream "
                  "and this program from one version",
                  path(), Shown(request), answer->data.size(), bytes);
    }
    return std::move(answer->data);
  }
  return std::unexpected(NoAnswer(request, reader_.noise() - noise));
}

Status SerialLink::CheckStatus(const Request& request, AnswerStatus status) const {
  switch (status) {
    case AnswerStatus::kDone:
      return {};
    case AnswerStatus::kNoSession:
      return Fail(Code::kUnavailable,
                  "{}: {}: the board was reset or configured meanwhile, so what it held is lost; "
                  "open it again",
                  path(), Shown(request));
    case AnswerStatus::kNoAnswer:
      return Fail(Code::kDataLoss,
                  "{}: {}: the machine does not answer the board; press its button FIRE1, or "
                  "`tessera flash ulx3s` again",
                  path(), Shown(request));
    case AnswerStatus::kBad:
      break;
  }
  return Fail(Code::kDataLoss,
              "{}: {}: the board refuses the request (status {}): build the bitstream and this "
              "program from one version",
              path(), Shown(request), static_cast<int>(status));
}

Error SerialLink::NoAnswer(const Request& request, uint64_t noise) const {
  if (request.operation == Operation::kHello) {
    if (received_ == 0) {
      return Error{Code::kNotFound,
                   fmt::format("{}: nothing answers at {} baud: is this the port of a ULX3S "
                               "(connector US1), and has `tessera flash ulx3s` loaded it? "
                               "serial:port=PATH names another port",
                               path(), line_->baud())};
    }
    return Error{Code::kNotFound,
                 fmt::format("{}: something sends {} bytes at {} baud, but no frame of a Tessera "
                             "board: the port of another device, a bitstream of another design, or "
                             "another rate; serial:port=PATH,baud=RATE",
                             path(), received_, line_->baud())};
  }
  return Error{
      Code::kDataLoss,
      fmt::format("{}: {}: no answer after {} tries ({} bytes came, {} of them noise): {}", path(),
                  Shown(request), patience_.tries, received_, noise,
                  noise > 0 ? "the line is disturbed; use a shorter USB cable or another port"
                            : "the board has stopped; press its button FIRE1, or `tessera flash "
                              "ulx3s` again")};
}

Result<uint32_t> SerialLink::Read(uint32_t offset) {
  TESSERA_ASSIGN(const std::vector<uint8_t> data,
                 Ask({.operation = Operation::kRead, .address = offset}, 4));
  return WordAt(data, 0);
}

Status SerialLink::Write(uint32_t offset, uint32_t value) {
  TESSERA_TRY(Ask({.operation = Operation::kWrite, .address = offset, .value = value}, 0));
  return {};
}

Status SerialLink::ReadMemory(uint32_t address, std::span<uint8_t> bytes) {
  for (size_t at = 0; at < bytes.size(); at += kMostData) {
    const size_t count = std::min(kMostData, bytes.size() - at);
    TESSERA_ASSIGN(const std::vector<uint8_t> data,
                   Ask({.operation = Operation::kReadMemory,
                        .address = address + static_cast<uint32_t>(at),
                        .value = static_cast<uint32_t>(count)},
                       count));
    std::ranges::copy(data, bytes.begin() + static_cast<ptrdiff_t>(at));
  }
  return {};
}

Status SerialLink::WriteMemory(uint32_t address, std::span<const uint8_t> bytes) {
  for (size_t at = 0; at < bytes.size(); at += kMostData) {
    const std::span<const uint8_t> data = bytes.subspan(at, std::min(kMostData, bytes.size() - at));
    TESSERA_TRY(Ask({.operation = Operation::kWriteMemory,
                     .address = address + static_cast<uint32_t>(at),
                     .value = static_cast<uint32_t>(data.size()),
                     .data = data},
                    0));
  }
  return {};
}

Status SerialLink::ResetMachine() {
  TESSERA_TRY(Ask({.operation = Operation::kReset}, 0));
  return {};
}

}  // namespace tessera::serial
