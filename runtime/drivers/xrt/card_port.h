// SPDX-License-Identifier: Apache-2.0
//
// The registers and the interrupt of an opened card as a RegisterPort. Depends on: xrt_card.h,
// runtime/device. Used by: xrt_device.cc, tests with a card of their own.
#ifndef TESSERA_RUNTIME_DRIVERS_XRT_CARD_PORT_H_
#define TESSERA_RUNTIME_DRIVERS_XRT_CARD_PORT_H_

#include <memory>
#include <utility>

#include "runtime/device/interrupt_port.h"
#include "runtime/drivers/xrt/xrt_card.h"

namespace tessera {

class CardPort : public InterruptPort {
 public:
  CardPort(std::shared_ptr<XrtCard> card, InterruptUse use)
      : InterruptPort(use, "xrt",
                      "was the kernel linked with its interrupt, and does dmesg tell of one?"),
        card_(std::move(card)) {}
  ~CardPort() override { Disarm(); }

  Result<uint32_t> Read(uint32_t offset) override { return card_->Read(offset); }
  Status Write(uint32_t offset, uint32_t value) override { return card_->Write(offset, value); }

  // Ends the run first: a machine must not use the bus while a file loads.
  Status Reset() override {
    TESSERA_TRY(RegisterPort::Reset());
    return card_->Reload();
  }

 private:
  Status LetThrough() override { return card_->EnableInterrupt(); }
  Result<bool> Take(std::chrono::milliseconds limit) override {
    return card_->AwaitInterrupt(limit);
  }

  std::shared_ptr<XrtCard> card_;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DRIVERS_XRT_CARD_PORT_H_
