// SPDX-License-Identifier: Apache-2.0
//
// From the plan of a program (compiler/network/program.h) to its image: places known, regions
// lowered, instructions emitted. Depends on: compiler/network, lowering and emitters, jit, isa.
// Used by: compiler/driver, tests.
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

// The instructions of |plan|, which is of these |regions|. |offsets|: of each of plan.needs in the
// device's arena of |arena_bytes|. Segments kInput and kArena are that arena: what is there before
// the program is read through one, what the program makes is written and read through the other, so
// that a checker can tell them apart. Constants that are not packed are zeros: such a program takes
// the same cycles. |dump|: fill in notes and irs.
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
