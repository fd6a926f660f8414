// SPDX-License-Identifier: Apache-2.0
#include "tests/networks/generate.h"

#include <algorithm>
#include <initializer_list>

#include "base/rng.h"
#include "tests/networks/build.h"

namespace tessera::networks {
namespace {

constexpr int64_t kMostChannels = 48;
constexpr int64_t kMostMacs = 300'000;     // of a layer
constexpr int64_t kMostElements = 16'384;  // of what an operator's example makes

// [batch, channels, y, x], or y = 0: [batch, channels].
using Shape = std::array<int64_t, 4>;

class Generator {
 public:
  explicit Generator(uint64_t seed) : rng_(seed) { recipe_.seed = seed; }

  Recipe Run() {
    const int64_t style = rng_.Range(0, 9);
    if (style == 0) {
      DenseNetwork();
    } else {
      Begin(style == 1);
      const int64_t motifs = rng_.Range(1, 4);
      for (int64_t m = 0; m < motifs; ++m) Motif(style);
      if (rng_.OneIn(2))
        Head();
      else if (Chance(40))
        HostTail();
    }
    if (Chance(15)) Operator(true);
    // An operator that did not fit left nothing: a network does something.
    if (recipe_.steps[static_cast<size_t>(cur_)].kind == Kind::kInput) Conv(cur_);
    recipe_.outputs = {cur_};
    // Sometimes a result on the way is wanted too.
    if (rng_.OneIn(6)) {
      const int other = static_cast<int>(rng_.Range(1, cur_));
      if (other != cur_ && recipe_.steps[static_cast<size_t>(other)].kind != Kind::kInput)
        recipe_.outputs.push_back(other);
    }
    for (const int id : recipe_.outputs) {
      Step& step = recipe_.steps[static_cast<size_t>(id)];
      if (shapes_[static_cast<size_t>(id)][2] > 0 && rng_.OneIn(2)) step[Field::kNhwc] = {1};
    }
    return recipe_;
  }

 private:
  const Shape& S(int id) const { return shapes_[static_cast<size_t>(id)]; }
  const Shape& Cur() const { return S(cur_); }
  bool Chance(int64_t percent) { return rng_.Range(1, 100) <= percent; }
  int64_t Pick(std::initializer_list<int64_t> of) {
    return of.begin()[rng_.Range(0, static_cast<int64_t>(of.size()) - 1)];
  }

  int Add(Step step, Shape shape) {
    if (Has(step.kind, Field::kSeed)) step[Field::kSeed] = {rng_.Range(1, 1'000'000)};
    recipe_.steps.push_back(std::move(step));
    shapes_.push_back(shape);
    return cur_ = static_cast<int>(shapes_.size()) - 1;
  }

  // A zero point and bounds as fused activations give them.
  void Result(Step& step) {
    const int64_t zero = Chance(30) ? -128 : rng_.Range(-60, 60);
    step[Field::kZero] = {zero};
    const int64_t kind = rng_.Range(0, 3);
    if (kind == 0) step[Field::kBounds] = {zero, 127};  // relu
    if (kind == 1)
      step[Field::kBounds] = {zero, std::min<int64_t>(127, zero + rng_.Range(40, 150))};  // relu6
  }

  int64_t Channels() {
    return Chance(50) ? Pick({4, 8, 12, 16, 24, 32}) : rng_.Range(1, kMostChannels);
  }

  void Begin(bool row) {
    Step input(Kind::kInput);
    Shape s{Chance(8) ? rng_.Range(2, 3) : 1,
            Chance(50) ? Pick({1, 3}) : rng_.Range(1, kMostChannels), row ? 1 : rng_.Range(4, 20),
            rng_.Range(4, 20)};
    input[Field::kShape] = s;
    input[Field::kZero] = {rng_.Range(-128, 127)};
    if (rng_.OneIn(2)) input[Field::kNhwc] = {1};
    Add(input, s);
    if (Chance(6)) {
      Step pad(Kind::kPad, {cur_});
      for (int64_t& p : pad[Field::kPads]) p = rng_.Range(0, 2);
      const auto& p = pad[Field::kPads];
      Add(pad, {s[0], s[1], s[2] + p[0] + p[2], s[3] + p[1] + p[3]});
    }
  }

  // Fills in |step|'s window over |in|; returns the result's y and x.
  std::array<int64_t, 2> Window(Step& step, const Shape& in, bool pads, bool dilate) {
    std::array<int64_t, 2> out{};
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
    FitWindow(step, in, pads, dilate, out);
    return out;
  }

  // Strides, dilations and pads for the kernel of |step|.
  void FitWindow(Step& step, const Shape& in, bool pads, bool dilate, std::array<int64_t, 2>& out) {
    const int64_t mode = pads ? rng_.Range(0, 3) : 0;  // 0 valid, 1 and 2 same, 3 anything
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
      if (mode == 1 || mode == 2) {  // as TFLite's SAME: more at the end
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
  }

  int Conv(int from) {
    const Shape in = S(from);
    Step step(Kind::kConv, {from});
    const auto [y, x] = Window(step, in, true, Chance(12));
    int64_t outs = Channels();
    const int64_t each = y * x * in[0] * in[1] * step[Field::kKernel][0] * step[Field::kKernel][1];
    outs = std::clamp<int64_t>(kMostMacs / each, 1, outs);
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

  // A convolution of kernel |k| that keeps the extents at stride 1, with |outs| channels.
  int Same(int from, int64_t outs, int64_t k, int64_t stride) {
    const Shape in = S(from);
    Step step(Kind::kConv, {from});
    step[Field::kOuts] = {outs};
    step[Field::kKernel] = {std::min(k, in[2]), std::min(k, in[3])};
    step[Field::kChannels] = {1};
    std::array<int64_t, 2> out{};
    for (size_t d = 0; d < 2; ++d) {
      const int64_t kernel = step[Field::kKernel][d];
      step[Field::kStride][d] = stride;
      const int64_t total = std::max<int64_t>(
          0, ((in[2 + d] + stride - 1) / stride - 1) * stride + kernel - in[2 + d]);
      step[Field::kPads][d] = total / 2;
      step[Field::kPads][2 + d] = total - total / 2;
      out[d] = (in[2 + d] + stride - 1) / stride;
    }
    Result(step);
    return Add(step, {in[0], outs, out[0], out[1]});
  }

  int Depthwise(int from) {
    const Shape in = S(from);
    Step step(Kind::kDepthwise, {from});
    const auto [y, x] = Window(step, in, true, Chance(8));
    const int64_t times =
        Chance(15)
            ? std::clamp<int64_t>(rng_.Range(2, 8), 1, std::max<int64_t>(1, kMostChannels / in[1]))
            : 1;
    step[Field::kOuts] = {times};
    step[Field::kChannels] = {1};
    Result(step);
    return Add(step, {in[0], in[1] * times, y, x});
  }

  int Elementwise(Kind kind, int a, int b) {
    Step step(kind, {a, b});
    Result(step);
    return Add(step, S(a));
  }

  void Residual() {
    const int from = cur_;
    const Shape in = Cur();
    const int64_t outs = Chance(50) ? in[1] : std::min<int64_t>(Channels(), 24);
    const int64_t stride = Chance(25) ? 2 : 1;
    const int64_t kernel = in[1] * outs * 9 * in[2] * in[3] * in[0] <= kMostMacs ? 3 : 1;
    int branch = Same(from, outs, kernel, stride);
    if (Chance(50) && outs * outs * 9 * Cur()[2] * Cur()[3] * in[0] <= kMostMacs)
      branch = Same(branch, outs, 3, 1);
    int straight = from;
    if (S(branch) != in) straight = Same(from, outs, 1, stride);
    const Kind kind = Chance(94) ? Kind::kAdd : Chance(50) ? Kind::kSub : Kind::kMul;
    if (Chance(50))
      Elementwise(kind, branch, straight);
    else
      Elementwise(kind, straight, branch);
  }

  void Pool() {
    const Kind kind = Chance(50) ? Kind::kMaxPool : Kind::kAvgPool;
    const Shape in = Cur();
    Step step(kind, {cur_});
    step[Field::kKernel] = {rng_.Range(1, 3), rng_.Range(2, 3)};
    std::array<int64_t, 2> out{};
    FitWindow(step, in, kind == Kind::kMaxPool, false, out);
    if (kind == Kind::kAvgPool && Chance(20))
      step[Field::kBounds] = {rng_.Range(-100, 0), rng_.Range(1, 120)};
    Add(step, {in[0], in[1], out[0], out[1]});
  }

  void Motif(int64_t style) {
    const int64_t pick = rng_.Range(0, 99);
    if (style <= 3 ? pick < 30 : pick < 15) {
      Depthwise(cur_);
      if (Chance(80))
        Same(cur_,
             std::clamp<int64_t>(kMostMacs / (Cur()[0] * Cur()[1] * Cur()[2] * Cur()[3]), 1,
                                 Channels()),
             1, 1);
    } else if (pick < 45) {
      Residual();
    } else if (pick < 57) {
      Pool();
    } else if (pick < 60) {
      Step step(Kind::kRescale, {cur_});
      Result(step);
      Add(step, Cur());
    } else if (pick < 70) {
      HostStep();
    } else {
      Conv(cur_);
    }
  }

  // What moves elements about, between layers: often the host's work.
  void HostStep() {
    const Shape s = Cur();
    const int64_t pick = rng_.Range(0, 3);
    if (pick == 3) {
      Operator(false);
    } else if (pick == 0) {
      Step pad(Kind::kPad, {cur_});
      for (int64_t& p : pad[Field::kPads]) p = rng_.Range(0, 1);
      const auto& p = pad[Field::kPads];
      Add(pad, {s[0], s[1], s[2] + p[0] + p[2], s[3] + p[1] + p[3]});
    } else if (pick == 1) {
      Add(Step(Kind::kTranspose, {cur_}), {s[0], s[1], s[3], s[2]});
    } else {
      const int a = cur_;
      const int b = Same(
          a, std::clamp<int64_t>(kMostMacs / (s[0] * s[1] * s[2] * s[3]), 1, rng_.Range(1, 16)), 1,
          1);
      Add(Step(Kind::kConcat, {a, b}), {s[0], s[1] + S(b)[1], s[2], s[3]});
    }
  }

  // Any operator that no block stands for; at the |end| also one that leaves no image. Nothing
  // where it does not take what there is, or makes too much of it.
  void Operator(bool end) {
    const auto kind = static_cast<Kind>(rng_.Range(kBlocks, static_cast<int64_t>(KindCount()) - 1));
    Step step(kind, std::vector<int>(OperandsOf(kind).least, cur_));
    Result(step);
    step[Field::kSeed] = {rng_.Range(1, 1'000'000)};
    Recipe trial = recipe_;
    trial.steps.push_back(step);
    trial.outputs = {static_cast<int>(trial.steps.size()) - 1};
    const auto graph = BuildGraph(trial);
    if (!graph) return;
    const graph::GraphTensor& made = graph->tensor(graph->outputs[0]);
    const size_t rank = made.shape.size();
    if ((rank != 4 && !(end && rank == 2)) || made.count() > kMostElements ||
        graph::Macs(*graph, graph->nodes.back()) > kMostMacs)
      return;
    Shape shape{made.shape[0], made.shape[1], 0, 0};
    if (rank == 4) shape = {made.shape[0], made.shape[1], made.shape[2], made.shape[3]};
    recipe_.steps.push_back(std::move(step));
    shapes_.push_back(shape);
    cur_ = static_cast<int>(shapes_.size()) - 1;
  }

  void HostTail() {
    if (Chance(50)) return HostStep();
    // One shape, two ways to it.
    const int a = cur_;
    const int64_t channels = S(a)[1];
    const int b = Same(a, channels, 1, 1);
    Elementwise(Chance(50) ? Kind::kSub : Kind::kMul, Chance(50) ? a : b, b);
  }

  void Dense(int64_t outs) {
    Step step(Kind::kDense, {cur_});
    step[Field::kOuts] = {outs};
    step[Field::kChannels] = {Chance(30) ? 1 : 0};
    Result(step);
    const int64_t batch = Cur()[0];
    Add(step, {batch, outs, 0, 0});
  }

  // The end of a classifier.
  void Head() {
    const Shape in = Cur();
    if (in[0] > 1 || Chance(60)) {  // flat images of a batch are the host's work
      Step pool(Chance(80) ? Kind::kAvgPool : Kind::kMaxPool, {cur_});
      pool[Field::kKernel] = {0, 0};
      Add(pool, {in[0], in[1], 1, 1});
    } else if (Chance(10)) {
      Add(Step(Kind::kUnroll, {cur_}), {in[0], in[1], 1, in[2] * in[3]});
    }
    const Shape s = Cur();
    Add(Step(Kind::kFlatten, {cur_}), {s[0], s[1] * s[2] * s[3], 0, 0});
    const int64_t layers = rng_.Range(1, 2);
    for (int64_t k = 0; k < layers; ++k) Dense(rng_.Range(1, 20));
  }

  void DenseNetwork() {
    Step input(Kind::kInput);
    const Shape s{Chance(20) ? rng_.Range(2, 5) : 1, rng_.Range(1, 200), 0, 0};
    input[Field::kShape] = s;
    input[Field::kZero] = {rng_.Range(-128, 127)};
    Add(input, s);
    const int64_t layers = rng_.Range(2, 6);
    int last = -1;
    for (int64_t k = 0; k < layers; ++k) {
      Dense(rng_.Range(1, 80));
      if (last >= 0 && S(last) == Cur() && Chance(50)) Elementwise(Kind::kAdd, last, cur_);
      last = cur_;
    }
  }

  Rng rng_;
  Recipe recipe_;
  std::vector<Shape> shapes_;
  int cur_ = -1;
};

}  // namespace

Recipe Generate(uint64_t seed) { return Generator(seed).Run(); }

}  // namespace tessera::networks
