// SPDX-License-Identifier: Apache-2.0
//
// Random instructions of profile tessera.
#include "sim/rig/generator.h"

namespace tessera::rig {

using isa::Memory;
using isa::Profile;

int64_t InsnGenerator::Value(const isa::FieldValues& values) {
  if (values.kind == isa::ValuesKind::kRange) return rng_.Range(values.least, values.greatest);
  std::vector<int64_t> all;
  for (int64_t value = 0; value < 32; ++value) {
    if ((values.mask >> value & 1) != 0) all.push_back(value);
  }
  return all[static_cast<size_t>(rng_.Range(0, std::ssize(all) - 1))];
}

isa::Insn InsnGenerator::RandomLoad() {
  const Memory memory = rng_.OneIn(8)
                            ? Memory::kInp  // more often than the others
                            : static_cast<Memory>(Value(isa::LoadedIn(Profile::kTessera)));
  const bool record = memory == Memory::kUop || memory == Memory::kPrm;
  const int64_t bytes = config_.TileBytes(memory);
  const TileWindow& window = WindowOf(memory);
  isa::Load v{.memory = static_cast<int64_t>(memory)};
  v.x_bytes = record || RowOf(memory).whole || !rng_.OneIn(4) ? bytes : rng_.Range(1, bytes);
  v.x_size = rng_.OneIn(16) ? 0 : rng_.Range(1, 6);
  v.y_size = rng_.OneIn(16) ? 0 : rng_.Range(1, 4);
  v.z_size = rng_.OneIn(16) ? 0 : rng_.Range(1, 2);
  if (record) {
    // Steps and bases are multiples of the record size, so records stay whole.
    const int64_t records = memory == Memory::kUop ? uops_ : prm_records_;
    v.segment = memory == Memory::kUop ? 0 : 1;
    v.x_step = bytes * rng_.Range(0, 1), v.y_step = bytes * rng_.Range(0, 2), v.z_step = 0;
    const int64_t span = (v.x_size - 1) * v.x_step + (v.y_size - 1) * v.y_step;
    v.dram_base = bytes * rng_.Range(0, std::max<int64_t>(records - 1 - span / bytes, 0));
    v.sram_base = Pick(window, v.x_size * v.y_size * v.z_size);
    if (memory == Memory::kUop) {  // keeps apart small micro-ops and those with whole indices
      v.sram_base = window.first + v.dram_base / bytes;
      v.x_step = bytes, v.y_step = v.x_size * bytes, v.z_size = std::min<int64_t>(v.z_size, 1);
    }
    return v;
  }
  v.pad_value = rng_.Range(-128, 127);
  if (RowOf(memory).pads && rng_.OneIn(2)) {
    v.x_pad_0 = rng_.Range(0, 2), v.x_pad_1 = rng_.Range(0, 2);
    v.y_pad_0 = rng_.Range(0, 1), v.y_pad_1 = rng_.Range(0, 1);
  }
  constexpr int64_t kSegments[] = {1, 2, 3, 3};
  v.segment = kSegments[rng_.Range(0, 3)];
  // Dense steps, or any steps; windows may overlap.
  v.x_step = rng_.OneIn(2) ? v.x_bytes : rng_.Range(0, 2 * bytes);
  v.y_step = rng_.OneIn(2) ? v.x_size * v.x_step : rng_.Range(0, 600);
  v.z_step = rng_.OneIn(2) ? v.y_size * v.y_step : rng_.Range(0, 900);
  const int64_t span =
      (v.x_size - 1) * v.x_step + (v.y_size - 1) * v.y_step + (v.z_size - 1) * v.z_step + v.x_bytes;
  const int64_t room = static_cast<int64_t>(segments_[v.segment].size) - span;
  v.dram_base = room <= 0       ? 0
                : rng_.OneIn(4) ? room
                : rng_.OneIn(2) ? room / 64 * rng_.Range(0, 64)
                                : rng_.Range(0, room);
  const int64_t tiles =
      v.z_size * (v.y_pad_0 + v.y_size + v.y_pad_1) * (v.x_pad_0 + v.x_size + v.x_pad_1);
  v.sram_base = Pick(window, tiles);
  return v;
}

isa::Insn InsnGenerator::RandomStore() {
  const int64_t bytes = config_.out_tile_bytes();
  isa::Store v{.segment = rng_.OneIn(2) ? 2 : 4,
               .x_bytes = rng_.OneIn(4) ? rng_.Range(1, bytes) : bytes,
               .x_size = rng_.Range(1, 6),
               .y_size = rng_.Range(1, 3),
               .z_size = rng_.Range(1, 2)};
  if (rng_.OneIn(24)) v.y_size = 0;
  // The steps keep tiles apart in device memory.
  v.x_step = v.x_bytes + (rng_.OneIn(2) ? 0 : rng_.Range(0, 2 * bytes));
  v.y_step = v.x_size * v.x_step + (rng_.OneIn(2) ? 0 : rng_.Range(0, 100));
  v.z_step = v.y_size * v.y_step + (rng_.OneIn(2) ? 0 : rng_.Range(0, 100));
  const int64_t span =
      (v.x_size - 1) * v.x_step + (v.y_size - 1) * v.y_step + (v.z_size - 1) * v.z_step + v.x_bytes;
  v.dram_base =
      rng_.Range(0, std::max<int64_t>(static_cast<int64_t>(segments_[v.segment].size) - span, 0));
  v.sram_base = Pick(WindowOf(Memory::kOut), v.x_size * v.y_size * v.z_size);
  return v;
}

isa::Insn InsnGenerator::RandomGemm() {
  isa::Gemm v{.iter_out = Iterations(), .iter_in = Iterations()};
  const TileWindow& window = WindowOf(Memory::kUop);
  const bool whole = rng_.OneIn(3);  // the micro-ops of the second half have whole indices
  const int64_t half = window.count / 2;
  v.uop_count = rng_.OneIn(24) ? 0 : rng_.Range(1, std::min<int64_t>(half, 9));
  v.uop_begin = window.first + (whole ? half : 0) + rng_.Range(0, half - v.uop_count);
  int64_t extent = 0;
  const auto index = [&](Memory memory, int64_t& out, int64_t& in, int64_t& base) {
    const Steps steps = PickSteps(v.iter_out, v.iter_in, WindowOf(memory).count - 8, &extent);
    out = steps.out, in = steps.in;
    base = whole ? rng_.Range(0, std::max<int64_t>(WindowOf(memory).count - 8 - extent, 0))
                 : Pick(WindowOf(memory), extent + 8);
  };
  index(Memory::kAcc, v.dst_out, v.dst_in, v.dst_base);
  index(Memory::kInp, v.src_out, v.src_in, v.src_base);
  index(Memory::kWgt, v.wgt_out, v.wgt_in, v.wgt_base);
  return v;
}

isa::Insn InsnGenerator::RandomDepthwise() {
  isa::Depthwise v{.kh = Value(isa::FieldNamed("Depthwise.kh").values),
                   .kw = Value(isa::FieldNamed("Depthwise.kw").values),
                   .init = rng_.Range(0, 1),
                   .iter_z = Iterations(),
                   .iter_out = Iterations(),
                   .iter_in = Iterations(),
                   .wgt_z = rng_.Range(0, 3)};
  v.iter_z = std::min<int64_t>(v.iter_z, 2);
  v.win_x = rng_.Range(0, 2), v.win_y = rng_.OneIn(4) ? v.win_x : rng_.Range(0, 5);
  v.src_in = rng_.OneIn(2) ? v.win_x : rng_.Range(0, 3);  // equal: the columns of the window slide
  v.src_out = rng_.Range(0, 5), v.src_z = rng_.Range(0, 9);
  v.dst_in = rng_.Range(0, 2), v.dst_out = rng_.Range(0, 4), v.dst_z = rng_.Range(0, 9);
  const auto span = [&](int64_t z, int64_t out, int64_t in) {
    return std::max<int64_t>(v.iter_z - 1, 0) * z + std::max<int64_t>(v.iter_out - 1, 0) * out +
           std::max<int64_t>(v.iter_in - 1, 0) * in + 1;
  };
  v.src_base = Pick(WindowOf(Memory::kInp), span(v.src_z, v.src_out, v.src_in) +
                                                (v.kh - 1) * v.win_y + (v.kw - 1) * v.win_x);
  v.dst_base = Pick(WindowOf(Memory::kAcc), span(v.dst_z, v.dst_out, v.dst_in));
  v.wgt_base = Pick(WindowOf(Memory::kWgt), 3 + 2 * v.wgt_z);
  return v;
}

// Draws the fields that Requant and Add share.
template <typename T>
void InsnGenerator::RandomRescale(T& v) {
  constexpr int64_t kMost = isa::GreatestOf("Requant.multiplier");
  v.round = Value(isa::FieldNamed("Requant.round").values);
  v.src_zero = rng_.Range(-128, 127);
  if (v.dst_mem != 0) {
    v.out_zero = rng_.Range(-128, 127);
    v.lo = rng_.OneIn(2) ? -128 : rng_.Range(-128, 0);
    v.hi = rng_.OneIn(2) ? 127 : rng_.Range(0, 127);
    v.table = rng_.OneIn(4) && config_.Depth(Memory::kTab) != 0 ? 1 : 0;
  }
  v.multiplier = rng_.OneIn(8) ? rng_.Range(0, kMost) : rng_.Range(kMost / 2 + 1, kMost);
  v.shift = rng_.OneIn(8)
                ? rng_.Range(isa::LeastOf("Requant.shift"), isa::GreatestOf("Requant.shift"))
                : rng_.Range(-16, 1);
  v.src_shift =
      rng_.OneIn(4) ? rng_.Range(0, isa::GreatestOf("Requant.src_shift")) : rng_.Range(18, 20);
}

isa::Insn InsnGenerator::RandomRequant() {
  constexpr int64_t kSource[] = {0, 0, 0, 1, 2}, kDestination[] = {1, 1, 1, 2, 0};
  isa::Requant v{.src_mem = kSource[rng_.Range(0, 4)],
                 .dst_mem = kDestination[rng_.Range(0, 4)],
                 .iter_out = Iterations(),
                 .iter_in = Iterations()};
  v.per_tensor = v.src_mem != 0 ? rng_.OneIn(4) ? 0 : 1 : rng_.OneIn(4) ? 1 : 0;
  v.clear = v.src_mem == 0 && v.dst_mem != 0 ? rng_.Range(0, 1) : 0;
  RandomRescale(v);
  if (!v.per_tensor) v.multiplier = v.shift = 0;
  int64_t extent = 0;
  Steps steps = PickSteps(v.iter_out, v.iter_in, WindowOf(v.src_mem).count, &extent);
  v.src_out = steps.out, v.src_in = steps.in, v.src_base = Pick(WindowOf(v.src_mem), extent + 1);
  steps = PickSteps(v.iter_out, v.iter_in, WindowOf(v.dst_mem).count, &extent);
  v.dst_out = steps.out, v.dst_in = steps.in, v.dst_base = Pick(WindowOf(v.dst_mem), extent + 1);
  if (!v.per_tensor) {
    steps = PickSteps(v.iter_out, v.iter_in, WindowOf(Memory::kPrm).count, &extent);
    v.prm_out = steps.out, v.prm_in = steps.in,
    v.prm_base = Pick(WindowOf(Memory::kPrm), extent + 1);
  }
  return v;
}

isa::Insn InsnGenerator::RandomAdd() {
  constexpr int64_t kDestination[] = {1, 1, 2, 0};
  isa::Add v{.src_mem = rng_.Range(1, 2),
             .dst_mem = kDestination[rng_.Range(0, 3)],
             .iter_out = Iterations(),
             .iter_in = Iterations()};
  v.clear = v.dst_mem == 0 ? 0 : rng_.Range(0, 1);
  RandomRescale(v);
  int64_t extent = 0;
  Steps steps = PickSteps(v.iter_out, v.iter_in, WindowOf(v.src_mem).count, &extent);
  v.src_out = steps.out, v.src_in = steps.in, v.src_base = Pick(WindowOf(v.src_mem), extent + 1);
  steps = PickSteps(v.iter_out, v.iter_in,
                    std::min(WindowOf(v.dst_mem).count, WindowOf(Memory::kAcc).count), &extent);
  v.dst_out = steps.out, v.dst_in = steps.in;
  v.dst_base = Pick(WindowOf(v.dst_mem), extent + 1),
  v.acc_base = Pick(WindowOf(Memory::kAcc), extent + 1);
  return v;
}

isa::Insn InsnGenerator::RandomAlu() {
  isa::Alu v{.alu_op = Value(isa::FieldNamed("Alu.alu_op").values),
             .src_mem = Value(isa::FieldNamed("Alu.src_mem").values),
             .init = rng_.Range(0, 1),
             .src_zero = rng_.OneIn(2) ? 0 : rng_.Range(-128, 127),
             .iter_out = Iterations(),
             .iter_in = Iterations(),
             .red_out = rng_.OneIn(2) ? 1 : rng_.Range(1, 3),
             .red_in = rng_.OneIn(2) ? 1 : rng_.Range(1, 3)};
  int64_t extent = 0;
  Steps steps = PickSteps(v.iter_out, v.iter_in, WindowOf(Memory::kAcc).count, &extent);
  v.dst_out = steps.out, v.dst_in = steps.in, v.dst_base = Pick(WindowOf(Memory::kAcc), extent + 1);
  if (v.src_mem == 3) {
    v.imm = rng_.OneIn(2) ? rng_.Range(-40, 40) : static_cast<int32_t>(rng_.Next());
    return v;
  }
  int64_t reduction = 0;
  const Steps red = PickSteps(v.red_out, v.red_in, WindowOf(v.src_mem).count / 2, &reduction);
  steps = PickSteps(v.iter_out, v.iter_in, WindowOf(v.src_mem).count / 2, &extent);
  v.red_out_step = red.out, v.red_in_step = red.in, v.src_out = steps.out, v.src_in = steps.in;
  v.src_base = Pick(WindowOf(v.src_mem), extent + reduction + 1);
  return v;
}

}  // namespace tessera::rig
