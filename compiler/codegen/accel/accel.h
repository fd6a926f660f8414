// SPDX-License-Identifier: Apache-2.0
//
// Turns the plan of a program (compiler/network/program.h) into its image: places buffers, lowers
// regions, emits their instructions (emit/) in an order that overlaps regions (order/), and has
// them linked (jit/). Depends on: compiler/network, jit, isa. Used by: compiler/driver, tests.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_ACCEL_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_ACCEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/network/program.h"
#include "isa/config.h"
#include "isa/image.h"
#include "jit/program_builder.h"

namespace tessera::codegen::accel {

struct RegionReport {
  int64_t instructions = 0;
};

struct AccelProgram {
  isa::ProgramImage image;
  jit::ProgramStats stats;
  std::vector<RegionReport> regions;
  std::vector<std::string> notes, irs;  // roles, if known; loops: one a region, when they are
                                        // wanted
};

// Emits the instructions of |plan|, which is of these |regions|. |offsets| has the place of each of
// plan.needs in the device's arena of |arena_bytes|. Segments kInput and kArena are both that
// arena: the program reads what was there before through kInput, and writes and reads its own
// results through kArena, so that a checker can tell them apart. Constants without bytes are zeros;
// the cycles are the same. |dump|: fill in notes and irs.
//   errors  kUnsupported  a leaf that no instruction expresses
//           kOutOfRange   a scratchpad or a field is too small; names region, instruction, field
Result<AccelProgram> EmitProgram(const network::ProgramPlan& plan,
                                 const std::vector<network::Activation>& activations,
                                 const std::vector<lower::accel::AccelRegion>& regions,
                                 const isa::Config& config, const std::vector<int64_t>& offsets,
                                 int64_t arena_bytes, bool dump = false,
                                 network::RefusedIndex* refused = nullptr);

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_ACCEL_H_
