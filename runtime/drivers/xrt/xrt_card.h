// SPDX-License-Identifier: Apache-2.0
//
// One opened card: registers and memory of a kernel, in our own types. The implementation with XRT
// (xrt_card.cc) or the one without (no_xrt.cc) is chosen by the build. Depends on: runtime/device
// (MemoryPort), runtime/xclbin. Used by: xrt_device.cc.
#ifndef TESSERA_RUNTIME_DRIVERS_XRT_XRT_CARD_H_
#define TESSERA_RUNTIME_DRIVERS_XRT_XRT_CARD_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/device/memory.h"
#include "runtime/xclbin/machine.h"

namespace tessera {

struct CardRequest {
  std::optional<uint32_t> index;  // none: the first that this process has not opened
  std::string file;               // for messages
  std::vector<uint8_t> xclbin;    // checked: FindKernel found |place|
  xclbin::KernelPlace place;
  std::chrono::milliseconds answer{10000};  // how long one register or transfer may take
};

// Every function: errors
//   kUnavailable  XRT refuses, in its words
//   kDataLoss     a register or transfer failed
//   kTimeout      no answer in time; the card takes no more calls from this process
class XrtCard {
 public:
  virtual ~XrtCard() = default;

  virtual Result<uint32_t> Read(uint32_t offset) = 0;
  virtual Status Write(uint32_t offset, uint32_t value) = 0;

  // Loads the file again, and with it a machine whose memories are fresh.
  virtual Status Reload() = 0;

  // The kernel's interrupt, by xrt::ip::interrupt: lets the next one through; waits for one, which
  // also lets the next one through: whether it came. Registers are the caller's.
  //   errors  EnableInterrupt: kUnsupported  XRT knows of none
  virtual Status EnableInterrupt() = 0;
  virtual Result<bool> AwaitInterrupt(std::chrono::milliseconds limit) = 0;

  // A buffer in the kernel's memory. It goes before the card.
  virtual Result<std::unique_ptr<MemoryPort>> Allocate(uint64_t bytes) = 0;
};

// Opens a card and loads the file.
//   errors  as above, and
//           kUnsupported  this build has no XRT
//           kUnavailable  the card is open in this process already
Result<std::shared_ptr<XrtCard>> OpenCard(const CardRequest& request);

// The cards that XRT finds: "2 cards".
//   errors  kUnsupported  this build has no XRT; kUnavailable: there is no card, or XRT refuses;
//           kTimeout      no answer in time
Result<std::string> CardsHere();

// Whether this build has XRT; kUnsupported and what to install otherwise.
Status HaveXrt();

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DRIVERS_XRT_XRT_CARD_H_
