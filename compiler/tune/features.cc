// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/hash.h"
#include "compiler/cost/target_cost.h"
#include "isa/enums.h"

namespace tessera::tune {
namespace {

// To count up when a value of the same name is computed in another way.
constexpr int kCommonVersion = 2;

// The scopes whose elements are features, if the target has them.
struct ScopeName {
  ir::Scope scope;
  const char* name;
};
constexpr ScopeName kScopes[] = {{ir::Scope::kInp, "INP"},
                                 {ir::Scope::kWgt, "WGT"},
                                 {ir::Scope::kAcc, "ACC"},
                                 {ir::Scope::kLocal, "local memory"},
                                 {ir::Scope::kReg, "registers"}};

float Log(double value) { return static_cast<float>(std::log2(std::max(value, 0.0) + 1)); }

// The names of what the compiler's estimate has.
std::vector<std::string> EstimateNames(const target::Target& target) {
  std::vector<std::string> names;
  if (cost::IsProcessor(target)) {
    names = {"cycles", "iterations", "arithmetic", "intrinsics", "loads", "stores", "loops"};
    for (size_t k = 0; k < target.caches.size(); ++k) {
      names.push_back(fmt::format("bytes read behind cache {}", k));
      names.push_back(fmt::format("bytes written behind cache {}", k));
    }
  } else {
    for (int unit = 0; unit < isa::kUnits; ++unit) {
      const std::string_view name = isa::EnumText("Unit", unit);
      names.push_back(fmt::format("cycles of {}", name));
      names.push_back(fmt::format("share of {}", name));
    }
    for (const char* name :
         {"cycles of the bus", "share of the bus", "bytes read", "bytes written", "cycles"})
      names.emplace_back(name);
  }
  return names;
}

// Adds what EstimateNames names.
void AddNumbers(const cost::ProcessorCost& cost, std::vector<float>* values) {
  const cost::Instructions& insns = cost.instructions;
  for (const double n : {cost.cycles, cost.iterations, insns.arithmetic, insns.intrinsics,
                         insns.loads, insns.stores, insns.loops})
    values->push_back(Log(n));
  for (const cost::Traffic& traffic : cost.traffic) {
    values->push_back(Log(traffic.read));
    values->push_back(Log(traffic.written));
  }
}

void AddNumbers(const cost::Cost& cost, std::vector<float>* values) {
  const double cycles = std::max(cost.cycles, 1.0);
  for (const double busy : cost.busy) {
    values->push_back(Log(busy));
    values->push_back(static_cast<float>(busy / cycles));
  }
  values->push_back(Log(cost.bus));
  values->push_back(static_cast<float>(cost.bus / cycles));
  for (const double v : {cost.read_bytes, cost.written_bytes, cost.cycles})
    values->push_back(Log(v));
}

}  // namespace

std::vector<std::string> CommonFeatures(const target::Target& target) {
  const std::vector<std::string> estimate = EstimateNames(target);
  std::vector<std::string> names = estimate;
  for (const auto& [scope, name] : kScopes) {
    if (target.FindMemory(scope) != nullptr) names.push_back(fmt::format("elements of {}", name));
  }
  for (size_t k = 0; k < kFeatureLoops; ++k) names.push_back(fmt::format("loop {}", k));
  for (const std::string& name : estimate) names.push_back(name + " beside the given point's");
  return names;
}

uint64_t CommonFeaturesHash(const target::Target& target) {
  std::string text = fmt::format("{}", kCommonVersion);
  for (const std::string& name : CommonFeatures(target)) text += "\n" + name;
  return Crc64({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

const Features* FeatureTable::Of(const Point& point) {
  const uint64_t hash = HashOf(point);
  auto known = known_.find(hash);
  if (known == known_.end()) known = known_.emplace(hash, Compute(point)).first;
  return known->second ? &*known->second : nullptr;
}

std::optional<Features> FeatureTable::Compute(const Point& point) {
  Features made;
  for (size_t k = 0; k < space_->knobs().size(); ++k) {
    const Space::Place place = space_->PlaceOf(point, k);
    made.values.push_back(Log(static_cast<double>(point.picks[k].number)));
    made.values.push_back(place.count > 1 ? static_cast<float>(place.index) /
                                                static_cast<float>(place.count - 1)
                                          : 0.0f);
  }
  made.knobs = made.values.size();
  if (layer_ == nullptr) return made;
  if (!AddSchedule(point, &made)) return std::nullopt;
  // What is fast beside the given point is so in layers of any size.
  const Features* given = point == space_->given() ? &made : Of(space_->given());
  made.values.reserve(made.values.size() + made.estimates);
  for (size_t k = made.knobs; k < made.knobs + made.estimates; ++k)
    made.values.push_back(given == nullptr ? 0 : made.values[k] - given->values[k]);
  return made;
}

bool FeatureTable::AddEstimate(const schedule::Schedule& schedule, Features* made) const {
  const auto found = cost::CostOnTarget(schedule, config_, follows_);
  if (!found) return false;
  made->cycles = cost::CyclesOf(*found);
  std::visit([&](const auto& cost) { AddNumbers(cost, &made->values); }, *found);
  return true;
}

bool FeatureTable::AddSchedule(const Point& point, Features* made) {
  const auto schedule = layer_->Replayed(point);
  if (!schedule || !AddEstimate(*schedule, made)) return false;
  made->estimates = made->values.size() - made->knobs;
  if (trees_) made->tree = TreeOf(*schedule);
  std::vector<float>& values = made->values;
  std::vector<int64_t> longest;
  double most = 0;
  std::map<ir::Scope, double> elements;
  for (const schedule::Stage& stage : schedule->stages()) {
    if (stage.placeholder || stage.attach == schedule::Attach::kInline) continue;
    const std::vector<int64_t> loops = LoopsOf(stage);
    double product = 1;
    for (const int64_t n : loops) product *= static_cast<double>(n);
    elements[stage.scope] += product * (stage.double_buffer ? 2 : 1);
    if (product > most) longest = loops;
    most = std::max(most, product);
  }
  for (const auto& [scope, name] : kScopes) {
    if (schedule->target().FindMemory(scope) != nullptr) values.push_back(Log(elements[scope]));
  }
  longest.resize(kFeatureLoops, 1);
  for (const int64_t n : longest) values.push_back(Log(static_cast<double>(n)));
  return true;
}

}  // namespace tessera::tune
