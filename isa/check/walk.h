// SPDX-License-Identifier: Apache-2.0
//
// Walk: every address that an instruction of either profile touches, in the order in which it does.
// Depends on: isa/access.h (address spaces), isa/semantics/fetch.h. Used by: the checker, the
// generator of random programs.
#ifndef TESSERA_ISA_CHECK_WALK_H_
#define TESSERA_ISA_CHECK_WALK_H_

#include <cstdint>
#include <span>

#include "isa/access.h"
#include "isa/config.h"
#include "isa/semantics/fetch.h"

namespace tessera::isa {

// Addresses [first, first + count) of |space|: tiles of a scratchpad, bytes of a segment. Within
// one step of a loop reads come before writes. ACC8 counts as ACC; in profile vta a STORE reads
// ACC, and segment s belongs to memory id s.
struct Touch {
  Space space;
  int64_t first = 0;
  int64_t count = 0;
  bool write = false;
};

// The micro-ops that the instruction reads: a range of UOP, empty for most.
struct UopRange {
  int64_t begin = 0;
  int64_t count = 0;
};
inline UopRange UopsOf(const AnyInsn& insn) {
  if (const Insn* one = std::get_if<Insn>(&insn)) {
    const Gemm* gemm = std::get_if<Gemm>(one);
    if (gemm == nullptr || gemm->iter_out == 0 || gemm->iter_in == 0) return {};
    return {gemm->uop_begin, gemm->uop_count};
  }
  const auto range = [](const auto& v) {
    const bool some = v.iter_out != 0 && v.iter_in != 0 && v.uop_end > v.uop_bgn;
    return some ? UopRange{v.uop_bgn, v.uop_end - v.uop_bgn} : UopRange{};
  };
  const VtaInsn& one = std::get<VtaInsn>(insn);
  if (const VtaGemm* gemm = std::get_if<VtaGemm>(&one)) return range(*gemm);
  if (const VtaAlu* alu = std::get_if<VtaAlu>(&one)) return range(*alu);
  return {};
}

namespace walk {

constexpr Space Of(Memory memory) {
  return Space::Of(memory == Memory::kAcc8 ? Memory::kAcc : memory);
}
constexpr Space Of(int64_t vector_memory) {
  const VectorMemory memory = static_cast<VectorMemory>(vector_memory);
  return Space::Of(memory == VectorMemory::kOut   ? Memory::kOut
                   : memory == VectorMemory::kInp ? Memory::kInp
                                                  : Memory::kAcc);
}

// A box of |bytes| every x_step, y_step, z_step of segment |segment|; dense rows are one touch.
template <typename F>
void Box(int64_t segment, bool write, int64_t base, int64_t bytes, int64_t x_size, int64_t x_step,
         int64_t y_size, int64_t y_step, int64_t z_size, int64_t z_step, F&& touch) {
  const bool dense = x_step == bytes;
  for (int64_t z = 0; z < z_size; ++z) {
    for (int64_t y = 0; y < y_size; ++y) {
      const int64_t row = base + z * z_step + y * y_step;
      if (dense && x_size > 0) {
        touch(Touch{Space::OfSegment(segment), row, bytes * x_size, write});
        continue;
      }
      for (int64_t x = 0; x < x_size; ++x)
        touch(Touch{Space::OfSegment(segment), row + x * x_step, bytes, write});
    }
  }
}

template <typename F>
void Visit(const Load& v, const Config&, std::span<const Uop>, F&& touch) {
  const int64_t tiles =
      v.z_size * (v.y_pad_0 + v.y_size + v.y_pad_1) * (v.x_pad_0 + v.x_size + v.x_pad_1);
  if (tiles == 0) return;
  Box(v.segment, false, v.dram_base, v.x_bytes, v.x_size, v.x_step, v.y_size, v.y_step, v.z_size,
      v.z_step, touch);
  touch(Touch{Of(static_cast<Memory>(v.memory)), v.sram_base, tiles, true});
}

template <typename F>
void Visit(const Store& v, const Config&, std::span<const Uop>, F&& touch) {
  const int64_t tiles = v.z_size * v.y_size * v.x_size;
  if (tiles == 0) return;
  touch(Touch{Space::Of(Memory::kOut), v.sram_base, tiles, false});
  Box(v.segment, true, v.dram_base, v.x_bytes, v.x_size, v.x_step, v.y_size, v.y_step, v.z_size,
      v.z_step, touch);
}

template <typename F>
void Visit(const Gemm& v, const Config&, std::span<const Uop> uops, F&& touch) {
  for (int64_t o = 0; o < v.iter_out; ++o) {
    for (int64_t i = 0; i < v.iter_in; ++i) {
      for (const Uop& u : uops) {
        const int64_t dst = v.dst_base + u.dst + o * v.dst_out + i * v.dst_in;
        touch(Touch{Space::Of(Memory::kInp), v.src_base + u.src + o * v.src_out + i * v.src_in, 1,
                    false});
        touch(Touch{Space::Of(Memory::kWgt), v.wgt_base + u.wgt + o * v.wgt_out + i * v.wgt_in, 1,
                    false});
        if (!u.init) touch(Touch{Space::Of(Memory::kAcc), dst, 1, false});
        touch(Touch{Space::Of(Memory::kAcc), dst, 1, true});
      }
    }
  }
}

template <typename F>
void Visit(const Depthwise& v, const Config& config, std::span<const Uop>, F&& touch) {
  for (int64_t z = 0; z < v.iter_z; ++z) {
    if (v.iter_out != 0 && v.iter_in != 0) {
      touch(Touch{Space::Of(Memory::kWgt), v.wgt_base + z * v.wgt_z,
                  CeilDiv(v.kh * v.kw, config.block_out), false});
    }
    for (int64_t o = 0; o < v.iter_out; ++o) {
      for (int64_t i = 0; i < v.iter_in; ++i) {
        const int64_t src = v.src_base + z * v.src_z + o * v.src_out + i * v.src_in;
        const int64_t dst = v.dst_base + z * v.dst_z + o * v.dst_out + i * v.dst_in;
        for (int64_t tap = 0; tap < v.kh * v.kw; ++tap) {
          touch(Touch{Space::Of(Memory::kInp), src + tap / v.kw * v.win_y + tap % v.kw * v.win_x, 1,
                      false});
        }
        if (!v.init) touch(Touch{Space::Of(Memory::kAcc), dst, 1, false});
        touch(Touch{Space::Of(Memory::kAcc), dst, 1, true});
      }
    }
  }
}

template <typename F>
void Visit(const Requant& v, const Config&, std::span<const Uop>, F&& touch) {
  for (int64_t o = 0; o < v.iter_out; ++o) {
    for (int64_t i = 0; i < v.iter_in; ++i) {
      const int64_t src = v.src_base + o * v.src_out + i * v.src_in;
      touch(Touch{Of(v.src_mem), src, 1, false});
      if (!v.per_tensor)
        touch(Touch{Space::Of(Memory::kPrm), v.prm_base + o * v.prm_out + i * v.prm_in, 1, false});
      if (v.clear && Of(v.src_mem) == Space::Of(Memory::kAcc))
        touch(Touch{Of(v.src_mem), src, 1, true});
      touch(Touch{Of(v.dst_mem), v.dst_base + o * v.dst_out + i * v.dst_in, 1, true});
    }
  }
}

template <typename F>
void Visit(const Add& v, const Config&, std::span<const Uop>, F&& touch) {
  for (int64_t o = 0; o < v.iter_out; ++o) {
    for (int64_t i = 0; i < v.iter_in; ++i) {
      const int64_t step = o * v.dst_out + i * v.dst_in;
      touch(Touch{Of(v.src_mem), v.src_base + o * v.src_out + i * v.src_in, 1, false});
      touch(Touch{Space::Of(Memory::kAcc), v.acc_base + step, 1, false});
      if (v.clear) touch(Touch{Space::Of(Memory::kAcc), v.acc_base + step, 1, true});
      touch(Touch{Of(v.dst_mem), v.dst_base + step, 1, true});
    }
  }
}

template <typename F>
void Visit(const Alu& v, const Config&, std::span<const Uop>, F&& touch) {
  const bool immediate = v.src_mem == static_cast<int64_t>(VectorMemory::kImm);
  for (int64_t o = 0; o < v.iter_out; ++o) {
    for (int64_t i = 0; i < v.iter_in; ++i) {
      const int64_t dst = v.dst_base + o * v.dst_out + i * v.dst_in;
      for (int64_t r = 0; r < v.red_out * v.red_in; ++r) {
        const int64_t src = v.src_base + o * v.src_out + i * v.src_in +
                            r / v.red_in * v.red_out_step + r % v.red_in * v.red_in_step;
        if (!immediate) touch(Touch{Of(v.src_mem), src, 1, false});
        const bool moves = v.alu_op == static_cast<int64_t>(AluOp::kMov) || (v.init && r == 0);
        if (!moves) touch(Touch{Space::Of(Memory::kAcc), dst, 1, false});
        touch(Touch{Space::Of(Memory::kAcc), dst, 1, true});
      }
    }
  }
}

template <typename F>
void Visit(const VtaLoad& v, const Config& config, std::span<const Uop>, F&& touch) {
  const int64_t rows = v.y_pad_0 + v.y_size + v.y_pad_1;
  const int64_t tiles = v.x_size == 0 ? 0 : rows * (v.x_pad_0 + v.x_size + v.x_pad_1);
  if (tiles == 0) return;
  const Memory memory = static_cast<Memory>(v.memory_type);
  const int64_t bytes = config.TileBytes(memory, Profile::kVta);
  Box(v.memory_type, false, v.dram_base * bytes, bytes, v.x_size, bytes, v.y_size,
      v.x_stride * bytes, 1, 0, touch);
  touch(Touch{Of(memory), v.sram_base, tiles, true});
}

template <typename F>
void Visit(const VtaStore& v, const Config& config, std::span<const Uop>, F&& touch) {
  const int64_t tiles = v.y_size * v.x_size;
  if (tiles == 0) return;
  const int64_t bytes = config.out_tile_bytes();
  touch(Touch{Space::Of(Memory::kAcc), v.sram_base, tiles, false});
  Box(static_cast<int64_t>(Memory::kOut), true, v.dram_base * bytes, bytes, v.x_size, bytes,
      v.y_size, v.x_stride * bytes, 1, 0, touch);
}

template <typename F>
void Visit(const VtaGemm& v, const Config&, std::span<const Uop> uops, F&& touch) {
  for (int64_t o = 0; o < v.iter_out; ++o) {
    for (int64_t i = 0; i < v.iter_in; ++i) {
      for (const Uop& u : uops) {
        const int64_t dst = u.dst + o * v.dst_factor_out + i * v.dst_factor_in;
        if (!v.reset_reg) {
          touch(Touch{Space::Of(Memory::kInp), u.src + o * v.src_factor_out + i * v.src_factor_in,
                      1, false});
          touch(Touch{Space::Of(Memory::kWgt), u.wgt + o * v.wgt_factor_out + i * v.wgt_factor_in,
                      1, false});
          touch(Touch{Space::Of(Memory::kAcc), dst, 1, false});
        }
        touch(Touch{Space::Of(Memory::kAcc), dst, 1, true});
      }
    }
  }
}

template <typename F>
void Visit(const VtaAlu& v, const Config&, std::span<const Uop> uops, F&& touch) {
  for (int64_t o = 0; o < v.iter_out; ++o) {
    for (int64_t i = 0; i < v.iter_in; ++i) {
      for (const Uop& u : uops) {
        const int64_t dst = u.dst + o * v.dst_factor_out + i * v.dst_factor_in;
        const int64_t src = u.src + o * v.src_factor_out + i * v.src_factor_in;
        if (!v.use_imm) touch(Touch{Space::Of(Memory::kAcc), src, 1, false});
        touch(Touch{Space::Of(Memory::kAcc), dst, 1, false});
        touch(Touch{Space::Of(Memory::kAcc), dst, 1, true});
      }
    }
  }
}

template <typename F>
void Visit(const Sync&, const Config&, std::span<const Uop>, F&&) {}
template <typename F>
void Visit(const Finish&, const Config&, std::span<const Uop>, F&&) {}
template <typename F>
void Visit(const VtaFinish&, const Config&, std::span<const Uop>, F&&) {}

}  // namespace walk

// Calls touch(const Touch&) for everything that |insn| reads and writes, reading of micro-ops
// first.
//
//   uops   contents of UopsOf(insn), in order (profile vta: dst, src and wgt only)
//
// The fields have passed CheckFields; addresses may be out of range. Takes Steps(insn) steps, or
// nine times that for windows: bound them first.
template <typename F>
void Walk(const AnyInsn& insn, const Config& config, std::span<const Uop> uops, F&& touch) {
  const UopRange range = UopsOf(insn);
  if (range.count > 0) touch(Touch{Space::Of(Memory::kUop), range.begin, range.count, false});
  std::visit(
      [&](const auto& profile) {
        std::visit([&](const auto& one) { walk::Visit(one, config, uops, touch); }, profile);
      },
      insn);
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_CHECK_WALK_H_
