// SPDX-License-Identifier: Apache-2.0
//
// The host's schedule generator: from axis roles to a schedule for one core with vectors. Depends
// on sketch.h, te/roles.h. Used by the compile driver; tuning edits its decisions.
//
// The shape of every reduction: lanes are output channels (or the channels of a channelwise stage),
// a row of output points stays in registers, weights are packed lane-innermost, the epilogue runs
// on the registers. Stages behind the reduction are inlined into the output, those in front (pads)
// are computed whole. Products of integers in the processor's form (te/product_form.h) are summed
// by dot products of two or four input channels (or taps along a row, where the channels are
// three), points and blocks of channels in registers; channelwise ones by four inputs of a line
// (host_line.cc). What has no reduction runs in the order of its memory, as vectors.
#ifndef TESSERA_COMPILER_SCHEDULE_HOST_H_
#define TESSERA_COMPILER_SCHEDULE_HOST_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/schedule/sketch.h"

namespace tessera::schedule {

struct HostOptions {
  // Layouts of inputs and outputs, as text; those that are not named are row-major.
  std::map<std::string, std::string> layouts;
  // Inputs that the caller does not pack: they get no other layout, and no instructions that would
  // need one.
  std::set<std::string> activations = {};
  // What the code will run on; any host runs it.
  std::shared_ptr<const target::Target> target = target::Host();
  bool rounds = true;  // sketches may round otherwise than the definition (rounding.h)
};

// Decisions: "lanes" and "points", where the stage has such axes; of dot products "dot", the
// instruction, "points" and "blocks", "unroll", "ahead" and "distance" of the prefetch; "order" and
// "sums" of the loops around the registers and of the reduction; "shared", "shared.1" and so on,
// the parallel loop of each stage that is worth sharing. Weights that are placeholders get a
// blocked layout, which follows these: the caller packs them (params.h says how).
Result<Schedule> HostSchedule(const std::vector<te::Tensor>& outputs,
                              const HostOptions& options = {});

// The sketches of |output|; the first is what HostSchedule makes. Dot products: "channel_quads" and
// "tap_quads", or "channel_pairs" and "tap_pairs", the axis along which they sum, where neither
// takes far more products than the other. Sums of float32 products: "products". Where windows are 3
// x 3 and move by 1 both have "winograd_2", "winograd_4" and "winograd_6" too: of floats these
// round differently; of integers, which are factors of int16, they are exact, and those are left
// out whose sums need more bits. Channelwise sums of products of uint8 and int8: "line_quads".
// Other reductions: "vectors" of channels; "pads_in_place", the same without a copy of the input
// with its pads, for channelwise windows whose input has its channels innermost.
//   errors  those of HostSchedule
Result<std::vector<Sketch>> HostSketches(const te::Tensor& output, const HostOptions& options = {});

// What a host multiplies by int8 in dot products.
struct HostFactor {
  DType type;     // of the input
  double cycles;  // estimated for each product, in tiles that neither rows nor channels limit
  bool channelwise = false;  // in sums of one channel
};
// Those of |target|, the cheapest first.
std::vector<HostFactor> HostFactors(const target::Target& target);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_HOST_H_
