// SPDX-License-Identifier: Apache-2.0
//
// Tensor expressions and schedules for the accelerator to learn from: a matrix product and a window
// over channels with pads. Depends on: te, isa. Used by: tools/docs/schedules_doc, tests.
#ifndef TESSERA_TOOLS_DOCS_SCHEDULE_EXAMPLES_H_
#define TESSERA_TOOLS_DOCS_SCHEDULE_EXAMPLES_H_

#include <cstdint>
#include <string>

#include "compiler/te/te.h"
#include "isa/config.h"

namespace tessera::compiler {

// y int8 [m, n] = requantised sum over k of x int8 [m, k] times w int8 [n, k].
te::Tensor ProductExample(int64_t m, int64_t n, int64_t k);

// How an example's tiles of work take turns on the machine.
struct Turns {
  int64_t threads = 1;         // virtual threads, each with tiles of its own: of columns, or of
                               // output channels
  bool double_buffer = false;  // the buffers of a tile rotate, but weights that stay
};

// Its schedule by tiles of work of |rows| x |columns| elements, |depth| of the reduction at a time,
// in elements. Each divides what it cuts, and the threads the number of tiles.
struct ProductTiles {
  int64_t rows = 1, columns = 1, depth = 1;
  bool weights_stay =
      false;          // all of w is in wgt from the start, else a chunk's are fetched with it
  bool anew = false;  // nothing stays: each product of two tiles of the machine fetches both
  Turns turns;
};
std::string ProductSteps(const isa::Config& config, const ProductTiles& tiles);

struct WindowShape {
  int64_t channels = 0, outs = 0, height = 0, width = 0, taps = 1, stride = 1;
  int64_t pad = 0, value = 0;  // rows and columns around the tensor, what they hold
  int64_t out(int64_t extent) const { return (extent + 2 * pad - taps) / stride + 1; }
};

// y int8 [1, outs, out(height), out(width)] = requantised sum over channels and taps of the padded
// x int8 [1, channels, height, width] times w int8 [outs, channels, taps, taps].
te::Tensor WindowExample(const WindowShape& shape);

// Its schedule by tiles of work. Each number divides what it cuts, and the threads the number of
// tiles of output channels, or of rows; blocks divide the channels, and a tile of the machine has
// one row.
struct WindowTiles {
  int64_t rows = 1, columns = 1;  // positions
  int64_t blocks = 1;             // of output channels
  int64_t depth = 1;              // blocks of input channels at a time
  bool channels_inside = false;   // the loop over output channels is inside those over positions
  bool weights_stay = false;      // all of w is in wgt from the start
  int64_t row_threads = 1;        // virtual threads of rows, times those of channels
  Turns turns;
};
std::string WindowSteps(const isa::Config& config, const WindowTiles& tiles);

}  // namespace tessera::compiler

#endif  // TESSERA_TOOLS_DOCS_SCHEDULE_EXAMPLES_H_
