// SPDX-License-Identifier: Apache-2.0
//
// VTA instruction streams, a second derivation: from VTA's published field order and widths, not
// from this project's tables. Depends on: isa/config.h for the sizes of scratchpads only.
#ifndef TESSERA_TESTS_VTA_STREAM_H_
#define TESSERA_TESTS_VTA_STREAM_H_

#include <array>
#include <cstdint>
#include <vector>

#include "isa/config.h"

namespace tessera::vta_test {

enum Opcode { kLoad = 0, kStore = 1, kGemm = 2, kFinish = 3, kAlu = 4 };
enum MemoryId { kUop = 0, kWgt = 1, kInp = 2, kAcc = 3, kOut = 4, kAcc8 = 5 };
enum AluOpcode { kMin = 0, kMax = 1, kAdd = 2, kShr = 3, kMul = 4 };

// The tokens that an instruction pops and pushes.
struct Deps {
  bool pop_prev = false, pop_next = false, push_prev = false, push_next = false;
};

// A LOAD or STORE of y x x tiles; pads around them (LOAD).
struct Box {
  int64_t sram = 0, y = 1, x = 1, stride = 0, y_pad_0 = 0, y_pad_1 = 0, x_pad_0 = 0, x_pad_1 = 0;
};

// The loops of GEMM and ALU.
struct Loops {
  int64_t uop_bgn = 0, uop_end = 1, iter_out = 1, iter_in = 1;
  int64_t dst_out = 0, dst_in = 0, src_out = 0, src_in = 0, wgt_out = 0, wgt_in = 0;
};

struct MicroOp {
  int64_t dst = 0, src = 0, wgt = 0;
};

// Bits of an index into each scratchpad.
struct Widths {
  explicit Widths(const isa::Config& c)
      : uop(Log2Floor(static_cast<uint64_t>(c.uop_bytes / 4))),
        inp(Log2Floor(static_cast<uint64_t>(c.inp_bytes / (c.batch * c.block_in)))),
        wgt(Log2Floor(static_cast<uint64_t>(c.wgt_bytes / (c.block_in * c.block_out)))),
        acc(Log2Floor(static_cast<uint64_t>(c.acc_bytes / (4 * c.batch * c.block_out)))) {}
  int uop, inp, wgt, acc;
};

using Word = std::array<uint64_t, 2>;

// Packs fields in order; a field that would cross a 64-bit word starts at the next, as in C.
class Packer {
 public:
  Packer& Put(int width, int64_t value) {
    if (at_ / 64 != (at_ + width - 1) / 64) at_ = 64;
    word_[static_cast<size_t>(at_ / 64)] |= (static_cast<uint64_t>(value) & Mask(width))
                                            << (at_ % 64);
    at_ += width;
    return *this;
  }
  Packer& Header(Opcode opcode, const Deps& d) {
    return Put(3, opcode)
        .Put(1, d.pop_prev)
        .Put(1, d.pop_next)
        .Put(1, d.push_prev)
        .Put(1, d.push_next);
  }
  const Word& word() const { return word_; }

 private:
  Word word_{};
  int at_ = 0;
};

class Stream {
 public:
  explicit Stream(const isa::Config& config) : widths_(config) {}

  // |dram|: in tiles of |memory| from device address 0.
  Stream& Transfer(Opcode opcode, int memory, int64_t dram, const Box& b, const Deps& deps = {}) {
    Packer p;
    p.Header(opcode, deps).Put(3, memory).Put(16, b.sram).Put(32, dram);
    p.Put(16, b.y).Put(16, b.x).Put(16, b.stride);
    p.Put(4, b.y_pad_0).Put(4, b.y_pad_1).Put(4, b.x_pad_0).Put(4, b.x_pad_1);
    return Raw(p.word());
  }
  Stream& Load(int memory, int64_t dram, const Box& box, const Deps& deps = {}) {
    return Transfer(kLoad, memory, dram, box, deps);
  }
  Stream& Store(int64_t dram, const Box& box, const Deps& deps = {}) {
    return Transfer(kStore, kOut, dram, box, deps);
  }
  Stream& Gemm(const Loops& l, bool reset = false, const Deps& deps = {}) {
    Packer p = Head(kGemm, l, reset, deps);
    p.Put(widths_.inp, l.src_out).Put(widths_.inp, l.src_in);
    p.Put(widths_.wgt, l.wgt_out).Put(widths_.wgt, l.wgt_in);
    return Raw(p.word());
  }
  // acc[dst] = op(acc[dst], imm)
  Stream& AluImm(AluOpcode op, int64_t imm, const Loops& l, const Deps& deps = {},
                 bool reset = false) {
    Packer p = Head(kAlu, l, reset, deps);
    p.Put(widths_.acc, l.src_out).Put(widths_.acc, l.src_in);
    p.Put(3, op).Put(1, 1).Put(16, imm);
    return Raw(p.word());
  }
  // acc[dst] = op(acc[dst], acc[src])
  Stream& Alu(AluOpcode op, const Loops& l, const Deps& deps = {}, bool reset = false) {
    Packer p = Head(kAlu, l, reset, deps);
    p.Put(widths_.acc, l.src_out).Put(widths_.acc, l.src_in);
    p.Put(3, op).Put(1, 0).Put(16, 0);
    return Raw(p.word());
  }
  // Tokens only: a transfer of no tiles in the queue of LOAD, COMPUTE or STORE.
  Stream& LoadNop(const Deps& deps) { return Transfer(kLoad, kInp, 0, {.x = 0}, deps); }
  Stream& ComputeNop(const Deps& deps) { return Transfer(kLoad, kUop, 0, {.x = 0}, deps); }
  Stream& StoreNop(const Deps& deps) { return Transfer(kStore, kOut, 0, {.x = 0}, deps); }
  Stream& Finish(const Deps& deps = {}) {
    Packer p;
    p.Header(kFinish, deps);
    return Raw(p.word());
  }
  Stream& Raw(const Word& word) {
    words_.push_back(word);
    return *this;
  }

  // The 32 bits of a micro-op.
  uint32_t Encode(const MicroOp& op) const {
    const int source = widths_.acc > widths_.inp ? widths_.acc : widths_.inp;
    Packer p;
    p.Put(widths_.acc, op.dst).Put(source, op.src).Put(widths_.wgt, op.wgt);
    return static_cast<uint32_t>(p.word()[0]);
  }

  const std::vector<Word>& words() const { return words_; }

 private:
  Packer Head(Opcode opcode, const Loops& l, bool reset, const Deps& deps) const {
    Packer p;
    p.Header(opcode, deps)
        .Put(1, reset)
        .Put(widths_.uop, l.uop_bgn)
        .Put(widths_.uop + 1, l.uop_end);
    p.Put(14, l.iter_out).Put(14, l.iter_in);
    p.Put(widths_.acc, l.dst_out).Put(widths_.acc, l.dst_in);
    return p;
  }

  Widths widths_;
  std::vector<Word> words_;
};

}  // namespace tessera::vta_test

#endif  // TESSERA_TESTS_VTA_STREAM_H_
