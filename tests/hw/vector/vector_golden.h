// SPDX-License-Identifier: Apache-2.0
//
// The meaning of VECTOR's instructions, derived for these tests from the tables and the rationale
// alone: roundings are divisions of exact 128-bit numbers, and results wrap at the end. Indices
// must be in range.
#ifndef TESSERA_TESTS_HW_VECTOR_VECTOR_GOLDEN_H_
#define TESSERA_TESTS_HW_VECTOR_VECTOR_GOLDEN_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "isa/insns.h"
#include "tests/hw/vector/vector_state.h"

namespace tessera::hw {

using Wide = __int128;

inline Wide FloorDiv(Wide a, Wide b) { return a / b - (a % b != 0 && a < 0); }
inline int32_t Cut(Wide x) {
  return static_cast<int32_t>(static_cast<uint32_t>(static_cast<unsigned __int128>(x)));
}

// a * multiplier * 2^(shift - 31), rounded.
inline int32_t ExactRescale(int32_t a, int64_t multiplier, int shift, isa::Round round) {
  const Wide product = Wide{Cut(Wide{a} << std::max(shift, 0))} * multiplier;
  const int right = std::max(-shift, 0);
  const Wide unit = Wide{1} << (31 + right);  // the value of the result's lowest bit
  switch (round) {
    case isa::Round::kTflite: {
      const Wide t = FloorDiv(product + (Wide{1} << 30), Wide{1} << 31);
      const Wide half = right == 0 ? 0 : Wide{1} << (right - 1);
      const Wide magnitude = ((t < 0 ? -t : t) + half) / (Wide{1} << right);
      return Cut(t < 0 ? -magnitude : magnitude);
    }
    case isa::Round::kEven: {
      const Wide floor = FloorDiv(product, unit);
      const Wide twice = 2 * (product - floor * unit);
      const bool odd = floor % 2 != 0;
      return Cut(floor + (twice > unit || (twice == unit && odd) ? 1 : 0));
    }
    case isa::Round::kHalfUp:
      return Cut(FloorDiv(2 * product + unit, 2 * unit));
  }
  return 0;
}

inline int32_t ExactAlu(isa::AluOp op, int32_t a, int32_t b) {
  switch (op) {
    case isa::AluOp::kMin:
      return std::min(a, b);
    case isa::AluOp::kMax:
      return std::max(a, b);
    case isa::AluOp::kAdd:
      return Cut(Wide{a} + b);
    case isa::AluOp::kShr:
      if (b >= 0) return Cut(FloorDiv(a, Wide{1} << std::min(b, 40)));
      return b < -31 ? 0 : Cut(Wide{a} * (Wide{1} << -b));
    case isa::AluOp::kMul:
      return Cut(Wide{a} * b);
    case isa::AluOp::kMov:
      return b;
  }
  return 0;
}

class VectorGolden {
 public:
  VectorGolden(const isa::Config& config, VectorState& state) : c_(config), s_(state) {}

  void Run(const isa::Requant& r) {
    for (int64_t n = 0; n < r.iter_out * r.iter_in; ++n) {
      const int64_t o = n / r.iter_in, i = n % r.iter_in;
      const int64_t src = r.src_base + o * r.src_out + i * r.src_in,
                    dst = r.dst_base + o * r.dst_out + i * r.dst_in,
                    prm = r.prm_base + o * r.prm_out + i * r.prm_in;
      for (int64_t l = 0; l < c_.lanes(); ++l) {
        int64_t bias = 0, multiplier = r.multiplier, shift = r.shift;
        if (!r.per_tensor) {
          const uint8_t* record = &s_.prm[prm * 9 * c_.block_out];
          const int64_t ch = l % c_.block_out;
          int32_t bias32;
          uint32_t multiplier32;
          std::memcpy(&bias32, record + 4 * ch, 4);
          std::memcpy(&multiplier32, record + 4 * (c_.block_out + ch), 4);
          bias = bias32;
          multiplier = multiplier32;
          shift = static_cast<int8_t>(record[8 * c_.block_out + ch]);
        }
        const int32_t a = Cut(Wide{Get(r.src_mem, src, l, r.src_zero, r.src_shift)} + bias);
        const int32_t y =
            ExactRescale(a, multiplier, static_cast<int>(shift), static_cast<isa::Round>(r.round));
        if (r.clear && r.src_mem == 0) Set(0, s_.acc, src, l, 0);
        PutResult(r, dst, l, y);
      }
    }
  }

  void Run(const isa::Add& r) {
    for (int64_t n = 0; n < r.iter_out * r.iter_in; ++n) {
      const int64_t o = n / r.iter_in, i = n % r.iter_in;
      const int64_t src = r.src_base + o * r.src_out + i * r.src_in,
                    dst = r.dst_base + o * r.dst_out + i * r.dst_in,
                    acc = r.acc_base + o * r.dst_out + i * r.dst_in;
      for (int64_t l = 0; l < c_.lanes(); ++l) {
        const int32_t a = Cut(Wide{Get(r.src_mem, src, l, r.src_zero, r.src_shift)} +
                              s_.acc[acc * c_.lanes() + l]);
        const int32_t y = ExactRescale(a, r.multiplier, static_cast<int>(r.shift),
                                       static_cast<isa::Round>(r.round));
        if (r.clear) Set(0, s_.acc, acc, l, 0);
        PutResult(r, dst, l, y);
      }
    }
  }

  void Run(const isa::Alu& r) {
    for (int64_t n = 0; n < r.iter_out * r.iter_in * r.red_out * r.red_in; ++n) {
      const int64_t ri = n % r.red_in, ro = n / r.red_in % r.red_out,
                    i = n / r.red_in / r.red_out % r.iter_in,
                    o = n / r.red_in / r.red_out / r.iter_in;
      const int64_t dst = r.dst_base + o * r.dst_out + i * r.dst_in;
      const int64_t src =
          r.src_base + o * r.src_out + i * r.src_in + ro * r.red_out_step + ri * r.red_in_step;
      for (int64_t l = 0; l < c_.lanes(); ++l) {
        const int32_t b =
            r.src_mem == 3 ? static_cast<int32_t>(r.imm) : Get(r.src_mem, src, l, r.src_zero, 0);
        const int32_t a = s_.acc[dst * c_.lanes() + l];
        Set(0, s_.acc, dst, l,
            r.init && ro + ri == 0 ? b : ExactAlu(static_cast<isa::AluOp>(r.alu_op), a, b));
      }
    }
  }

  // |uops|: the micro-ops of the program, by number.
  void Run(const isa::VtaAlu& r, const std::vector<isa::VtaUop>& uops) {
    for (int64_t o = 0; o < r.iter_out; ++o) {
      for (int64_t i = 0; i < r.iter_in; ++i) {
        for (int64_t n = r.uop_bgn; n < r.uop_end; ++n) {
          const int64_t dst = uops[n].dst_idx + o * r.dst_factor_out + i * r.dst_factor_in;
          const int64_t src = uops[n].src_idx + o * r.src_factor_out + i * r.src_factor_in;
          for (int64_t l = 0; l < c_.lanes(); ++l) {
            const int32_t b =
                r.use_imm ? static_cast<int32_t>(r.imm) : s_.acc[src * c_.lanes() + l];
            Set(0, s_.acc, dst, l,
                ExactAlu(static_cast<isa::AluOp>(r.alu_opcode), s_.acc[dst * c_.lanes() + l], b));
          }
        }
      }
    }
  }

  // The digest of the changes since the last call.
  uint64_t TakeDigest() {
    const uint64_t digest = digest_;
    digest_ = 0;
    return digest;
  }

 private:
  int32_t Get(int64_t mem, int64_t tile, int64_t lane, int64_t zero, int64_t shift) const {
    const int64_t index = tile * c_.lanes() + lane;
    if (mem == 0) return s_.acc[index];
    return Cut(Wide{(mem == 1 ? s_.out[index] : s_.inp[index]) - zero} * (Wide{1} << shift));
  }
  // |r|: a Requant or an Add.
  void PutResult(const auto& r, int64_t tile, int64_t lane, int32_t y) {
    if (r.dst_mem == 0) return Set(0, s_.acc, tile, lane, y);
    int64_t t = y + r.out_zero;
    if (t > r.hi) t = r.hi;
    if (y + r.out_zero < r.lo) t = r.lo;
    const int8_t q = r.table ? s_.tab[static_cast<size_t>(t + 128)] : static_cast<int8_t>(t);
    Set(static_cast<int>(r.dst_mem), r.dst_mem == 1 ? s_.out : s_.inp, tile, lane, q);
  }
  template <typename T>
  void Set(int space, std::vector<T>& memory, int64_t tile, int64_t lane, T value) {
    const int64_t index = tile * c_.lanes() + lane;
    digest_ += ChangeOfElement(space, index, memory[index], value);
    memory[index] = value;
  }
  const isa::Config c_;
  VectorState& s_;
  uint64_t digest_ = 0;
};

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_VECTOR_VECTOR_GOLDEN_H_
