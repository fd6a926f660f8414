// SPDX-License-Identifier: Apache-2.0
//
// What the GPU's generators share: a schedule that grows, and steps that are the same for all of
// them. Internal to compiler/schedule.
#ifndef TESSERA_COMPILER_SCHEDULE_GPU_STEPS_H_
#define TESSERA_COMPILER_SCHEDULE_GPU_STEPS_H_

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/schedule/schedule.h"
#include "compiler/te/roles.h"

namespace tessera::schedule {

// A size that is left to a decision: 1, 2, 4 and so on to |most|.
struct TileSize {
  int64_t most = 1, pick = 1;
};

// Threads along x, y and z.
inline constexpr std::array kThreads{ir::LoopKind::kThreadX, ir::LoopKind::kThreadY,
                                     ir::LoopKind::kThreadZ};

// The greatest power of two up to |n| and |limit|.
int64_t PowerUpTo(int64_t n, int64_t limit);

class GpuSteps {
 public:
  explicit GpuSteps(Schedule schedule) : s(std::move(schedule)) {}

  // By powers of two times |unit|.
  Status Decide(const std::string& name, const TileSize& size, int64_t unit = 1);

  std::vector<std::string> Live() const;
  // What costs little to compute again is part of its readers, but for |but|.
  Status InlineElementwise(const std::set<std::string>& but);
  // The same of what is computed from |anchor| alone, so that its reader is the output.
  Status InlineBehind(const std::string& anchor);
  // All axes are one loop over groups of threads.
  Status OneThreadAnElement(const std::string& name);
  // The loops of |stage| in front of |behind|, or all, as one, whose name is returned.
  Result<std::string> FuseAll(const std::string& stage, const std::string& behind = "");
  // Splits loop |axis| of |stage| in two whose names are its own with |outer| and |inner| behind.
  Status Split(const std::string& stage, const std::string& axis, const Amount& factor,
               const char* outer, const char* inner, Tail tail = Tail::kGuard);
  // The axes of the grid for up to |most| groups along x, y and z, which change places where the
  // target has not as many along one and has along x.
  std::array<ir::LoopKind, 3> GridAxes(const std::array<int64_t, 3>& most) const;
  // Does the output read |anchor| element by element, so that it can take its sums as they come?
  bool OutputFollows(const std::string& anchor) const;

  Schedule s;
};

// The products of one type: a target's instruction, and the one that stores its sums.
struct Fragment {
  const target::TensorIntrin* product = nullptr;
  const target::TensorIntrin* store = nullptr;
  DType narrow, wide;
  int64_t rows, columns, depth;
};
// The fragments of the target for the types of |anchor|, those that take the fewest cycles.
std::optional<Fragment> FragmentOf(const Schedule& s, const Stage& anchor);

// Whether FragmentSchedule takes the sum |anchor|: products of two reads in a type that the target
// has fragments for, summed over channels, with a channel of the result that the weights alone
// have. Groups and products by channel have none.
bool IsFragment(const Schedule& s, const Stage& anchor, const te::Roles& roles);
// Blocks of 16 channels x 8 points by matrix fragments. |constants|: inputs that are known before.
// The stage that the blocks are stored to: the output, or |anchor| where the output reads it
// otherwise and has no loops of its own yet.
Result<std::string> FragmentSchedule(GpuSteps& g, const std::string& anchor, const te::Roles& roles,
                                     const std::set<std::string>& constants);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_GPU_STEPS_H_
