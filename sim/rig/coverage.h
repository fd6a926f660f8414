// SPDX-License-Identifier: Apache-2.0
//
// Coverage of instructions: how often each combination of enumerated fields (memories, operations)
// of an instruction occurred with each class of values of every other field. The cells follow from
// the tables of isa/. The Verilator simulation counts the coverage of RTL lines. Depends on:
// isa/semantics. Used by: `tessera regress`.
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

// Counts by cell. The number of a cell is the same in every process of this build.
using CellCounts = std::map<uint32_t, uint64_t>;

// Adds the instructions of |image|, which must decode for |config|.
void CountCells(const isa::ProgramImage& image, const isa::Config& config, CellCounts& counts);

// One instruction of a profile: how often it ran, and which of its cells it reached.
struct InsnCoverage {
  std::string insn;  // "load", "vta alu"
  uint64_t run = 0;
  size_t reached = 0, cells = 0;
  std::vector<std::string> missing;  // "memory=prm x_size=0": legal, not reached
};

// One element for each instruction of |profiles|, in the order of the tables. A cell counts if it
// ran, or if |config| accepts it with every other field at its least value.
std::vector<InsnCoverage> SumCoverage(const CellCounts& counts, const isa::Config& config,
                                      const std::set<isa::Profile>& profiles);

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_COVERAGE_H_
