// SPDX-License-Identifier: Apache-2.0
//
// A board: one folder (boards/NAME) with one description (board.json) that everything else is made
// from: the variables of the build's Tcl, the device-tree overlay, `tessera boards`, what `tessera
// flash` checks. A build leaves a copy with an "image": what it made, and the clock that it got.
// Depends on: isa. Used by: overlay.h, tools (boards, flash), drivers of boards.
#ifndef TESSERA_RUNTIME_BOARD_BOARD_H_
#define TESSERA_RUNTIME_BOARD_BOARD_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tessera {

// What the processing system is: decides ports, interrupt numbers and the kernel's FPGA manager.
enum class BoardFamily : uint8_t { kZynq, kZynqMp };
std::string_view Text(BoardFamily family);  // "zynq", "zynqmp"

// Where `tessera flash` leaves the description of what it loaded, below a board's root, and drivers
// find it: with the clock that the board's image got.
inline constexpr std::string_view kLoadedBoard = "/lib/firmware/tessera-board.json";

// A name that can be a file, a node of a device tree and a word of a shell command without quotes:
// letters, digits, - _ and ., 1 to 64 of them.
bool IsPlainName(const std::string& name);

// What has been done with a board, in the order in which it comes.
inline constexpr std::array<std::string_view, 5> kBoardStages = {"simulated", "estimated", "routed",
                                                                 "built", "flashed"};

// A file that a build made.
struct BoardFile {
  std::string name;    // without a folder: it lies beside the description
  uint64_t bytes = 0;  // its size
  uint64_t crc64 = 0;  // Crc64 of its bytes (base/hash.h)
};

// What a build made, as `tessera boards NAME --collect DIR` writes it.
struct BoardImage {
  BoardFile bitstream;               // the .bit
  std::optional<BoardFile> overlay;  // the .dtbo
  uint64_t config_hash = 0;          // of the configuration whose RTL is in it
  uint64_t clock_hz = 0;             // what the processing system gives, not what was asked
  double slack_ns = 0;               // worst setup slack after routing
  std::string tool;                  // "Vivado 2022.1"
};

struct BoardDescription {
  std::string name;    // "pynq-z1": also the folder's
  std::string title;   // "Digilent PYNQ-Z1"
  std::string config;  // a named configuration (isa/config.h)
  BoardFamily family = BoardFamily::kZynq;
  std::string part;            // "xc7z020clg400-1", as the vendor's tool has it
  uint32_t idcode = 0;         // of the part, without its revision (bits 28 to 31)
  std::string board_files;     // how board files are named where they are installed; "": none
  double ps_clock_mhz = 0;     // the crystal of the processing system
  uint64_t clock_hz = 0;       // asked for the fabric; a quotient of the system's PLL
  std::string port;            // of memory: "S_AXI_HP0"
  int64_t port_bits = 0;       // its data width: bus_bits of the configuration
  int64_t axi = 0;             // 3 or 4
  std::string master;          // of registers: "M_AXI_GP0"
  uint64_t register_base = 0;  // bytes, as the processor sees it
  uint64_t register_bytes = 0;
  int64_t interrupt = 0;      // shared peripheral interrupt, as device trees count
  uint64_t memory_bytes = 0;  // reserved for device memory
  std::string firmware;       // stem of the files below /lib/firmware
  std::string uio;            // name of the UIO device: registers and interrupt
  std::string udmabuf;        // name of the u-dma-buf device: memory
  // What proves each of kBoardStages; "": not done.
  std::array<std::string, kBoardStages.size()> proofs;
  std::optional<BoardImage> image;

  // What the fabric runs at: the image's clock, or what is asked.
  uint64_t FabricHz() const { return image ? image->clock_hz : clock_hz; }
  std::string FirmwareBin() const { return firmware + ".bin"; }
  std::string FirmwareOverlay() const { return firmware + ".dtbo"; }
};

// |text|, a board.json.
//   errors  kInvalidArgument  not JSON; a key that is missing, unknown, repeated or of another
//                             type; a value that the family or the configuration does not allow
//           kOutOfRange       a number out of its range
//           kNotFound         no such configuration
Result<BoardDescription> ParseBoard(const std::string& text);
std::string BoardToJson(const BoardDescription& board);

// The description at |path|: a file, or a folder with a board.json.
//   errors  ReadFile's and ParseBoard's
Result<BoardDescription> ReadBoard(const std::string& path);

// The boards below |folder| (boards/ of the tree), by name.
//   errors  kNotFound  there is no such folder, or no board in it; and those of ReadBoard
//           kInvalidArgument  a folder and its description have different names
Result<std::vector<BoardDescription>> ReadBoards(const std::string& folder);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_BOARD_BOARD_H_
