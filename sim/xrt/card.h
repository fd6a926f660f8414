// SPDX-License-Identifier: Apache-2.0
//
// EmulatedCard: the card behind XRT's software emulation: device memory and, once a machine is
// loaded, the registers of a verilated machine. Depends on: sim/rtl, runtime/device (memory). Used
// by: main.cc, tests.
#ifndef TESSERA_SIM_XRT_CARD_H_
#define TESSERA_SIM_XRT_CARD_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/error.h"
#include "runtime/device/memory.h"
#include "sim/rtl/plugin.h"

namespace tessera::sim {

// The calls that the card supports, with XRT's numbers.
enum class CallCode : uint32_t {
  kClose = 1,
  kLoad = 3,
  kAllocate = 4,
  kFree = 5,
  kPutMemory = 6,
  kGetMemory = 7,
  kPutRegister = 9,
  kGetRegister = 11,
  kSetUp = 28,
};

class EmulatedCard {
 public:
  // Makes a card with |memory_bytes| of memory.
  //   errors  those of HostMemory::Make
  static Result<std::unique_ptr<EmulatedCard>> Make(uint64_t memory_bytes);

  // The answer to one call of XRT. If a real card could refuse the call, the answer says so, and a
  // line on stderr gives the reason.
  //   errors  kUnsupported  the card does not have this call
  //           kDataLoss     |bytes| are not that call
  Result<std::string> Answer(uint32_t code, const std::string& bytes);

  // Whether a program runs. Turn() steps it by 64 cycles; needs running().
  bool running() const { return running_; }
  void Turn();

  bool closed() const { return closed_; }  // XRT has closed the card
  // XRT's folder of this card; "" if not known yet.
  const std::string& folder() const { return folder_; }

 private:
  explicit EmulatedCard(std::unique_ptr<HostMemory> memory) : memory_(std::move(memory)) {}

  // Makes the machine whose configuration is in |bitstream_file|, fresh from reset.
  Status Load(const std::string& bitstream_file);
  void NewMachine();
  // Adds or removes a buffer. An access past the last buffer is a bus error, so a program that
  // leaves its memory is found.
  Status Allocate(uint64_t address, uint64_t size);
  void Free(uint64_t address);
  Status CheckRange(uint64_t address, uint64_t size) const;
  Result<std::string> Memory(CallCode code, const std::string& bytes);
  Result<std::string> Register(CallCode code, const std::string& bytes);

  std::unique_ptr<HostMemory> memory_;
  std::map<uint64_t, uint64_t> buffers_;  // address -> bytes
  std::shared_ptr<RtlPlugin> plugin_;
  isa::DramModel dram_ = isa::DramModel::kTsim;
  std::unique_ptr<RtlMachine> machine_;  // destroyed before plugin_
  bool running_ = false, closed_ = false;
  std::string folder_;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_XRT_CARD_H_
