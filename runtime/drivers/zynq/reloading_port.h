// SPDX-License-Identifier: Apache-2.0
//
// ReloadingPort: a port whose Reset loads the configuration of the fabric again, because only that
// clears a board's scratchpads. Depends on: runtime/device, runtime/board (fabric.h). Used by:
// zynq_device.
//
// While the manager programs the fabric nobody may read a register: on a board such a read stops
// the processor. So after a failed load this port touches no register until a load has worked.
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
  // A reset loads |firmware|.bin of /lib/firmware under |root|; a load may take |limit|.
  //   errors  those of CanProgramFabric and of |inner|
  static Result<std::unique_ptr<RegisterPort>> Make(
      std::unique_ptr<RegisterPort> inner, std::string root, std::string firmware,
      std::chrono::seconds limit = std::chrono::seconds(60));

  // errors: also kDataLoss if the load of the last Reset failed
  Result<uint32_t> Read(uint32_t offset) override;
  Status Write(uint32_t offset, uint32_t value) override;
  Result<WaitOutcome> Wait(uint64_t budget) override;
  void Pause() override { inner_->Pause(); }
  Status SetObserver(RunObserver* observer) override { return inner_->SetObserver(observer); }

  // Ends the run, loads the file, and checks that the machine that answers is the same as before.
  //   errors  kTimeout      the machine stays busy; a load must not happen while it uses the bus
  //           kUnavailable  the FPGA manager rejects the file
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
