// SPDX-License-Identifier: Apache-2.0
//
// The exact addresses that one instruction of profile `tessera` reads and writes, computed from its
// loops and operands in the tables. Token insertion (jit/tokens) starts from them. Depends on:
// isa/nest.h. Used by: jit, isa/check, compiler/codegen/accel.
#ifndef TESSERA_ISA_ACCESS_H_
#define TESSERA_ISA_ACCESS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "isa/nest.h"

namespace tessera::isa {

// Addresses begin .. end-1.
struct AddressRange {
  int64_t begin = 0;
  int64_t end = 0;
  bool operator==(const AddressRange&) const = default;
};

// One space and its touched addresses: sorted intervals that neither overlap nor adjoin.
struct Access {
  Space space;
  bool write = false;
  std::vector<AddressRange> intervals;
  bool operator==(const Access&) const = default;
};

// Every address that |insn| reads or writes: at most one read and one write entry for each space,
// no entry without an address. Addresses are as the fields give them, in range or not.
//
//   uops  the micro-ops that a Gemm runs, in order (its uop_count); other instructions ignore them
//
// A Gemm also reads UOP. A read-modify-write of a scratchpad is a read and a write. The caller
// rejects instructions whose fields have no meaning (an unknown memory, an iteration count over
// kMaxSteps); this function cuts their accesses off at kMaxSteps steps.
std::vector<Access> Accesses(const Insn& insn, const Config& config,
                             std::span<const Uop> uops = {});

inline constexpr int64_t kMaxSteps = int64_t{1} << 24;

// Sorts |intervals|, joins those that overlap or adjoin, and drops empty ones.
void Normalize(std::vector<AddressRange>& intervals);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_ACCESS_H_
