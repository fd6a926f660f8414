// SPDX-License-Identifier: Apache-2.0
//
// What programs exercise: for each instruction, each combination of its enumerated fields
// (memories, operations) and each class of values of every other field, how often it occurred. The
// cells follow from the tables of isa/. Coverage of RTL lines is another matter: the simulator's.
// Depends on: isa/semantics. Used by: `tessera regress`.
#ifndef TESSERA_SIM_RIG_COVERAGE_H_
#define TESSERA_SIM_RIG_COVERAGE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/image.h"
#include "isa/semantics/fetch.h"

namespace tessera::rig {

// Counts by cell; a cell's number is the same in every process of this build.
using CellCounts = std::map<uint32_t, uint64_t>;

// Adds the instructions of |image|, which decode for |config|.
void CountCells(const isa::ProgramImage& image, const isa::Config& config, CellCounts& counts);

// One instruction of a profile: how often it ran, and which of its cells did.
struct InsnCoverage {
  std::string insn;  // "load", "vta alu"
  uint64_t run = 0;
  size_t reached = 0, cells = 0;
  std::vector<std::string> missing;  // "memory=prm x_size=0": legal, and never ran
};

// By instruction of |profiles|, in the tables' order. A cell counts if |config| takes it: each
// with every other field at its least.
std::vector<InsnCoverage> SumCoverage(const CellCounts& counts, const isa::Config& config,
                                      const std::set<isa::Profile>& profiles);

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_COVERAGE_H_
