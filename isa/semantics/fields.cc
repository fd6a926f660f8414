// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/fields.h"

namespace tessera::isa {
namespace {

template <typename... Args>
Stop Illegal(fmt::format_string<Args...> format, Args&&... args) {
  return StopWith(MachineError::kIllegalField, format, std::forward<Args>(args)...);
}

Stop CheckRange(std::string_view field, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return {};
  return Illegal("{} is {}, must be {} to {}", field, value, low, high);
}

// VECTOR operands that are tiles, not the immediate.
Stop CheckTileMemory(std::string_view field, int64_t value) {
  if (value != static_cast<int64_t>(VectorMemory::kImm)) return {};
  return Illegal("{} is imm, must be acc, out or inp", field);
}

// What Requant and Add share.
template <typename T>
Stop CheckRescale(const T& insn) {
  if (Stop stop = CheckTileMemory("src_mem", insn.src_mem)) return stop;
  if (Stop stop = CheckTileMemory("dst_mem", insn.dst_mem)) return stop;
  if (Stop stop = CheckRange("round", insn.round, 0, static_cast<int64_t>(Round::kHalfUp)))
    return stop;
  return CheckRange("shift", insn.shift, -31, 31);
}

Stop Check(const Load& load, const Config& config) {
  const Memory memory = static_cast<Memory>(load.memory);
  if (load.memory >= kMemories || memory == Memory::kAcc8) {
    return Illegal("memory is {}, must be uop, wgt, inp, acc, out or prm", load.memory);
  }
  const int64_t tile_bytes = config.TileBytes(memory);
  const bool whole = memory == Memory::kUop || memory == Memory::kPrm || memory == Memory::kAcc;
  if (Stop stop = CheckRange("x_bytes", load.x_bytes, whole ? tile_bytes : 1, tile_bytes))
    return stop;
  const bool padded = load.x_pad_0 || load.x_pad_1 || load.y_pad_0 || load.y_pad_1;
  if (padded && (memory == Memory::kUop || memory == Memory::kPrm)) {
    return Illegal("a load of {} has pads, which that memory does not take", Text(memory));
  }
  return {};
}

Stop Check(const Store& store, const Config& config) {
  return CheckRange("x_bytes", store.x_bytes, 1, config.out_tile_bytes());
}

Stop Check(const Gemm&, const Config&) { return {}; }

Stop Check(const Depthwise& insn, const Config&) {
  if (Stop stop = CheckRange("kh", insn.kh, 1, 3)) return stop;
  return CheckRange("kw", insn.kw, 1, 3);
}

Stop Check(const Requant& insn, const Config&) { return CheckRescale(insn); }

Stop Check(const Add& insn, const Config&) {
  if (insn.src_mem == static_cast<int64_t>(VectorMemory::kAcc))
    return Illegal("src_mem is acc, must be out or inp");
  return CheckRescale(insn);
}

Stop Check(const Alu& insn, const Config&) {
  if (Stop stop = CheckRange("alu_op", insn.alu_op, 0, static_cast<int64_t>(AluOp::kMov)))
    return stop;
  if (Stop stop = CheckRange("red_out", insn.red_out, 1, 4095)) return stop;
  return CheckRange("red_in", insn.red_in, 1, 4095);
}

Stop Check(const Sync&, const Config&) { return {}; }
Stop Check(const Finish&, const Config&) { return {}; }

Stop Check(const VtaLoad& load, const Config&) {
  const Memory memory = static_cast<Memory>(load.memory_type);
  if (load.memory_type <= static_cast<int64_t>(Memory::kAcc8) && memory != Memory::kOut) return {};
  return Illegal("memory_type is {}, must be uop, wgt, inp, acc or acc8", load.memory_type);
}
Stop Check(const VtaStore& store, const Config&) {
  // A store that only moves tokens may carry any memory id: VTA's runtime makes such.
  if (store.x_size == 0 || store.memory_type == static_cast<int64_t>(Memory::kOut)) return {};
  return Illegal("memory_type is {}, must be out", store.memory_type);
}
Stop Check(const VtaGemm&, const Config&) { return {}; }
Stop Check(const VtaFinish&, const Config&) { return {}; }
Stop Check(const VtaAlu& insn, const Config&) {
  return CheckRange("alu_opcode", insn.alu_opcode, 0, static_cast<int64_t>(AluOp::kMul));
}

}  // namespace

Stop CheckTokens(const Insn& insn) {
  if (const Finish* finish = std::get_if<Finish>(&insn)) {
    if (finish->pop == 0 && finish->push == 0) return {};
    return Illegal("finish has tokens (pop {}, push {}), it belongs to no unit", finish->pop,
                   finish->push);
  }
  const Unit unit = UnitOf(insn);
  const int64_t own = int64_t{1} << static_cast<int>(unit);
  return std::visit(
      [&](const auto& one) -> Stop {
        if (((one.pop | one.push) & own) == 0) return {};
        return Illegal("unit {} pops from or pushes to itself", Text(unit));
      },
      insn);
}

Stop CheckTokens(const VtaInsn& insn) {
  bool has_prev = true, has_next = true;
  if (const VtaLoad* load = std::get_if<VtaLoad>(&insn)) {
    const Memory memory = static_cast<Memory>(load->memory_type);
    has_prev = memory != Memory::kInp && memory != Memory::kWgt;
  }
  if (std::holds_alternative<VtaStore>(insn)) has_next = false;
  return std::visit(
      [&](const auto& one) -> Stop {
        if (!has_prev && (one.pop_prev || one.push_prev))
          return Illegal("load has no stage before it to token with");
        if (!has_next && (one.pop_next || one.push_next))
          return Illegal("store has no stage after it to token with");
        return {};
      },
      insn);
}

Stop CheckFields(const Insn& insn, const Config& config) {
  return std::visit([&](const auto& one) { return Check(one, config); }, insn);
}

Stop CheckFields(const VtaInsn& insn, const Config& config) {
  return std::visit([&](const auto& one) { return Check(one, config); }, insn);
}

}  // namespace tessera::isa
