// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "compiler/ir/array.h"

namespace tessera::tune {
namespace {

using TurnClock = std::chrono::steady_clock;

constexpr uint64_t kTurnNs = 200'000;  // of the calls of one turn: far more than reading the clock
constexpr uint64_t kMostCalls = 1000;
constexpr int kFewestTurns = 5;
constexpr double kQuiet = 1.03;     // of the least time that is known
constexpr int kTurnsUntilSlow = 2;  // before a slow candidate is given up
// What adding in another order may change, as a share of the largest element.
constexpr double kFloatError = 1e-4, kHalfError = 1e-2;

}  // namespace

std::vector<uint8_t> RandomValues(DType type, int64_t count, Rng& rng) {
  ir::Array made(type, count);
  const IntegerLimits limits = LimitsOf(type);
  const bool wide = SizeOf(type) > 2;
  for (int64_t i = 0; i < count; ++i) {
    if (IsFloat(type)) {
      made.SetFloat(i, static_cast<float>(2 * rng.Unit() - 1));
    } else if (type == DType::kBool) {
      made.SetInt(i, rng.Range(0, 1));
    } else {
      made.SetInt(i, wide ? rng.Range(-100, 100) : rng.Range(limits.lo, limits.hi));
    }
  }
  return std::move(made.bytes());
}

LayerInputs RandomInputs(const te::RegionTe& region, uint64_t seed) {
  LayerInputs inputs;
  Rng rng(seed);
  for (const te::Binding& binding : region.bindings) {
    if (binding.activation < 0) continue;
    int64_t count = 1;
    for (const int64_t n : binding.placeholder.shape()) count *= n;
    inputs[binding.activation] = RandomValues(binding.placeholder.dtype(), count, rng);
  }
  return inputs;
}

std::string ResultDifference(DType type, const std::vector<uint8_t>& got,
                             const std::vector<uint8_t>& want) {
  if (got == want) return "";
  const ir::Array a(type, got), b(type, want);
  double largest = 0;
  for (int64_t i = 0; i < b.size() && IsFloat(type); ++i) {
    if (std::isfinite(b.Float(i)))
      largest = std::max(largest, static_cast<double>(std::abs(b.Float(i))));
  }
  const double error = largest * (type == DType::kFloat16 ? kHalfError : kFloatError);
  int64_t count = 0, first = -1;
  for (int64_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    bool same = false;
    if (IsFloat(type)) {
      const double x = a.Float(i), y = b.Float(i);
      same = x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= error;
    } else {
      same = a.Int(i) == b.Int(i);
    }
    if (same) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return "";
  const auto text = [&](const ir::Array& array) {
    return IsFloat(type) ? fmt::format("{}", array.Float(first))
                         : fmt::format("{}", array.Int(first));
  };
  return fmt::format("element {} is {} and not {}; {} of {} elements differ", first, text(a),
                     text(b), count, b.size());
}

Result<TurnTimes> TakeTurns(TimedLayer& given, TimedLayer& candidate, const TurnOptions& options) {
  TESSERA_ASSIGN(const uint64_t once, given.Run(1));
  const uint64_t calls = std::clamp<uint64_t>(kTurnNs / once, 1, kMostCalls);
  TurnTimes least{UINT64_MAX, UINT64_MAX};
  Rng rng(once);
  const auto begin = TurnClock::now();
  const auto quiet = [&] {
    return static_cast<double>(least.given) <= kQuiet * static_cast<double>(options.quiet_ns);
  };
  for (int turn = 0; turn < options.turns || !quiet(); ++turn) {
    // Either side begins, without a rhythm: other work on the core may have one.
    const bool own_first = rng.OneIn(2);
    for (const bool first : {true, false}) {
      const bool own = own_first == first;
      TESSERA_ASSIGN(const uint64_t took, (own ? candidate : given).Run(calls));
      uint64_t& best = own ? least.candidate : least.given;
      best = std::min(best, took);
    }
    const std::chrono::nanoseconds took = TurnClock::now() - begin;
    if (turn + 1 >= kFewestTurns && static_cast<uint64_t>(took.count()) > options.most_ns) break;
    if (options.enough > 0 && turn + 1 >= kTurnsUntilSlow &&
        static_cast<double>(least.candidate) > options.enough * static_cast<double>(least.given))
      break;
  }
  return least;
}

}  // namespace tessera::tune
