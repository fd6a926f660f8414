// SPDX-License-Identifier: Apache-2.0
//
// XrtCard: one opened card, that is, the registers and memory of a kernel in our own types. The
// build picks the implementation with XRT (xrt_card.cc) or without (no_xrt.cc). Depends on:
// runtime/device (MemoryPort), runtime/xclbin. Used by: xrt_device.cc.
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
  std::optional<uint32_t> index;  // none: the first card that this process has not opened
  std::string file;               // for messages
  std::vector<uint8_t> xclbin;    // checked: FindKernel found |place|
  xclbin::KernelPlace place;
  std::chrono::milliseconds answer{10000};  // how long one register or transfer may take
};

// Errors of every function:
//   kUnavailable  XRT rejects the call, in its words
//   kDataLoss     a register access or transfer failed
//   kTimeout      no answer in time; the card takes no more calls from this process
class XrtCard {
 public:
  virtual ~XrtCard() = default;

  virtual Result<uint32_t> Read(uint32_t offset) = 0;
  virtual Status Write(uint32_t offset, uint32_t value) = 0;

  // Loads the file again; the new machine has fresh memories.
  virtual Status Reload() = 0;

  // The kernel's interrupt, by xrt::ip::interrupt. EnableInterrupt lets the next one through.
  // AwaitInterrupt waits for one and then lets the next one through; true if one came. The caller
  // sets the registers.
  //   errors  EnableInterrupt: kUnsupported  XRT knows no interrupt
  virtual Status EnableInterrupt() = 0;
  virtual Result<bool> AwaitInterrupt(std::chrono::milliseconds limit) = 0;

  // A buffer in the kernel's memory. Destroy it before the card.
  virtual Result<std::unique_ptr<MemoryPort>> Allocate(uint64_t bytes) = 0;
};

// Opens a card and loads the file.
//   errors  those of XrtCard, and
//           kUnsupported  this build has no XRT
//           kUnavailable  the card is open in this process already
Result<std::shared_ptr<XrtCard>> OpenCard(const CardRequest& request);

// How many cards XRT finds: "2 cards".
//   errors  kUnsupported  this build has no XRT; kUnavailable: no card, or an error of XRT;
//           kTimeout      no answer in time
Result<std::string> CardsHere();

// Whether this build has XRT; else kUnsupported with what to install.
Status HaveXrt();

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DRIVERS_XRT_XRT_CARD_H_
