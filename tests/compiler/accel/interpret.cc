// SPDX-License-Identifier: Apache-2.0
//
// The lowered IR of a compiled network's regions, interpreted and compared with the definition.
#include <algorithm>

#include "compiler/ir/interp.h"
#include "compiler/ir/layout.h"
#include "compiler/lower/accel/lower_region.h"
#include "compiler/schedule/accel/packing.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test {
namespace {

// Every activation of |region| in INP with a halo larger than any window wants.
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
    if (step.kind == schedule::accel::EpilogueStepKind::kFetch)
      all.fetched.push_back({step.tensor, {{1, 0}, {2, 1}}});
  }
  all.result = schedule::accel::Halo{{0, 2}, {1, 1}};
  all.result_pad = 77;
  return all;
}

// The interpreter's array of a staying activation: |values| in the middle, |pad| around them; and
// back.
void CopyResident(const std::vector<int64_t>& shape, const schedule::accel::Halo& halo,
                  const schedule::accel::Shape4& tensor, const isa::Config& config,
                  std::vector<int8_t>& values, std::span<uint8_t> tiles, bool to_tiles) {
  const int64_t rows = std::min(tensor[0], config.batch), block = config.block_out;
  size_t at = 0;
  for (int64_t n = 0; n < tensor[0]; ++n) {
    for (int64_t c = 0; c < tensor[1]; ++c) {
      for (int64_t y = 0; y < tensor[2]; ++y) {
        for (int64_t x = 0; x < tensor[3]; ++x) {
          const int64_t tile =
              ((n / rows * shape[1] + c / block) * shape[2] + y + halo.before[0]) * shape[3] + x +
              halo.before[1];
          uint8_t& element =
              tiles[static_cast<size_t>(tile * shape[4] + n % rows * block + c % block)];
          if (to_tiles)
            element = static_cast<uint8_t>(values[at]);
          else
            values[at] = static_cast<int8_t>(element);
          ++at;
        }
      }
    }
  }
}

// One region interpreted as it is lowered, with everything in device memory or everything staying
// on chip.
std::string InterpretRegion(const network::AccelRegion& region, const isa::Config& config,
                            const Values& values, bool stays) {
  std::unordered_map<const te::TensorNode*, const std::vector<uint8_t>*> constants;
  for (const auto& [node, bytes] : region.constants) constants[node] = &bytes;
  auto analyzed = schedule::accel::AnalyzeRegion(region.output, constants);
  if (!analyzed) return analyzed.error().message;
  if (stays && analyzed->steps.back().kind == schedule::accel::EpilogueStepKind::kFetch) return "";
  const schedule::accel::OnChip on_chip =
      stays ? AllResident(*analyzed) : schedule::accel::OnChip{};
  auto plan = schedule::accel::MakePlan(*analyzed, config, on_chip);
  if (!plan) return plan.error().message;
  const auto lowered = lower::accel::LowerRegion(*analyzed, *plan, config, constants, on_chip);
  std::vector<ir::Array> arrays(lowered.buffers.size());
  std::vector<ir::Array*> args;
  std::string text;
  for (size_t k = 0; k < lowered.buffers.size(); ++k) {
    const lower::accel::GlobalBuffer& b = lowered.buffers[k];
    const ir::BufferNode& param = *lowered.func.params[k];
    arrays[k] = ir::Array(param.dtype, ir::SizeInElements(param));
    if (b.role == lower::accel::GlobalBuffer::Use::kConstant) {
      arrays[k] = ir::Array(param.dtype, b.data);
    } else if (b.role == lower::accel::GlobalBuffer::Use::kActivation) {
      const auto shape = schedule::accel::ToShape4(b.tensor.shape());
      std::vector<int8_t> tensor = values.at(region.activations.at(b.tensor.get()));
      if (param.scope == ir::Scope::kInp) {
        const bool input = b.tensor == analyzed->anchor.input;
        std::ranges::fill(arrays[k].bytes(), static_cast<uint8_t>(analyzed->anchor.pad_value));
        CopyResident(param.shape, input ? *on_chip.input : *on_chip.HaloOf(b.tensor), shape, config,
                     tensor, arrays[k].bytes(), true);
      } else {
        schedule::accel::Pack(schedule::accel::PackingOf(shape, config), tensor, arrays[k].bytes());
      }
    }
  }
  for (ir::Array& a : arrays) args.push_back(&a);
  const auto stats = ir::Interpret(lowered.func, args);
  if (!stats) return region.op + ": " + stats.error().message;
  for (size_t k = 0; k < lowered.buffers.size(); ++k) {
    const lower::accel::GlobalBuffer& b = lowered.buffers[k];
    if (b.role != lower::accel::GlobalBuffer::Use::kResult) continue;
    const auto shape = schedule::accel::ToShape4(b.tensor.shape());
    const schedule::accel::Packing packing = schedule::accel::PackingOf(shape, config);
    std::vector<int8_t> got(static_cast<size_t>(packing.elements()));
    const ir::BufferNode& param = *lowered.func.params[k];
    if (param.scope == ir::Scope::kInp) {
      CopyResident(param.shape, *on_chip.result, shape, config, got, arrays[k].bytes(), false);
      // The last tile is in the halo.
      if (arrays[k].Int(arrays[k].size() - 1) != on_chip.result_pad)
        text += region.op + ": its halo is not filled\n";
    } else {
      schedule::accel::Unpack(packing, arrays[k].bytes(), got);
    }
    text += CompareValues(region.op + (stays ? " (stays)" : ""), got, values.at(region.result));
  }
  return text;
}

}  // namespace

std::string InterpretAndCompare(const Compiled& c, const isa::Config& config,
                                const Values& values) {
  std::string text;
  for (const network::AccelRegion& region : c.regions) {
    text += InterpretRegion(region, config, values, false);
    text += InterpretRegion(region, config, values, true);
  }
  return text;
}

}  // namespace tessera::test
