// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/zynq/simulated_board.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace tessera::zynq {
namespace {

// Looks for an answer before the thread sleeps between looks.
constexpr int kSpins = 200;

}  // namespace

Result<std::shared_ptr<SimulatedBoard>> SimulatedBoard::Open(const std::string& path) {
  auto board = std::make_shared<SimulatedBoard>();
  board->path = path;
  TESSERA_ASSIGN(board->file, OpenFile::Open(path));
  struct stat info = {};
  if (fstat(board->file.fd(), &info) != 0)
    return Fail(Code::kUnavailable, "{}: {}", path, SystemError());
  const auto bytes = static_cast<uint64_t>(info.st_size);
  if (bytes <= BoardWindow::kMemoryOffset) {
    return Fail(Code::kNotFound,
                "{}: {} bytes are no simulated device: start one with build/bin/simulated_board",
                path, bytes);
  }
  TESSERA_TRY(TakeForThisProcess(board->file, path));
  TESSERA_ASSIGN(board->map, MappedFile::Map(board->file, path, 0, bytes));
  const BoardWindow& window = board->window();
  if (window.magic.load(std::memory_order_acquire) != BoardWindow::kMagic) {
    return Fail(Code::kNotFound,
                "{}: no simulated device: start one with build/bin/simulated_board", path);
  }
  if (window.version != BoardWindow::kVersion) {
    return Fail(Code::kUnsupported,
                "{}: the simulated device speaks version {}, this program {}: build both again",
                path, window.version, BoardWindow::kVersion);
  }
  if (window.memory_offset < sizeof(BoardWindow) || window.memory_offset % 64 != 0 ||
      window.memory_offset > bytes || window.memory_bytes > bytes - window.memory_offset) {
    return Fail(Code::kOutOfRange,
                "{}: {} bytes of memory at {} do not lie in the file's {}: start the simulated "
                "device again",
                path, window.memory_bytes, window.memory_offset, bytes);
  }
  return board;
}

Status SimulatedPort::Await(uint32_t number, uint32_t offset) {
  const auto give_up = std::chrono::steady_clock::now() + patience_;
  const BoardWindow& window = board_->window();
  for (int spin = 0; window.answer.load(std::memory_order_acquire) != number; ++spin) {
    if (spin < kSpins) continue;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    if (std::chrono::steady_clock::now() < give_up) continue;
    return Fail(Code::kDataLoss,
                "{}: the simulated device does not answer at register {:#05x} within {} ms: its "
                "process has ended or hangs; start it again",
                board_->path, offset, patience_.count());
  }
  return {};
}

Result<uint32_t> SimulatedPort::Ask(BoardRequest kind, uint32_t offset, uint32_t value) {
  BoardWindow& window = board_->window();
  // A previous user may have died before its answer came.
  const uint32_t last = window.request.load(std::memory_order_relaxed);
  TESSERA_TRY(Await(last, offset));
  window.kind = static_cast<uint32_t>(kind);
  window.offset = offset;
  window.value = value;
  window.request.store(last + 1, std::memory_order_release);
  TESSERA_TRY(Await(last + 1, offset));
  switch (static_cast<BoardOutcome>(window.outcome)) {
    case BoardOutcome::kDone:
      return window.result;
    case BoardOutcome::kAssertion: {
      const char* end = std::find(window.problem, std::end(window.problem), 0);
      return Fail(
          Code::kDataLoss,
          "{}: an assertion of the RTL failed, which is a bug of the machine and not of the "
          "program: {}",
          board_->path,
          std::string_view(window.problem, static_cast<size_t>(end - window.problem)));
    }
    case BoardOutcome::kNoAnswer:
      break;
  }
  return Fail(Code::kDataLoss, "{}: the simulated machine does not answer at register {:#05x}",
              board_->path, offset);
}

Status SimulatedPort::Write(uint32_t offset, uint32_t value) {
  TESSERA_TRY(Ask(BoardRequest::kWrite, offset, value));
  return {};
}

// A verilated machine takes about a millisecond for 50 cycles.
void SimulatedPort::Pause() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

Status SimulatedPort::Reset() {
  TESSERA_TRY(Ask(BoardRequest::kReload, 0, 0));
  return {};
}

SimulatedMemory::SimulatedMemory(std::shared_ptr<SimulatedBoard> board, uint64_t most_bytes)
    : board_(std::move(board)) {
  const BoardWindow& window = board_->window();
  const uint64_t bytes = std::min<uint64_t>(window.memory_bytes, most_bytes);
  bytes_ = {board_->map->data() + window.memory_offset, static_cast<size_t>(bytes)};
}

Status SimulatedMemory::Write(uint64_t address, std::span<const uint8_t> bytes) {
  if (!bytes.empty()) std::memcpy(bytes_.data() + address, bytes.data(), bytes.size());
  return {};
}

Status SimulatedMemory::Read(uint64_t address, std::span<uint8_t> bytes) {
  if (!bytes.empty()) std::memcpy(bytes.data(), bytes_.data() + address, bytes.size());
  return {};
}

}  // namespace tessera::zynq
