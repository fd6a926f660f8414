// SPDX-License-Identifier: Apache-2.0
//
// Which of the host's instructions for products a contraction may use, in lanes of output channels.
// Lanes behind the last channel sum too, what nobody reads; weights and starts have elements for
// them. Depends on: schedule.h, host_tile.h, te/roles.h. Used by: host_dot.cc.
#ifndef TESSERA_COMPILER_SCHEDULE_HOST_DOTS_H_
#define TESSERA_COMPILER_SCHEDULE_HOST_DOTS_H_

#include <optional>
#include <string>
#include <vector>

#include "compiler/schedule/host_tile.h"
#include "compiler/schedule/schedule.h"
#include "compiler/te/roles.h"

namespace tessera::schedule {

// The decision among the instructions that sum the products of |anchor|, in lanes along |lane|.
DecideStep DotDecision(const std::string& anchor, const te::AxisRole& lane);

// Whether the lanes of each of |dots| divide the channels.
bool LanesFill(const std::vector<Dot>& dots, const te::AxisRole& lane);

// The layouts, in blocks of $dot.lanes, of what the sums of |anchor| start at for each channel.
// Empty: a start has another index, so that the lanes must fill.
std::optional<std::vector<LayoutStep>> PaddedStarts(const Stage& anchor, const te::AxisRole& lane);

// The instructions of DotDecision.
std::vector<Dot> DotsAlong(const Schedule& s, const std::string& anchor, const te::AxisRole& lane);

// Those that |anchor| may use. None: DotSchedule does not take the reduction.
std::vector<Dot> DotsOf(const Schedule& s, const Stage& anchor, const te::Roles& roles);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_HOST_DOTS_H_
