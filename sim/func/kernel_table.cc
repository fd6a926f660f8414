// SPDX-License-Identifier: Apache-2.0
//
// The kernels that depend on the processor and the choice among them. The bodies are plain loops
// that the compiler vectorises for each target; intrinsics do the tile product.
#include <algorithm>
#include <vector>

#include "base/bits.h"
#include "sim/func/kernels.h"

#if defined(__x86_64__)
// The AVX-512 header of the compiler starts some intrinsics from an undefined register on purpose.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#define TESSERA_X86_KERNELS 1
#endif

namespace tessera::sim {
namespace {

#define TESSERA_INLINE inline __attribute__((always_inline))

// --- bodies ---

TESSERA_INLINE void GemmBody(const int8_t* inp, const int8_t* wgt, int32_t* acc, int64_t batch,
                             int64_t block, bool init) {
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t o = 0; o < block; ++o) {
      int32_t sum = 0;
      for (int64_t i = 0; i < block; ++i) sum += inp[b * block + i] * wgt[o * block + i];
      int32_t& lane = acc[b * block + o];
      lane = WrapAdd(init ? 0 : lane, sum);
    }
  }
}

TESSERA_INLINE void DepthwiseBody(const int8_t* inp, const int8_t* tap, int32_t* acc, int64_t batch,
                                  int64_t block) {
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t c = 0; c < block; ++c)
      acc[b * block + c] = WrapAdd(acc[b * block + c], inp[b * block + c] * tap[c]);
  }
}

// The rounding modes on 64 bits, without branches. The formulas differ from
// isa/semantics/rescale.h.
template <isa::Round kRound>
TESSERA_INLINE void RescaleBody(const RescaleLanes& v, int64_t first = 0) {
  for (int64_t i = first; i < v.lanes; ++i) {
    const int32_t shift = v.shift[i];
    const int32_t left = shift > 0 ? shift : 0, right = shift > 0 ? 0 : -shift;
    const uint32_t sum = static_cast<uint32_t>(v.a[i]) + static_cast<uint32_t>(v.bias[i]);
    const int64_t product =
        static_cast<int64_t>(static_cast<int32_t>(sum << left)) * v.multiplier[i];
    if constexpr (kRound == isa::Round::kTflite) {
      const int64_t t = (product + (int64_t{1} << 30)) >> 31;
      const int64_t half = (int64_t{1} << right) >> 1;
      const int64_t away = half != 0 && t < 0 ? 1 : 0;
      v.y[i] = static_cast<int32_t>((t + half - away) >> right);
    } else {
      const int64_t down = 31 + right;
      const int64_t half = int64_t{1} << (down - 1);
      const int64_t odd = kRound == isa::Round::kEven ? ((product >> down) & 1) - 1 : 0;
      v.y[i] = static_cast<int32_t>((product + half + odd) >> down);
    }
  }
}

TESSERA_INLINE void RescaleAny(const RescaleLanes& v) {
  switch (v.round) {
    case isa::Round::kTflite:
      return RescaleBody<isa::Round::kTflite>(v);
    case isa::Round::kEven:
      return RescaleBody<isa::Round::kEven>(v);
    case isa::Round::kHalfUp:
      return RescaleBody<isa::Round::kHalfUp>(v);
  }
}

// --- any processor ---

void GemmPlain(const int8_t* inp, const int8_t* wgt, int32_t* acc, int64_t batch, int64_t block,
               bool init) {
  GemmBody(inp, wgt, acc, batch, block, init);
}
void DepthwisePlain(const int8_t* inp, const int8_t* tap, int32_t* acc, int64_t batch,
                    int64_t block) {
  DepthwiseBody(inp, tap, acc, batch, block);
}
void RescalePlain(const RescaleLanes& v) { RescaleAny(v); }

constexpr TileKernels kPlain{"plain", GemmPlain, DepthwisePlain, RescalePlain};

#ifdef TESSERA_X86_KERNELS

// --- AVX2 ---

#define TESSERA_AVX2 __attribute__((target("avx2")))

// Lane k of the result is the sum of the eight lanes of rows[k].
TESSERA_AVX2 TESSERA_INLINE __m256i SumRows(const __m256i rows[8]) {
  const __m256i a =
      _mm256_hadd_epi32(_mm256_hadd_epi32(rows[0], rows[1]), _mm256_hadd_epi32(rows[2], rows[3]));
  const __m256i b =
      _mm256_hadd_epi32(_mm256_hadd_epi32(rows[4], rows[5]), _mm256_hadd_epi32(rows[6], rows[7]));
  return _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20),
                          _mm256_permute2x128_si256(a, b, 0x31));
}

TESSERA_AVX2 TESSERA_INLINE __m256i Widen(const int8_t* bytes) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
}

TESSERA_AVX2 void GemmAvx2(const int8_t* inp, const int8_t* wgt, int32_t* acc, int64_t batch,
                           int64_t block, bool init) {
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t o = 0; o < block; o += 8) {
      __m256i rows[8];
      for (int k = 0; k < 8; ++k) rows[k] = _mm256_setzero_si256();
      for (int64_t i = 0; i < block; i += 16) {
        const __m256i activation = Widen(inp + b * block + i);
        for (int k = 0; k < 8; ++k) {
          rows[k] = _mm256_add_epi32(
              rows[k], _mm256_madd_epi16(activation, Widen(wgt + (o + k) * block + i)));
        }
      }
      __m256i* lanes = reinterpret_cast<__m256i*>(acc + b * block + o);
      const __m256i before = init ? _mm256_setzero_si256() : _mm256_loadu_si256(lanes);
      _mm256_storeu_si256(lanes, _mm256_add_epi32(before, SumRows(rows)));
    }
  }
}
TESSERA_AVX2 TESSERA_INLINE __m256i WidenEight(const int8_t* bytes) {
  return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes)));
}

TESSERA_AVX2 void DepthwiseAvx2(const int8_t* inp, const int8_t* tap, int32_t* acc, int64_t batch,
                                int64_t block) {
  if (block % 8 != 0) return DepthwiseBody(inp, tap, acc, batch, block);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t c = 0; c < block; c += 8) {
      __m256i* lanes = reinterpret_cast<__m256i*>(acc + b * block + c);
      const __m256i product =
          _mm256_mullo_epi32(WidenEight(inp + b * block + c), WidenEight(tap + c));
      _mm256_storeu_si256(lanes, _mm256_add_epi32(_mm256_loadu_si256(lanes), product));
    }
  }
}
TESSERA_AVX2 void RescaleAvx2(const RescaleLanes& v) { RescaleAny(v); }

constexpr TileKernels kAvx2{"avx2", GemmAvx2, DepthwiseAvx2, RescaleAvx2};

// --- AVX-512 with VNNI ---

#define TESSERA_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2")))

// VNNI has dot products of unsigned by signed bytes only, hence (x + 128) * w - 128 * w.
TESSERA_AVX512 TESSERA_INLINE __m512i Dot(__m512i activation, __m512i flipped_ones,
                                          const int8_t* weights, __m512i sum) {
  const __m512i w = _mm512_loadu_si512(weights);
  const __m512i raised = _mm512_dpbusd_epi32(sum, activation, w);
  return _mm512_sub_epi32(raised, _mm512_dpbusd_epi32(_mm512_setzero_si512(), flipped_ones, w));
}

// 16 outputs from 16 inputs. A register holds four rows of weights; at the end the four partial
// sums of each output are added.
TESSERA_AVX512 void Gemm16Avx512(const int8_t* inp, const int8_t* wgt, int32_t* acc, int64_t batch,
                                 bool init) {
  const __m512i raise = _mm512_set1_epi8(static_cast<char>(0x80));
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  for (int64_t b = 0; b < batch; ++b) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(inp + 16 * b));
    const __m512i activation = _mm512_xor_si512(_mm512_broadcast_i32x4(x), raise);
    __m512i rows[4];
    for (int k = 0; k < 4; ++k)
      rows[k] = Dot(activation, raise, wgt + 64 * k, _mm512_setzero_si512());
    // The 128-bit part j of rows[k] holds four partial sums of output 4 k + j.
    const __m512i a = _mm512_add_epi32(_mm512_unpacklo_epi32(rows[0], rows[1]),
                                       _mm512_unpackhi_epi32(rows[0], rows[1]));
    const __m512i c = _mm512_add_epi32(_mm512_unpacklo_epi32(rows[2], rows[3]),
                                       _mm512_unpackhi_epi32(rows[2], rows[3]));
    const __m512i sums = _mm512_add_epi32(_mm512_unpacklo_epi64(a, c), _mm512_unpackhi_epi64(a, c));
    // Lane k of part j: output 4 k + j.
    const __m512i products = _mm512_permutexvar_epi32(order, sums);
    const __m512i before = init ? _mm512_setzero_si512() : _mm512_loadu_si512(acc + 16 * b);
    _mm512_storeu_si512(acc + 16 * b, _mm512_add_epi32(before, products));
  }
}

TESSERA_AVX512 void GemmAvx512(const int8_t* inp, const int8_t* wgt, int32_t* acc, int64_t batch,
                               int64_t block, bool init) {
  if (block == 16) return Gemm16Avx512(inp, wgt, acc, batch, init);
  GemmAvx2(inp, wgt, acc, batch, block, init);
}
TESSERA_AVX512 TESSERA_INLINE __m256i Eight(const int32_t* values) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
}

// RescaleBody for eight 64-bit lanes at a time.
template <isa::Round kRound>
TESSERA_AVX512 void RescaleEights(const RescaleLanes& v) {
  const __m512i one = _mm512_set1_epi64(1), zero = _mm512_setzero_si512();
  int64_t i = 0;
  for (; i + 8 <= v.lanes; i += 8) {
    const __m256i shift = Eight(v.shift + i), none = _mm256_setzero_si256();
    const __m256i left = _mm256_max_epi32(shift, none);
    const __m512i right =
        _mm512_cvtepi32_epi64(_mm256_max_epi32(_mm256_sub_epi32(none, shift), none));
    const __m256i sum = _mm256_add_epi32(Eight(v.a + i), Eight(v.bias + i));
    const __m512i product = _mm512_mul_epi32(_mm512_cvtepi32_epi64(_mm256_sllv_epi32(sum, left)),
                                             _mm512_cvtepi32_epi64(Eight(v.multiplier + i)));
    __m512i y;
    if constexpr (kRound == isa::Round::kTflite) {
      const __m512i t =
          _mm512_srai_epi64(_mm512_add_epi64(product, _mm512_set1_epi64(int64_t{1} << 30)), 31);
      const __m512i half = _mm512_srli_epi64(_mm512_sllv_epi64(one, right), 1);
      const __mmask8 away = _mm512_cmplt_epi64_mask(t, zero) & _mm512_cmpneq_epi64_mask(half, zero);
      const __m512i rounded = _mm512_add_epi64(t, half);
      y = _mm512_srav_epi64(_mm512_mask_sub_epi64(rounded, away, rounded, one), right);
    } else {
      const __m512i down = _mm512_add_epi64(right, _mm512_set1_epi64(31));
      __m512i rounded =
          _mm512_add_epi64(product, _mm512_sllv_epi64(one, _mm512_sub_epi64(down, one)));
      if (kRound == isa::Round::kEven) {
        const __m512i odd = _mm512_and_si512(_mm512_srav_epi64(product, down), one);
        rounded = _mm512_add_epi64(rounded, _mm512_sub_epi64(odd, one));
      }
      y = _mm512_srav_epi64(rounded, down);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(v.y + i), _mm512_cvtepi64_epi32(y));
  }
  RescaleBody<kRound>(v, i);
}

void RescaleAvx512(const RescaleLanes& v) {
  switch (v.round) {
    case isa::Round::kTflite:
      return RescaleEights<isa::Round::kTflite>(v);
    case isa::Round::kEven:
      return RescaleEights<isa::Round::kEven>(v);
    case isa::Round::kHalfUp:
      return RescaleEights<isa::Round::kHalfUp>(v);
  }
}

constexpr TileKernels kAvx512{"avx512", GemmAvx512, DepthwiseAvx2, RescaleAvx512};

#endif  // TESSERA_X86_KERNELS

}  // namespace

std::span<const TileKernels* const> UsableKernels() {
  static const std::vector<const TileKernels*> usable = [] {
    std::vector<const TileKernels*> tables = {&kPlain};
#ifdef TESSERA_X86_KERNELS
    if (__builtin_cpu_supports("avx2")) tables.push_back(&kAvx2);
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni")) {
      tables.push_back(&kAvx512);
    }
#endif
    return tables;
  }();
  return usable;
}

}  // namespace tessera::sim
