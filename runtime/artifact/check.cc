// SPDX-License-Identifier: Apache-2.0
//
// CheckArtifact: the rules on which an executor relies.
#include <algorithm>
#include <cmath>
#include <set>

#include "runtime/artifact/artifact.h"

namespace tessera::artifact {
namespace {

constexpr uint64_t kMaxElements = uint64_t{1} << 31;  // of one tensor

template <typename... Args>
std::unexpected<Error> Bad(fmt::format_string<Args...> format, Args&&... args) {
  return Fail(Code::kInvalidArgument, "artifact: {}",
              fmt::format(format, std::forward<Args>(args)...));
}

Status CheckSize(std::string_view what, uint64_t size, uint64_t limit) {
  if (size <= limit) return {};
  return Fail(Code::kOutOfRange, "artifact: {} has size {}, at most {} is accepted", what, size,
              limit);
}

Status CheckShape(const std::string& name, std::span<const int64_t> shape) {
  TESSERA_TRY(CheckSize("the rank of " + name, shape.size(), kMaxRank));
  uint64_t count = 1;
  for (const int64_t extent : shape) {
    if (extent < 1) return Bad("tensor {} has an extent of {}", name, extent);
    if (static_cast<uint64_t>(extent) > kMaxElements / count) {
      return Fail(Code::kOutOfRange, "artifact: tensor {} has more than {} elements", name,
                  kMaxElements);
    }
    count *= static_cast<uint64_t>(extent);
  }
  return {};
}

uint64_t BytesOf(const TensorInfo& tensor) {
  uint64_t bytes = static_cast<uint64_t>(SizeOf(tensor.dtype));
  for (const int64_t extent : tensor.shape) bytes *= static_cast<uint64_t>(extent);
  return bytes;
}

Status CheckTensor(const TensorInfo& tensor) {
  TESSERA_TRY(CheckSize("a tensor's name", tensor.name.size(), kMaxNameBytes));
  TESSERA_TRY(CheckShape(tensor.name, tensor.shape));
  if (tensor.quant && (!std::isfinite(tensor.quant->scale) || tensor.quant->scale <= 0)) {
    return Bad("tensor {} has scale {}", tensor.name, tensor.quant->scale);
  }
  return {};
}

class PlanCheck {
 public:
  PlanCheck(const Artifact& artifact, const ExecutionPlan& plan)
      : artifact_(artifact), plan_(plan) {}

  Status Run() const {
    TESSERA_TRY(CheckSize("a plan's name", plan_.name.size(), kMaxNameBytes));
    TESSERA_TRY(Memory());
    TESSERA_TRY(Edges(artifact_.inputs, plan_.inputs, "input"));
    TESSERA_TRY(Edges(artifact_.outputs, plan_.outputs, "output"));
    TESSERA_TRY(CheckSize("a plan's steps", plan_.steps.size(), kMaxItems));
    for (const PlanStep& step : plan_.steps) {
      TESSERA_TRY(std::visit([&](const auto& one) { return Step(one); }, step));
      for (const uint32_t buffer : BuffersWritten(step)) {
        if (plan_.buffers[buffer].home != BufferHome::kArena)
          return Bad("plan {} writes constant {}", plan_.name, plan_.buffers[buffer].name);
      }
    }
    std::set<uint32_t> tapped;
    for (const Tap& tap : plan_.taps) {
      if (!tapped.insert(tap.layer).second)
        return Bad("plan {} taps layer {} twice", plan_.name, tap.layer);
      TESSERA_TRY(OneTap(tap));
    }
    if (plan_.layers.size() != artifact_.layers.size()) {
      return Bad("plan {} places {} layers of {}", plan_.name, plan_.layers.size(),
                 artifact_.layers.size());
    }
    for (const LayerPlace& place : plan_.layers) TESSERA_TRY(KnownDevice(place.device, "a layer"));
    return {};
  }

 private:
  Status KnownDevice(uint32_t device, std::string_view what) const {
    if (device < artifact_.devices.size()) return {};
    return Bad("plan {}: {} is on device {} of {}", plan_.name, what, device,
               artifact_.devices.size());
  }

  Status Memory() const {
    if (plan_.arenas.size() != artifact_.devices.size()) {
      return Bad("plan {} has {} arenas for {} devices", plan_.name, plan_.arenas.size(),
                 artifact_.devices.size());
    }
    for (const ArenaSize& arena : plan_.arenas)
      TESSERA_TRY(CheckSize("an arena", arena.bytes, kMaxBlobBytes));
    for (const PlanBuffer& buffer : plan_.buffers) {
      TESSERA_TRY(CheckSize("a buffer's name", buffer.name.size(), kMaxNameBytes));
      TESSERA_TRY(KnownDevice(buffer.device, buffer.name));
      const bool constant = buffer.home == BufferHome::kConstants;
      if (constant && artifact_.devices[buffer.device].kind == DeviceKind::kAccelerator)
        return Bad("buffer {} is a constant of device {}", buffer.name, buffer.device);
      const uint64_t size =
          constant ? artifact_.constants.size() : plan_.arenas[buffer.device].bytes;
      // Kernels rely on it.
      const bool kernels = artifact_.devices[buffer.device].kind != DeviceKind::kAccelerator;
      if (kernels && buffer.offset % 64 != 0)
        return Bad("buffer {} begins at {}, not at a multiple of 64", buffer.name, buffer.offset);
      if (buffer.bytes > size || buffer.offset > size - buffer.bytes) {
        return Bad("buffer {} at {} with {} bytes leaves the {} bytes of its memory", buffer.name,
                   buffer.offset, buffer.bytes, size);
      }
    }
    return {};
  }

  Status Edges(std::vector<TensorInfo> tensors, const std::vector<uint32_t>& buffers,
               const char* what) const {
    for (const ModelState& state : artifact_.states) tensors.push_back(state.tensor);
    if (tensors.size() != buffers.size()) {
      return Bad("plan {} has {} buffers for {} {}s", plan_.name, buffers.size(), tensors.size(),
                 what);
    }
    for (size_t i = 0; i < tensors.size(); ++i) {
      TESSERA_TRY(Known(buffers[i]));
      const PlanBuffer& buffer = plan_.buffers[buffers[i]];
      if (buffer.device != kHostDevice || buffer.home != BufferHome::kArena ||
          buffer.bytes != BytesOf(tensors[i])) {
        return Bad("plan {}: {} {} takes {} bytes of the host's arena, buffer {} is not that",
                   plan_.name, what, tensors[i].name, BytesOf(tensors[i]), buffer.name);
      }
    }
    return {};
  }

  Status Known(uint32_t buffer) const {
    if (buffer < plan_.buffers.size()) return {};
    return Bad("plan {} names buffer {} of {}", plan_.name, buffer, plan_.buffers.size());
  }
  Status OnDevice(const std::vector<uint32_t>& buffers, uint32_t device,
                  std::string_view what) const {
    for (const uint32_t id : buffers) {
      TESSERA_TRY(Known(id));
      const PlanBuffer& buffer = plan_.buffers[id];
      if (buffer.device != device) {
        return Bad("plan {}: {} runs on device {}, its buffer {} is on device {}", plan_.name, what,
                   device, buffer.name, buffer.device);
      }
    }
    return {};
  }

  Status Step(const KernelStep& step) const {
    TESSERA_TRY(CheckSize("a kernel's name", step.symbol.size(), kMaxNameBytes));
    if (step.symbol.empty()) return Bad("plan {} has a kernel without a name", plan_.name);
    TESSERA_TRY(KnownDevice(step.device, step.symbol));
    const DeviceKind kind = artifact_.devices[step.device].kind;
    if (kind == DeviceKind::kAccelerator)
      return Bad("kernel {} is for device {}, which runs programs", step.symbol, step.device);
    if (RunsSource(kind) && artifact_.FindKernel(step.device, step.symbol) == nullptr)
      return Bad("kernel {} is not in the source for device {}", step.symbol, step.device);
    if (step.layer < -1 || step.layer >= static_cast<int64_t>(artifact_.layers.size())) {
      return Bad("kernel {} names layer {} of {}", step.symbol, step.layer,
                 artifact_.layers.size());
    }
    if (step.result >= step.buffers.size()) {
      return Bad("kernel {} writes buffer {} of {}", step.symbol, step.result, step.buffers.size());
    }
    return OnDevice(step.buffers, step.device, step.symbol);
  }

  Status Step(const TransferStep& step) const {
    TESSERA_TRY(Known(step.from));
    TESSERA_TRY(Known(step.to));
    const PlanBuffer &from = plan_.buffers[step.from], &to = plan_.buffers[step.to];
    if (from.device == to.device || from.bytes != to.bytes) {
      return Bad("plan {} transfers {} ({} bytes, device {}) to {} ({} bytes, device {})",
                 plan_.name, from.name, from.bytes, from.device, to.name, to.bytes, to.device);
    }
    return {};
  }

  Status Step(const ProgramStep& step) const {
    if (step.program >= artifact_.programs.size()) {
      return Bad("plan {} runs program {} of {}", plan_.name, step.program,
                 artifact_.programs.size());
    }
    const DeviceProgram& program = artifact_.programs[step.program];
    const std::string what = fmt::format("program {}", step.program);
    for (const isa::Segment segment : isa::kArenaSegments) {
      const uint64_t size = program.image.segments[static_cast<size_t>(segment)].size;
      if (size > plan_.arenas[program.device].bytes) {
        return Bad("plan {}: {} wants an arena of {} bytes, device {} has one of {}", plan_.name,
                   what, size, program.device, plan_.arenas[program.device].bytes);
      }
    }
    TESSERA_TRY(OnDevice(step.reads, program.device, what));
    return OnDevice(step.writes, program.device, what);
  }

  Status OneTap(const Tap& tap) const {
    if (tap.layer >= artifact_.layers.size()) {
      return Bad("plan {} taps layer {} of {}", plan_.name, tap.layer, artifact_.layers.size());
    }
    TESSERA_TRY(Known(tap.buffer));
    const PlanBuffer& buffer = plan_.buffers[tap.buffer];
    const TensorInfo& output = artifact_.layers[tap.layer].output;
    TESSERA_TRY(CheckSize("the dimensions of a layout", tap.layout.dims.size(), 2 * kMaxRank));
    const Status fits = CheckLayout(output.shape, tap.layout, kMaxBlobBytes);
    if (!fits) return Within("artifact: the tap of " + output.name, fits.error());
    const uint64_t bytes =
        static_cast<uint64_t>(SizeInElements(output.shape, tap.layout) * SizeOf(output.dtype));
    if (bytes <= buffer.bytes) return {};
    return Bad("plan {}: the tap of {} has {} bytes, buffer {} has {}", plan_.name, output.name,
               bytes, buffer.name, buffer.bytes);
  }

  const Artifact& artifact_;
  const ExecutionPlan& plan_;
};

Status CheckSource(const Artifact& artifact, const KernelSource& source) {
  if (source.device >= artifact.devices.size() || !RunsSource(artifact.devices[source.device].kind))
    return Bad("a source is for device {}, which builds none", source.device);
  if (std::ranges::count(artifact.sources, source.device, &KernelSource::device) > 1)
    return Bad("there are two sources for device {}", source.device);
  TESSERA_TRY(CheckSize("a source", source.text.size(), kMaxBlobBytes));
  for (const SourceKernel& kernel : source.kernels) {
    TESSERA_TRY(CheckSize("a kernel's name", kernel.name.size(), kMaxNameBytes));
    for (size_t k = 0; k < 3; ++k) {
      if (kernel.groups[k] == 0 || kernel.threads[k] == 0)
        return Bad("kernel {} has no threads", kernel.name);
      TESSERA_TRY(CheckSize("the threads of kernel " + kernel.name, kernel.threads[k], 1024));
    }
  }
  return {};
}

Status CheckDevices(const Artifact& artifact) {
  TESSERA_TRY(CheckSize("the table of devices", artifact.devices.size(), kMaxDevices));
  for (size_t d = 0; d < artifact.devices.size(); ++d) {
    const DeviceEntry& device = artifact.devices[d];
    TESSERA_TRY(CheckSize("a device's name", device.name.size(), kMaxNameBytes));
    if ((d == kHostDevice) != (device.kind == DeviceKind::kHost))
      return Bad("device {} is {}; device 0 is the host, and no other", d, device.name);
  }
  for (const KernelSource& source : artifact.sources) TESSERA_TRY(CheckSource(artifact, source));
  if (artifact.devices.empty()) return Bad("there is no device, not even the host");
  for (size_t p = 0; p < artifact.programs.size(); ++p) {
    const DeviceProgram& program = artifact.programs[p];
    if (program.device == kHostDevice || program.device >= artifact.devices.size())
      return Bad("program {} is for device {} of {}", p, program.device, artifact.devices.size());
    if (artifact.devices[program.device].kind != DeviceKind::kAccelerator)
      return Bad("program {} is for device {}, which runs kernels", p, program.device);
    const DeviceEntry& device = artifact.devices[program.device];
    if (program.image.config_hash != device.config_hash) {
      return Bad("program {} was made for configuration {:016x}, device {} ({}) is {:016x}", p,
                 program.image.config_hash, program.device, device.name, device.config_hash);
    }
    TESSERA_TRY(isa::CheckImage(program.image));
    for (const isa::Segment segment : isa::kArenaSegments) {
      if (!program.image.segments[static_cast<size_t>(segment)].data.empty())
        return Bad("program {} has data in the arena, which begins without contents", p);
    }
  }
  return {};
}

}  // namespace

Status CheckArtifact(const Artifact& artifact) {
  const Provenance& p = artifact.provenance;
  TESSERA_TRY(CheckSize("the tool's name", p.tool.size(), kMaxNameBytes));
  TESSERA_TRY(CheckSize("the model's name", p.model_file.size(), kMaxNameBytes));
  TESSERA_TRY(CheckSize("the configuration", p.config_json.size(), kMaxTextBytes));
  TESSERA_TRY(CheckSize("the options", p.options.size(), kMaxTextBytes));
  TESSERA_TRY(CheckSize("the schedules", p.schedules.size(), kMaxSchedulesBytes));
  TESSERA_TRY(CheckSize("the constants", artifact.constants.size(), kMaxBlobBytes));
  for (const TensorInfo& tensor : artifact.inputs) TESSERA_TRY(CheckTensor(tensor));
  for (const auto& [tensor, first] : artifact.states) {
    TESSERA_TRY(CheckTensor(tensor));
    if (first.size() != BytesOf(tensor))
      return Bad("state {} begins with {} bytes, its shape takes {}", tensor.name, first.size(),
                 BytesOf(tensor));
  }
  for (const TensorInfo& tensor : artifact.outputs) TESSERA_TRY(CheckTensor(tensor));
  for (const Layer& layer : artifact.layers) {
    TESSERA_TRY(CheckSize("a layer's name", layer.name.size(), kMaxNameBytes));
    TESSERA_TRY(CheckSize("a layer's operator", layer.op.size(), kMaxNameBytes));
    TESSERA_TRY(CheckTensor(layer.output));
    TESSERA_TRY(CheckSize("a layer's algorithm", layer.algorithm.size(), kMaxNameBytes));
    if (!(layer.error >= 0 && layer.error < 1))
      return Bad("layer {} may differ by {} of its results", layer.name, layer.error);
  }
  const Coverage& c = artifact.coverage;
  if (c.accelerated < 0 || c.accelerated > c.nodes || c.accelerated_macs < 0 ||
      c.accelerated_macs > c.macs)
    return Bad("the accelerator runs more of it than there is");
  for (const Coverage::Left& left : c.left) {
    TESSERA_TRY(CheckSize("an operator left", left.op.size(), kMaxNameBytes));
    TESSERA_TRY(CheckSize("a reason for the host", left.why.size(), kMaxNameBytes));
  }
  TESSERA_TRY(CheckDevices(artifact));
  for (const HostObject& object : artifact.objects) {
    TESSERA_TRY(CheckSize("a CPU level", object.level.size(), kMaxNameBytes));
    TESSERA_TRY(CheckSize("host code", object.elf.size(), kMaxBlobBytes));
    const auto same = [&](const HostObject& other) { return other.level == object.level; };
    if (std::ranges::count_if(artifact.objects, same) > 1)
      return Bad("there are two host objects for {}", object.level);
  }
  std::set<std::string_view> plans;
  for (const ExecutionPlan& plan : artifact.plans) {
    if (!plans.insert(plan.name).second) return Bad("there are two plans {}", plan.name);
    TESSERA_TRY(PlanCheck(artifact, plan).Run());
  }
  return {};
}

}  // namespace tessera::artifact
