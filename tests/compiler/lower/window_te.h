// SPDX-License-Identifier: Apache-2.0
//
// Named window reductions over [1, channels, height, width] with pads, bias and requantisation: the
// shapes that must go through one path.
#ifndef TESSERA_TESTS_COMPILER_LOWER_WINDOW_TE_H_
#define TESSERA_TESTS_COMPILER_LOWER_WINDOW_TE_H_

#include <string>
#include <vector>

#include "compiler/te/te.h"

namespace tessera::test {

struct WindowShape {
  std::string name;
  int64_t in_channels = 1, out_channels = 1, size = 8;
  int64_t kernel = 1, stride = 1, dilation = 1, pad = 0, groups = 1;
  bool flat = false;    // height 1, kernel 1 along it
  int64_t filler = -7;  // what pads hold
};

inline std::vector<WindowShape> WindowShapes() {
  std::vector<WindowShape> shapes = {
      {.name = "k5s3",
       .in_channels = 3,
       .out_channels = 8,
       .size = 13,
       .kernel = 5,
       .stride = 3,
       .pad = 2},
      {.name = "dilated",
       .in_channels = 4,
       .out_channels = 16,
       .size = 9,
       .kernel = 3,
       .dilation = 2,
       .pad = 2},
      {.name = "grouped",
       .in_channels = 8,
       .out_channels = 16,
       .size = 6,
       .kernel = 3,
       .pad = 1,
       .groups = 4},
      {.name = "channelwise",
       .in_channels = 24,
       .out_channels = 24,
       .size = 7,
       .kernel = 3,
       .pad = 1,
       .groups = 24},
      {.name = "channelwise_s2",
       .in_channels = 16,
       .out_channels = 16,
       .size = 8,
       .kernel = 3,
       .stride = 2,
       .pad = 1,
       .groups = 16},
      {.name = "channelwise_bare",
       .in_channels = 5,
       .out_channels = 5,
       .size = 7,
       .kernel = 3,
       .groups = 5},
      {.name = "line",
       .in_channels = 4,
       .out_channels = 8,
       .size = 20,
       .kernel = 5,
       .stride = 2,
       .pad = 2,
       .flat = true},
      {.name = "taps",  // three channels, seven taps: quads along the row
       .in_channels = 3,
       .out_channels = 32,
       .size = 22,
       .kernel = 7,
       .stride = 2,
       .pad = 3},
      {.name = "zero_pads",  // of the numbers that dot products take
       .in_channels = 8,
       .out_channels = 32,
       .size = 7,
       .kernel = 3,
       .pad = 1,
       .filler = -128},
      {.name = "channelwise_zero_pads",
       .in_channels = 16,
       .out_channels = 16,
       .size = 9,
       .kernel = 5,
       .stride = 2,
       .pad = 2,
       .groups = 16,
       .filler = 0},
      {.name = "k1s2", .in_channels = 16, .out_channels = 32, .size = 8, .stride = 2},
      {.name = "k3", .in_channels = 8, .out_channels = 48, .size = 7, .kernel = 3, .pad = 1},
  };
  for (int64_t c : {1, 2, 3, 7, 10, 16, 17, 33, 37, 40}) {
    shapes.push_back({.name = "channels" + std::to_string(c),
                      .in_channels = c,
                      .out_channels = 41 - c,
                      .size = 5,
                      .kernel = 3,
                      .pad = 1});
  }
  return shapes;
}

inline te::Tensor WindowExpression(const WindowShape& s) {
  using ir::Expr;
  using Index = std::vector<Expr>;
  const int64_t height = s.flat ? 1 : s.size, kh = s.flat ? 1 : s.kernel, ph = s.flat ? 0 : s.pad;
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {1, s.in_channels, height, s.size});
  te::Tensor padded = x;
  if (s.pad > 0) {
    padded =
        te::Compute("padded", {1, s.in_channels, height + 2 * ph, s.size + 2 * s.pad},
                    {"n", "c", "y", "x"}, [&](const Index& i) {
                      const Expr y = i[2] - Expr(ph), w = i[3] - Expr(s.pad);
                      const Expr in = ir::And(ir::And(ir::Le(0, y), ir::Lt(y, height)),
                                              ir::And(ir::Le(0, w), ir::Lt(w, s.size)));
                      return ir::Select(in, x(i[0], i[1], y, w), ir::Imm(DType::kInt8, s.filler));
                    });
  }
  const int64_t group_in = s.in_channels / s.groups, group_out = s.out_channels / s.groups;
  const te::Tensor w = te::Placeholder("w", DType::kInt8, {s.out_channels, group_in, kh, s.kernel});
  const te::Axis ci = te::ReduceAxis("ci", group_in), ky = te::ReduceAxis("ky", kh),
                 kx = te::ReduceAxis("kx", s.kernel);
  const int64_t sy = s.flat ? 1 : s.stride;
  const int64_t oh = (height + 2 * ph - ((kh - 1) * s.dilation + 1)) / sy + 1;
  const int64_t ow = (s.size + 2 * s.pad - ((s.kernel - 1) * s.dilation + 1)) / s.stride + 1;
  const std::vector<int64_t> shape{1, s.out_channels, oh, ow};
  const te::Tensor sum = te::Compute("sum", shape, {"n", "c", "y", "x"}, [&](const Index& i) {
    Expr from = ci.var;
    if (s.groups > 1) {
      const Expr group = group_out == 1 ? i[1] : ir::FloorDiv(i[1], group_out);
      from = group_in == 1 ? group : group * Expr(group_in) + ci.var;
    }
    const Expr v = padded(i[0], from, i[2] * Expr(sy) + ky.var * Expr(s.dilation),
                          i[3] * Expr(s.stride) + kx.var * Expr(s.dilation));
    return te::Sum(
        ir::Cast(DType::kInt32, v) * ir::Cast(DType::kInt32, w(i[1], ci.var, ky.var, kx.var)),
        {ci, ky, kx});
  });
  const te::Tensor bias = te::Placeholder("bias", DType::kInt32, {s.out_channels});
  return te::Compute("out", shape, {"n", "c", "y", "x"}, [&](const Index& i) {
    const Expr y = ir::Requant(
        ir::Bin(ir::BinOp::kShr, sum(i), ir::Imm(DType::kInt32, 4)) +
            ir::Bin(ir::BinOp::kAnd, bias(i[1]), ir::Imm(DType::kInt32, 255)),
        ir::Imm(DType::kInt32, 1500000000), ir::Imm(DType::kInt32, -6), isa::Round::kEven);
    return ir::Cast(DType::kInt8,
                    ir::ClampAdd(y, ir::Imm(DType::kInt32, 4), ir::Imm(DType::kInt32, -128),
                                 ir::Imm(DType::kInt32, 127)));
  });
}

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_LOWER_WINDOW_TE_H_
