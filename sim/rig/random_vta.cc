// SPDX-License-Identifier: Apache-2.0
//
// Random instructions of profile vta.
#include "sim/rig/generator.h"

namespace tessera::rig {

using isa::Memory;

isa::VtaLoad InsnGenerator::RandomVtaLoad(Memory memory) {
  isa::VtaLoad v{.memory_type = static_cast<int64_t>(memory),
                 .y_size = rng_.Range(1, 3),
                 .x_size = rng_.Range(1, 6)};
  const TileWindow& window = WindowOf(memory);
  v.x_stride = rng_.OneIn(2) ? v.x_size : rng_.Range(0, 12);
  const int64_t there = static_cast<int64_t>(segments_[v.memory_type].size) /
                        config_.TileBytes(memory, isa::Profile::kVta);
  if (memory == Memory::kUop) {  // each micro-op stays at its own place
    v.x_stride = v.x_size;
    v.dram_base = rng_.Range(0, there - 1);
    v.sram_base = window.first + v.dram_base;
    return v;
  }
  if (rng_.OneIn(2)) {
    v.x_pad_0 = rng_.Range(0, 2), v.x_pad_1 = rng_.Range(0, 2), v.y_pad_0 = rng_.Range(0, 1),
    v.y_pad_1 = rng_.Range(0, 1);
  }
  if (rng_.OneIn(16)) v.x_size = 0;
  if (rng_.OneIn(16)) v.y_size = 0;
  const int64_t span = (v.y_size - 1) * v.x_stride + v.x_size;
  v.dram_base = rng_.Range(0, std::max<int64_t>(there - span, 0));
  v.sram_base =
      Pick(window, (v.y_pad_0 + v.y_size + v.y_pad_1) * (v.x_pad_0 + v.x_size + v.x_pad_1));
  return v;
}

isa::VtaInsn InsnGenerator::RandomVta() {
  constexpr Memory kLoads[] = {Memory::kInp, Memory::kInp,  Memory::kWgt,
                               Memory::kAcc, Memory::kAcc8, Memory::kUop};
  const int64_t half = uops_ / 2;
  const int64_t first = WindowOf(Memory::kUop).first;
  int64_t extent = 0;
  const auto loops = [&](auto& v, Memory source) {
    v.iter_out = Iterations(), v.iter_in = Iterations();
    Steps steps = PickSteps(v.iter_out, v.iter_in, WindowOf(Memory::kAcc).count - 8, &extent);
    v.dst_factor_out = steps.out, v.dst_factor_in = steps.in;
    steps = PickSteps(v.iter_out, v.iter_in, WindowOf(source).count - 8, &extent);
    v.src_factor_out = steps.out, v.src_factor_in = steps.in;
  };
  switch (rng_.Range(0, 9)) {
    case 0:
    case 1:
    case 2:
      return RandomVtaLoad(kLoads[rng_.Range(0, 5)]);
    case 3:
    case 4:
    case 5: {
      isa::VtaGemm v{.reset_reg = rng_.OneIn(5) ? 1 : 0,
                     .uop_bgn = first + rng_.Range(0, half - 1)};
      v.uop_end = std::min(v.uop_bgn + rng_.Range(0, 9), first + half);
      loops(v, Memory::kInp);
      const Steps steps =
          PickSteps(v.iter_out, v.iter_in, WindowOf(Memory::kWgt).count - 8, &extent);
      v.wgt_factor_out = steps.out, v.wgt_factor_in = steps.in;
      return v;
    }
    case 6:
    case 7: {
      isa::VtaAlu v{.reset_reg = rng_.OneIn(8) ? 1 : 0,
                    .uop_bgn = first + half + rng_.Range(0, half - 1)};
      v.uop_end = std::min(v.uop_bgn + rng_.Range(0, 6), first + uops_);
      loops(v, Memory::kAcc);
      v.alu_opcode = Value(isa::VtaFieldNamed("VtaAlu.alu_opcode").values),
      v.use_imm = rng_.Range(0, 1);
      v.imm = !v.use_imm ? 0 : rng_.OneIn(2) ? rng_.Range(-40, 40) : rng_.Range(-32768, 32767);
      return v;
    }
    default: {
      isa::VtaStore v{.memory_type = 4, .y_size = rng_.Range(1, 3), .x_size = rng_.Range(1, 6)};
      v.x_stride = v.x_size + rng_.Range(0, 4);
      v.dram_base = rng_.Range(0, 128 - v.y_size * v.x_stride);
      v.sram_base = Pick(WindowOf(Memory::kAcc), v.y_size * v.x_size);
      if (rng_.OneIn(16)) v.x_size = 0;
      return v;
    }
  }
}

}  // namespace tessera::rig
