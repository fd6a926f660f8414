// SPDX-License-Identifier: Apache-2.0
//
// Board: a verilated machine that stands for a board, behind a shared file
// (runtime/device/board_window.h). Depends on: sim/rtl, runtime/device. Used by: simulated_board.
#ifndef TESSERA_SIM_BOARD_BOARD_H_
#define TESSERA_SIM_BOARD_BOARD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "isa/config.h"
#include "runtime/device/board_window.h"
#include "sim/rtl/plugin.h"

namespace tessera::sim {

class Board {
 public:
  // The machine of |config| behind the file |fd|, which gets room for a window and
  // |memory_bytes| of device memory, and zeroes.
  //   errors  kUnavailable  the file cannot have that length or be mapped
  //           and those of FindRtlPlugin
  static Result<std::unique_ptr<Board>> Make(const isa::Config& config, int fd,
                                             uint32_t memory_bytes);
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;
  ~Board();

  // Answers accesses and turns the machine's clock while it runs, until |over| says so, which is
  // asked about a hundred times a second. An idle board looks a few thousand times a second.
  void Serve(const std::function<bool()>& over);

 private:
  Board(std::shared_ptr<RtlPlugin> plugin, const isa::Config& config, std::span<uint8_t> file,
        uint32_t memory_bytes);
  BoardWindow& window() { return *reinterpret_cast<BoardWindow*>(file_.data()); }
  void Reload();
  void Answer();
  void StepBusy();

  std::shared_ptr<RtlPlugin> plugin_;
  isa::Config config_;
  std::span<uint8_t> file_;              // mapped
  uint64_t end_;                         // of memory in it, as the machine's bus sees it
  std::unique_ptr<RtlMachine> machine_;  // goes before plugin_
  bool busy_ = false;                    // it may run: its clock turns
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_BOARD_BOARD_H_
