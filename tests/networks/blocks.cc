// SPDX-License-Identifier: Apache-2.0
#include "tests/networks/blocks.h"

#include <algorithm>

#include "tests/networks/build.h"

namespace tessera::networks {

int64_t Blocks::Channels() {
  return Chance(50) ? Pick({4, 8, 12, 16, 24, 32}) : rng_.Range(1, limits_.channels);
}

int64_t Blocks::Fewer(int64_t wanted, int64_t each) const {
  return std::clamp<int64_t>(limits_.macs / each, 1, wanted);
}

int Blocks::Add(Step step, ImageShape shape) {
  if (Has(step.kind, Field::kSeed)) step[Field::kSeed] = {rng_.Range(1, 1'000'000)};
  recipe_.steps.push_back(std::move(step));
  shapes_.push_back(shape);
  return cur_ = static_cast<int>(shapes_.size()) - 1;
}

void Blocks::Result(Step& step) {
  const int64_t zero = Chance(30) ? -128 : rng_.Range(-60, 60);
  step[Field::kZero] = {zero};
  const int64_t kind = rng_.Range(0, 3);
  if (kind == 0) step[Field::kBounds] = {zero, 127};  // relu
  if (kind == 1)
    step[Field::kBounds] = {zero, std::min<int64_t>(127, zero + rng_.Range(40, 150))};  // relu6
}

std::array<int64_t, 2> Blocks::Window(Step& step, const ImageShape& in, bool pads, bool dilate) {
  auto& kernel = step[Field::kKernel];
  switch (rng_.Range(0, 9)) {
    case 0:
    case 1:
    case 2:
      kernel = {1, 1};
      break;
    case 3:
    case 4:
    case 5:
      kernel = {3, 3};
      break;
    case 6:
      kernel = {5, 5};
      break;
    case 7:
      kernel = {1, rng_.Range(2, 7)};
      break;
    case 8:
      kernel = {rng_.Range(2, 4), rng_.Range(1, 3)};
      break;
    case 9:
      kernel = {10, 4};
      break;
  }
  if (step.kind != Kind::kConv && kernel[0] * kernel[1] == 1) kernel = {3, 3};
  return FitWindow(step, in, pads, dilate);
}

std::array<int64_t, 2> Blocks::FitWindow(Step& step, const ImageShape& in, bool pads, bool dilate) {
  std::array<int64_t, 2> out{};
  const int64_t mode = pads ? rng_.Range(0, 3) : 0;  // 0 valid, 1 and 2 same, 3 any
  const int64_t stride = Chance(60) ? 1 : Pick({2, 2, 2, 3});
  for (size_t d = 0; d < 2; ++d) {
    int64_t& k = step[Field::kKernel][d];
    k = std::min(k, in[2 + d]);
    int64_t& s = step[Field::kStride][d];
    s = Chance(15) ? rng_.Range(1, 2) : stride;
    if (in[2 + d] == 1) s = 1;
    int64_t& apart = step[Field::kDilation][d];
    if (dilate && k > 1) apart = 2;
    int64_t span = (k - 1) * apart + 1;
    int64_t &before = step[Field::kPads][d], &after = step[Field::kPads][2 + d];
    if (mode == 1 || mode == 2) {  // like TFLite's SAME: the larger pad at the end
      const int64_t total =
          std::max<int64_t>(0, ((in[2 + d] + s - 1) / s - 1) * s + span - in[2 + d]);
      before = total / 2;
      after = total - before;
    } else if (mode == 3 && span > 1) {
      before = rng_.Range(0, std::min<int64_t>(span - 1, 3));
      after = rng_.Range(0, std::min<int64_t>(span - 1, 3));
    }
    if (span > in[2 + d] + before + after) {
      apart = 1;
      span = k;
    }
    out[d] = (in[2 + d] + before + after - span) / s + 1;
  }
  return out;
}

int Blocks::Conv(int from) {
  const ImageShape in = S(from);
  Step step(Kind::kConv, {from});
  const auto [y, x] = Window(step, in, true, Chance(12));
  int64_t outs = Channels();
  const int64_t each = y * x * in[0] * in[1] * step[Field::kKernel][0] * step[Field::kKernel][1];
  outs = Fewer(outs, each);
  if (Chance(8)) {
    for (const int64_t groups : {4, 3, 2}) {
      if (in[1] % groups == 0 && outs >= groups) {
        step[Field::kGroups] = {groups};
        outs -= outs % groups;
        break;
      }
    }
  }
  step[Field::kOuts] = {outs};
  step[Field::kChannels] = {Chance(85) ? 1 : 0};
  Result(step);
  return Add(step, {in[0], outs, y, x});
}

int Blocks::Same(int from, int64_t outs, int64_t k, int64_t stride) {
  const ImageShape in = S(from);
  Step step(Kind::kConv, {from});
  step[Field::kOuts] = {outs};
  step[Field::kKernel] = {std::min(k, in[2]), std::min(k, in[3])};
  step[Field::kChannels] = {1};
  std::array<int64_t, 2> out{};
  for (size_t d = 0; d < 2; ++d) {
    const int64_t kernel = step[Field::kKernel][d];
    step[Field::kStride][d] = stride;
    const int64_t total =
        std::max<int64_t>(0, ((in[2 + d] + stride - 1) / stride - 1) * stride + kernel - in[2 + d]);
    step[Field::kPads][d] = total / 2;
    step[Field::kPads][2 + d] = total - total / 2;
    out[d] = (in[2 + d] + stride - 1) / stride;
  }
  Result(step);
  return Add(step, {in[0], outs, out[0], out[1]});
}

int Blocks::Depthwise(int from) {
  const ImageShape in = S(from);
  Step step(Kind::kDepthwise, {from});
  const auto [y, x] = Window(step, in, true, Chance(8));
  const int64_t times =
      Chance(15)
          ? std::clamp<int64_t>(rng_.Range(2, 8), 1, std::max<int64_t>(1, limits_.channels / in[1]))
          : 1;
  step[Field::kOuts] = {times};
  step[Field::kChannels] = {1};
  Result(step);
  return Add(step, {in[0], in[1] * times, y, x});
}

int Blocks::Elementwise(Kind kind, int a, int b) {
  Step step(kind, {a, b});
  Result(step);
  return Add(step, S(a));
}

void Blocks::Residual() {
  const int from = cur_;
  const ImageShape in = Cur();
  const int64_t outs = Chance(50) ? in[1] : std::min<int64_t>(Channels(), 24);
  const int64_t stride = Chance(25) ? 2 : 1;
  const int64_t kernel = in[1] * outs * 9 * in[2] * in[3] * in[0] <= limits_.macs ? 3 : 1;
  int branch = Same(from, outs, kernel, stride);
  if (Chance(50) && outs * outs * 9 * Cur()[2] * Cur()[3] * in[0] <= limits_.macs)
    branch = Same(branch, outs, 3, 1);
  int straight = from;
  if (S(branch) != in) straight = Same(from, outs, 1, stride);
  const Kind kind = Chance(94) ? Kind::kAdd : Chance(50) ? Kind::kSub : Kind::kMul;
  if (Chance(50))
    Elementwise(kind, branch, straight);
  else
    Elementwise(kind, straight, branch);
}

int Blocks::Pool(int from) {
  const Kind kind = Chance(50) ? Kind::kMaxPool : Kind::kAvgPool;
  const ImageShape in = S(from);
  Step step(kind, {from});
  step[Field::kKernel] = {rng_.Range(1, 3), rng_.Range(2, 3)};
  const auto [y, x] = FitWindow(step, in, kind == Kind::kMaxPool, false);
  if (kind == Kind::kAvgPool && Chance(20))
    step[Field::kBounds] = {rng_.Range(-100, 0), rng_.Range(1, 120)};
  return Add(step, {in[0], in[1], y, x});
}

int Blocks::SamePool(int from, int64_t k) {
  Step step(Kind::kMaxPool, {from});
  step[Field::kKernel] = {std::min(k, S(from)[2]), std::min(k, S(from)[3])};
  for (size_t d = 0; d < 2; ++d) {
    const int64_t total = step[Field::kKernel][d] - 1;
    step[Field::kPads][d] = total / 2;
    step[Field::kPads][2 + d] = total - total / 2;
  }
  return Add(step, S(from));
}

int Blocks::Pad(int from, int64_t most) {
  const ImageShape s = S(from);
  Step pad(Kind::kPad, {from});
  for (int64_t& p : pad[Field::kPads]) p = rng_.Range(0, most);
  const auto& p = pad[Field::kPads];
  return Add(pad, {s[0], s[1], s[2] + p[0] + p[2], s[3] + p[1] + p[3]});
}

int Blocks::Concat(std::vector<int> parts) {
  ImageShape shape = S(parts[0]);
  for (size_t k = 1; k < parts.size(); ++k) shape[1] += S(parts[k])[1];
  return Add(Step(Kind::kConcat, std::move(parts)), shape);
}

int Blocks::Slice(int from, int64_t first, int64_t count) {
  Step step(Kind::kSlice, {from});
  step[Field::kPads] = {first};
  step[Field::kOuts] = {count};
  const ImageShape s = S(from);
  return Add(step, {s[0], count, s[2], s[3]});
}

int Blocks::Shuffle(int from, int64_t groups) {
  Step step(Kind::kShuffle, {from});
  step[Field::kGroups] = {groups};
  return Add(step, S(from));
}

int Blocks::Widen(int from, int64_t before, int64_t after) {
  Step step(Kind::kWiden, {from});
  step[Field::kPads] = {before, 0, after, 0};
  const ImageShape s = S(from);
  return Add(step, {s[0], s[1] + before + after, s[2], s[3]});
}

int Blocks::Gather(int from, int64_t count) {
  Step step(Kind::kPick, {from});
  step[Field::kOuts] = {count};
  const ImageShape s = S(from);
  return Add(step, {s[0], count, s[2], s[3]});
}

void Blocks::Attention() {
  if (Cur()[0] > 2) return;
  const bool fills = Chance(75) && Cur()[2] >= 4 && Cur()[3] >= 4;
  for (const int64_t axis : {2, 3}) {
    ImageShape s = Cur();
    const auto d = static_cast<size_t>(axis);
    const int64_t wanted = fills ? (s[d] >= 8 && Chance(50) ? 8 : 4) : std::min<int64_t>(s[d], 8);
    if (wanted == s[d]) continue;
    Step cut(Kind::kSlice, {cur_});
    cut[Field::kAxis] = {axis};
    cut[Field::kPads] = {rng_.Range(0, s[d] - wanted)};
    cut[Field::kOuts] = {wanted};
    s[d] = wanted;
    Add(cut, s);
  }
  Step step(Kind::kAttention, {cur_});
  step[Field::kGroups] = {rng_.Range(1, 3)};
  step[Field::kOuts] = {fills ? Pick({16, 16, 32}) : rng_.Range(1, 20)};
  step[Field::kZero] = {rng_.Range(-60, 60)};
  const ImageShape s = Cur();
  Add(step, {s[0], step[Field::kGroups][0] * step[Field::kOuts][0], s[2], s[3]});
}

int Blocks::Resize(int from, int64_t times) {
  Step step(Kind::kResize, {from});
  step[Field::kKernel] = {times, times};
  const ImageShape s = S(from);
  return Add(step, {s[0], s[1], s[2] * times, s[3] * times});
}

int Blocks::Dense(int64_t outs) {
  constexpr int64_t kMostWeights = 1'000'000;
  outs = std::clamp<int64_t>(kMostWeights / Cur()[1], 1, outs);
  Step step(Kind::kDense, {cur_});
  step[Field::kOuts] = {outs};
  step[Field::kChannels] = {Chance(30) ? 1 : 0};
  Result(step);
  const int64_t batch = Cur()[0];
  return Add(step, {batch, outs, 0, 0});
}

int Blocks::Function() {
  Step step(Chance(60) ? Kind::kShift : Kind::kReal, {cur_});
  if (step.kind == Kind::kShift) Result(step);
  if (step.kind == Kind::kReal) step[Field::kZero] = {rng_.Range(-60, 60)};
  return Add(step, Cur());
}

void Blocks::Operator(bool end) {
  const auto kind = static_cast<Kind>(rng_.Range(kBlocks, static_cast<int64_t>(KindCount()) - 1));
  Step step(kind, std::vector<int>(OperandsOf(kind).least, cur_));
  Try(std::move(step), end);
}

namespace {

// Operator |op|, which no block covers, of |from|.
Step StepOf(graph::Op op, std::vector<int> from) {
  size_t kind = kBlocks;
  while (OpOf(static_cast<Kind>(kind)) != op) ++kind;
  return Step(static_cast<Kind>(kind), std::move(from));
}

}  // namespace

void Blocks::Product(int a, int b) { Try(StepOf(graph::Op::kMatMul, {a, b}), true); }

void Blocks::Up(int from) { Try(StepOf(graph::Op::kTransposedConv, {from, from}), false); }

void Blocks::Try(Step step, bool end) {
  Result(step);
  step[Field::kSeed] = {rng_.Range(1, 1'000'000)};
  Recipe trial = recipe_;
  trial.steps.push_back(step);
  trial.outputs = {static_cast<int>(trial.steps.size()) - 1};
  const auto graph = BuildGraph(trial);
  if (!graph) return;
  const graph::GraphTensor& made = graph->tensor(graph->outputs[0]);
  const size_t rank = made.shape.size();
  if ((rank != 4 && !(end && rank == 2)) || made.count() > limits_.elements ||
      graph::Macs(*graph, graph->nodes.back()) > limits_.macs)
    return;
  ImageShape shape{made.shape[0], made.shape[1], 0, 0};
  if (rank == 4) shape = {made.shape[0], made.shape[1], made.shape[2], made.shape[3]};
  recipe_.steps.push_back(std::move(step));
  shapes_.push_back(shape);
  cur_ = static_cast<int>(shapes_.size()) - 1;
}

}  // namespace tessera::networks
