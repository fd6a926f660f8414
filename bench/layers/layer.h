// SPDX-License-Identifier: Apache-2.0
//
// The layers for the schedules of this folder. Their sizes must be multiples of the tiles: 14
// points, 32 channels. Depends on: compiler/te. Used by: host_layers, tests/compiler/llvm.
#ifndef TESSERA_BENCH_LAYERS_LAYER_H_
#define TESSERA_BENCH_LAYERS_LAYER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/intrin.h"
#include "compiler/te/te.h"

namespace tessera::bench {

struct LayerShape {
  const char* name;
  int64_t channels, size;
  double operations() const {  // multiplications and additions
    return 2.0 * 9 * static_cast<double>(channels * channels * size * size);
  }
};

// y = max(conv(x, w), 0), with the pads in x; in int8 rounded to uint8 by a factor for each
// channel.
inline te::Tensor Layer(const LayerShape& l, bool int8) {
  const int64_t c = l.channels, s = l.size;
  const te::Tensor x =
      te::Placeholder("x", int8 ? DType::kUint8 : DType::kFloat32, {1, c, s + 2, s + 2});
  const te::Tensor w = te::Placeholder("w", int8 ? DType::kInt8 : DType::kFloat32, {c, c, 3, 3});
  const te::Axis ci = te::ReduceAxis("ci", c), ky = te::ReduceAxis("ky", 3),
                 kx = te::ReduceAxis("kx", 3);
  const DType wide = int8 ? DType::kInt32 : DType::kFloat32;
  const te::Tensor sum =
      te::Compute("sum", {1, c, s, s}, {"n", "c", "h", "v"}, [&](const std::vector<ir::Expr>& i) {
        return te::Sum(ir::Cast(wide, x(i[0], ci.var, i[2] + ky.var, i[3] + kx.var)) *
                           ir::Cast(wide, w(i[1], ci.var, ky.var, kx.var)),
                       {ci, ky, kx});
      });
  const te::Tensor factor = te::Placeholder("factor", DType::kFloat32, {c});
  return te::Compute("y", {1, c, s, s}, {"n", "c", "h", "v"}, [&](const std::vector<ir::Expr>& i) {
    if (!int8) return ir::Max(sum(i), ir::ImmF32(0));
    return ir::Cast(DType::kUint8, ir::RoundEven(ir::Cast(DType::kFloat32, sum(i)) * factor(i[1])));
  });
}

// The file of the schedule in this folder.
inline std::string ScheduleFile(bool int8) { return int8 ? "int8.schedule" : "fp32.schedule"; }

}  // namespace tessera::bench

#endif  // TESSERA_BENCH_LAYERS_LAYER_H_
