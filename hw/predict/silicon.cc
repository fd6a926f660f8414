// SPDX-License-Identifier: Apache-2.0
#include "hw/predict/silicon.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "hw/predict/exact.h"
#include "hw/predict/model.h"

namespace tessera::hw {
namespace {

struct FamilyModel {
  AreaModel area;
  ClockModel clock;
};
using FamilyModels = std::map<std::string, FamilyModel, std::less<>>;

const FamilyModels& Models() {
  static const FamilyModels models = [] {
    const std::vector<SynthesisedConfig>& rows = SynthesisedConfigs();
    FamilyModels fitted;
    for (const SynthesisedConfig& row : rows) {
      if (fitted.contains(row.family)) continue;
      fitted[row.family] = {FitArea(rows, row.family), FitClock(rows, row.family)};
    }
    return fitted;
  }();
  return models;
}

Result<const FamilyModel*> ModelOf(std::string_view family) {
  const auto found = Models().find(family);
  if (found != Models().end()) return &found->second;
  std::string families;
  for (const auto& [name, model] : Models()) families += (families.empty() ? "" : ", ") + name;
  return Fail(Code::kUnsupported,
              "family {}: no configuration was synthesised for it, only for {}; "
              "hw/scripts/area.sh synthesises one",
              family, families);
}

SiliconError ErrorOf(std::vector<double> errors) {
  for (double& error : errors) error = std::abs(error);
  std::ranges::sort(errors);
  const size_t n = errors.size();
  return {(errors[(n - 1) / 2] + errors[n / 2]) / 2, errors.back()};
}

// Of all rows of |family|, each predicted without the rows of its configuration.
SiliconErrors ErrorsOf(const std::string& family) {
  const std::vector<SynthesisedConfig>& rows = SynthesisedConfigs();
  std::vector<double> lut, ff, dsp, bram18, ns;
  for (const SynthesisedConfig& row : rows) {
    if (row.family != family) continue;
    std::vector<SynthesisedConfig> others;
    for (const SynthesisedConfig& other : rows) {
      if (other.config.name != row.config.name) others.push_back(other);
    }
    const TermValues terms = TermsOf(row.config);
    const AreaModel area = FitArea(others, family);
    lut.push_back(SumOf(area.lut, terms) / row.lut - 1);
    ff.push_back(SumOf(area.ff, terms) / row.ff - 1);
    const auto off = [](int64_t predicted, int64_t is) {
      return static_cast<double>(predicted) / static_cast<double>(is) - 1;
    };
    dsp.push_back(off(DspOf(row.config), row.dsp));
    bram18.push_back(off(Bram18Of(row.config), row.bram18));
    ns.push_back(LongestOf(FitClock(others, family), terms) / LongestPath(row) - 1);
  }
  return {.lut = ErrorOf(lut),
          .ff = ErrorOf(ff),
          .dsp = ErrorOf(dsp),
          .bram18 = ErrorOf(bram18),
          .ns = ErrorOf(ns),
          .configurations = static_cast<int>(ns.size())};
}

}  // namespace

Result<Silicon> PredictSilicon(const isa::Config& config, std::string_view family) {
  TESSERA_TRY(isa::ValidateConfig(config));
  TESSERA_ASSIGN(const FamilyModel* model, ModelOf(family));
  const TermValues terms = TermsOf(config);
  return Silicon{.lut = SumOf(model->area.lut, terms),
                 .ff = SumOf(model->area.ff, terms),
                 .dsp = DspOf(config),
                 .bram18 = Bram18Of(config),
                 .ns = LongestOf(model->clock, terms)};
}

Result<SiliconErrors> PredictionErrors(std::string_view family) {
  TESSERA_TRY(ModelOf(family));
  static const auto errors = [] {
    std::map<std::string, SiliconErrors, std::less<>> all;
    for (const auto& [name, model] : Models()) all[name] = ErrorsOf(name);
    return all;
  }();
  return errors.find(family)->second;
}

std::vector<std::string> OutsideOfTable(const isa::Config& config) {
  struct Number {
    std::string_view name;
    int64_t (*of)(const isa::Config&);
  };
  using isa::Config;
  using isa::Memory;
  static constexpr Number kNumbers[] = {
      {"batch", [](const Config& c) { return c.batch; }},
      {"block", [](const Config& c) { return c.block_out; }},
      {"lanes", [](const Config& c) { return c.lanes(); }},
      {"MACs a cycle", [](const Config& c) { return c.macs_per_cycle(); }},
      {"bus_bits", [](const Config& c) { return c.bus_bits; }},
      {"queue_depth", [](const Config& c) { return c.queue_depth; }},
      {"token_depth", [](const Config& c) { return c.token_depth; }},
      {"vector_passes", [](const Config& c) { return c.vector_passes; }},
      {"array_passes", [](const Config& c) { return c.array_passes; }},
      {"depthwise", [](const Config& c) { return c.depthwise; }},
      {"tab_bytes", [](const Config& c) { return c.tab_bytes; }},
      {"prm_depth", [](const Config& c) { return c.prm_depth; }},
      {"UOP tiles", [](const Config& c) { return c.Depth(Memory::kUop); }},
      {"WGT tiles", [](const Config& c) { return c.Depth(Memory::kWgt); }},
      {"INP tiles", [](const Config& c) { return c.Depth(Memory::kInp); }},
      {"ACC tiles", [](const Config& c) { return c.Depth(Memory::kAcc); }},
      {"OUT tiles", [](const Config& c) { return c.Depth(Memory::kOut); }},
  };
  std::vector<std::string> outside;
  for (const Number& number : kNumbers) {
    int64_t low = INT64_MAX, high = 0;
    for (const SynthesisedConfig& row : SynthesisedConfigs()) {
      low = std::min(low, number.of(row.config));
      high = std::max(high, number.of(row.config));
    }
    const int64_t is = number.of(config);
    if (is >= low && is <= high) continue;
    outside.push_back(fmt::format("{} {}, they have {} to {}", number.name, is, low, high));
  }
  return outside;
}

}  // namespace tessera::hw
