// SPDX-License-Identifier: Apache-2.0
#include "bench/peers/peer_problems.h"

namespace tessera {
namespace {

using Index = std::vector<ir::Expr>;

DType WideOf(DType dtype) { return IsFloat(dtype) ? DType::kFloat32 : DType::kInt32; }

PeerProblem Product(const std::string& name, const ProductSize& s, DType dtype) {
  PeerProblem p{.name = fmt::format("{} {}x{}x{}", name, s.rows, s.columns, s.depth),
                .dtype = dtype,
                .product = s};
  p.x = te::Placeholder("x", dtype, {s.rows, s.depth});
  p.w = te::Placeholder("w", dtype, {s.columns, s.depth});
  const te::Axis k = te::ReduceAxis("k", s.depth);
  const DType wide = WideOf(dtype);
  p.y = te::Compute("y", {s.rows, s.columns}, {"i", "j"}, [&](const Index& i) {
    return te::Sum(ir::Cast(wide, p.x(i[0], k.var)) * ir::Cast(wide, p.w(i[1], k.var)), {k});
  });
  p.operations = 2.0 * static_cast<double>(s.rows * s.columns * s.depth);
  return p;
}

PeerProblem Conv(const std::string& name, const ConvSize& s, DType dtype) {
  PeerProblem p{.name = fmt::format("{} {}x{} {} to {}", name, s.taps, s.taps, s.channels, s.outs),
                .dtype = dtype,
                .conv = s};
  const int64_t pad = s.taps / 2, wide_size = s.size + 2 * pad, out = s.out_size();
  p.x = te::Placeholder("x", dtype, {1, s.channels, s.size, s.size});
  p.w = te::Placeholder("w", dtype, {s.outs, s.channels, s.taps, s.taps});
  const te::Tensor padded = te::Compute(
      "p", {1, s.channels, wide_size, wide_size}, {"n", "c", "v", "h"}, [&](const Index& i) {
        const auto inside = [&](const ir::Expr& at) {
          return ir::And(ir::Le(pad, at), ir::Lt(at, pad + s.size));
        };
        return ir::Select(ir::And(inside(i[2]), inside(i[3])),
                          p.x(i[0], i[1], i[2] - pad, i[3] - pad), ir::Const(dtype, 0));
      });
  const te::Axis ci = te::ReduceAxis("ci", s.channels), ky = te::ReduceAxis("ky", s.taps),
                 kx = te::ReduceAxis("kx", s.taps);
  const DType wide = WideOf(dtype);
  p.y = te::Compute("y", {1, s.outs, out, out}, {"n", "c", "v", "h"}, [&](const Index& i) {
    return te::Sum(
        ir::Cast(wide, padded(i[0], ci.var, i[2] * s.stride + ky.var, i[3] * s.stride + kx.var)) *
            ir::Cast(wide, p.w(i[1], ci.var, ky.var, kx.var)),
        {ci, ky, kx});
  });
  p.operations = 2.0 * static_cast<double>(s.outs * out * out * s.channels * s.taps * s.taps);
  return p;
}

}  // namespace

std::vector<PeerProblem> PeerProblems(bool tiny) {
  const std::pair<const char*, ConvSize> kLayers[] = {
      {"C1", {3, 64, 224, 7, 2}},    {"C2", {64, 64, 56, 3, 1}},    {"C3", {64, 64, 56, 1, 1}},
      {"C4", {64, 128, 56, 3, 2}},   {"C5", {64, 128, 56, 1, 2}},   {"C6", {128, 128, 28, 3, 1}},
      {"C7", {128, 256, 28, 3, 2}},  {"C8", {128, 256, 28, 1, 2}},  {"C9", {256, 256, 14, 3, 1}},
      {"C10", {256, 512, 14, 3, 2}}, {"C11", {256, 512, 14, 1, 2}}, {"C12", {512, 512, 7, 3, 1}}};
  std::vector<PeerProblem> all;
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kInt8}) {
    if (tiny) {
      all.push_back(Product("product", {24, 20, 40}, dtype));
      all.push_back(Conv("C", {8, 16, 9, 3, 2}, dtype));
      continue;
    }
    for (const int64_t n : {512, 1024, 2048, 4096})
      all.push_back(Product("product", {n, n, n}, dtype));
    for (const auto& [name, size] : kLayers) all.push_back(Conv(name, size, dtype));
    all.push_back(Product("fc", {1, 1000, 512}, dtype));
  }
  return all;
}

ir::Array PeerElements(const te::Tensor& t, Rng& rng) {
  int64_t count = 1;
  for (const int64_t n : t.shape()) count *= n;
  ir::Array a(t.dtype(), count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t v = rng.Range(-1, 1);
    IsFloat(t.dtype()) ? a.SetFloat(i, static_cast<float>(v)) : a.SetInt(i, v);
  }
  return a;
}

}  // namespace tessera
