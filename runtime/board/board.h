// SPDX-License-Identifier: Apache-2.0
//
// BoardDescription: a board's folder (boards/NAME) has one description (board.json). The build's
// Tcl variables, the device-tree overlay, `tessera boards` and the checks of `tessera flash` come
// from it. A build leaves a copy with an "image": the files that it made, and the clock that the
// board gives. Depends on: isa. Used by: overlay.h, tools (boards, flash), drivers of boards.
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

// The processing system: it decides ports, interrupt numbers and the kernel's FPGA manager. kEcp5:
// a part without one, behind a serial line, with the memory inside.
enum class BoardFamily : uint8_t { kZynq, kZynqMp, kEcp5 };
std::string_view Text(BoardFamily family);  // "zynq", "zynqmp", "ecp5"

// Where, below a board's root, `tessera flash` leaves the description of the loaded board for the
// drivers; it has the clock that the board's image got.
inline constexpr std::string_view kLoadedBoard = "/lib/firmware/tessera-board.json";

// Whether |name| can be a file, a node of a device tree and an unquoted word of a shell command: 1
// to 64 letters, digits, '-', '_' and '.'.
bool IsPlainName(const std::string& name);

// The stages of work on a board, in their order.
inline constexpr std::array<std::string_view, 5> kBoardStages = {"simulated", "estimated", "routed",
                                                                 "built", "flashed"};

// A file that a build made.
struct BoardFile {
  std::string name;    // without a folder: the file lies beside the description
  uint64_t bytes = 0;  // its size
  uint64_t crc64 = 0;  // Crc64 of its bytes (base/hash.h)
};

// The results of a build, as `tessera boards NAME --collect DIR` writes them.
struct BoardImage {
  BoardFile bitstream;               // the .bit
  std::optional<BoardFile> overlay;  // the .dtbo
  uint64_t config_hash = 0;          // of the configuration whose RTL the bitstream holds
  uint64_t clock_hz = 0;             // the clock that the board gives
  double slack_ns = 0;               // worst setup slack after routing
  std::string tool;                  // "Vivado 2022.1"
};

struct BoardDescription {
  std::string name;    // "pynq-z1": also the name of the folder
  std::string title;   // "Digilent PYNQ-Z1"
  std::string config;  // a named configuration (isa/config.h)
  BoardFamily family = BoardFamily::kZynq;
  std::string part;           // "xc7z020clg400-1", as the vendor's tool names it
  uint32_t idcode = 0;        // of the part, without its revision (bits 28 to 31)
  uint64_t clock_hz = 0;      // wanted for the fabric; a quotient of the system's PLL
  uint64_t memory_bytes = 0;  // device memory: reserved, or kEcp5: block RAM
  // kEcp5 only.
  std::string loader;  // what openFPGALoader calls the board
  uint64_t baud = 0;   // of the serial line
  // The others only, up to udmabuf.
  std::string board_files;     // the name of the vendor's board files; "": none
  double ps_clock_mhz = 0;     // the crystal of the processing system
  std::string port;            // memory port: "S_AXI_HP0"
  int64_t port_bits = 0;       // its data width: bus_bits of the configuration
  int64_t axi = 0;             // 3 or 4
  std::string master;          // master of the registers: "M_AXI_GP0"
  uint64_t register_base = 0;  // byte address for the processor
  uint64_t register_bytes = 0;
  int64_t interrupt = 0;  // shared peripheral interrupt, numbered as in device trees
  std::string firmware;   // stem of the files below /lib/firmware
  std::string uio;        // name of the UIO device: registers and interrupt
  std::string udmabuf;    // name of the u-dma-buf device: memory
  // The proof of each of kBoardStages; "": not done.
  std::array<std::string, kBoardStages.size()> proofs;
  std::optional<BoardImage> image;

  // The clock of the fabric: the image's if there is an image, else the wanted clock.
  uint64_t FabricHz() const { return image ? image->clock_hz : clock_hz; }
  // Whether it has a processing system of its own, which runs Linux.
  bool HasProcessor() const { return family != BoardFamily::kEcp5; }
  std::string FirmwareBin() const { return firmware + ".bin"; }
  std::string FirmwareOverlay() const { return firmware + ".dtbo"; }
};

// Reads |text| as a board.json.
//   errors  kInvalidArgument  not JSON; a missing, unknown or repeated key, or one of another type;
//                             a value that the family or the configuration does not allow
//           kOutOfRange       a number out of its range
//           kNotFound         no such configuration
Result<BoardDescription> ParseBoard(const std::string& text);
std::string BoardToJson(const BoardDescription& board);

// Reads the description at |path|: a file, or a folder with a board.json.
//   errors  those of ReadFile and ParseBoard
Result<BoardDescription> ReadBoard(const std::string& path);

// Reads the boards below |folder| (boards/ of the tree), sorted by name.
//   errors  kNotFound         no such folder, or no board in it
//           kInvalidArgument  a folder and its description have different names
//           others            as ReadBoard
Result<std::vector<BoardDescription>> ReadBoards(const std::string& folder);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_BOARD_BOARD_H_
