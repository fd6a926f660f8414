// SPDX-License-Identifier: Apache-2.0
//
// CompileAccel: a list of regions, as tensor expressions, to one program image that runs them all
// in one go, with what the host must know to bring the input and fetch the output. Depends on: the
// accelerator's schedule generator, lowering and emitters, jit, isa. Used by: the compile tool,
// tests.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_ACCEL_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_ACCEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "compiler/schedule/schedule.h"
#include "compiler/te/te.h"
#include "isa/config.h"
#include "isa/image.h"
#include "isa/packing.h"
#include "jit/program_builder.h"

namespace tessera::codegen::accel {

// An int8 tensor that regions exchange: rank 1 to 4, [batch, channel, y, x]
// (schedule/accel/region.h).
struct Activation {
  enum class Kind : uint8_t { kInput, kInternal, kOutput };  // kOutput may be read by later regions
  std::string name;
  std::vector<int64_t> shape;
  Kind kind = Kind::kInternal;
};

// One region of the network, in running order.
struct AccelRegion {
  uint32_t layer = 0;                                          // for the source map
  std::string op;                                              // ... and its text
  te::Tensor output;                                           // the DAG
  int result = -1;                                             // the activation that it makes
  std::unordered_map<const te::TensorNode*, int> activations;  // placeholder -> activation
  std::unordered_map<const te::TensorNode*, std::vector<uint8_t>>
      constants;  // placeholder -> row-major bytes
  // A recorded schedule (AccelProgram::traces) to replay; without one the generator decides.
  std::optional<schedule::Trace> schedule;
};

struct AccelOptions {
  // Every activation in device memory keeps a place of its own, so that all can be read back after
  // a run.
  bool keep_all = false;
  // What stays in INP goes to device memory too; with keep_all, every result can be read back.
  bool store_all = false;
  // Whether activations may stay in INP at all.
  bool stay = true;
  // Texts for --dump: AccelProgram::schedules and irs.
  bool dump = false;
};

// Where an activation is and how the host packs or unpacks it. An input may have several packings.
struct ActivationPlace {
  int activation = -1;
  isa::Segment segment = isa::Segment::kArena;
  int64_t offset = 0;  // bytes
  isa::Packing packing;
};

struct RegionReport {
  int64_t macs_steps = 0;  // tile products a perfect array would need: GEMM steps
  int64_t instructions = 0;
  double estimated_cycles = 0;
};

struct AccelProgram {
  isa::ProgramImage image;
  std::vector<ActivationPlace> inputs;   // to be packed before a run
  std::vector<ActivationPlace> results;  // every region's result that is stored; internal ones may
                                         // be overwritten unless keep_all
  std::vector<int> staying;              // activations that stay in INP
  jit::ProgramStats stats;
  std::vector<RegionReport> regions;
  std::vector<schedule::Trace> traces;      // the decisions of each region, as replayed or made
  std::vector<std::string> schedules, irs;  // one a region, with options.dump
};

// Whether the accelerator runs this region: the errors of its analysis and plan, nothing compiled.
Status CheckRegion(const AccelRegion& region, const isa::Config& config);

// Compiles |regions|.
//   errors  kInvalidArgument  a schedule that is none of this region's (ReplayPlan's errors)
//           kUnsupported  a region that does not map to the machine (names its op and the stage)
//           kOutOfRange   a scratchpad or a field is too small; names region, instruction, field
Result<AccelProgram> CompileAccel(const std::vector<Activation>& activations,
                                  const std::vector<AccelRegion>& regions,
                                  const isa::Config& config, const AccelOptions& options = {});

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_ACCEL_H_
