// SPDX-License-Identifier: Apache-2.0
//
// Walk: every address that an instruction of either profile touches, from its loops and operands in
// the tables. Follows the order of steps in a space that the instruction both writes and reads.
// Depends on: isa/nest.h, isa/semantics/fetch.h (both profiles in one type). Used by: the checker,
// the generator of random programs.
#ifndef TESSERA_ISA_CHECK_WALK_H_
#define TESSERA_ISA_CHECK_WALK_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "isa/config.h"
#include "isa/nest.h"
#include "isa/semantics/fetch.h"

namespace tessera::isa {

// Addresses [first, first + count) of |space|: tiles of a scratchpad, bytes of a segment. In one
// space the reads of a step come before its writes. ACC8 counts as ACC; in profile vta a STORE
// reads ACC, and segment s belongs to memory id s.
struct Touch {
  Space space;
  int64_t first = 0;
  int64_t count = 0;
  bool write = false;
};

// The micro-ops that the instruction reads: a range of UOP, empty for most instructions.
struct UopRange {
  int64_t begin = 0;
  int64_t count = 0;
};
UopRange UopsOf(const InsnNest& nest);
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
    for (int n = 0; n < nest_.operand_count; ++n) {
      const NestOperand& o = nest_.operand_list[n];
      if (o.whole) {
        Whole(o, 0, o.base);
      } else if (IsAlone(o)) {
        Alone(o);
      } else if (!IsAtOnePlace(o)) {
        FindFirsts(n);
      } else if (FirstOf(o.space) == n) {
        AtOnePlace(o.space);
      }
    }
    if (stepped_ == 0) return;
    std::array<int64_t, kMaxOperands> at{};
    for (int n = 0; n < nest_.operand_count; ++n) at[n] = nest_.operand_list[n].base;
    Steps(0, 0, 0, at);
  }

 private:
  // Whether |o| is the only operand in its space, and no loop moves it both by a stride and by a
  // field of the micro-op.
  bool IsAlone(const NestOperand& o) const {
    return std::ranges::count(nest_.operands(), o.space, &NestOperand::space) == 1 &&
           !StridesAndFields(o);
  }
  int FirstOf(Space space) const {
    return static_cast<int>(std::ranges::find(nest_.operands(), space, &NestOperand::space) -
                            nest_.operands().begin());
  }
  // Whether all operands in the space of |o| touch the same addresses in a step, whatever the
  // micro-op.
  bool IsAtOnePlace(const NestOperand& o) const {
    const auto same_field = [&](const Uop& u) {
      return o.uop < 0 || UopField(u, o.uop) == UopField(uops_[0], o.uop);
    };
    return std::ranges::all_of(uops_, same_field) &&
           std::ranges::all_of(nest_.operands(), [&](const NestOperand& other) {
             return other.space != o.space ||
                    (other.base == o.base && other.extent == o.extent && other.uop == o.uop &&
                     other.moves == o.moves && other.strides == o.strides &&
                     !StridesAndFields(other));
           });
  }
  bool StridesAndFields(const NestOperand& o) const {
    for (int l = 0; l < nest_.loop_count; ++l) {
      if (nest_.loop_list[l].uops && o.strides[l] != 0) return o.uop >= 0 || o.not_init;
    }
    return false;
  }

  struct Stretch {
    int64_t first = 0, end = 0;
  };
  static constexpr int64_t kMostStretches = 1 << 14;  // of those that Alone collects
  // Joins those of |runs| that overlap or adjoin.
  static void Merge(std::vector<Stretch>* runs) {
    if (!std::ranges::is_sorted(*runs, {}, &Stretch::first))
      std::ranges::sort(*runs, {}, &Stretch::first);
    size_t last = 0;
    for (size_t k = 1; k < runs->size(); ++k) {
      Stretch& before = (*runs)[last];
      const Stretch& run = (*runs)[k];
      if (run.first <= before.end) {
        before.end = std::max(before.end, run.end);
      } else {
        (*runs)[++last] = run;
      }
    }
    runs->resize(last + 1);
  }
  // Repeats |runs| |count| times, each time |stride| further on.
  static void Copy(int64_t count, int64_t stride, std::vector<Stretch>* runs) {
    const auto meets_itself = [&](const Stretch& run) { return run.end - run.first >= stride; };
    if (std::ranges::all_of(*runs, meets_itself)) {
      for (Stretch& run : *runs) run.end += (count - 1) * stride;
    } else {
      const size_t once = runs->size();
      runs->reserve(once * static_cast<size_t>(count));
      for (int64_t k = 1; k < count; ++k) {
        for (size_t r = 0; r < once; ++r)
          runs->push_back({(*runs)[r].first + k * stride, (*runs)[r].end + k * stride});
      }
    }
    Merge(runs);
  }

  // Touches everything that |o| touches, each address once or a few times, in any order.
  void Alone(const NestOperand& o) {
    bool stays = false;  // does not move for more than one step
    bool by_uop = false;
    for (int l = 0; l < nest_.loop_count; ++l) {
      const NestLoop& loop = nest_.loop_list[l];
      const bool moves = (o.moves >> l & 1) != 0;
      stays |= !moves && !loop.within && loop.count > 1;
      by_uop |= moves && loop.uops && o.strides[l] == 0;
    }
    if (o.later && !stays) return;
    std::vector<Stretch> runs;
    for (const int64_t field : FieldsOf(o, by_uop))
      runs.push_back({o.base + field, o.base + field + o.extent});
    if (runs.empty()) return;
    Merge(&runs);
    int l = nest_.loop_count - 1;
    for (; l >= 0; --l) {
      const int64_t count = nest_.loop_list[l].count, stride = o.strides[l];
      if ((o.moves >> l & 1) == 0 || stride == 0) continue;
      if (count > kMostStretches / std::ssize(runs)) break;
      if (count == 0) return;
      Copy(count, stride, &runs);
    }
    Repeat(o, l, 0, runs);
  }

  // Touches everything for the operands of |space|, which are at one place. The operands that the
  // first step touches come to every address first; they go before the others.
  void AtOnePlace(Space space) {
    for (const bool first : {true, false}) {
      for (const NestOperand& o : nest_.operands()) {
        const bool begins = !o.later && (!o.not_init || uops_[0].init == 0);
        if (o.space == space && begins == first) Alone(o);
      }
    }
  }

  // Touches |runs|, |offset| further on, for each iteration of loop |l| and the loops around it.
  void Repeat(const NestOperand& o, int l, int64_t offset, std::span<const Stretch> runs) {
    while (l >= 0 && ((o.moves >> l & 1) == 0 || o.strides[l] == 0)) --l;
    if (l < 0) {
      for (const Stretch& run : runs) Touch1(o, run.first + offset, run.end - run.first);
      return;
    }
    for (int64_t k = 0; k < nest_.loop_list[l].count; ++k)
      Repeat(o, l - 1, offset + k * o.strides[l], runs);
  }

  // What the micro-ops add to the addresses of |o|; all micro-ops if |all|, else the first one.
  std::vector<int64_t> FieldsOf(const NestOperand& o, bool all) const {
    if (o.uop < 0 && !o.not_init) return {0};
    std::vector<int64_t> fields;
    for (const Uop& u : all ? uops_ : uops_.first(1)) {
      const int64_t field = o.uop < 0 ? 0 : UopField(u, o.uop);
      const bool again = !fields.empty() && fields.back() == field;
      if (!again && (!o.not_init || u.init == 0)) fields.push_back(field);
    }
    return fields;
  }

  // Prepares operand |n| for a walk step by step. Finds the micro-ops that bring it to an address
  // first; the others touch the same addresses again.
  void FindFirsts(int n) {
    const NestOperand& o = nest_.operand_list[n];
    ++stepped_;
    std::vector<bool>& counts = counts_[n];
    counts.assign(std::max<size_t>(uops_.size(), 1), true);
    if (o.uop >= 0 && !o.later && !StridesAndFields(o)) {
      std::unordered_set<int64_t> seen;
      for (size_t u = 0; u < uops_.size(); ++u) {
        counts[u] =
            (!o.not_init || uops_[u].init == 0) && seen.insert(UopField(uops_[u], o.uop)).second;
      }
    }
    counted_.clear();
    for (size_t u = 0; u < counts.size(); ++u) {
      const auto counts_u = [&](const std::vector<bool>& c) { return !c.empty() && c[u]; };
      if (std::ranges::any_of(counts_, counts_u)) counted_.push_back(static_cast<int64_t>(u));
    }
  }

  // Touches everything that |o| touches in loops |l| and inwards, dense innermost loops in one run.
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

  // Walks the steps of loops |l| and inwards. |later|: bit m: loop m is past its first iteration;
  // |uop|: the micro-op's number; |at|: each operand's address without the micro-op's field.
  void Steps(int l, uint8_t later, int64_t uop, std::array<int64_t, kMaxOperands> at) {
    if (l == nest_.loop_count || nest_.loop_list[l].within) return Step(l, later, uop, at);
    const NestLoop& loop = nest_.loop_list[l];
    const auto go = [&](int64_t k, int64_t u) {
      std::array<int64_t, kMaxOperands> there = at;
      for (int n = 0; n < nest_.operand_count; ++n)
        there[n] += k * nest_.operand_list[n].strides[l];
      Steps(l + 1, later, u, there);
      later |= static_cast<uint8_t>(1 << l);
    };
    if (loop.uops) {
      for (const int64_t u : counted_) go(u, u);
    } else {
      for (int64_t k = 0; k < loop.count; ++k) go(k, uop);
    }
  }

  // One step. Touches an operand once while it does not move; more touches would change nothing.
  void Step(int within, uint8_t later, int64_t uop, const std::array<int64_t, kMaxOperands>& at) {
    for (int n = 0; n < nest_.operand_count; ++n) {
      const NestOperand& o = nest_.operand_list[n];
      const bool first = (later & ~o.moves) == 0;
      if (first == o.later || counts_[n].empty() || !counts_[n][static_cast<size_t>(uop)]) continue;
      int64_t address = at[n];
      if (o.uop >= 0 || o.not_init) {
        const Uop& u = uops_[static_cast<size_t>(uop)];
        if (o.not_init && u.init != 0) continue;
        if (o.uop >= 0) address += UopField(u, o.uop);
      }
      Parts(o, within, address);
    }
  }

  // Touches the parts of one step.
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
  // For each operand that is walked step by step: the micro-ops that count. Empty: other operands.
  std::array<std::vector<bool>, kMaxOperands> counts_;
  std::vector<int64_t> counted_;  // the micro-ops that count for any operand
  int stepped_ = 0;               // operands that are walked step by step
};

}  // namespace walk

// Calls touch(const Touch&) for everything that |insn| reads and writes, once for most addresses:
// first the reads of micro-ops, then operands alone in their space or at one place with the other
// operands of the space, then the others step by step.
//
//   uops   contents of UopsOf(insn), in order (profile vta: dst, src and wgt only)
//
// The fields must have passed CheckFields; addresses may be out of range. Takes Steps(insn) steps,
// nine times that for windows: bound that number first.
template <typename F>
void Walk(const InsnNest& nest, std::span<const Uop> uops, F&& touch) {
  walk::Walker(nest, uops, touch).Run();
}
template <typename F>
void Walk(const AnyInsn& insn, const Config& config, std::span<const Uop> uops, F&& touch) {
  Walk(NestOf(insn, config), uops, touch);
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_CHECK_WALK_H_
