// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/build.h"

#include <algorithm>

#include "base/bits.h"
#include "base/check.h"
#include "base/hash.h"
#include "compiler/codegen/llvm/llvm.h"
#include "compiler/ir/equal.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"
#include "compiler/schedule/rounding.h"
#include "runtime/host/cpu_level.h"

namespace tessera::compiler {

int64_t BytesOf(const graph::GraphTensor& tensor) { return tensor.count() * SizeOf(tensor.dtype); }

// All levels share their functions, and so the schedules.
Build::Build(const FusedNetwork& the_network, const CompileOptions& the_options,
             const AcceleratorLimits& the_limits)
    : network(the_network),
      options(the_options),
      limits(the_limits),
      level_(target::WidestLevel(options.cpu_levels.empty() ? std::vector{CpuLevels().front()}
                                                            : options.cpu_levels)) {
  for (const graph::GraphTensor& tensor : network.graph.tensors)
    constant_bytes_ += tensor.constant() ? BytesOf(tensor) : 0;
}

uint64_t Build::ConstantOffset(const std::vector<uint8_t>& bytes) {
  const uint64_t hash = Crc64(bytes);
  for (auto [it, end] = constants_.equal_range(hash); it != end; ++it) {
    const auto& [offset, size] = it->second;
    if (size == bytes.size() && std::equal(bytes.begin(), bytes.end(),
                                           net.constants.begin() + static_cast<int64_t>(offset))) {
      return offset;
    }
  }
  const uint64_t offset = net.constants.size();
  net.constants.insert(net.constants.end(), bytes.begin(), bytes.end());
  net.constants.resize(static_cast<size_t>(
      RoundUp(static_cast<int64_t>(net.constants.size()), network::kArenaAlign)));
  constants_.emplace(hash, std::pair(offset, bytes.size()));
  return offset;
}

Result<const HostFunc*> Build::HostFuncOf(size_t index, const HostLayouts& layouts) {
  const graph::Region& tensors = network.regions[index];
  Laid laid;
  const auto add = [&](graph::TensorId id) {
    if (layouts.contains(id)) laid.emplace_back(id, ir::LayoutText(layouts.at(id)));
  };
  for (const graph::TensorId id : tensors.inputs) add(id);
  add(tensors.output);
  const auto key = std::pair(index, laid);
  auto it = host_funcs_.find(key);
  if (it == host_funcs_.end()) {
    const PhaseClock::Phase phase(options.clock, "host: schedules and loops");
    const te::RegionTe& region = network.Te(index);
    std::string name = fmt::format("layer_{}", index);
    for (const auto& [id, text] : laid)
      name += fmt::format("_{}{}", layouts.at(id).strides.empty() ? "t" : "part", id);
    // A layer has one schedule in all plans; plans differ in the layouts of its activations.
    const schedule::Trace* trace = TraceOf(index, schedule::kHostTrace);
    const auto other = host_funcs_.lower_bound(std::pair(index, Laid{}));
    const bool known = other != host_funcs_.end() && other->first.first == index;
    if (known) trace = &other->second.schedule;
    TESSERA_ASSIGN(HostFunc host,
                   MakeHostFunc(region, name, layouts, trace, level_,
                                {options.floats, static_cast<double>(constant_bytes_)}));
    net.layers[index].algorithm = host.rounding.algorithm;
    if (options.floats == Floats::kFast) net.layers[index].error = host.rounding.error;
    if (!known) AddSchedule(index, schedule::kHostTrace, host.schedule);
    if (!known && options.layers_only && level_ != nullptr) {
      PlannedHostLayer planned{{region, {}, level_}, host.schedule};
      for (const auto& [id, text] : laid) planned.layer.layouts[id] = layouts.at(id);
      if (trace == nullptr) {
        TESSERA_ASSIGN(planned.sketches,
                       HostSketchesOf(region, planned.layer.layouts, level_, &host.schedule));
      }
      host_layers.push_back(std::move(planned));
    }
    ir_dump += options.dumps.contains("ir")
                   ? fmt::format("// host {}\n{}\n", region.name, ir::Print(host.func))
                   : "";
    it = host_funcs_.emplace(key, std::move(host)).first;
  }
  return &it->second;
}

Status Build::FinishHostCode() {
  std::vector<std::string> levels = options.cpu_levels;
  if (levels.empty()) levels = {target::LevelInUse(CpuLevels(), funcs_.all())};
  for (const std::string& level : levels) {
    const PhaseClock::Phase phase(options.clock, "host: machine code");
    TESSERA_ASSIGN(std::vector<uint8_t> object,
                   codegen::CompileObject(funcs_.all(), level, options.host_effort));
    net.objects.push_back({level, std::move(object)});
  }
  return {};
}

}  // namespace tessera::compiler
