// SPDX-License-Identifier: Apache-2.0
//
// The host's schedule generator: from axis roles to a schedule for one core with vectors. Depends
// on sketch.h, te/roles.h. Used by the compile driver; tuning edits its decisions.
//
// The shape of every reduction: lanes are output channels (or the channels of a channelwise stage),
// a row of output points stays in registers, weights are packed lane-innermost, the epilogue runs
// on the registers. Stages behind the reduction are inlined into the output, those in front (pads)
// are computed whole. uint8 inputs and int8 weights (te/unsigned.h) are summed by dot products of
// four input channels (or taps along a row, where the channels are three), points and blocks of
// channels in registers. What has no reduction runs in the order of its memory, as vectors.
#ifndef TESSERA_COMPILER_SCHEDULE_HOST_H_
#define TESSERA_COMPILER_SCHEDULE_HOST_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/schedule/sketch.h"

namespace tessera::schedule {

struct HostOptions {
  // Layouts of inputs and outputs, as text; those that are not named are row-major.
  std::map<std::string, std::string> layouts;
  // What the code will run on; any host runs it.
  std::shared_ptr<const target::Target> target = target::Host();
};

// Decisions: "lanes" and "points", where the stage has such axes; of dot products "dot", the
// instruction, "points" and "blocks", "unroll", "ahead" and "distance" of the prefetch; "order" and
// "sums" of the loops around the registers and of the reduction; "shared", "shared.1" and so on,
// the parallel loop of each stage that is worth sharing. Weights that are placeholders get a
// blocked layout, which follows these: the caller packs them (params.h says how).
Result<Schedule> HostSchedule(const std::vector<te::Tensor>& outputs,
                              const HostOptions& options = {});

// The sketches of |output|; the first is what HostSchedule makes. Dot products: "channel_quads" and
// "tap_quads", the axis along which they sum, where neither takes far more products than the other.
// Sums of float32 products: "products"; where windows are 3 x 3 and move by 1 also "winograd_2",
// "winograd_4" and "winograd_6", which round differently. Other reductions: "vectors" of channels;
// "pads_in_place", the same without a copy of the input with its pads, for channelwise windows
// whose input has its channels innermost.
//   errors  those of HostSchedule
Result<std::vector<Sketch>> HostSketches(const te::Tensor& output, const HostOptions& options = {});

// Output channels have to be a multiple of this many for the host to have dot products of uint8 and
// int8 for them: the lanes of the narrowest.
int64_t HostDotChannels();

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_HOST_H_
