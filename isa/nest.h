// SPDX-License-Identifier: Apache-2.0
//
// InsnNest: the loops and operands of one instruction, that is, the lines LOOP and OPERAND of the
// tables evaluated with its field values. The addresses that an instruction touches and its number
// of steps follow from this alone. Depends on isa/insns.h, isa/config.h. Used by isa/access,
// isa/check, isa/semantics, jit, sim, compiler/validate.
#ifndef TESSERA_ISA_NEST_H_
#define TESSERA_ISA_NEST_H_

#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>

#include "isa/config.h"
#include "isa/insns.h"

namespace tessera::isa {

// An address space: a scratchpad (counted in tiles) or a segment of device memory (in bytes).
struct Space {
  uint8_t index = 0;  // 0 .. kMemories-1: enum Memory; kMemories + s: segment s

  static constexpr Space Of(Memory memory) { return {static_cast<uint8_t>(memory)}; }
  static constexpr Space OfSegment(int64_t segment) {
    return {static_cast<uint8_t>(kMemories + segment)};
  }
  constexpr bool is_segment() const { return index >= kMemories; }
  constexpr int segment() const { return index - kMemories; }
  constexpr Memory memory() const { return static_cast<Memory>(index); }
  bool operator==(const Space&) const = default;
};
inline constexpr int kSpaces = kMemories + kSegments;

// "acc" or "segment 2".
std::string Text(Space space);

struct NestLoop {
  int64_t count = 0;   // iterations
  int64_t before = 0;  // how many of the first iterations are pads
  int64_t inside = 0;  // how many iterations after |before| are not pads
  bool uops = false;
  bool within = false;  // its iterations are parts of one step
};

// One operand of the instruction. Lines whose conditions fail give no operand.
struct NestOperand {
  const OperandRow* row = nullptr;
  Space space;
  bool write = false;
  bool dense = false;     // its steps follow each other: one run from |base|
  bool inside = false;    // counts only iterations that are not pads
  bool later = false;     // not in the first of the steps between which it does not move
  bool whole = false;     // touched as a whole, before or after the steps of the other operands
  int uop = -1;           // place of the micro-op's field that is added; -1: none
  bool not_init = false;  // only steps whose micro-op has init 0
  uint8_t moves = 0;      // bit l: loop l moves it
  int64_t base = 0;
  int64_t extent = 1;  // addresses that a step touches
  std::array<int64_t, kMaxLoops> strides{};
};

struct InsnNest {
  std::array<NestLoop, kMaxLoops> loop_list;  // outermost first
  int loop_count = 0;
  std::array<NestOperand, kMaxOperands> operand_list;  // in the order in which a step touches them
  int operand_count = 0;

  std::span<const NestLoop> loops() const { return std::span(loop_list).first(loop_count); }
  std::span<const NestOperand> operands() const {
    return std::span(operand_list).first(operand_count);
  }
  // Iterations of loop |l| that |operand| sees.
  int64_t CountFor(const NestOperand& operand, int l) const {
    return operand.inside ? loop_list[l].inside : loop_list[l].count;
  }
  // Product of the counts of all loops that are not within a step. At most 2^57, by the widths of
  // the fields.
  int64_t steps() const;
};

// Fields may hold values without a meaning, but the memory of a place or of a tile must exist.
InsnNest NestOf(const Insn& insn, const Config& config);
InsnNest NestOf(const VtaInsn& insn, const Config& config);

// The field of micro-op |uop| at place |field| of the table.
constexpr int64_t UopField(const Uop& uop, int field) {
  const std::array<int64_t, std::size(kUopFields)> values = {
#define UOP_FIELD(name, lsb, width, meaning) uop.name,
#include "isa/uops.def"
  };
  return values[static_cast<size_t>(field)];
}

// InsnNest::steps() alone; needs no configuration.
int64_t StepsOf(const Insn& insn);
int64_t StepsOf(const VtaInsn& insn);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_NEST_H_
