// SPDX-License-Identifier: Apache-2.0
//
// Region and plan to loop IR: outer loops over tiles of work, allocations in scratchpad scopes, and
// leaf nests whose one statement is a tile intrinsic. Depends on: schedule/accel, compiler/ir, isa.
// Used by: codegen/accel; tests interpret the result.
#ifndef TESSERA_COMPILER_LOWER_ACCEL_LOWER_REGION_H_
#define TESSERA_COMPILER_LOWER_ACCEL_LOWER_REGION_H_

#include <cstdint>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/schedule/accel/plan.h"
#include "compiler/schedule/accel/region.h"
#include "isa/config.h"

namespace tessera::lower::accel {

namespace sched = schedule::accel;

// A parameter of the function: a global buffer, or (scope inp) an activation that stays on chip.
struct GlobalBuffer {
  enum class Use : uint8_t { kActivation, kResult, kConstant };
  Use role = Use::kActivation;
  te::Tensor tensor;          // kActivation, kResult: the tensor that it holds
  std::vector<uint8_t> data;  // kConstant: its bytes
};

struct LoweredRegion {
  ir::Func func;                      // resident buffers around: ahead, then body
  std::vector<GlobalBuffer> buffers;  // one a parameter of func
  std::vector<ir::Buffer> resident;   // on chip during all of the region
  std::vector<ir::Stmt>
      ahead;  // fill them, in this order; they need nothing that other regions make
  ir::Stmt body;
};

using sched::ConstantMap;

// Activations in device memory are [batches, channel blocks, y, x, rows * block] int8
// (codegen/accel/layout.h); those that stay on chip have rows and columns of halo and whole tiles.
// A result that does both has two parameters. |fill_halo|: the result's halo is written here.
LoweredRegion LowerRegion(const sched::AnalyzedRegion& region, const sched::TilePlan& plan,
                          const isa::Config& config, const ConstantMap& constants,
                          const sched::OnChip& on_chip = {}, bool fill_halo = true);

// Weight tiles in the order in which LOAD wants them: [output block][input block][tap] for a
// contraction (zero where a group has no such channel), [block][window piece] for channelwise
// windows.
std::vector<uint8_t> PackWeights(const sched::AnalyzedRegion& region, const sched::Extents& extents,
                                 const isa::Config& config, const std::vector<uint8_t>& weights);

// One PRM record a channel block, as int32 numbers: biases, multipliers, shifts. Channels past the
// last have 0.
std::vector<uint8_t> PackParams(const sched::AnalyzedRegion& region, const sched::ParamTable& table,
                                const isa::Config& config, const ConstantMap& constants);

// The first input channel block that output block |block| reduces over.
int64_t FirstInputBlock(const sched::AnalyzedRegion& region, const sched::Extents& extents,
                        const isa::Config& config, int64_t block);

}  // namespace tessera::lower::accel

#endif  // TESSERA_COMPILER_LOWER_ACCEL_LOWER_REGION_H_
