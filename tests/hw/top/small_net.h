// SPDX-License-Identifier: Apache-2.0
//
// SmallNet: a matrix product with requantise as a program of every unit, its data, and its results
// computed with plain loops. Used by: tests/hw/top.
#ifndef TESSERA_TESTS_HW_TOP_SMALL_NET_H_
#define TESSERA_TESTS_HW_TOP_SMALL_NET_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/rng.h"
#include "tests/hw/top/top_bench.h"

namespace tessera::hw {

// out[t] = requant(sum over k of inp[t*depth + k] * wgt[k]), t < tiles, k < depth; half-up
// rounding.
struct SmallNet {
  static constexpr uint64_t kInp = 0, kWgt = 0x8000, kUops = 0x18000, kPrm = 0x19000,
                            kOut = 0x20000;
  int64_t tiles, depth;
  std::vector<uint8_t> want;

  SmallNet(const isa::Config& c, int64_t t, int64_t k, Rng& rng, std::vector<uint8_t>* memory)
      : tiles(t), depth(k) {
    auto fill = [&](uint64_t at, int64_t bytes) {
      for (int64_t i = 0; i < bytes; ++i) (*memory)[at + i] = static_cast<uint8_t>(rng.Next());
    };
    fill(kInp, tiles * depth * c.inp_tile_bytes());
    fill(kWgt, depth * c.wgt_tile_bytes());
    for (int64_t u = 0; u < depth; ++u) {
      const uint64_t word = *isa::EncodeUop({.dst = 0, .src = u, .wgt = u, .init = u == 0});
      std::memcpy(&(*memory)[kUops + 8 * u], &word, 8);
    }
    const int64_t b = c.block_out;
    for (int64_t o = 0; o < b; ++o) {
      const int32_t bias = static_cast<int32_t>(rng.Range(-5000, 5000));
      const uint32_t multiplier = static_cast<uint32_t>(rng.Range(1 << 30, (int64_t{1} << 31) - 1));
      std::memcpy(&(*memory)[kPrm + 4 * o], &bias, 4);
      std::memcpy(&(*memory)[kPrm + 4 * b + 4 * o], &multiplier, 4);
      (*memory)[kPrm + 8 * b + o] = static_cast<uint8_t>(static_cast<int8_t>(-rng.Range(4, 9)));
    }
    for (int64_t tile = 0; tile < tiles; ++tile) {
      for (int64_t row = 0; row < c.batch; ++row) {
        for (int64_t o = 0; o < b; ++o) {
          int64_t sum = 0;
          for (int64_t u = 0; u < depth; ++u) {
            for (int64_t i = 0; i < c.block_in; ++i) {
              const int8_t x = static_cast<int8_t>(
                  (*memory)[kInp + (tile * depth + u) * c.inp_tile_bytes() + row * c.block_in + i]);
              const int8_t w = static_cast<int8_t>(
                  (*memory)[kWgt + u * c.wgt_tile_bytes() + o * c.block_in + i]);
              sum += x * w;
            }
          }
          int32_t bias;
          uint32_t multiplier;
          std::memcpy(&bias, &(*memory)[kPrm + 4 * o], 4);
          std::memcpy(&multiplier, &(*memory)[kPrm + 4 * b + 4 * o], 4);
          const int right = 31 - static_cast<int8_t>((*memory)[kPrm + 8 * b + o]);
          const __int128 product = static_cast<__int128>(sum + bias) * multiplier;
          const int64_t rounded =
              static_cast<int64_t>((product + (static_cast<__int128>(1) << (right - 1))) >> right);
          want.push_back(static_cast<uint8_t>(std::clamp<int64_t>(rounded + 3, -100, 110)));
        }
      }
    }
  }

  std::vector<isa::InsnWord> Program(const isa::Config& c) const {
    using isa::Memory;
    using isa::Unit;
    auto load = [&](Memory memory, uint64_t from, int64_t count, int64_t push) {
      isa::Load v;
      v.push = push;
      v.memory = static_cast<int64_t>(memory);
      v.x_bytes = v.x_step = c.TileBytes(memory);
      v.dram_base = static_cast<int64_t>(from);
      v.x_size = count;
      v.y_size = v.z_size = 1;
      return Word(v);
    };
    isa::Gemm gemm;
    gemm.pop = Mask(Unit::kLoad);
    gemm.push = Mask(Unit::kVector);
    gemm.uop_count = depth;
    gemm.iter_out = 1;
    gemm.iter_in = tiles;
    gemm.dst_in = 1;
    gemm.src_in = depth;
    isa::Requant requant;
    requant.pop = Mask(Unit::kGemm) | Mask(Unit::kLoad);
    requant.push = Mask(Unit::kStore);
    requant.src_mem = static_cast<int64_t>(isa::VectorMemory::kAcc);
    requant.dst_mem = static_cast<int64_t>(isa::VectorMemory::kOut);
    requant.round = static_cast<int64_t>(isa::Round::kHalfUp);
    requant.out_zero = 3;
    requant.lo = -100;
    requant.hi = 110;
    requant.iter_out = 1;
    requant.iter_in = tiles;
    requant.src_in = requant.dst_in = 1;
    isa::Store store;
    store.pop = Mask(Unit::kVector);
    store.x_bytes = store.x_step = c.out_tile_bytes();
    store.dram_base = static_cast<int64_t>(kOut);
    store.x_size = tiles;
    store.y_size = store.z_size = 1;
    return {load(Memory::kUop, kUops, depth, 0),
            load(Memory::kInp, kInp, tiles * depth, 0),
            load(Memory::kWgt, kWgt, depth, Mask(Unit::kGemm)),
            load(Memory::kPrm, kPrm, 1, Mask(Unit::kVector)),
            Word(gemm),
            Word(requant),
            Word(store),
            Word(isa::Finish{})};
  }

  bool Matches(const std::vector<uint8_t>& memory) const {
    return std::equal(want.begin(), want.end(), memory.begin() + kOut);
  }
};

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_TOP_SMALL_NET_H_
