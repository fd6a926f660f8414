// SPDX-License-Identifier: Apache-2.0
//
// CheckArtifact: what an executor may rely on.
#include <algorithm>
#include <cmath>
#include <set>

#include "runtime/artifact/artifact.h"
#include "runtime/artifact/tap.h"

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
    TESSERA_TRY(Edges(artifact_.inputs, plan_.inputs, "input"));
    TESSERA_TRY(Edges(artifact_.outputs, plan_.outputs, "output"));
    TESSERA_TRY(CheckSize("a plan's steps", plan_.steps.size(), kMaxItems));
    int device_steps = 0;
    for (const PlanStep& step : plan_.steps) {
      if (const auto* kernel = std::get_if<KernelStep>(&step)) {
        TESSERA_TRY(Kernel(*kernel));
      } else {
        ++device_steps;
        TESSERA_TRY(DeviceRun(std::get<DeviceStep>(step)));
      }
    }
    if (device_steps > 1)
      return Bad("plan {} has {} device steps, one is supported", plan_.name, device_steps);
    std::set<uint32_t> tapped;
    for (const Tap& tap : plan_.taps) {
      if (!tapped.insert(tap.layer).second)
        return Bad("plan {} taps layer {} twice", plan_.name, tap.layer);
      TESSERA_TRY(OneTap(tap, device_steps > 0));
    }
    return {};
  }

 private:
  Status Edges(const std::vector<TensorInfo>& tensors, const std::vector<uint32_t>& buffers,
               const char* what) const {
    if (tensors.size() != buffers.size()) {
      return Bad("plan {} has {} buffers for {} {}s", plan_.name, buffers.size(), tensors.size(),
                 what);
    }
    for (size_t i = 0; i < tensors.size(); ++i) {
      TESSERA_TRY(Known(buffers[i]));
      const HostBuffer& buffer = artifact_.buffers[buffers[i]];
      if (buffer.place != BufferHome::kArena || buffer.bytes != BytesOf(tensors[i])) {
        return Bad("plan {}: {} {} takes {} bytes of the arena, buffer {} is not that", plan_.name,
                   what, tensors[i].name, BytesOf(tensors[i]), buffer.name);
      }
    }
    return {};
  }

  Status Known(uint32_t buffer) const {
    if (buffer < artifact_.buffers.size()) return {};
    return Bad("plan {} names buffer {} of {}", plan_.name, buffer, artifact_.buffers.size());
  }

  Status Kernel(const KernelStep& step) const {
    TESSERA_TRY(CheckSize("a kernel's name", step.symbol.size(), kMaxNameBytes));
    if (step.symbol.empty()) return Bad("plan {} has a kernel without a name", plan_.name);
    if (step.layer < -1 || step.layer >= static_cast<int64_t>(artifact_.layers.size())) {
      return Bad("kernel {} names layer {} of {}", step.symbol, step.layer,
                 artifact_.layers.size());
    }
    for (const uint32_t buffer : step.buffers) TESSERA_TRY(Known(buffer));
    return {};
  }

  Status Inside(isa::Segment segment, uint64_t offset, uint64_t bytes,
                std::string_view what) const {
    const uint64_t size = artifact_.program->segments[static_cast<size_t>(segment)].size;
    if (bytes <= size && offset <= size - bytes) return {};
    return Bad("plan {}: {} at {} with {} bytes leaves segment {} of {} bytes", plan_.name, what,
               offset, bytes, static_cast<int>(segment), size);
  }

  Status DeviceRun(const DeviceStep& step) const {
    if (!artifact_.program)
      return Bad("plan {} has a device step, but there is no program", plan_.name);
    for (const auto* copies : {&step.inputs, &step.outputs}) {
      for (const SegmentCopy& copy : *copies) {
        TESSERA_TRY(Known(copy.buffer));
        const HostBuffer& buffer = artifact_.buffers[copy.buffer];
        if (copies == &step.outputs && buffer.place != BufferHome::kArena) {
          return Bad("plan {} copies a result into constant {}", plan_.name, buffer.name);
        }
        TESSERA_TRY(Inside(copy.segment, copy.offset, buffer.bytes, buffer.name));
      }
    }
    return {};
  }

  Status OneTap(const Tap& tap, bool has_device) const {
    if (tap.layer >= artifact_.layers.size()) {
      return Bad("plan {} taps layer {} of {}", plan_.name, tap.layer, artifact_.layers.size());
    }
    const TensorInfo& output = artifact_.layers[tap.layer].output;
    const std::string what = "the tap of " + output.name;
    if (tap.layout.shape != output.shape || tap.layout.dtype != output.dtype) {
      return Bad("plan {}: {} has another shape or type than the layer", plan_.name, what);
    }
    Result<uint64_t> bytes = ExtentInBytes(tap.layout);
    if (!bytes) return Within("artifact: " + what, bytes.error());
    if (tap.on_device) {
      if (!has_device)
        return Bad("plan {}: {} is on the device, but no step runs there", plan_.name, what);
      return Inside(tap.segment, tap.offset, *bytes, what);
    }
    TESSERA_TRY(Known(tap.buffer));
    const uint64_t size = artifact_.buffers[tap.buffer].bytes;
    if (*bytes <= size && tap.offset <= size - *bytes) return {};
    return Bad("plan {}: {} leaves buffer {} of {} bytes", plan_.name, what,
               artifact_.buffers[tap.buffer].name, size);
  }

  const Artifact& artifact_;
  const ExecutionPlan& plan_;
};

Status CheckBuffers(const Artifact& artifact) {
  for (const HostBuffer& buffer : artifact.buffers) {
    TESSERA_TRY(CheckSize("a buffer's name", buffer.name.size(), kMaxNameBytes));
    const uint64_t size =
        buffer.place == BufferHome::kArena ? artifact.arena_bytes : artifact.constants.size();
    if (buffer.offset % 64 != 0)
      return Bad("buffer {} begins at {}, not at a multiple of 64", buffer.name, buffer.offset);
    if (buffer.bytes > size || buffer.offset > size - buffer.bytes) {
      return Bad("buffer {} at {} with {} bytes leaves the {} bytes of its place", buffer.name,
                 buffer.offset, buffer.bytes, size);
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
  TESSERA_TRY(CheckSize("the arena", artifact.arena_bytes, kMaxBlobBytes));
  TESSERA_TRY(CheckSize("the constants", artifact.constants.size(), kMaxBlobBytes));
  for (const TensorInfo& tensor : artifact.inputs) TESSERA_TRY(CheckTensor(tensor));
  for (const TensorInfo& tensor : artifact.outputs) TESSERA_TRY(CheckTensor(tensor));
  for (const Layer& layer : artifact.layers) {
    TESSERA_TRY(CheckSize("a layer's name", layer.name.size(), kMaxNameBytes));
    TESSERA_TRY(CheckSize("a layer's operator", layer.op.size(), kMaxNameBytes));
    TESSERA_TRY(CheckTensor(layer.output));
  }
  TESSERA_TRY(CheckBuffers(artifact));
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
  if (artifact.program) TESSERA_TRY(isa::CheckImage(*artifact.program));
  return {};
}

}  // namespace tessera::artifact
