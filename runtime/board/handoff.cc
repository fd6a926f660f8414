// SPDX-License-Identifier: Apache-2.0
#include "runtime/board/handoff.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr const char* kMachineType = "tessera";  // the module of hw/rtl/tessera.v

// The names of the processing system's cell, and of its parameters for the first clock. PYNQ sets
// that clock from them: |pll| through two dividers of at most 63.
struct SystemFacts {
  const char *type, *vlnv, *enable, *divider0, *divider1, *interrupt;
  double pll;
};
const SystemFacts& FactsOf(const BoardDescription& board) {
  static constexpr SystemFacts kZynqSystem = {"processing_system7",
                                              "xilinx.com:ip:processing_system7:5.5",
                                              "PCW_FPGA_FCLK0_ENABLE",
                                              "PCW_FCLK0_PERIPHERAL_DIVISOR0",
                                              "PCW_FCLK0_PERIPHERAL_DIVISOR1",
                                              "IRQ_F2P",
                                              1e9};
  static constexpr SystemFacts kZynqMpSystem = {"zynq_ultra_ps_e",
                                                "xilinx.com:ip:zynq_ultra_ps_e:3.4",
                                                "PSU__FPGA_PL0_ENABLE",
                                                "PSU__CRL_APB__PL0_REF_CTRL__DIVISOR0",
                                                "PSU__CRL_APB__PL0_REF_CTRL__DIVISOR1",
                                                "pl_ps_irq0",
                                                1.5e9};
  return board.family == BoardFamily::kZynq ? kZynqSystem : kZynqMpSystem;
}

}  // namespace

HwhDesign HandoffOf(const BoardDescription& board) {
  const SystemFacts& facts = FactsOf(board);
  const long total = std::lround(facts.pll / static_cast<double>(board.FabricHz()));
  long second = 1;
  while (total / second > 63) ++second;
  HwhModule system{"ps", "/ps", facts.vlnv, facts.type, {}, {}, {}};
  system.parameters = {{facts.enable, "1"},
                       {facts.divider0, fmt::format("{}", total / second)},
                       {facts.divider1, fmt::format("{}", second)}};
  system.ports = {{facts.interrupt, "machine_interrupt", true}};
  system.ranges = {{"machine", "S_AXI_CONTROL", board.register_base,
                    board.register_base + board.register_bytes - 1}};
  HwhModule machine{"machine", "/machine", "tessera:hw:tessera:1.0", kMachineType, {}, {}, {}};
  machine.parameters = {{"C_M_AXI_GMEM_DATA_WIDTH", fmt::format("{}", board.port_bits)}};
  machine.ports = {{"interrupt", "machine_interrupt", false}};
  const size_t dash = board.part.find('-');
  return {"tessera",
          board.part.substr(0, dash),
          board.image ? board.image->tool : "",
          {system, machine}};
}

Status CheckHandoff(const HwhDesign& design, const BoardDescription& board) {
  const HwhModule* const machine = design.Find(kMachineType);
  const auto count = std::ranges::count(design.modules, kMachineType, &HwhModule::type);
  if (count != 1)
    return Fail(Code::kInvalidArgument, "the hand-off has {} modules of type {}, there must be one",
                count, kMachineType);
  const std::string_view bits = machine->Parameter("C_M_AXI_GMEM_DATA_WIDTH");
  if (bits != fmt::format("{}", board.port_bits))
    return Fail(Code::kInvalidArgument,
                "the machine of the hand-off has a bus of \"{}\" bits, {} has {}", bits, board.name,
                board.port_bits);
  for (const HwhModule& module : design.modules) {
    for (const HwhRange& range : module.ranges) {
      if (range.instance != machine->instance) continue;
      const uint64_t high = board.register_base + board.register_bytes - 1;
      if (range.base == board.register_base && range.high == high) return {};
      return Fail(Code::kInvalidArgument,
                  "the hand-off has the registers at 0x{:x} to 0x{:x}, {} at 0x{:x} to 0x{:x}",
                  range.base, range.high, board.name, board.register_base, high);
    }
  }
  return Fail(Code::kInvalidArgument,
              "the hand-off does not say where the machine's registers are");
}

}  // namespace tessera
