// SPDX-License-Identifier: Apache-2.0
//
// What the host's generators share: a schedule that grows, and questions about its stages. Internal
// to compiler/schedule.
#ifndef TESSERA_COMPILER_SCHEDULE_HOST_STEPS_H_
#define TESSERA_COMPILER_SCHEDULE_HOST_STEPS_H_

#include <string>
#include <vector>

#include "compiler/schedule/host.h"
#include "compiler/te/roles.h"

namespace tessera::schedule {

class HostSteps {
 public:
  HostSteps(Schedule schedule, const HostOptions& host_options)
      : s(std::move(schedule)), options(host_options) {}

  // The dimensions of |tensor| as they lie in memory, innermost last; empty when a dimension is in
  // blocks there.
  std::vector<size_t> MemoryOrder(const std::string& tensor) const;
  // The loops of a stage that has no relations yet in the order of its memory, the last a vector
  // where its reads are neighbours there.
  Status InMemoryOrder(const std::string& stage);
  // Marks a loop of |stage| for several processors, as far out as one has enough iterations, if all
  // of it, with |reduced| for each element, is work enough to share.
  Status Share(const std::string& stage, const std::vector<te::AxisRole>& reduced = {});
  // Leaves out taps of the sum |stage|, whose reductions are |reduced|, that meet pads of 0 at all
  // of its points, which are along |point|.
  Status SkipPads(const std::string& stage, const std::vector<te::AxisRole>& reduced,
                  const te::AxisRole* point);

  Schedule s;
  const HostOptions options;
};

// Divisors of |n| up to |most|, smallest first.
std::vector<int64_t> Divisors(int64_t n, int64_t most);
// Every read of |tensor| in |reader|'s body is at the reader's own axes.
bool ReadsInPlace(const Stage& reader, const std::string& tensor);
// The permutation of |rank| dimensions that puts |dim| last, as layout text.
std::string LastLayout(int rank, int dim);
// The place of |of| among |axes|.
size_t DimOf(const std::vector<te::AxisRole>& axes, const te::AxisRole& of);
// The data axis of which points stay in registers: the last one of more than one iteration beside
// |lane|; null: none.
const te::AxisRole* PointAxis(const te::Roles& roles, const te::AxisRole& lane);

// Whether DotSchedule takes the reduction: uint8 inputs, int8 weights that are an input of the
// function, one input channel axis, a number of output channels that an intrinsic divides.
bool IsDot(const Schedule& s, const Stage& anchor, const te::Roles& roles);
// Points x blocks of lanes in registers, four products of each at a time.
Status DotSchedule(HostSteps& h, const std::string& anchor, const te::Roles& roles);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_HOST_STEPS_H_
