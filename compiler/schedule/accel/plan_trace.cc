// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/accel/plan_trace.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/check.h"

namespace tessera::schedule::accel {
namespace {

constexpr char kIm2col[] = "im2col", kResident[] = "resident";

// One decision: its domain may depend on the decisions before it.
struct Knob {
  const char* name;
  std::function<std::vector<int64_t>(const TilePlan&)> domain;
  std::function<int64_t(const TilePlan&)> get;
  std::function<void(TilePlan&, int64_t)> set;
};

std::vector<Knob> Knobs(const AnalyzedRegion& region, const isa::Config& config) {
  const Extents e = ExtentsOf(region, config);
  const auto always = [](std::vector<int64_t> values) {
    return [values](const TilePlan&) { return values; };
  };
  const std::vector<int64_t> residencies{0, 1, 2}, flag{0, 1};
  return {
      {"channel_tile", always(TileSizes(e.out_blocks)),
       [](const TilePlan& p) { return p.channel_tile; },
       [](TilePlan& p, int64_t v) { p.channel_tile = v; }},
      {"channel_part", [](const TilePlan& p) { return TileSizes(p.channel_tile); },
       [](const TilePlan& p) { return p.channel_part; },
       [](TilePlan& p, int64_t v) { p.channel_part = v; }},
      {"rows", always(TileSizes(e.out_y)), [](const TilePlan& p) { return p.y_tile; },
       [](TilePlan& p, int64_t v) { p.y_tile = v; }},
      {"columns", always(TileSizes(e.out_x)), [](const TilePlan& p) { return p.x_tile; },
       [](TilePlan& p, int64_t v) { p.x_tile = v; }},
      {"input_tile", always(TileSizes(e.in_blocks)), [](const TilePlan& p) { return p.input_tile; },
       [](TilePlan& p, int64_t v) { p.input_tile = v; }},
      {"spatial_outside", always(flag),
       [](const TilePlan& p) { return int64_t{p.spatial_outside}; },
       [](TilePlan& p, int64_t v) { p.spatial_outside = v != 0; }},
      {"input_above", always(flag), [](const TilePlan& p) { return int64_t{p.input_above}; },
       [](TilePlan& p, int64_t v) { p.input_above = v != 0; }},
      {"weights", always(residencies),
       [](const TilePlan& p) { return static_cast<int64_t>(p.weights); },
       [](TilePlan& p, int64_t v) { p.weights = static_cast<Residency>(v); }},
      {"params", always(residencies),
       [](const TilePlan& p) { return static_cast<int64_t>(p.params); },
       [](TilePlan& p, int64_t v) { p.params = static_cast<Residency>(v); }},
  };
}

Step Decide(const char* name, const std::vector<int64_t>& domain, int64_t value) {
  TESSERA_CHECK(std::ranges::count(domain, value) != 0, "{} is {}", name, value);
  return DecideStep{.name = name, .domain = {.values = domain}, .value = value};
}

// The value that step |number| picks for |name| out of |domain|.
Result<int64_t> PickOf(const Trace& trace, size_t number, const char* name,
                       const std::vector<int64_t>& domain) {
  if (number >= trace.size()) {
    return Fail(Code::kInvalidArgument, "schedule step {}: missing; decide {} comes here",
                number + 1, name);
  }
  const auto* step = std::get_if<DecideStep>(&trace[number]);
  if (step == nullptr || step->name != name) {
    return Fail(Code::kInvalidArgument, "schedule step {}: '{}' stands where decide {} belongs",
                number + 1, Print(trace[number]), name);
  }
  if (std::ranges::count(domain, step->value.number) == 0) {
    return Fail(Code::kInvalidArgument, "schedule step {}: decide {}: {} is none of {{{}}}",
                number + 1, name, Print(step->value), fmt::join(domain, " "));
  }
  return step->value.number;
}

}  // namespace

Trace RecordPlan(const AnalyzedRegion& region, const isa::Config& config, const TilePlan& plan,
                 bool resident) {
  Trace trace{Decide(kIm2col, {0, 1, 2, 3}, region.anchor.im2col),
              Decide(kResident, {0, 1}, resident)};
  for (const Knob& knob : Knobs(region, config))
    trace.push_back(Decide(knob.name, knob.domain(plan), knob.get(plan)));
  return trace;
}

bool IsPlan(const Trace& trace) {
  return std::ranges::all_of(
      trace, [](const Step& step) { return std::holds_alternative<DecideStep>(step); });
}

Result<int> Im2colAxesOf(const Trace& trace) {
  TESSERA_ASSIGN(const int64_t im2col, PickOf(trace, 0, kIm2col, {0, 1, 2, 3}));
  return static_cast<int>(im2col);
}

Result<bool> IsResident(const Trace& trace) {
  TESSERA_ASSIGN(const int64_t resident, PickOf(trace, 1, kResident, {0, 1}));
  return resident != 0;
}

Result<TilePlan> ReplayPlan(const Trace& trace, const AnalyzedRegion& region,
                            const isa::Config& config, const OnChip& on_chip) {
  TilePlan plan;
  size_t number = 2;
  for (const Knob& knob : Knobs(region, config)) {
    TESSERA_ASSIGN(const int64_t value, PickOf(trace, number, knob.name, knob.domain(plan)));
    knob.set(plan, value);
    ++number;
  }
  if (number != trace.size()) {
    return Fail(Code::kInvalidArgument, "schedule step {}: '{}' follows the last decision",
                number + 1, Print(trace[number]));
  }
  TESSERA_TRY(CompletePlan(region, config, on_chip, &plan));
  return plan;
}

}  // namespace tessera::schedule::accel
