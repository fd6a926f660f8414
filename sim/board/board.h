// SPDX-License-Identifier: Apache-2.0
//
// Board: a verilated machine in place of a board, behind a shared file
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
  // Makes the machine of |config| behind the file |fd|. Sets the length of the file to a window and
  // at least |memory_bytes| of device memory, all zero.
  //   errors  kUnavailable  the file cannot have that length or be mapped
  //           and those of FindRtlPlugin
  static Result<std::unique_ptr<Board>> Make(const isa::Config& config, int fd,
                                             uint32_t memory_bytes);
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;
  ~Board();

  // Answers accesses, and steps the clock of the machine while it runs, until |over| returns true.
  // Asks |over| about a hundred times a second. An idle board looks at the window a few thousand
  // times a second.
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
  std::span<uint8_t> file_;  // the mapped file
  uint64_t end_;             // end of device memory in the file, an address on the machine's bus
  std::unique_ptr<RtlMachine> machine_;  // destroyed before plugin_
  bool busy_ = false;                    // the machine may be running, so Serve steps its clock
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_BOARD_BOARD_H_
