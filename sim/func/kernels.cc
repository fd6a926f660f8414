// SPDX-License-Identifier: Apache-2.0
#include "sim/func/kernels.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "isa/semantics/execute.h"

namespace tessera::sim {
namespace {

using isa::MachineState;
using isa::Memory;
using isa::VectorMemory;

constexpr int64_t kMaxLanes = 256;  // most lanes of a tile: the buffers on the stack hold so many

// The greatest index of base + o * out + i * in.
int64_t Last(int64_t base, int64_t iter_out, int64_t out, int64_t iter_in, int64_t in) {
  return base + (iter_out - 1) * out + (iter_in - 1) * in;
}

// --- GEMM ---

// The loop counts, bases and steps of a GEMM of either profile.
struct GemmLoops {
  int64_t iter_out, iter_in;
  int64_t dst_base, dst_out, dst_in, src_base, src_out, src_in, wgt_base, wgt_out, wgt_in;
};

bool RunGemm(const GemmLoops& v, std::span<const isa::Uop> uops, MachineState& m,
             const TileKernels& kernels) {
  isa::Uop most;
  for (const isa::Uop& u : uops) {
    most.dst = std::max(most.dst, u.dst), most.src = std::max(most.src, u.src),
    most.wgt = std::max(most.wgt, u.wgt);
  }
  if (Last(v.dst_base + most.dst, v.iter_out, v.dst_out, v.iter_in, v.dst_in) >=
          m.Depth(Memory::kAcc) ||
      Last(v.src_base + most.src, v.iter_out, v.src_out, v.iter_in, v.src_in) >=
          m.Depth(Memory::kInp) ||
      Last(v.wgt_base + most.wgt, v.iter_out, v.wgt_out, v.iter_in, v.wgt_in) >=
          m.Depth(Memory::kWgt)) {
    return false;
  }
  const int64_t batch = m.config.batch, block = m.config.block_out, lanes = m.config.lanes();
  for (int64_t o = 0; o < v.iter_out; ++o) {
    for (int64_t i = 0; i < v.iter_in; ++i) {
      int32_t* acc = m.acc.data() + (v.dst_base + o * v.dst_out + i * v.dst_in) * lanes;
      const int8_t* inp = m.inp.data() + (v.src_base + o * v.src_out + i * v.src_in) * lanes;
      const int8_t* wgt =
          m.wgt.data() + (v.wgt_base + o * v.wgt_out + i * v.wgt_in) * block * block;
      for (const isa::Uop& u : uops) {
        kernels.gemm_tile(inp + u.src * lanes, wgt + u.wgt * block * block, acc + u.dst * lanes,
                          batch, block, u.init != 0);
      }
    }
  }
  return true;
}

bool Run(const isa::Gemm& v, MachineState& m, const TileKernels& kernels) {
  if (m.config.block_out % 16 != 0) return false;
  if (v.iter_out == 0 || v.iter_in == 0) return true;
  std::vector<isa::Uop> uops(v.uop_count);
  for (int64_t u = 0; u < v.uop_count; ++u) {
    if (ReadUop(m, v.uop_begin + u, &uops[u])) return false;
  }
  return RunGemm({v.iter_out, v.iter_in, v.dst_base, v.dst_out, v.dst_in, v.src_base, v.src_out,
                  v.src_in, v.wgt_base, v.wgt_out, v.wgt_in},
                 uops, m, kernels);
}

bool Run(const isa::VtaGemm& v, MachineState& m, const TileKernels& kernels) {
  if (m.config.block_out % 16 != 0 || v.reset_reg) return false;
  if (v.iter_out == 0 || v.iter_in == 0) return true;
  std::vector<isa::Uop> uops;
  for (int64_t u = v.uop_bgn; u < v.uop_end; ++u) {
    isa::VtaUop uop;
    if (ReadVtaUop(m, u, &uop)) return false;
    uops.push_back({uop.dst_idx, uop.src_idx, uop.wgt_idx, 0});
  }
  return RunGemm({v.iter_out, v.iter_in, 0, v.dst_factor_out, v.dst_factor_in, 0, v.src_factor_out,
                  v.src_factor_in, 0, v.wgt_factor_out, v.wgt_factor_in},
                 uops, m, kernels);
}

// --- DEPTHWISE ---

bool Run(const isa::Depthwise& v, MachineState& m, const TileKernels& kernels) {
  if (v.iter_z == 0 || v.iter_out == 0 || v.iter_in == 0) return true;
  const int64_t block = m.config.block_out, lanes = m.config.lanes(), taps = v.kh * v.kw;
  const int64_t last_z = v.iter_z - 1;
  const int64_t window = (v.kh - 1) * v.win_y + (v.kw - 1) * v.win_x;
  if (Last(v.dst_base + last_z * v.dst_z, v.iter_out, v.dst_out, v.iter_in, v.dst_in) >=
          m.Depth(Memory::kAcc) ||
      Last(v.src_base + last_z * v.src_z + window, v.iter_out, v.src_out, v.iter_in, v.src_in) >=
          m.Depth(Memory::kInp) ||
      v.wgt_base + last_z * v.wgt_z + CeilDiv(taps, block) > m.Depth(Memory::kWgt)) {
    return false;
  }
  std::vector<int8_t> rows(taps * block);
  for (int64_t z = 0; z < v.iter_z; ++z) {
    // WGT holds the taps of one channel side by side; the kernel needs the channels of one tap side
    // by side.
    const int8_t* tiles = m.wgt.data() + (v.wgt_base + z * v.wgt_z) * block * block;
    for (int64_t t = 0; t < taps; ++t) {
      const int8_t* column = tiles + t / block * block * block + t % block;
      for (int64_t c = 0; c < block; ++c) rows[t * block + c] = column[c * block];
    }
    for (int64_t o = 0; o < v.iter_out; ++o) {
      for (int64_t i = 0; i < v.iter_in; ++i) {
        int32_t* acc =
            m.acc.data() + (v.dst_base + z * v.dst_z + o * v.dst_out + i * v.dst_in) * lanes;
        const int8_t* inp =
            m.inp.data() + (v.src_base + z * v.src_z + o * v.src_out + i * v.src_in) * lanes;
        if (v.init) std::memset(acc, 0, lanes * sizeof *acc);
        for (int64_t t = 0; t < taps; ++t) {
          const int64_t tile = t / v.kw * v.win_y + t % v.kw * v.win_x;
          kernels.depthwise_tap(inp + tile * lanes, &rows[t * block], acc, m.config.batch, block);
        }
      }
    }
  }
  return true;
}

// --- VECTOR ---

// Reads the lanes of a source tile into |a|, as isa::VectorRead does.
void ReadTile(const MachineState& m, int64_t memory, int64_t tile, int64_t zero, int64_t left,
              int32_t* a) {
  const int64_t lanes = m.config.lanes();
  if (static_cast<VectorMemory>(memory) == VectorMemory::kAcc) {
    std::memcpy(a, m.acc.data() + tile * lanes, lanes * sizeof *a);
    return;
  }
  const bool out = static_cast<VectorMemory>(memory) == VectorMemory::kOut;
  const int8_t* q = (out ? m.out : m.inp).data() + tile * lanes;
  const int32_t base = static_cast<int32_t>(zero);
  for (int64_t l = 0; l < lanes; ++l)
    a[l] = static_cast<int32_t>(static_cast<uint32_t>(q[l] - base) << left);
}

// Writes the lanes |y| to a destination tile, as isa::VectorWrite does. |v|: a Requant or an Add.
void WriteTile(const auto& v, MachineState& m, int64_t tile, const int32_t* y) {
  const int64_t lanes = m.config.lanes();
  if (static_cast<VectorMemory>(v.dst_mem) == VectorMemory::kAcc) {
    std::memcpy(m.acc.data() + tile * lanes, y, lanes * sizeof *y);
    return;
  }
  const bool out = static_cast<VectorMemory>(v.dst_mem) == VectorMemory::kOut;
  int8_t* q = (out ? m.out : m.inp).data() + tile * lanes;
  // Limits on y, not on y + zero, keep the values in 32 bits: the limits are within 256 of zero.
  const int32_t base = static_cast<int32_t>(v.out_zero), low = static_cast<int32_t>(v.lo) - base,
                high = static_cast<int32_t>(v.hi) - base;
  for (int64_t l = 0; l < lanes; ++l)
    q[l] = static_cast<int8_t>((y[l] < low ? low : y[l] > high ? high : y[l]) + base);
  isa::LookUp(v, m, {q, static_cast<size_t>(lanes)});
}

// The parameters of every lane. A record of PRM applies to each row of the batch.
struct LaneParameters {
  std::array<int32_t, kMaxLanes> bias, multiplier, shift;
  void Set(int64_t lanes, int64_t same_multiplier, int64_t same_shift) {
    std::fill_n(bias.begin(), lanes, 0);
    std::fill_n(multiplier.begin(), lanes, static_cast<int32_t>(same_multiplier));
    std::fill_n(shift.begin(), lanes, static_cast<int32_t>(same_shift));
  }
  void Read(const MachineState& m, int64_t record) {
    constexpr int64_t kBias = RecordOffset(isa::RecordFieldOf(isa::Memory::kPrm, "bias"));
    constexpr int64_t kMultiplier =
        RecordOffset(isa::RecordFieldOf(isa::Memory::kPrm, "multiplier"));
    constexpr int64_t kShift = RecordOffset(isa::RecordFieldOf(isa::Memory::kPrm, "shift"));
    const int64_t channels = m.config.block_out;
    const uint8_t* bytes = &m.prm[record * m.config.prm_tile_bytes()];
    for (int64_t first = 0; first < m.config.lanes(); first += channels) {
      std::memcpy(&bias[first], bytes + kBias * channels, sizeof(int32_t) * channels);
      std::memcpy(&multiplier[first], bytes + kMultiplier * channels, sizeof(int32_t) * channels);
      for (int64_t c = 0; c < channels; ++c)
        shift[first + c] = static_cast<int8_t>(bytes[kShift * channels + c]);
    }
  }
};

bool Inside(const MachineState& m, int64_t vector_memory, int64_t last) {
  return last < m.Depth(isa::MemoryOf(static_cast<VectorMemory>(vector_memory)));
}

bool Run(const isa::Requant& v, MachineState& m, const TileKernels& kernels) {
  const int64_t lanes = m.config.lanes();
  if (lanes > kMaxLanes || v.lo > v.hi) return false;
  if (v.iter_out == 0 || v.iter_in == 0) return true;
  if (!Inside(m, v.src_mem, Last(v.src_base, v.iter_out, v.src_out, v.iter_in, v.src_in)) ||
      !Inside(m, v.dst_mem, Last(v.dst_base, v.iter_out, v.dst_out, v.iter_in, v.dst_in)) ||
      (!v.per_tensor &&
       Last(v.prm_base, v.iter_out, v.prm_out, v.iter_in, v.prm_in) >= m.Depth(Memory::kPrm))) {
    return false;
  }
  const bool clear = v.clear && static_cast<VectorMemory>(v.src_mem) == VectorMemory::kAcc;
  std::array<int32_t, kMaxLanes> a, y;
  LaneParameters p;
  if (v.per_tensor) p.Set(lanes, v.multiplier, v.shift);
  int64_t record = -1;  // the record in |p|
  for (int64_t o = 0; o < v.iter_out; ++o) {
    for (int64_t i = 0; i < v.iter_in; ++i) {
      const int64_t src = v.src_base + o * v.src_out + i * v.src_in;
      const int64_t prm = v.prm_base + o * v.prm_out + i * v.prm_in;
      if (!v.per_tensor && prm != record) p.Read(m, record = prm);
      ReadTile(m, v.src_mem, src, v.src_zero, v.src_shift, a.data());
      kernels.rescale({a.data(), p.bias.data(), p.multiplier.data(), p.shift.data(), y.data(),
                       lanes, static_cast<isa::Round>(v.round)});
      if (clear) std::memset(m.acc.data() + src * lanes, 0, lanes * sizeof(int32_t));
      WriteTile(v, m, v.dst_base + o * v.dst_out + i * v.dst_in, y.data());
    }
  }
  return true;
}

bool Run(const isa::Add& v, MachineState& m, const TileKernels& kernels) {
  const int64_t lanes = m.config.lanes();
  if (lanes > kMaxLanes || v.lo > v.hi) return false;
  if (v.iter_out == 0 || v.iter_in == 0) return true;
  if (!Inside(m, v.src_mem, Last(v.src_base, v.iter_out, v.src_out, v.iter_in, v.src_in)) ||
      !Inside(m, v.dst_mem, Last(v.dst_base, v.iter_out, v.dst_out, v.iter_in, v.dst_in)) ||
      Last(v.acc_base, v.iter_out, v.dst_out, v.iter_in, v.dst_in) >= m.Depth(Memory::kAcc)) {
    return false;
  }
  std::array<int32_t, kMaxLanes> a, y;
  LaneParameters p;
  p.Set(lanes, v.multiplier, v.shift);
  for (int64_t o = 0; o < v.iter_out; ++o) {
    for (int64_t i = 0; i < v.iter_in; ++i) {
      const int64_t step = o * v.dst_out + i * v.dst_in;
      int32_t* acc = m.acc.data() + (v.acc_base + step) * lanes;
      ReadTile(m, v.src_mem, v.src_base + o * v.src_out + i * v.src_in, v.src_zero, v.src_shift,
               a.data());
      // ADD takes the accumulator in the place of the bias of REQUANT.
      kernels.rescale({a.data(), acc, p.multiplier.data(), p.shift.data(), y.data(), lanes,
                       static_cast<isa::Round>(v.round)});
      if (v.clear) std::memset(acc, 0, lanes * sizeof *acc);
      WriteTile(v, m, v.dst_base + step, y.data());
    }
  }
  return true;
}

void Combine(isa::AluOp op, int32_t* acc, const int32_t* b, int64_t lanes) {
  switch (op) {
    case isa::AluOp::kMin:
      for (int64_t l = 0; l < lanes; ++l) acc[l] = std::min(acc[l], b[l]);
      return;
    case isa::AluOp::kMax:
      for (int64_t l = 0; l < lanes; ++l) acc[l] = std::max(acc[l], b[l]);
      return;
    case isa::AluOp::kAdd:
      for (int64_t l = 0; l < lanes; ++l) acc[l] = WrapAdd(acc[l], b[l]);
      return;
    case isa::AluOp::kMul:
      for (int64_t l = 0; l < lanes; ++l) acc[l] = WrapMul(acc[l], b[l]);
      return;
    default:
      for (int64_t l = 0; l < lanes; ++l) acc[l] = isa::AluResult(op, acc[l], b[l]);
      return;
  }
}

bool Run(const isa::Alu& v, MachineState& m, const TileKernels&) {
  const int64_t lanes = m.config.lanes();
  if (lanes > kMaxLanes) return false;
  if (v.iter_out == 0 || v.iter_in == 0) return true;
  const bool immediate = static_cast<VectorMemory>(v.src_mem) == VectorMemory::kImm;
  const int64_t reach = (v.red_out - 1) * v.red_out_step + (v.red_in - 1) * v.red_in_step;
  if (Last(v.dst_base, v.iter_out, v.dst_out, v.iter_in, v.dst_in) >= m.Depth(Memory::kAcc) ||
      (!immediate &&
       !Inside(m, v.src_mem,
               Last(v.src_base + reach, v.iter_out, v.src_out, v.iter_in, v.src_in)))) {
    return false;
  }
  std::array<int32_t, kMaxLanes> b;
  if (immediate) std::fill_n(b.begin(), lanes, static_cast<int32_t>(v.imm));
  for (int64_t o = 0; o < v.iter_out; ++o) {
    for (int64_t i = 0; i < v.iter_in; ++i) {
      int32_t* acc = m.acc.data() + (v.dst_base + o * v.dst_out + i * v.dst_in) * lanes;
      for (int64_t ro = 0; ro < v.red_out; ++ro) {
        for (int64_t ri = 0; ri < v.red_in; ++ri) {
          const int64_t src =
              v.src_base + o * v.src_out + i * v.src_in + ro * v.red_out_step + ri * v.red_in_step;
          if (!immediate) ReadTile(m, v.src_mem, src, v.src_zero, 0, b.data());
          const bool move = v.init && ro == 0 && ri == 0;
          Combine(move ? isa::AluOp::kMov : static_cast<isa::AluOp>(v.alu_op), acc, b.data(),
                  lanes);
        }
      }
    }
  }
  return true;
}

// --- other instructions: the semantics are fast enough ---

template <typename T>
bool Run(const T&, MachineState&, const TileKernels&) {
  return false;
}

}  // namespace

bool RunKernel(const isa::AnyInsn& insn, MachineState& machine, const TileKernels& kernels) {
  if (RunTransferKernel(insn, machine)) return true;
  return std::visit(
      [&](const auto& profile) {
        return std::visit([&](const auto& one) { return Run(one, machine, kernels); }, profile);
      },
      insn);
}

}  // namespace tessera::sim
