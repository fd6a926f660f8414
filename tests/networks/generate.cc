// SPDX-License-Identifier: Apache-2.0
#include "tests/networks/generate.h"

#include <algorithm>

#include "tests/networks/blocks.h"

namespace tessera::networks {
namespace {

// Images larger than INP: two layers in a row exchange them a few rows at a time.
constexpr BlockLimits kLarge{.channels = 100, .macs = 600'000, .elements = 65'536};
constexpr int64_t kMostPixels = 50'000;  // of all channels of a large image

class Generator : private Blocks {
 public:
  Generator(uint64_t seed, bool large)
      : Blocks(seed, large ? kLarge : BlockLimits{}), large_(large) {}

  Recipe Run() {
    const int64_t style = rng_.Range(0, 9);
    if (large_) {
      BeginLarge();
      const int64_t motifs = rng_.Range(2, 5);
      for (int64_t m = 0; m < motifs; ++m) LargeMotif();
      if (recipe_.seed % 7 == 3) Up(cur_);
      if (rng_.OneIn(4)) Head();
    } else if (style == 0) {
      DenseNetwork();
    } else {
      Begin(style == 1);
      const int64_t motifs = rng_.Range(1, 4);
      for (int64_t m = 0; m < motifs; ++m) Motif(style);
      if (recipe_.seed % 5 == 2) Attention();
      if (recipe_.seed % 7 == 3) Up(cur_);
      if (rng_.OneIn(2))
        Head();
      else if (Chance(40))
        HostTail();
    }
    for (int k = 0; k < 3; ++k) {
      if (Chance(45)) Operator(true);
    }
    // If no step was added, because operators did not fit, add a convolution.
    if (recipe_.steps[static_cast<size_t>(cur_)].kind == Kind::kInput) Conv(cur_);
    recipe_.outputs = {cur_};
    // Sometimes an intermediate result is an output too.
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
  void Begin(bool row) {
    Step input(Kind::kInput);
    ImageShape s{Chance(8) ? rng_.Range(2, 3) : 1,
                 Chance(50) ? Pick({1, 3}) : rng_.Range(1, limits_.channels),
                 row ? 1 : rng_.Range(4, 20), rng_.Range(4, 20)};
    input[Field::kShape] = s;
    input[Field::kZero] = {rng_.Range(-128, 127)};
    if (rng_.OneIn(2)) input[Field::kNhwc] = {1};
    Add(input, s);
    if (Chance(6)) Pad(cur_, 2);
  }

  void BeginLarge() {
    Step input(Kind::kInput);
    ImageShape s{1, 1, rng_.Range(1, 70), rng_.Range(1, 70)};
    if (Chance(60)) s[2] = rng_.Range(16, 70), s[3] = rng_.Range(16, 70);
    const int64_t channels = Chance(60) ? Pick({3, 8, 16, 24, 32, 48, 64}) : rng_.Range(1, 100);
    s[1] = std::clamp<int64_t>(kMostPixels / (s[2] * s[3]), 1, channels);
    input[Field::kShape] = s;
    input[Field::kZero] = {rng_.Range(-128, 127)};
    if (rng_.OneIn(2)) input[Field::kNhwc] = {1};
    Add(input, s);
    if (Chance(6)) Pad(cur_, 2);
  }

  void LargeMotif() {
    const int64_t pick = rng_.Range(0, 99);
    if (Chance(15)) return Channelwise();
    if (Chance(10)) return static_cast<void>(Function());
    if (pick < 22) {
      Pool(cur_);
    } else if (pick < 40) {
      Depthwise(cur_);
    } else if (pick < 55) {
      Conv(cur_);
    } else if (pick < 68) {
      Residual();
    } else if (pick < 82) {
      Branches();
    } else if (pick < 88) {
      Elementwise(Chance(50) ? Kind::kMul : Kind::kAdd, cur_, cur_);
    } else if (pick < 92) {
      Step step(Kind::kRescale, {cur_});
      Result(step);
      Add(step, Cur());
    } else if (pick < 95) {
      HostStep();
    } else {
      Same(cur_, Outs(cur_, 1), 1, 1);
    }
  }

  // Output channels of a convolution of kernel |k| over |from|.
  int64_t Outs(int from, int64_t k) { return Fewer(Channels(), CountOf(from) * k * k); }

  // Two or three branches from the current tensor to tensors of the same extents, which are then
  // joined.
  void Branches() {
    const int from = cur_;
    const bool sum = Chance(50);
    const int64_t channels = S(from)[1];
    const auto way = [&]() -> int {
      const int64_t pick = rng_.Range(0, 3);
      if (pick == 0) return SamePool(from, 3);
      if (pick == 1 && Chance(50)) return from;
      const int64_t k = Pick({1, 1, 3});
      // A sum needs |channels| channels; if that convolution is too large, pool instead.
      if (sum && CountOf(from) * channels * k * k > limits_.macs) return SamePool(from, 2);
      return Same(from, sum ? channels : Outs(from, k), k, 1);
    };
    std::vector<int> ways{way(), way()};
    if (!sum && Chance(30)) ways.push_back(way());
    if (sum) {
      Elementwise(Chance(85) ? Kind::kAdd : Chance(50) ? Kind::kMul : Kind::kSub, ways[0], ways[1]);
    } else {
      Concat(ways);
    }
  }

  // Channels, 16 by 16: a part goes straight, another one through a convolution, and both are
  // joined.
  void Split() {
    const int64_t each = CountOf(cur_) / Cur()[1], most = limits_.macs / (each * Cur()[1]);
    const int64_t parts = std::min<int64_t>(most / 16, Pick({2, 2, 3}));
    if (parts < 2) return static_cast<void>(Conv(cur_));
    const int whole = Same(cur_, 16 * parts - (Chance(20) ? rng_.Range(1, 15) : 0), 1, 1);
    const int64_t channels = S(whole)[1], first = Chance(85) ? 16 : rng_.Range(1, channels - 1);
    const int a = Slice(whole, 0, first), b = Slice(whole, first, channels - first);
    const int way = Same(b, Fewer(Pick({16, 16, 32}), CountOf(b) * 9), 3, 1);
    std::vector<int> joined{a, way};
    if (Chance(50)) joined.insert(joined.begin() + 1, b);
    if (Chance(20)) joined.push_back(a);
    Concat(joined);
    if (Chance(60)) Same(cur_, Fewer(Channels(), CountOf(cur_)), 1, 1);
  }

  // Units whose halves are joined and shuffled: one half goes straight, the other one through a
  // convolution, of any number of channels.
  void Shuffled() {
    const int64_t each = CountOf(cur_) / Cur()[1], most = limits_.macs / (each * Cur()[1]);
    const int64_t half =
        std::min<int64_t>(most / 2, Chance(50) ? Pick({8, 12, 24, 16}) : rng_.Range(2, 20));
    if (half < 2 || each * half * half > limits_.macs) return static_cast<void>(Conv(cur_));
    Same(cur_, 2 * half, 1, 1);
    const int64_t units = rng_.Range(1, 2);
    for (int64_t unit = 0; unit < units; ++unit) {
      const int whole = cur_, a = Slice(whole, 0, half), b = Slice(whole, half, half);
      const int way = Chance(30) ? Depthwise(b) : Same(b, half, 1, 1);
      if (S(way) != S(b)) return;
      const int joined = Chance(80) ? Concat({a, way}) : Concat({way, a});
      if (Chance(85)) Shuffle(joined, Chance(80) ? 2 : half);
    }
    if (Chance(70)) Same(cur_, Fewer(Channels(), CountOf(cur_)), 1, 1);
  }

  // A residual block whose straight way has fewer channels, some of zeros beside them; or channels
  // picked one by one.
  void Widened() {
    const int from = cur_;
    const int64_t each = CountOf(from), most = std::min<int64_t>(limits_.macs / each, 40);
    if (Chance(40) || most <= S(from)[1]) {
      Gather(from, std::min<int64_t>(limits_.channels, rng_.Range(1, S(from)[1] + 3)));
      return static_cast<void>(Same(cur_, Fewer(Channels(), CountOf(cur_)), 1, 1));
    }
    const int64_t outs = rng_.Range(S(from)[1] + 1, most), more = outs - S(from)[1];
    const int64_t before = Chance(30) ? rng_.Range(0, more) : 0;
    const int branch = Same(from, outs, 1, 1);
    const int straight = Widen(Chance(30) ? SamePool(from, 3) : from, before, more - before);
    if (Chance(15)) return static_cast<void>(Same(cur_, Fewer(16, CountOf(cur_)), 1, 1));
    Chance(80) ? static_cast<void>(Elementwise(Kind::kAdd, branch, straight))
               : static_cast<void>(Concat({straight, branch}));
  }

  // A coarse image beside a fine one.
  void Coarse() {
    const int64_t times = Pick({2, 2, 2, 3});
    const int fine = cur_;
    const ImageShape s = S(fine);
    if (s[2] < times || s[3] < times || s[2] % times != 0 || s[3] % times != 0)
      return static_cast<void>(Conv(cur_));
    const bool sum = Chance(30);
    const int64_t k = Pick({1, 3});
    const int64_t outs = sum ? s[1] : Chance(70) ? 16 : Channels();
    const int64_t each = CountOf(fine) * k * k / (times * times);
    const int coarse = outs * each > limits_.macs ? SamePool(fine, 2) : Same(fine, outs, k, times);
    const int again = S(coarse)[2] == s[2] ? coarse : Resize(coarse, times);
    if (sum && S(again) == s) {
      Elementwise(Kind::kAdd, again, fine);
    } else {
      Concat({again, fine});
    }
    if (Chance(60)) Same(cur_, Fewer(Channels(), CountOf(cur_)), 1, 1);
  }

  // What joins, cuts or moves channels.
  void Channelwise() {
    if (Chance(20)) return Widened();
    Chance(50) ? Split() : Chance(50) ? Coarse() : Shuffled();
  }

  void Motif(int64_t style) {
    const int64_t pick = rng_.Range(0, 99);
    if (Chance(10)) return Channelwise();
    if (Chance(12)) return static_cast<void>(Function());
    if (style <= 3 ? pick < 30 : pick < 15) {
      Depthwise(cur_);
      if (Chance(80))
        Same(cur_,
             std::clamp<int64_t>(limits_.macs / (Cur()[0] * Cur()[1] * Cur()[2] * Cur()[3]), 1,
                                 Channels()),
             1, 1);
    } else if (pick < 45) {
      Residual();
    } else if (pick < 57) {
      Pool(cur_);
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

  // Moves elements between layers: often the host's work.
  void HostStep() {
    const ImageShape s = Cur();
    const int64_t pick = rng_.Range(0, 4);
    if (pick == 4) {
      const int a = cur_;
      Product(a, Chance(30) ? a : Same(a, s[1], 1, 1));
    } else if (pick == 3) {
      Operator(false);
    } else if (pick == 0) {
      Pad(cur_, 1);
    } else if (pick == 1) {
      Add(Step(Kind::kTranspose, {cur_}), {s[0], s[1], s[3], s[2]});
    } else {
      const int a = cur_;
      const int b = Same(
          a, std::clamp<int64_t>(limits_.macs / (s[0] * s[1] * s[2] * s[3]), 1, rng_.Range(1, 16)),
          1, 1);
      Concat({a, b});
    }
  }

  void HostTail() {
    if (Chance(50)) return HostStep();
    // Two branches of one shape.
    const int a = cur_;
    const int64_t channels = S(a)[1];
    const int b = Same(a, channels, 1, 1);
    Elementwise(Chance(50) ? Kind::kSub : Kind::kMul, Chance(50) ? a : b, b);
  }

  // The head of a classifier.
  void Head() {
    const ImageShape in = Cur();
    if (in[0] > 1 || Chance(60)) {  // the host flattens images of a batch
      Step pool(Chance(80) ? Kind::kAvgPool : Kind::kMaxPool, {cur_});
      pool[Field::kKernel] = {0, 0};
      Add(pool, {in[0], in[1], 1, 1});
    } else if (Chance(10)) {
      Add(Step(Kind::kUnroll, {cur_}), {in[0], in[1], 1, in[2] * in[3]});
    }
    const ImageShape s = Cur();
    Add(Step(Kind::kFlatten, {cur_}), {s[0], s[1] * s[2] * s[3], 0, 0});
    const int64_t layers = rng_.Range(1, 2);
    for (int64_t k = 0; k < layers; ++k) Dense(rng_.Range(1, 20));
  }

  void DenseNetwork() {
    Step input(Kind::kInput);
    const ImageShape s{Chance(20) ? rng_.Range(2, 5) : 1, rng_.Range(1, 200), 0, 0};
    input[Field::kShape] = s;
    input[Field::kZero] = {rng_.Range(-128, 127)};
    Add(input, s);
    const int64_t layers = rng_.Range(2, 6);
    int last = -1;
    for (int64_t k = 0; k < layers; ++k) {
      Dense(rng_.Range(1, 80));
      if (last >= 0 && S(last) == Cur() && Chance(50)) {
        Chance(60) ? static_cast<void>(Elementwise(Kind::kAdd, last, cur_)) : Product(last, cur_);
      }
      if (last >= 0 && Chance(20)) Concat({last, cur_});
      if (Chance(10)) Slice(cur_, rng_.Range(0, Cur()[1] / 2), rng_.Range(1, (Cur()[1] + 1) / 2));
      if (Chance(20)) Function();
      last = cur_;
    }
  }

  const bool large_;
};

}  // namespace

Recipe Generate(uint64_t seed) { return Generator(seed, seed % 2 == 1).Run(); }

}  // namespace tessera::networks
