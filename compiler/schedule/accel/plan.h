// SPDX-License-Identifier: Apache-2.0
//
// The schedule generator of the accelerator: tiles, order and residency for a region, chosen from
// its axis roles and the machine's scratchpads by a small analytic cost. Depends on:
// accel/region.h, isa. Used by: accel/plan_steps.h, which says it in steps; compiler/network.
//
// The loops that a plan describes, outermost first (o, i: blocks of output and input channels):
//   channels outside:  for o.o: for n: for y.o: for x.o: tile      spatial outside: o.o innermost
//   tile:              for i.o: fetch input box; for o.w: fetch weights; products; after the last
//                      i.o: epilogue and store of the o.w part ("drain")
#ifndef TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_H_
#define TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/schedule/accel/packing.h"
#include "compiler/schedule/accel/region.h"
#include "isa/config.h"
#include "isa/insns.h"

namespace tessera::schedule::accel {

// Taps a side of one Depthwise; larger windows are cut into pieces.
inline constexpr int64_t kWindowTaps = isa::GreatestOfAll("Depthwise.kh", "Depthwise.kw");

// Where a fetched thing stays.
enum class Residency : uint8_t {
  kPart,     // fetched for every part that uses it
  kChannel,  // fetched once per o.o, used by all spatial tiles inside it (channels outside only)
  kRegion,   // all of it fetched once, each part at its first use
};

// Rows and columns of pads around a tensor that stays in INP, y and x.
struct Halo {
  std::array<int64_t, 2> before{0, 0}, after{0, 0};
  bool any() const {
    return before != std::array<int64_t, 2>{} || after != std::array<int64_t, 2>{};
  }
  bool operator==(const Halo&) const = default;
};

// Of a tensor that stays in INP, the rows (with those of its halo) that are there at a time: the
// first |rows|; then as many that begin |step| further on, over what was there; and so on.
struct FoldedRows {
  int64_t rows = 0, step = 0;
  bool operator==(const FoldedRows&) const = default;
};

// Activations that stay in INP from region to region, all of each or folded, as one region sees
// them (network/residency.h decides). A tensor that stays is [batches][channel blocks][rows with
// halo][columns with halo] tiles.
struct OnChip {
  int64_t inp_tiles = -1;                            // of INP for the region's own boxes; -1: all
  std::optional<Halo> input, result;                 // the anchor's input, the region's result
  int64_t result_pad = 0;                            // what the result's halo holds
  std::vector<std::pair<te::Tensor, Halo>> fetched;  // operands of kFetch steps
  bool stored = true;                                // the result goes to device memory (too)
  bool follows = false;  // a region runs before: what stays all along is loaded under it
  // Rows of a tile of work, whole and of all channels, with what is constant loaded once: regions
  // that exchange folded tensors take turns. 0: as is best.
  int64_t rows = 0;

  const Halo* HaloOf(const te::Tensor& fetched_tensor) const;  // null: it is in device memory
  bool operator==(const OnChip&) const = default;
};

// Regions are run otherwise than one by one (in turns, in pairs, with room left for the next one)
// where that is estimated to save at least one part in so many of their cycles: estimates of plans
// are a few per cent wrong.
inline constexpr double kWorthwhile = 50;

struct TilePlan {
  bool spatial_outside = false;
  int64_t channel_tile = 1;  // output channel blocks of a tile of work (o.o)
  int64_t channel_part =
      1;  // ... of one weight fetch and drain (o.w), divides the work inside a tile
  int64_t y_tile = 1, x_tile = 1;
  int64_t input_tile = 1;    // input channel blocks of a chunk of the reduction (i.o)
  bool input_above = false;  // spatial outside, one chunk: the input box is fetched above o.o
  Residency weights = Residency::kPart;
  Residency params = Residency::kPart;
  // Estimates for one inference.
  double compute_cycles = 0, bus_cycles = 0, vector_cycles = 0, overhead_cycles = 0;
  double cycles() const;
};

// Extents of |region| in blocks of the configuration.
struct Extents {
  int64_t rows = 1;        // images in a tile's rows, <= batch
  int64_t batches = 1;     // tiles along the batch axis
  int64_t out_blocks = 1;  // output channel blocks
  int64_t in_blocks = 1;   // input channel blocks that one output block reduces over
  int64_t in_total = 1;    // input channel blocks of the tensor
  int64_t out_y = 1, out_x = 1;
  // Of the input itself, read by windows of one tap with a stride, those positions are on chip that
  // are read; so they are where taps are channels.
  bool steps_over = false;
  std::array<int64_t, 2> chip_stride{1, 1};  // between neighbouring windows on chip
  int64_t in_lanes = 0, out_lanes = 0;       // bytes of one image's tile in device memory
  int64_t weight_tiles = 0;                  // WGT tiles of one (output block, input block)
};
// Bytes of one image's tile of a tensor of |shape| in device memory: no more than there are
// channels when one block has them all and a tile one image.
int64_t MemoryLanes(const Shape4& shape, const isa::Config& config);
// The whole layout of a tensor that the machine reads and writes.
Packing PackingOf(const Shape4& shape, const isa::Config& config);

Extents ExtentsOf(const AnalyzedRegion& region, const isa::Config& config);

// Columns of a row of |columns| input tiles in INP: one more where the windows of |region| read
// faster so.
int64_t WindowPitch(const AnalyzedRegion& region, int64_t columns);

// Input positions on chip along axis |d| (0 y, 1 x) for |outs| outputs.
int64_t ChipSpan(const AnalyzedRegion& region, const Extents& e, size_t d, int64_t outs);

// Tiles of a tensor of |shape| that stays, all of it or |folded|.
int64_t ResidentTiles(const Shape4& shape, const Halo& halo,
                      const std::optional<FoldedRows>& folded, const isa::Config& config);

// The best plan found. The space: channel tiles and parts, rows, columns, reduction chunks, both
// orders and every residency that fits; the result is the same for the same region and
// configuration.
//   errors  kOutOfRange   not even the smallest tile fits; names the scratchpad
//           kUnsupported  a tensor without a batch, where tiles have rows of several images
Accepted<TilePlan> MakePlan(const AnalyzedRegion& region, const isa::Config& config,
                            const OnChip& on_chip = {});

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_H_
