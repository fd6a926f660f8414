// SPDX-License-Identifier: Apache-2.0
//
// The registers and the memory of a simulated device in another process, reached through the file
// of runtime/device/board_window.h. Depends on: runtime/device. Used by: zynq_device.
#ifndef TESSERA_RUNTIME_DRIVERS_ZYNQ_SIMULATED_BOARD_H_
#define TESSERA_RUNTIME_DRIVERS_ZYNQ_SIMULATED_BOARD_H_

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "runtime/device/board_window.h"
#include "runtime/device/memory.h"
#include "runtime/device/register_port.h"
#include "runtime/drivers/zynq/mapped_file.h"

namespace tessera::zynq {

// The file: open, mapped, and locked for this process.
struct SimulatedBoard {
  std::string path;
  OpenFile file;
  std::unique_ptr<MappedFile> map;  // all of it

  BoardWindow& window() const { return *reinterpret_cast<BoardWindow*>(map->data()); }

  //   errors  kNotFound     no such file, or a file without a window
  //           kUnsupported  a window of another version
  //           kOutOfRange   the file is shorter than its window says
  //           kUnavailable  no permission; another process uses the file
  static Result<std::shared_ptr<SimulatedBoard>> Open(const std::string& path);
};

inline constexpr std::chrono::milliseconds kBoardPatience{20'000};

class SimulatedPort : public RegisterPort {
 public:
  // |patience|: how long to wait for the answer to one access.
  explicit SimulatedPort(std::shared_ptr<SimulatedBoard> board,
                         std::chrono::milliseconds patience = kBoardPatience)
      : board_(std::move(board)), patience_(patience) {}

  // errors: kDataLoss the device's process, or its machine, does not answer
  Result<uint32_t> Read(uint32_t offset) override { return Ask(BoardRequest::kRead, offset, 0); }
  Status Write(uint32_t offset, uint32_t value) override;
  void Pause() override;
  Status Reset() override;

 private:
  Result<uint32_t> Ask(BoardRequest kind, uint32_t offset, uint32_t value);
  Status Await(uint32_t number, uint32_t offset);

  std::shared_ptr<SimulatedBoard> board_;
  std::chrono::milliseconds patience_;
};

class SimulatedMemory : public MemoryPort {
 public:
  // The device's memory, or its first |most_bytes|.
  SimulatedMemory(std::shared_ptr<SimulatedBoard> board, uint64_t most_bytes);

  uint64_t size() const override { return bytes_.size(); }
  uint64_t bus_address() const override { return board_->window().memory_offset; }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) override;
  Status Read(uint64_t address, std::span<uint8_t> bytes) override;

 private:
  std::shared_ptr<SimulatedBoard> board_;
  std::span<uint8_t> bytes_;
};

}  // namespace tessera::zynq

#endif  // TESSERA_RUNTIME_DRIVERS_ZYNQ_SIMULATED_BOARD_H_
