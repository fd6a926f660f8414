// SPDX-License-Identifier: Apache-2.0
//
// Walk: every address that an instruction of either profile touches, in the order in which it does,
// from its loops and operands in the tables. Depends on: isa/nest.h, isa/semantics/fetch.h (both
// profiles in one type). Used by: the checker, the generator of random programs.
#ifndef TESSERA_ISA_CHECK_WALK_H_
#define TESSERA_ISA_CHECK_WALK_H_

#include <array>
#include <cstdint>
#include <span>

#include "isa/config.h"
#include "isa/nest.h"
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
UopRange UopsOf(const AnyInsn& insn, const Config& config);

InsnNest NestOf(const AnyInsn& insn, const Config& config);

namespace walk {

template <typename F>
class Walker {
 public:
  Walker(const InsnNest& nest, std::span<const Uop> uops, F& touch)
      : nest_(nest), uops_(uops), touch_(touch) {}

  void Run() {
    if (nest_.steps() == 0) return;
    bool steps = false;
    for (const NestOperand& o : nest_.operands()) {
      if (o.whole) {
        Whole(o, 0, o.base);
      } else {
        steps = true;
      }
    }
    if (!steps) return;
    std::array<int64_t, kMaxOperands> at{};
    for (int n = 0; n < nest_.operand_count; ++n) at[n] = nest_.operand_list[n].base;
    Steps(0, 0, 0, at);
  }

 private:
  // All that |o| touches from loop |l| on, dense runs of the innermost loop at once.
  void Whole(const NestOperand& o, int l, int64_t first) {
    if (o.dense) return Touch1(o, first, nest_.steps());
    while (l < nest_.loop_count && (o.moves >> l & 1) == 0) ++l;
    if (l == nest_.loop_count) return Touch1(o, first, o.extent);
    const int64_t count = nest_.CountFor(o, l);
    if (l + 1 == nest_.loop_count && o.strides[l] == o.extent) {
      if (count > 0) Touch1(o, first, o.extent * count);
      return;
    }
    for (int64_t k = 0; k < count; ++k) Whole(o, l + 1, first + k * o.strides[l]);
  }

  // The steps of loops |l| and inwards. |later|: bit m: loop m is past its first iteration; |uop|:
  // the micro-op's number; |at|: each operand's address without it.
  void Steps(int l, uint8_t later, int64_t uop, std::array<int64_t, kMaxOperands> at) {
    if (l == nest_.loop_count || nest_.loop_list[l].within) return Step(l, later, uop, at);
    const NestLoop& loop = nest_.loop_list[l];
    for (int64_t k = 0; k < loop.count; ++k) {
      Steps(l + 1, later, loop.uops ? k : uop, at);
      later |= static_cast<uint8_t>(1 << l);
      for (int n = 0; n < nest_.operand_count; ++n) at[n] += nest_.operand_list[n].strides[l];
    }
  }

  // One step. An operand is touched once while it does not move: its later touches change nothing.
  void Step(int within, uint8_t later, int64_t uop, const std::array<int64_t, kMaxOperands>& at) {
    for (int n = 0; n < nest_.operand_count; ++n) {
      const NestOperand& o = nest_.operand_list[n];
      const bool first = (later & ~o.moves) == 0;
      if (o.whole || first == o.later) continue;
      int64_t address = at[n];
      if (o.uop >= 0 || o.not_init) {
        const Uop& u = uops_[static_cast<size_t>(uop)];
        if (o.not_init && u.init != 0) continue;
        if (o.uop >= 0) address += UopField(u, o.uop);
      }
      Parts(o, within, address);
    }
  }

  // The parts of one step.
  void Parts(const NestOperand& o, int l, int64_t first) {
    while (l < nest_.loop_count && (o.moves >> l & 1) == 0) ++l;
    if (l == nest_.loop_count) return Touch1(o, first, o.extent);
    for (int64_t k = 0; k < nest_.loop_list[l].count; ++k)
      Parts(o, l + 1, first + k * o.strides[l]);
  }

  void Touch1(const NestOperand& o, int64_t first, int64_t count) {
    touch_(Touch{o.space, first, count, o.write});
  }

  const InsnNest& nest_;
  std::span<const Uop> uops_;
  F& touch_;
};

}  // namespace walk

// Calls touch(const Touch&) for everything that |insn| reads and writes; reading of micro-ops
// first, a transfer operand by operand, everything else step by step.
//
//   uops   contents of UopsOf(insn), in order (profile vta: dst, src and wgt only)
//
// The fields have passed CheckFields; addresses may be out of range. Takes Steps(insn) steps, or
// nine times that for windows: bound them first.
template <typename F>
void Walk(const AnyInsn& insn, const Config& config, std::span<const Uop> uops, F&& touch) {
  walk::Walker(NestOf(insn, config), uops, touch).Run();
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_CHECK_WALK_H_
