// SPDX-License-Identifier: Apache-2.0
//
// ReloadingPort: a port whose Reset loads the configuration of the fabric again, which is what
// clears a board's scratchpads. Depends on: runtime/device, runtime/board (fabric.h). Used by:
// zynq_device.
//
// While the fabric is programmed nobody may read a register: on a board such a read stops the
// processor. So after a load that failed no register is touched any more until a load has worked.
#ifndef TESSERA_RUNTIME_DRIVERS_ZYNQ_RELOADING_PORT_H_
#define TESSERA_RUNTIME_DRIVERS_ZYNQ_RELOADING_PORT_H_

#include <array>
#include <chrono>
#include <memory>
#include <string>

#include "base/error.h"
#include "runtime/device/register_port.h"

namespace tessera::zynq {

class ReloadingPort : public RegisterPort {
 public:
  // |firmware|.bin of /lib/firmware under |root| is what is loaded at a reset; a load may take
  // |limit|.
  //   errors  those of CanProgramFabric and of |inner|
  static Result<std::unique_ptr<RegisterPort>> Make(
      std::unique_ptr<RegisterPort> inner, std::string root, std::string firmware,
      std::chrono::seconds limit = std::chrono::seconds(60));

  // errors: also kDataLoss the load of the last Reset failed
  Result<uint32_t> Read(uint32_t offset) override;
  Status Write(uint32_t offset, uint32_t value) override;
  Result<WaitOutcome> Wait(uint64_t budget) override;
  void Pause() override { inner_->Pause(); }
  Status SetObserver(RunObserver* observer) override { return inner_->SetObserver(observer); }

  // Ends what runs, loads, and looks whether the machine that answers is the one of before.
  //   errors  kTimeout      the machine stays busy: nothing is loaded under one that uses the bus
  //           kUnavailable  the FPGA manager refuses
  //           kDataLoss     another machine answers, or none
  Status Reset() override;

 private:
  // ID, VERSION and the hash of the configuration.
  using Identity = std::array<uint32_t, 4>;

  ReloadingPort(std::unique_ptr<RegisterPort> inner, std::string root, std::string firmware,
                std::chrono::seconds limit)
      : inner_(std::move(inner)),
        root_(std::move(root)),
        firmware_(std::move(firmware)),
        limit_(limit) {}
  Result<Identity> ReadIdentity();
  Status Load();

  std::unique_ptr<RegisterPort> inner_;
  std::string root_, firmware_;
  std::chrono::seconds limit_;
  Identity identity_ = {};
  bool loaded_ = true;  // the last load worked
};

}  // namespace tessera::zynq

#endif  // TESSERA_RUNTIME_DRIVERS_ZYNQ_RELOADING_PORT_H_
