// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/device_base.h"

#include "isa/encoding.h"
#include "runtime/device/record.h"

namespace tessera {

Status CheckLaunch(const Launch& launch, uint64_t memory_bytes) {
  if (launch.insn_count == 0) {
    return Fail(Code::kInvalidArgument, "the stream has no instruction; FINISH is the least");
  }
  if (launch.budget == 0)
    return Fail(Code::kInvalidArgument, "the budget is 0, must be at least 1");
  if (launch.insn_addr % 64 != 0) {
    return Fail(Code::kInvalidArgument, "code address {}, must be a multiple of 64",
                launch.insn_addr);
  }
  const bool vta = launch.profile == isa::Profile::kVta;
  const uint64_t code = uint64_t{launch.insn_count} * (vta ? isa::kVtaInsnBytes : isa::kInsnBytes);
  if (launch.insn_addr > memory_bytes || code > memory_bytes - launch.insn_addr) {
    return Fail(Code::kInvalidArgument, "{} instructions at address {}: device memory has {} bytes",
                launch.insn_count, launch.insn_addr, memory_bytes);
  }
  for (int s = 0; s < isa::kSegments; ++s) {
    if (launch.segments[s].base % 64 != 0) {
      return Fail(Code::kInvalidArgument, "segment {} at address {}, must be a multiple of 64", s,
                  launch.segments[s].base);
    }
  }
  return {};
}

Status DeviceBase::Start(const Launch& /*launch*/, const isa::Fetcher& /*fetcher*/) { return {}; }

Error DeviceBase::AndReset(Error error) {
  if (const Status reset = Reset(); !reset) {
    error.message += "; and the reset after it failed: " + reset.error().message;
  }
  return error;
}

Status DeviceBase::Submit(const Launch& launch) {
  if (launch_) return Fail(Code::kInvalidArgument, "a run is in progress; call Wait first");
  TESSERA_TRY(CheckLaunch(launch, memory_.size()));
  // Kept while the profile stays the same: VTA's layout takes a while to compute.
  if (!fetcher_ || fetcher_->profile() != launch.profile) {
    TESSERA_ASSIGN(fetcher_, isa::Fetcher::Make(launch.profile, config_));
  }
  TESSERA_TRY(RecordLaunch(
      launch, config_, *fetcher_,
      [this](uint64_t address, std::span<uint8_t> bytes) { return memory_.Read(address, bytes); }));
  if (Status started = Start(launch, *fetcher_); !started) {
    return std::unexpected(AndReset(started.error()));
  }
  launch_ = launch;
  return {};
}

Result<RunReport> DeviceBase::Wait() {
  if (!launch_) return Fail(Code::kInvalidArgument, "nothing was submitted");
  const Launch launch = *std::exchange(launch_, std::nullopt);
  Result<RunReport> report = Finish(launch, *fetcher_);
  if (watcher_ != nullptr) watcher_->OnEnd(report ? nullptr : &report.error());
  if (!report) return std::unexpected(AndReset(report.error()));
  return report;
}

Status DeviceBase::Watch(MachineWatcher* watcher) {
  if (watcher == nullptr) return {};
  return Fail(Code::kUnsupported, "{}: its memories cannot be looked at while it runs", name());
}

Status DeviceBase::SetWatcher(MachineWatcher* watcher) {
  TESSERA_TRY(Watch(watcher));
  watcher_ = watcher;
  return {};
}

Status DeviceBase::Reset() {
  launch_.reset();
  return Forget();
}

}  // namespace tessera
