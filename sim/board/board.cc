// SPDX-License-Identifier: Apache-2.0
#include "sim/board/board.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "isa/regs.h"

namespace tessera::sim {
namespace {

namespace reg = isa::reg;

// Cycles from one look at the window to the next while the machine runs: about a millisecond.
constexpr uint64_t kStepCycles = 64;
// Looks at the window of an idle board before the board sleeps between looks.
constexpr int kSpins = 2000;
constexpr std::chrono::microseconds kSleep{200};
constexpr std::chrono::milliseconds kOverEvery{10};

}  // namespace

Result<std::unique_ptr<Board>> Board::Make(const isa::Config& config, int fd,
                                           uint32_t memory_bytes) {
  // A PCI device has a power of two of memory. Untouched pages of the file take no room.
  const uint64_t bytes = std::bit_ceil(uint64_t{BoardWindow::kMemoryOffset} + memory_bytes);
  if (ftruncate(fd, 0) != 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    return Fail(Code::kUnavailable, "the shared file cannot have {} bytes: {}", bytes,
                std::strerror(errno));
  }
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (start == MAP_FAILED) {
    return Fail(Code::kUnavailable, "the shared file of {} bytes cannot be mapped: {}", bytes,
                std::strerror(errno));
  }
  const std::span<uint8_t> file(static_cast<uint8_t*>(start), bytes);
  Result<std::shared_ptr<RtlPlugin>> plugin = FindRtlPlugin(config, WaveKind::kNone, "");
  if (!plugin) {
    munmap(start, bytes);
    return std::unexpected(plugin.error());
  }
  std::unique_ptr<Board> board(new Board(std::move(*plugin), config, file, memory_bytes));
  BoardWindow& window = board->window();
  window.version = BoardWindow::kVersion;
  window.memory_offset = BoardWindow::kMemoryOffset;
  window.memory_bytes = memory_bytes;
  window.magic.store(BoardWindow::kMagic, std::memory_order_release);
  return board;
}

Board::Board(std::shared_ptr<RtlPlugin> plugin, const isa::Config& config, std::span<uint8_t> file,
             uint32_t memory_bytes)
    : plugin_(std::move(plugin)),
      config_(config),
      file_(file),
      end_(uint64_t{BoardWindow::kMemoryOffset} + memory_bytes) {
  Reload();
}

Board::~Board() { munmap(file_.data(), file_.size()); }

void Board::Reload() {
  machine_.reset();
  machine_ = plugin_->NewMachine(
      RtlMachineOptions{.memory = file_.data(), .memory_bytes = end_, .dram = config_.dram});
  busy_ = false;
}

void Board::Answer() {
  BoardWindow& window = this->window();
  const uint32_t number = window.request.load(std::memory_order_acquire);
  bool answers = true;
  uint32_t result = 0;
  switch (static_cast<BoardRequest>(window.kind)) {
    case BoardRequest::kRead:
      answers = machine_->ReadRegister(window.offset, &result);
      break;
    case BoardRequest::kWrite:
      answers = machine_->WriteRegister(window.offset, window.value);
      busy_ = busy_ || window.offset == reg::kControl;
      break;
    case BoardRequest::kReload:
      Reload();
      break;
    default:
      answers = false;
  }
  const std::string& assertion = machine_->assertion();
  window.result = result;
  window.outcome = static_cast<uint32_t>(answers ? BoardOutcome::kDone : BoardOutcome::kNoAnswer);
  if (!assertion.empty()) {
    window.outcome = static_cast<uint32_t>(BoardOutcome::kAssertion);
    const size_t length = std::min(assertion.size(), sizeof window.problem - 1);
    std::memcpy(window.problem, assertion.data(), length);
    window.problem[length] = 0;
  }
  window.answer.store(number, std::memory_order_release);
}

void Board::StepBusy() {
  machine_->Step(kStepCycles);
  uint32_t status = 0;
  busy_ = machine_->assertion().empty() && machine_->ReadRegister(reg::kStatus, &status) &&
          reg::kStatusBusy.Get(status) != 0;
}

void Board::Serve(const std::function<bool()>& over) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_ask = Clock::now();
  int idle = 0;  // looks without an access, in a row
  for (uint32_t turn = 0;; ++turn) {
    if (window().request.load(std::memory_order_acquire) != window().answer.load()) {
      Answer();
      idle = 0;
    } else if (busy_) {
      StepBusy();
      idle = 0;
    } else if (++idle > kSpins) {
      std::this_thread::sleep_for(kSleep);
    } else if (turn % 64 != 0) {
      continue;  // reading the clock costs more than a look
    }
    const Clock::time_point now = Clock::now();
    if (now < next_ask) continue;
    if (over()) return;
    next_ask = now + kOverEvery;
  }
}

}  // namespace tessera::sim
