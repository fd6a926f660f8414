// SPDX-License-Identifier: Apache-2.0
//
// Helpers of the GPU's generators: a schedule under construction, and steps that they share.
// Internal to compiler/schedule.
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

// A size for a decision to choose: a power of two up to |most|; |pick| by default.
struct TileSize {
  int64_t most = 1, pick = 1;
};

// Threads along x, y and z.
inline constexpr std::array kThreads{ir::LoopKind::kThreadX, ir::LoopKind::kThreadY,
                                     ir::LoopKind::kThreadZ};

// The greatest power of two that is at most |n| and |limit|.
int64_t PowerUpTo(int64_t n, int64_t limit);

class GpuSteps {
 public:
  explicit GpuSteps(Schedule schedule) : s(std::move(schedule)) {}

  // Decides a size among powers of two times |unit|.
  Status Decide(const std::string& name, const TileSize& size, int64_t unit = 1);

  std::vector<std::string> Live() const;
  // Inlines cheap elementwise stages in their readers, except for |but|.
  Status InlineElementwise(const std::set<std::string>& but);
  // Inlines cheap elementwise stages that depend on |anchor|, so that the output reads it.
  Status InlineBehind(const std::string& anchor);
  // Fuses all axes of stage |name| and binds one thread to each element.
  Status OneThreadAnElement(const std::string& name);
  // Fuses the loops of |stage| before |behind|, or all its loops; returns the name of the loop.
  Result<std::string> FuseAll(const std::string& stage, const std::string& behind = "");
  // Splits loop |axis| of |stage|; the names of the parts end in |outer| and |inner|.
  Status Split(const std::string& stage, const std::string& axis, const Amount& factor,
               const char* outer, const char* inner, Tail tail = Tail::kGuard);
  // Axes of the grid for up to |most| groups along x, y and z. Swaps two axes if the target allows
  // too few groups along one of them but enough along x.
  std::array<ir::LoopKind, 3> GridAxes(const std::array<int64_t, 3>& most) const;
  // Whether the output reads |anchor| element by element, so that it can use each sum at once.
  bool OutputFollows(const std::string& anchor) const;

  Schedule s;
};

// The matrix instructions of one type: the product, and the copy that stores its sums.
struct Fragment {
  const target::TensorIntrin* product = nullptr;
  const target::TensorIntrin* store = nullptr;
  DType narrow, wide;
  int64_t rows, columns, depth;
};
// The target's fragments for the types of |anchor| that take the fewest cycles.
std::optional<Fragment> FragmentOf(const Schedule& s, const Stage& anchor);

// Whether FragmentSchedule accepts the sum |anchor|: products of two reads in a type with
// fragments, summed over channels, where only the weights have the output channel. Grouped and
// channelwise products are not accepted.
bool IsFragment(const Schedule& s, const Stage& anchor, const te::Roles& roles);
// Computes blocks of 16 channels x 8 points by matrix fragments. |constants|: inputs known at
// compile time. Returns the stage that stores the blocks: the output, or |anchor| if the output
// does not read it element by element and has no loops of its own yet.
Result<std::string> FragmentSchedule(GpuSteps& g, const std::string& anchor, const te::Roles& roles,
                                     const std::set<std::string>& constants);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_GPU_STEPS_H_
