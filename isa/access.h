// SPDX-License-Identifier: Apache-2.0
//
// What one instruction of profile `tessera` reads and writes, exactly, from its loops and operands
// in the tables: the base of token insertion (jit/tokens). Depends on: isa/nest.h. Used by: jit.
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

// One space and what is touched in it: sorted intervals that neither overlap nor touch each other.
struct Access {
  Space space;
  bool write = false;
  std::vector<AddressRange> intervals;
  bool operator==(const Access&) const = default;
};

// Every address that |insn| reads or writes, at most one read and one write entry a space; entries
// without an address are left out. Addresses are as the fields say, in range or not.
//
//   uops  the micro-ops that a Gemm runs, in order (its uop_count); ignored for others
//
// Reading UOP is part of a Gemm. A scratchpad's read-modify-write is a read and a write. An
// instruction whose fields have no meaning (unknown memory, an iteration count over kMaxSteps)
// is the caller's to refuse: its accesses are cut off at kMaxSteps steps.
std::vector<Access> Accesses(const Insn& insn, const Config& config,
                             std::span<const Uop> uops = {});

inline constexpr int64_t kMaxSteps = int64_t{1} << 24;

// Sorts and joins |intervals| (overlapping or touching ones become one; empty ones vanish).
void Normalize(std::vector<AddressRange>& intervals);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_ACCESS_H_
