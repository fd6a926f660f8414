// SPDX-License-Identifier: Apache-2.0
//
// Interprets the lowered IR of a compiled network's regions and compares the results with the
// definition.
#include <algorithm>

#include "compiler/ir/interp.h"
#include "compiler/ir/layout.h"
#include "compiler/lower/accel/step_region.h"
#include "compiler/schedule/params.h"
#include "compiler/target/accelerator.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test {
namespace {

// Every activation of |region| that may be is in INP, with a halo larger than any window needs.
schedule::accel::OnChip AllResident(const schedule::accel::AnalyzedRegion& region) {
  const schedule::accel::Anchor& anchor = region.anchor;
  schedule::accel::OnChip all;
  if (anchor.kind != schedule::accel::AnchorKind::kNone) {
    all.input.emplace();
    for (size_t d = 0; d < 2; ++d) {
      const schedule::accel::WindowAxis& w = anchor.window[d];
      all.input->before[d] = std::max<int64_t>(w.before, 0) + static_cast<int64_t>(d);
      all.input->after[d] = (w.taps - 1) * w.dilation + w.stride;
    }
  }
  for (const schedule::accel::EpilogueStep& step : region.steps) {
    if (step.loads() && !step.repeats()) all.fetched.push_back({step.tensor, {{1, 0}, {2, 1}}});
  }
  all.result = schedule::accel::Halo{{0, 2}, {1, 1}};
  all.result_pad = 77;
  return all;
}

// The activations that |on_chip| has in INP, by the names of |region|'s tensors.
lower::accel::KeptActivations KeptBy(const schedule::accel::AnalyzedRegion& region,
                                     const schedule::accel::OnChip& on_chip) {
  lower::accel::KeptActivations kept;
  for (const auto& [tensor, halo] : on_chip.fetched) kept[tensor.name()] = {halo, 5};
  if (on_chip.input) kept[region.anchor.input.name()] = {*on_chip.input, region.anchor.pad_value};
  if (on_chip.result) kept[region.output.name()] = {*on_chip.result, on_chip.result_pad};
  return kept;
}

// Interprets the lowered IR of one region, with all activations in device memory or all on chip.
std::string InterpretRegion(const lower::accel::AccelRegion& region, const isa::Config& config,
                            const Values& values, bool stays) {
  const lower::accel::Analysis analysis = lower::accel::AnalysisOf(region, config);
  const auto& analyzed = *analysis;
  if (!analyzed) return analyzed.error().message;
  const bool copy = analyzed->steps.back().loads();
  if (stays && copy) return "";
  const schedule::accel::OnChip on_chip =
      stays ? AllResident(*analyzed) : schedule::accel::OnChip{};
  auto plan = schedule::accel::MakePlan(*analyzed, config, on_chip);
  if (!plan) return plan.error().message;
  const lower::accel::KeptActivations kept = KeptBy(*analyzed, on_chip);
  auto made = lower::accel::ScheduleByPlan(region, *analyzed, *plan, on_chip, kept, config);
  if (!made) return made.error().message;
  const lower::accel::LoweredRegion& lowered = made->lowered;
  const Status packed = lower::accel::PackConstants(region, &*made);
  if (!packed) return packed.error().message;
  std::vector<ir::Array> arrays(lowered.buffers.size());
  std::vector<ir::Array*> args;
  for (size_t k = 0; k < lowered.buffers.size(); ++k) {
    const lower::accel::RegionBuffer& b = lowered.buffers[k];
    const ir::Buffer param = schedule::ParamBuffer(made->schedule, lowered.func.params[k]->name);
    if (b.role == lower::accel::RegionBuffer::Use::kConstant) {
      arrays[k] = ir::Array(param->dtype, *b.data);
      continue;
    }
    std::vector<int8_t> tensor(static_cast<size_t>(b.packing.elements()), 99);
    if (b.role == lower::accel::RegionBuffer::Use::kActivation)
      tensor = values.at(region.activations.at(b.tensor.get()));
    arrays[k] = ir::Array(
        param->dtype, ir::PackLayout(*param, std::vector<uint8_t>(tensor.begin(), tensor.end())));
  }
  for (ir::Array& a : arrays) args.push_back(&a);
  const auto stats = ir::Interpret(lowered.func, args);
  if (!stats) return region.op + ": " + stats.error().message;
  std::string text;
  for (size_t k = 0; k < lowered.buffers.size(); ++k) {
    const lower::accel::RegionBuffer& b = lowered.buffers[k];
    if (b.role != lower::accel::RegionBuffer::Use::kResult) continue;
    const std::vector<uint8_t> got = ir::UnpackLayout(
        *schedule::ParamBuffer(made->schedule, lowered.func.params[k]->name), arrays[k].bytes());
    text += CompareValues(region.op + (stays ? " (stays)" : ""),
                          std::vector<int8_t>(got.begin(), got.end()), values.at(region.result));
  }
  return text;
}

}  // namespace

std::string InterpretAndCompare(const Compiled& c, const isa::Config& config,
                                const Values& values) {
  std::string text;
  for (const lower::accel::AccelRegion& region : c.regions) {
    text += InterpretRegion(region, config, values, false);
    text += InterpretRegion(region, config, values, true);
  }
  return text;
}

}  // namespace tessera::test
