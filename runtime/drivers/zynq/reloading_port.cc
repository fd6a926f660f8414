// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/zynq/reloading_port.h"

#include <utility>

#include "isa/regs.h"
#include "runtime/board/fabric.h"

namespace tessera::zynq {
namespace {

namespace reg = isa::reg;

}  // namespace

Result<std::unique_ptr<RegisterPort>> ReloadingPort::Make(std::unique_ptr<RegisterPort> inner,
                                                          std::string root, std::string firmware,
                                                          std::chrono::seconds limit) {
  TESSERA_TRY(CanProgramFabric(root, firmware));
  std::unique_ptr<ReloadingPort> port(
      new ReloadingPort(std::move(inner), std::move(root), std::move(firmware), limit));
  TESSERA_ASSIGN(port->identity_, port->ReadIdentity());
  return port;
}

Result<ReloadingPort::Identity> ReloadingPort::ReadIdentity() {
  Identity words;
  constexpr uint32_t kOffsets[] = {reg::kId, reg::kVersion, reg::kConfigHashLo, reg::kConfigHashHi};
  for (size_t i = 0; i < words.size(); ++i) {
    TESSERA_ASSIGN(words[i], inner_->Read(kOffsets[i]));
  }
  return words;
}

Result<uint32_t> ReloadingPort::Read(uint32_t offset) {
  if (loaded_) return inner_->Read(offset);
  return Fail(
      Code::kDataLoss,
      "{}.bin was not loaded by the reset before, so that no register is read: reset again, "
      "or `tessera flash`",
      firmware_);
}

Status ReloadingPort::Write(uint32_t offset, uint32_t value) {
  if (loaded_) return inner_->Write(offset, value);
  const auto refused = Read(offset);
  return std::unexpected(refused.error());
}

Result<WaitOutcome> ReloadingPort::Wait(uint64_t budget) {
  if (loaded_) return inner_->Wait(budget);
  const auto refused = Read(reg::kStatus);
  return std::unexpected(refused.error());
}

Status ReloadingPort::Load() {
  TESSERA_TRY(ProgramFabric(root_, firmware_, limit_));
  TESSERA_ASSIGN(const Identity now, ReadIdentity());
  if (now == identity_) return {};
  return Fail(Code::kDataLoss,
              "another machine than before answers (ID {:08x}, VERSION {:08x}, configuration hash "
              "{:08x}{:08x})",
              now[0], now[1], now[3], now[2]);
}

Status ReloadingPort::Reset() {
  if (loaded_) TESSERA_TRY(RegisterPort::Reset());
  const Status loaded = Load();
  loaded_ = loaded.has_value();
  if (loaded) return {};
  return Fail(
      loaded.error().code,
      "a reset by loading {}.bin again failed: {}; the fabric holds no machine in use: reset "
      "again, or `tessera flash`",
      firmware_, loaded.error().message);
}

}  // namespace tessera::zynq
