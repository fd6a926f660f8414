// SPDX-License-Identifier: Apache-2.0
//
// A client in the shape of VTA's bare-metal test: plain C++, VTA's driver interface and nothing
// else of this project, streams laid out by C bit-fields, absolute addresses. What is tested: that
// such a client links with libtessera_vta.so and computes: a blocked matrix product with bias,
// shift and clamp, and a vector sum, with 1 to 4 virtual threads, micro-ops compressed and written
// out; runs that must fail. Space: the default configuration. Not tested here: each instruction's
// corners (the other tests here).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "runtime/vta/vta_driver.h"

namespace {

// VTA's default configuration.
constexpr int kBlock = 16;
constexpr int kInpTile = 16, kWgtTile = 256, kAccTile = 64, kOutTile = 16;  // bytes
constexpr int kInpDepth = 2048, kWgtDepth = 1024, kAccDepth = 2048;

enum Opcode { kLoad = 0, kStore = 1, kGemm = 2, kFinish = 3, kAlu = 4 };
enum MemoryId { kUop = 0, kWgt = 1, kInp = 2, kAcc = 3, kOut = 4 };
enum AluOpcode { kMin = 0, kMax = 1, kAdd = 2, kShr = 3 };

struct MemInsn {
  uint64_t opcode : 3, pop_prev : 1, pop_next : 1, push_prev : 1, push_next : 1;
  uint64_t memory_type : 3, sram_base : 16, dram_base : 32;
  uint64_t y_size : 16, x_size : 16, x_stride : 16, y_pad_0 : 4, y_pad_1 : 4, x_pad_0 : 4,
      x_pad_1 : 4;
};
struct GemmInsn {
  uint64_t opcode : 3, pop_prev : 1, pop_next : 1, push_prev : 1, push_next : 1;
  uint64_t reset_reg : 1, uop_bgn : 13, uop_end : 14, iter_out : 14, iter_in : 14;
  uint64_t dst_factor_out : 11, dst_factor_in : 11, src_factor_out : 11, src_factor_in : 11;
  uint64_t wgt_factor_out : 10, wgt_factor_in : 10;
};
struct AluInsn {
  uint64_t opcode : 3, pop_prev : 1, pop_next : 1, push_prev : 1, push_next : 1;
  uint64_t reset_reg : 1, uop_bgn : 13, uop_end : 14, iter_out : 14, iter_in : 14;
  uint64_t dst_factor_out : 11, dst_factor_in : 11, src_factor_out : 11, src_factor_in : 11;
  uint64_t alu_opcode : 3, use_imm : 1;
  int64_t imm : 16;
};
struct Uop {
  uint32_t dst_idx : 11, src_idx : 11, wgt_idx : 10;
};
union Insn {
  MemInsn mem;
  GemmInsn gemm;
  AluInsn alu;
};
static_assert(sizeof(MemInsn) == 16 && sizeof(GemmInsn) == 16 && sizeof(AluInsn) == 16 &&
              sizeof(Uop) == 4);

int g_failures = 0;

void Expect(bool condition, const char* what, int detail = 0) {
  if (condition) return;
  ++g_failures;
  std::printf("FAILED: %s (%d)\n", what, detail);
}

// Memory that both sides see, as values of T.
template <typename T>
class Shared {
 public:
  explicit Shared(size_t count) : data_(static_cast<T*>(VTAMemAlloc(count * sizeof(T), 0))) {
    if (data_ == nullptr) std::exit(1);
  }
  ~Shared() { VTAMemFree(data_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T& operator[](size_t i) { return data_[i]; }
  vta_phy_addr_t address() { return VTAMemGetPhyAddr(data_); }
  void Fill(const std::vector<T>& values) {
    VTAMemCopyFromHost(data_, values.data(), values.size() * sizeof(T));
  }

 private:
  T* data_;
};

// A 2-D transfer; addresses are absolute: the buffer's device address over the tile's bytes.
Insn Transfer(Opcode opcode, MemoryId memory, int sram, vta_phy_addr_t address, int tile_bytes,
              int offset, int y, int x, int stride) {
  Insn insn;
  std::memset(&insn, 0, sizeof(insn));
  insn.mem.opcode = opcode;
  insn.mem.memory_type = memory;
  insn.mem.sram_base = static_cast<uint16_t>(sram);
  insn.mem.dram_base = address / static_cast<unsigned>(tile_bytes) + static_cast<unsigned>(offset);
  insn.mem.y_size = static_cast<uint16_t>(y);
  insn.mem.x_size = static_cast<uint16_t>(x);
  insn.mem.x_stride = static_cast<uint16_t>(stride);
  return insn;
}

Insn Immediate(AluOpcode op, int uop, int count, int imm) {
  Insn insn;
  std::memset(&insn, 0, sizeof(insn));
  insn.alu.opcode = kAlu;
  insn.alu.uop_bgn = static_cast<uint16_t>(uop);
  insn.alu.uop_end = static_cast<uint16_t>(uop + 1);
  insn.alu.iter_out = 1;
  insn.alu.iter_in = static_cast<uint16_t>(count);
  insn.alu.dst_factor_in = insn.alu.src_factor_in = 1;
  insn.alu.alu_opcode = op;
  insn.alu.use_imm = 1;
  insn.alu.imm = static_cast<int16_t>(imm);
  return insn;
}

Insn Finish() {
  Insn insn;
  std::memset(&insn, 0, sizeof(insn));
  insn.mem.opcode = kFinish;
  return insn;
}

int Run(VTADeviceHandle device, const std::vector<Insn>& stream) {
  Shared<Insn> insns(stream.size());
  insns.Fill(stream);
  return VTADeviceRun(device, insns.address(), static_cast<uint32_t>(stream.size()), 10'000'000);
}

// out[m][n] = clamp((bias[n] + sum over k of inp[m][k] * wgt[n][k]) >> 6, -100, 100), in blocks of
// |mb| rows, |nb| x |kb| tiles; |threads| blocks are in flight, each in its own part of the
// scratchpads.
void BlockedGemm(VTADeviceHandle device, int rows, int tiles, int mb, int nb, int kb, int threads,
                 bool compress) {
  const int n_blocks = tiles / nb, m_blocks = rows / mb, k_blocks = tiles / kb,
            width = tiles * kBlock;
  Shared<int8_t> inp(static_cast<size_t>(rows * width)), wgt(static_cast<size_t>(width * width)),
      out(static_cast<size_t>(rows * width));
  Shared<int32_t> bias(static_cast<size_t>(rows * width));
  std::vector<int> a(static_cast<size_t>(rows * width)), b(static_cast<size_t>(width * width)),
      c(static_cast<size_t>(width));
  uint32_t random = 12345;
  const auto next = [&random] {
    return static_cast<int>((random = random * 1664525 + 1013904223) >> 24) - 128;
  };
  for (int& v : a) v = next() / 4;
  for (int& v : b) v = next() / 4;
  for (int& v : c) v = next() * 64;
  for (int m = 0; m < rows; ++m) {
    for (int k = 0; k < width; ++k) {  // tiles [m][k / 16], a tile is 1 x 16
      inp[static_cast<size_t>(m * width + k)] =
          static_cast<int8_t>(a[static_cast<size_t>(m * width + k)]);
      bias[static_cast<size_t>(m * width + k)] = c[static_cast<size_t>(k)];
    }
  }
  for (int n = 0; n < width; ++n) {
    for (int k = 0; k < width; ++k) {  // tiles [n / 16][k / 16], a tile is 16 x 16
      const int tile = n / kBlock * tiles + k / kBlock;
      wgt[static_cast<size_t>(tile * kWgtTile + n % kBlock * kBlock + k % kBlock)] =
          static_cast<int8_t>(b[static_cast<size_t>(n * width + k)]);
    }
  }
  // Micro-ops for every pair (accumulator part, input part), then one per part for the ALU.
  std::vector<Uop> uops;
  const auto acc_base = [&](int part) { return part * (kAccDepth / threads); };
  const auto inp_base = [&](int part) { return part * (kInpDepth / threads); };
  const auto wgt_base = [&](int part) { return part * (kWgtDepth / threads); };
  const int per_pair = compress ? nb : mb * kb * nb;
  for (int acc_part = 0; acc_part < threads; ++acc_part) {
    for (int in_part = 0; in_part < threads; ++in_part) {
      for (int m = 0; m < (compress ? 1 : mb); ++m) {
        for (int k = 0; k < (compress ? 1 : kb); ++k) {
          for (int n = 0; n < nb; ++n) {
            uops.push_back({static_cast<uint32_t>(acc_base(acc_part) + m * nb + n) & 0x7ff,
                            static_cast<uint32_t>(inp_base(in_part) + m * kb + k) & 0x7ff,
                            static_cast<uint32_t>(wgt_base(in_part) + n * kb + k) & 0x3ff});
          }
        }
      }
    }
  }
  const int alu_uops = static_cast<int>(uops.size());
  for (int part = 0; part < threads; ++part) {
    uops.push_back({static_cast<uint32_t>(acc_base(part)) & 0x7ff,
                    static_cast<uint32_t>(acc_base(part)) & 0x7ff, 0});
  }
  Shared<Uop> uop_memory(uops.size());
  uop_memory.Fill(uops);

  std::vector<Insn> stream;
  stream.push_back(Transfer(kLoad, kUop, 0, uop_memory.address(), 4, 0, 1,
                            static_cast<int>(uops.size()), static_cast<int>(uops.size())));
  const int jobs = m_blocks * n_blocks, steps = jobs * k_blocks;
  for (int job = 0, step = 0; job < jobs; ++job) {
    const int m = job / n_blocks * mb, n = job % n_blocks * nb, acc_part = job % threads;
    Insn load = Transfer(kLoad, kAcc, acc_base(acc_part), bias.address(), kAccTile, m * tiles + n,
                         mb, nb, tiles);
    load.mem.pop_next = job >= threads;  // the STORE that used this part is done
    stream.push_back(load);
    for (int kk = 0; kk < k_blocks; ++kk, ++step) {
      const int in_part = step % threads, k = kk * kb;
      Insn load_inp = Transfer(kLoad, kInp, inp_base(in_part), inp.address(), kInpTile,
                               m * tiles + k, mb, kb, tiles);
      load_inp.mem.pop_next = step >= threads;  // the GEMM that used this part is done
      stream.push_back(load_inp);
      Insn load_wgt = Transfer(kLoad, kWgt, wgt_base(in_part), wgt.address(), kWgtTile,
                               n * tiles + k, nb, kb, tiles);
      load_wgt.mem.push_next = 1;
      stream.push_back(load_wgt);
      Insn gemm;
      std::memset(&gemm, 0, sizeof(gemm));
      gemm.gemm.opcode = kGemm;
      gemm.gemm.pop_prev = 1;
      gemm.gemm.push_prev = step + threads < steps;
      const int first = (acc_part * threads + in_part) * per_pair;
      gemm.gemm.uop_bgn = static_cast<uint16_t>(first) & 0x1fff;
      gemm.gemm.uop_end = static_cast<uint16_t>(first + per_pair) & 0x3fff;
      gemm.gemm.iter_out = compress ? static_cast<uint16_t>(mb) & 0x3fff : 1;
      gemm.gemm.iter_in = compress ? static_cast<uint16_t>(kb) & 0x3fff : 1;
      if (compress) {
        gemm.gemm.dst_factor_out = static_cast<uint16_t>(nb) & 0x7ff;
        gemm.gemm.src_factor_out = static_cast<uint16_t>(kb) & 0x7ff;
        gemm.gemm.src_factor_in = gemm.gemm.wgt_factor_in = 1;
      }
      stream.push_back(gemm);
    }
    stream.push_back(Immediate(kShr, alu_uops + acc_part, mb * nb, 6));
    stream.push_back(Immediate(kMin, alu_uops + acc_part, mb * nb, 100));
    Insn max = Immediate(kMax, alu_uops + acc_part, mb * nb, -100);
    max.alu.push_next = 1;
    stream.push_back(max);
    Insn store = Transfer(kStore, kOut, acc_base(acc_part), out.address(), kOutTile, m * tiles + n,
                          mb, nb, tiles);
    store.mem.pop_prev = 1;
    store.mem.push_prev = job + threads < jobs || job == jobs - 1;  // the last push is for FINISH
    stream.push_back(store);
  }
  Insn finish = Finish();
  finish.mem.pop_next = 1;
  stream.push_back(finish);
  Expect(Run(device, stream) == 0, "blocked GEMM ends", threads);

  int wrong = 0;
  for (int m = 0; m < rows; ++m) {
    for (int n = 0; n < width; ++n) {
      int sum = c[static_cast<size_t>(n)];
      for (int k = 0; k < width; ++k)
        sum += a[static_cast<size_t>(m * width + k)] * b[static_cast<size_t>(n * width + k)];
      wrong += out[static_cast<size_t>(m * width + n)] != std::clamp(sum >> 6, -100, 100);
    }
  }
  Expect(wrong == 0, "blocked GEMM's results, wrong values", wrong);
  std::printf("blocked GEMM %d x %d x %d, %d virtual threads, %zu micro-ops: %d wrong\n", rows,
              width, width, threads, uops.size(), wrong);
}

// sum[i] = a[i] + b[i], |chunks| pieces of |tiles| tiles.
void VectorAdd(VTADeviceHandle device, int chunks, int tiles, int threads) {
  const size_t count = static_cast<size_t>(chunks * tiles * kBlock);
  Shared<int32_t> a(count), b(count);
  Shared<int8_t> sum(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = static_cast<int32_t>(i * 7 % 100);
    b[i] = static_cast<int32_t>(i * 13 % 27) - 100;
  }
  std::vector<Uop> uops;
  const auto base = [&](int part) { return part * (kAccDepth / threads); };
  for (int part = 0; part < threads; ++part) {
    uops.push_back({static_cast<uint32_t>(base(part)) & 0x7ff,
                    static_cast<uint32_t>(base(part) + tiles) & 0x7ff, 0});
  }
  Shared<Uop> uop_memory(uops.size());
  uop_memory.Fill(uops);
  std::vector<Insn> stream = {
      Transfer(kLoad, kUop, 0, uop_memory.address(), 4, 0, 1, threads, threads)};
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const int part = chunk % threads;
    Insn load =
        Transfer(kLoad, kAcc, base(part), a.address(), kAccTile, chunk * tiles, 1, tiles, tiles);
    load.mem.pop_next = chunk >= threads;
    stream.push_back(load);
    stream.push_back(Transfer(kLoad, kAcc, base(part) + tiles, b.address(), kAccTile, chunk * tiles,
                              1, tiles, tiles));
    Insn add = Immediate(kAdd, part, tiles, 0);
    add.alu.use_imm = 0;
    add.alu.push_next = 1;
    stream.push_back(add);
    Insn store =
        Transfer(kStore, kOut, base(part), sum.address(), kOutTile, chunk * tiles, 1, tiles, tiles);
    store.mem.pop_prev = 1;
    store.mem.push_prev = chunk + threads < chunks || chunk == chunks - 1;
    stream.push_back(store);
  }
  Insn finish = Finish();
  finish.mem.pop_next = 1;
  stream.push_back(finish);
  Expect(Run(device, stream) == 0, "vector add ends", threads);
  int wrong = 0;
  for (size_t i = 0; i < count; ++i) wrong += sum[i] != a[i] + b[i];
  Expect(wrong == 0, "vector add's results, wrong values", wrong);
  std::printf("vector add of %zu, %d virtual threads: %d wrong\n", count, threads, wrong);
}

// Runs that must not report success; each says why on stderr.
void BadRuns(VTADeviceHandle device) {
  Insn finish = Finish();
  finish.mem.pop_next = 1;
  Expect(Run(device, {finish}) != 0, "a token that nobody pushes is not success");
  Insn illegal = Finish();
  illegal.mem.opcode = 7;
  Expect(Run(device, {illegal, Finish()}) != 0, "an unknown opcode is not success");
  Expect(Run(device, {Transfer(kLoad, kInp, kInpDepth, 0, kInpTile, 0, 1, 1, 1), Finish()}) != 0,
         "a tile past INP is not success");
  Expect(VTADeviceRun(device, 4096 + 4, 1, 1000) != 0, "a stream at an odd address is not success");
  Expect(VTADeviceRun(nullptr, 4096, 1, 1000) != 0, "no handle is not success");
  Expect(VTAMemGetPhyAddr(&finish) == 0, "memory of the host has no device address");
  Expect(VTAMemAlloc(size_t{1} << 40, 0) == nullptr, "more memory than there is");
  Expect(Run(device, {Finish()}) == 0, "the machine is usable afterwards");
}

}  // namespace

int main() {
  const VTADeviceHandle device = VTADeviceAlloc();
  if (device == nullptr) return 1;
  for (int threads : {1, 2, 4}) BlockedGemm(device, 8, 8, 4, 2, 4, threads, true);
  BlockedGemm(device, 8, 8, 4, 2, 4, 2, false);
  for (int threads : {1, 2, 4}) VectorAdd(device, 9, 12, threads);
  BadRuns(device);
  BlockedGemm(device, 4, 4, 2, 2, 2, 2, true);
  VTADeviceFree(device);
  std::printf(g_failures == 0 ? "all passed\n" : "%d failed\n", g_failures);
  return g_failures == 0 ? 0 : 1;
}
