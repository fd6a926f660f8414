// SPDX-License-Identifier: Apache-2.0
//
// Drivers() of a command that has a wrong machine beside func: `wrong` executes each ALU max as
// min, or has the fault that its option names.
#include <csignal>

#include "isa/encoding.h"
#include "runtime/device/registry.h"
#include "sim/func/func_device.h"

namespace tessera {
namespace {

class WrongDevice : public Device {
 public:
  WrongDevice(std::unique_ptr<Device> right, std::string fault)
      : right_(std::move(right)), fault_(std::move(fault)) {}

  std::string_view name() const override { return "wrong"; }
  const isa::Config& config() const override { return right_->config(); }
  bool has_clock() const override { return false; }
  Result<uint64_t> Allocate(uint64_t bytes, uint64_t align) override {
    return right_->Allocate(bytes, align);
  }
  Status Free(uint64_t address) override { return right_->Free(address); }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) override {
    return right_->Write(address, bytes);
  }
  Status Read(uint64_t address, std::span<uint8_t> bytes) override {
    return right_->Read(address, bytes);
  }
  Status Submit(const Launch& launch) override {
    if (launch.profile == isa::Profile::kTessera) TESSERA_TRY(ChangeCode(launch));
    return right_->Submit(launch);
  }
  Result<RunReport> Wait() override {
    if (stuck_) return Fail(Code::kDeadlock, "deadlock: vector waits for gemm");
    return right_->Wait();
  }
  Status Reset() override { return right_->Reset(); }
  Status SetObserver(RunObserver* observer) override { return right_->SetObserver(observer); }

 private:
  // Changes |insn| by the fault; returns whether it did.
  bool Change(isa::Insn& insn) {
    if (isa::Requant* requant = std::get_if<isa::Requant>(&insn);
        fault_ == "requant" || fault_ == "first") {
      if (requant != nullptr) requant->hi = requant->lo;
      return requant != nullptr;
    }
    isa::Alu* alu = std::get_if<isa::Alu>(&insn);
    if (alu == nullptr || alu->alu_op != static_cast<int64_t>(isa::AluOp::kMax)) return false;
    if (fault_ == "crash") std::raise(SIGSEGV);
    stuck_ |= fault_ == "stuck";
    alu->alu_op = static_cast<int64_t>(isa::AluOp::kMin);
    return true;
  }
  Status ChangeCode(const Launch& launch) {
    if (fault_ == "none") return {};
    stuck_ = false;
    if (first_ == 0) first_ = launch.insn_count;
    if (fault_ == "first" && launch.insn_count != first_) return {};
    for (uint32_t n = 0; n < launch.insn_count; ++n) {
      const uint64_t address = launch.insn_addr + uint64_t{n} * isa::kInsnBytes;
      isa::InsnWord word{};
      const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(word.data()), sizeof word);
      TESSERA_TRY(right_->Read(address, bytes));
      Result<isa::Insn> insn = isa::Decode(word);
      if (!insn || !Change(*insn)) continue;
      TESSERA_ASSIGN(word, isa::Encode(*insn));
      TESSERA_TRY(right_->Write(address, bytes));
    }
    return {};
  }

  std::unique_ptr<Device> right_;
  std::string fault_;
  bool stuck_ = false;
  uint32_t first_ = 0;  // length of the first program that ran
};

}  // namespace

std::span<const Driver> Drivers() {
  static const Driver drivers[] = {
      sim::FuncDriver(),
      {.name = "wrong",
       .what = "func with a fault",
       .options = {{.name = "fault",
                    .kind = OptionKind::kText,
                    .value = "min|stuck|crash|requant|first|none",
                    .fallback = "min",
                    .help = "what ALU max does; requant: REQUANT gives its least; "
                            "first: in the first program alone"}},
       .open = [](const isa::Config& config, uint64_t memory_bytes,
                  const OptionValues& options) -> Result<std::unique_ptr<Device>> {
         TESSERA_ASSIGN(std::unique_ptr<Device> right,
                        sim::MakeFuncDevice(config, {.memory_bytes = memory_bytes}));
         return std::make_unique<WrongDevice>(std::move(right), options.Text("fault"));
       }},
  };
  return drivers;
}

}  // namespace tessera
