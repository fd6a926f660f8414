// SPDX-License-Identifier: Apache-2.0
//
// The schedule generator of the accelerator: chooses tiles, loop order and residency of a region
// from its axis roles and the machine's scratchpads, by a small analytic cost. Depends on:
// accel/region.h, isa. Used by: accel/plan_steps.h, which writes the plan as steps;
// compiler/network.
//
// The loops that a plan describes, outermost first (o, i: blocks of output and input channels):
//   channels outside:  for o.o: for n: for y.o: for x.o: tile      spatial outside: o.o innermost
//   inputs outside:    for i.o: for n: for y.o: tile, of one chunk
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

// Taps along each side of one Depthwise; larger windows are cut into pieces.
inline constexpr int64_t kWindowTaps = isa::GreatestOfAll("Depthwise.kh", "Depthwise.kw");

// How long fetched weights or parameters stay on chip.
enum class Residency : uint8_t {
  kPart,     // fetched for every part that uses it
  kChannel,  // fetched once per o.o, used by all spatial tiles inside it (channels outside only)
  kRegion,   // fetched once for the region, each part at its first use
};

// Rows and columns of pads around a tensor that stays in INP; [0] is y, [1] is x.
struct Halo {
  std::array<int64_t, 2> before{0, 0}, after{0, 0};
  bool any() const {
    return before != std::array<int64_t, 2>{} || after != std::array<int64_t, 2>{};
  }
  bool operator==(const Halo&) const = default;
};

// The band of a folded tensor in INP, in rows with the halo: first the |rows| first rows; then
// |rows| rows that begin |step| rows later, in the same places; and so on. With |blocks|, these are
// rows of so many blocks of channels, then of as many further ones.
struct FoldedRows {
  int64_t rows = 0, step = 0;
  int64_t blocks = 0;  // 0: all
  bool operator==(const FoldedRows&) const = default;
};

// The activations that stay in INP between regions, whole or folded, as one region sees them
// (network/residency.h decides). A tensor that stays is [batches][channel blocks][rows with
// halo][columns with halo] tiles.
struct OnChip {
  int64_t inp_tiles = -1;                            // for the region's own boxes; -1: all of INP
  std::optional<Halo> input, result;                 // the anchor's input, the region's result
  int64_t result_pad = 0;                            // value of the result's halo
  std::vector<std::pair<te::Tensor, Halo>> fetched;  // operands of steps that load
  bool stored = true;                                // the result goes to device memory (too)
  bool follows = false;  // another region runs before; it overlaps with the first loads
  // Rows and channel blocks (0: all) of a tile of work in a chain: its tiles have all columns, and
  // load constants once. With 0 rows, the plan chooses.
  int64_t rows = 0, blocks = 0;
  // Of a region in a chain that sums over the blocks of channels in front of it: so many are there
  // at one time (0: all). Its sums stay in ACC from the first blocks to the last.
  int64_t input_blocks = 0;
  int64_t acc_tiles = -1;  // of ACC, beside the sums of the chain that stay; -1: all

  // Whether a tile of work has all |out_y| rows of a region in a chain by blocks of channels: then
  // no other tile needs the same weights or records.
  bool WholePlanes(int64_t out_y) const {
    return (blocks > 0 || input_blocks > 0) && rows >= out_y;
  }
  const Halo* HaloOf(const te::Tensor& fetched_tensor) const;  // null: it is in device memory
  bool operator==(const OnChip&) const = default;
};

// Regions run in turns, in pairs, or leave room for the next one only where the estimate saves at
// least 1 / kWorthwhile of their cycles, because estimates of plans are a few per cent wrong.
inline constexpr double kWorthwhile = 50;

struct TilePlan {
  bool spatial_outside = false;
  int64_t channel_tile = 1;  // output channel blocks of a tile of work (o.o)
  int64_t channel_part =
      1;  // ... of one weight fetch and drain (o.w), divides the work inside a tile
  int64_t y_tile = 1, x_tile = 1;
  int64_t input_tile = 1;       // input channel blocks of a chunk of the reduction (i.o)
  bool input_above = false;     // spatial outside, one chunk: the input box is fetched above o.o
  bool inputs_outside = false;  // i.o is outermost: all sums of the region stay in ACC
  Residency weights = Residency::kPart;
  Residency params = Residency::kPart;
  bool down = false;  // weighted windows follow each other down columns, not along rows
  // Rows of a window without weights that are in INP at one time, a divisor of its rows; 0: all.
  // The sums of the pieces add up in ACC.
  int64_t window_rows = 0;
  // Estimated cycles of one inference: of GEMM, the bus and VECTOR, and those in which the busiest
  // of the three waits.
  double compute_cycles = 0, bus_cycles = 0, vector_cycles = 0, overhead_cycles = 0;
  double cycles() const;
};

// Extents of |region| in blocks of the configuration.
struct Extents {
  int64_t rows = 1;     // images in a tile's rows, <= batch
  int64_t batches = 1;  // tiles along the batch axis
  // Of a matrix, a tensor of images of one position each, |out_y| counts the tiles along the batch
  // axis: its rows share weights as the rows of an image do.
  bool matrix = false;
  int64_t out_blocks = 1;  // output channel blocks
  int64_t in_blocks = 1;   // input channel blocks that one output block reduces over
  int64_t in_total = 1;    // input channel blocks of the tensor
  int64_t out_y = 1, out_x = 1;
  // Windows of one tap with a stride read the input itself. Only the positions that they read are
  // on chip. The same holds where taps are channels (im2col).
  bool steps_over = false;
  std::array<int64_t, 2> chip_stride{1, 1};  // between neighbouring windows on chip
  int64_t in_lanes = 0, out_lanes = 0;       // bytes of one image's tile in device memory
  int64_t weight_tiles = 0;                  // WGT tiles of one (output block, input block)
};
// Bytes of one image's tile of a tensor of |shape| in device memory: only as many as there are
// channels, if one block has all channels and a tile has one image.
int64_t MemoryLanes(const Shape4& shape, const isa::Config& config);
// The layout of a whole tensor that the machine reads and writes.
Packing PackingOf(const Shape4& shape, const isa::Config& config);

Extents ExtentsOf(const AnalyzedRegion& region, const isa::Config& config);

// Columns in INP of a row of |columns| input tiles: one more where the windows of |region| then
// read faster.
int64_t WindowPitch(const AnalyzedRegion& region, int64_t columns);

// Whether the weighted windows of |region| take fewer cycles down columns than along rows, in tiles
// of |y_tile| x |x_tile| windows. The first window of a row reads all its positions; the others
// share some with the window before.
bool WindowsGoDown(const AnalyzedRegion& region, const isa::Config& config, int64_t y_tile,
                   int64_t x_tile);

// Input positions on chip along axis |d| (0 y, 1 x) for |outs| outputs.
int64_t ChipSpan(const AnalyzedRegion& region, const Extents& e, size_t d, int64_t outs);

// Tiles of INP of a tensor of |shape| that stays, whole or |folded|.
int64_t ResidentTiles(const Shape4& shape, const Halo& halo,
                      const std::optional<FoldedRows>& folded, const isa::Config& config);

// The best |most| plans by the estimate, the best first, of a search over channel tiles and parts,
// rows, columns, reduction chunks, both orders and every residency that fits. The same region and
// configuration give the same plan.
//   errors  kOutOfRange   not even the smallest tile fits; names the scratchpad
//           kUnsupported  a tensor without a batch, where tiles have rows of several images
Accepted<std::vector<TilePlan>> MakePlans(const AnalyzedRegion& region, const isa::Config& config,
                                          const OnChip& on_chip, size_t most);
// The first one. errors: MakePlans'
Accepted<TilePlan> MakePlan(const AnalyzedRegion& region, const isa::Config& config,
                            const OnChip& on_chip = {});

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_H_
