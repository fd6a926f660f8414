// SPDX-License-Identifier: Apache-2.0
//
// BoardWindow: the way to a simulated device in another process. Both processes map one file: this
// structure at its beginning, device memory behind it. Registers have side effects that plain
// memory cannot have, so each access is a request and an answer. Depends on nothing. Used
// by: runtime/drivers/zynq (the user), sim/board (the device).
//
//   user     writes |kind|, |offset|, |value|, then adds one to |request|
//   device   does the access, writes |outcome| and |result|, then sets |answer| to |request|
//
// The two sides may be processes of different architectures, or a process and a guest that sees the
// file as the memory of a PCI device: so words are 32 bits, little-endian, and nobody waits in the
// kernel. For the machine's bus the file begins at address 0 and device memory at |memory_offset|,
// so bus addresses differ from device addresses, as on a board.
#ifndef TESSERA_RUNTIME_DEVICE_BOARD_WINDOW_H_
#define TESSERA_RUNTIME_DEVICE_BOARD_WINDOW_H_

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tessera {

enum class BoardRequest : uint32_t {
  kRead = 1,
  kWrite = 2,
  kReload = 3,  // loads the configuration again: scratchpads become zero
};

enum class BoardOutcome : uint32_t {
  kDone = 0,
  kNoAnswer = 1,   // the machine does not answer at that offset
  kAssertion = 2,  // an assertion of the machine failed: |problem|
};

struct BoardWindow {
  static constexpr uint32_t kMagic = 0x57525354;  // "TSRW" in memory order
  static constexpr uint32_t kVersion = 1;
  static constexpr uint32_t kMemoryOffset = 65536;  // a multiple of every page size in use

  std::atomic<uint32_t> magic;  // the device writes it last, when the rest is valid
  uint32_t version;
  uint32_t memory_offset;  // bytes from the beginning of the file
  uint32_t memory_bytes;

  // Written by the user.
  alignas(64) std::atomic<uint32_t> request;
  uint32_t kind;  // enum BoardRequest
  uint32_t offset;
  uint32_t value;

  // Written by the device.
  alignas(64) std::atomic<uint32_t> answer;
  uint32_t outcome;  // enum BoardOutcome
  uint32_t result;
  char problem[256];  // one line, ends with 0
};
static_assert(sizeof(BoardWindow) <= BoardWindow::kMemoryOffset);
static_assert(offsetof(BoardWindow, answer) == 128 && sizeof(BoardWindow) == 448);
static_assert(std::atomic<uint32_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == 4);
static_assert(std::endian::native == std::endian::little);

// While the user uses the device, it holds a lock on this byte of the file, by fcntl(F_OFD_SETLK).
// The lock ends with the process. Nobody outside a guest sees the guest's lock.
inline constexpr int64_t kBoardUserLock = 0;

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_BOARD_WINDOW_H_
