// SPDX-License-Identifier: Apache-2.0
#include "runtime/artifact/artifact.h"

#include <algorithm>
#include <cstring>

#include "base/file.h"
#include "base/hash.h"
#include "runtime/artifact/codec.h"

namespace tessera::artifact {
namespace {

constexpr std::string_view kMagic = "TSRNET01";
constexpr uint32_t kVersion = 7;
constexpr size_t kCrcBytes = 8;

// Lists the fields of each structure once, for both codecs. |x| is const for a Writer.
template <typename Codec, typename T>
Status Fields(Codec& codec, T& x);

template <typename Codec, typename List>
Status Items(Codec& codec, List& list, std::string_view what, uint64_t limit = kMaxItems,
             uint64_t least_bytes = 4) {
  TESSERA_TRY(codec.Count(list, what, limit, least_bytes));
  for (auto& item : list) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(item)>>) {
      TESSERA_TRY(codec.Number(item, what));
    } else {
      TESSERA_TRY(Fields(codec, item));
    }
  }
  return {};
}

// An enumeration of |count| values as one byte.
template <typename Codec, typename T>
Status Enum(Codec& codec, T& x, uint8_t count, std::string_view what) {
  uint8_t raw = static_cast<uint8_t>(x);
  TESSERA_TRY(codec.Number(raw, what));
  if constexpr (Codec::kReads) {
    if (raw >= count)
      return Fail(Code::kInvalidArgument, "artifact: {} {} does not exist", what, raw);
    x = static_cast<T>(raw);
  }
  return {};
}

template <typename Codec>
Status Visit(Codec& codec, auto& dtype) {
  return Enum(codec, dtype, kDTypes.size(), "element type");
}

template <typename Codec, typename T>
Status Presence(Codec& codec, T& optional, std::string_view what) {
  bool present = optional.has_value();
  TESSERA_TRY(Enum(codec, present, 2, what));
  if constexpr (Codec::kReads) {
    if (present) optional.emplace();
  }
  return {};
}

template <typename Codec, typename T>
Status Name(Codec& codec, T& text, std::string_view what) {
  return codec.Bytes(text, what, kMaxNameBytes);
}

template <typename Codec, typename T>
Status StepFields(Codec& codec, T& step) {
  uint8_t kind = static_cast<uint8_t>(step.index());
  TESSERA_TRY(Enum(codec, kind, std::variant_size_v<PlanStep>, "step of kind"));
  if constexpr (Codec::kReads) {
    if (kind == 1) step = TransferStep{};
    if (kind == 2) step = ProgramStep{};
  }
  return std::visit([&](auto& one) { return Fields(codec, one); }, step);
}

// The parts of plans.
template <typename Codec, typename T>
Status PlanFields(Codec& codec, T& x) {
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Plain, PlanBuffer>) {
    TESSERA_TRY(Name(codec, x.name, "a buffer's name"));
    TESSERA_TRY(codec.Number(x.device, "a buffer"));
    TESSERA_TRY(Enum(codec, x.home, 2, "home of a buffer"));
    TESSERA_TRY(codec.Number(x.offset, "a buffer"));
    return codec.Number(x.bytes, "a buffer");
  } else if constexpr (std::is_same_v<Plain, ArenaSize>) {
    TESSERA_TRY(codec.Number(x.bytes, "an arena"));
    return codec.Number(x.unshared_bytes, "an arena");
  } else if constexpr (std::is_same_v<Plain, KernelStep>) {
    TESSERA_TRY(codec.Number(x.device, "a kernel's device"));
    TESSERA_TRY(Name(codec, x.symbol, "a kernel's name"));
    TESSERA_TRY(codec.Number(x.layer, "a kernel's layer"));
    TESSERA_TRY(Items(codec, x.buffers, "a kernel's buffers"));
    return codec.Number(x.result, "a kernel's result");
  } else if constexpr (std::is_same_v<Plain, TransferStep>) {
    TESSERA_TRY(codec.Number(x.from, "a transfer"));
    return codec.Number(x.to, "a transfer");
  } else if constexpr (std::is_same_v<Plain, ProgramStep>) {
    TESSERA_TRY(codec.Number(x.program, "a program step"));
    TESSERA_TRY(Items(codec, x.reads, "what a program reads"));
    return Items(codec, x.writes, "what a program writes");
  } else if constexpr (std::is_same_v<Plain, PlanStep>) {
    return StepFields(codec, x);
  } else if constexpr (std::is_same_v<Plain, LayoutDim>) {
    TESSERA_TRY(codec.Number(x.dim, "a layout"));
    TESSERA_TRY(codec.Number(x.div, "a layout"));
    return codec.Number(x.mod, "a layout");
  } else if constexpr (std::is_same_v<Plain, Layout>) {
    TESSERA_TRY(Items(codec, x.dims, "a layout's dimensions", 2 * kMaxRank, 20));
    TESSERA_TRY(codec.Number(x.fill, "a layout"));
    return Items(codec, x.strides, "a layout's strides", 2 * kMaxRank, 8);
  } else if constexpr (std::is_same_v<Plain, Tap>) {
    TESSERA_TRY(codec.Number(x.layer, "a tap"));
    TESSERA_TRY(codec.Number(x.buffer, "a tap"));
    return Fields(codec, x.layout);
  } else if constexpr (std::is_same_v<Plain, LayerPlace>) {
    TESSERA_TRY(codec.Number(x.device, "the place of a layer"));
    return Enum(codec, x.resident, 2, "residency of a layer");
  } else {
    static_assert(std::is_same_v<Plain, ExecutionPlan>);
    TESSERA_TRY(Name(codec, x.name, "a plan's name"));
    TESSERA_TRY(Items(codec, x.arenas, "a plan's arenas", kMaxDevices, 16));
    TESSERA_TRY(Items(codec, x.buffers, "a plan's buffers", kMaxItems, 29));
    TESSERA_TRY(Items(codec, x.inputs, "a plan's inputs"));
    TESSERA_TRY(Items(codec, x.outputs, "a plan's outputs"));
    TESSERA_TRY(Items(codec, x.steps, "a plan's steps", kMaxItems, 9));
    TESSERA_TRY(Items(codec, x.taps, "a plan's taps", kMaxItems, 32));
    return Items(codec, x.layers, "the places of a plan's layers", kMaxItems, 5);
  }
}

template <typename Codec, typename T>
Status Fields(Codec& codec, T& x) {
  using Record = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Record, Affine>) {
    TESSERA_TRY(codec.Number(x.scale, "a scale"));
    return codec.Number(x.zero, "a zero point");
  } else if constexpr (std::is_same_v<Record, TensorInfo>) {
    TESSERA_TRY(Name(codec, x.name, "a tensor's name"));
    TESSERA_TRY(Visit(codec, x.dtype));
    TESSERA_TRY(Items(codec, x.shape, "a shape", kMaxRank, 8));
    TESSERA_TRY(Presence(codec, x.quant, "presence of a scale"));
    return x.quant ? Fields(codec, *x.quant) : Status{};
  } else if constexpr (std::is_same_v<Record, ModelState>) {
    TESSERA_TRY(Fields(codec, x.tensor));
    return codec.Bytes(x.first, "a state", kMaxBlobBytes);
  } else if constexpr (std::is_same_v<Record, Provenance>) {
    TESSERA_TRY(Name(codec, x.tool, "the tool's name"));
    TESSERA_TRY(Name(codec, x.model_file, "the model's name"));
    TESSERA_TRY(codec.Number(x.model_crc, "the model's checksum"));
    TESSERA_TRY(codec.Bytes(x.config_json, "the configuration", kMaxTextBytes));
    TESSERA_TRY(codec.Bytes(x.options, "the options", kMaxTextBytes));
    return codec.Bytes(x.schedules, "the schedules", kMaxSchedulesBytes);
  } else if constexpr (std::is_same_v<Record, Layer>) {
    TESSERA_TRY(Name(codec, x.name, "a layer's name"));
    TESSERA_TRY(Name(codec, x.op, "a layer's operator"));
    TESSERA_TRY(codec.Number(x.macs, "a layer's MACs"));
    TESSERA_TRY(Fields(codec, x.output));
    TESSERA_TRY(Name(codec, x.algorithm, "a layer's algorithm"));
    return codec.Number(x.error, "a layer's error");
  } else if constexpr (std::is_same_v<Record, DeviceEntry>) {
    TESSERA_TRY(Enum(codec, x.kind, 4, "kind of device"));
    TESSERA_TRY(Name(codec, x.name, "a device's name"));
    return codec.Number(x.config_hash, "a device's configuration");
  } else if constexpr (std::is_same_v<Record, HostObject>) {
    TESSERA_TRY(Name(codec, x.level, "a CPU level"));
    return codec.Bytes(x.elf, "host code", kMaxBlobBytes);
  } else if constexpr (std::is_same_v<Record, SourceKernel>) {
    TESSERA_TRY(Name(codec, x.name, "a kernel's name"));
    for (auto& count : x.groups) TESSERA_TRY(codec.Number(count, "a kernel's groups"));
    for (auto& count : x.threads) TESSERA_TRY(codec.Number(count, "a kernel's threads"));
    return {};
  } else if constexpr (std::is_same_v<Record, KernelSource>) {
    TESSERA_TRY(codec.Number(x.device, "a source's device"));
    TESSERA_TRY(codec.Bytes(x.text, "a source", kMaxBlobBytes));
    return Items(codec, x.kernels, "a source's kernels", kMaxItems, 32);
  } else if constexpr (std::is_same_v<Record, DeviceProgram>) {
    TESSERA_TRY(codec.Number(x.device, "a program's device"));
    std::vector<uint8_t> image;
    if constexpr (!Codec::kReads) image = isa::SerializeImage(x.image);
    TESSERA_TRY(codec.Bytes(image, "an accelerator program", kMaxBlobBytes));
    if constexpr (Codec::kReads) {
      TESSERA_ASSIGN(x.image, isa::ParseImage(image));
    }
    return {};
  } else if constexpr (std::is_same_v<Record, Coverage::Left>) {
    TESSERA_TRY(Name(codec, x.op, "an operator left"));
    TESSERA_TRY(Name(codec, x.why, "a reason for the host"));
    TESSERA_TRY(codec.Number(x.nodes, "the coverage"));
    return Enum(codec, x.device, 4, "kind of device");
  } else if constexpr (std::is_same_v<Record, Coverage>) {
    for (auto* const count : {&x.nodes, &x.accelerated, &x.macs, &x.accelerated_macs})
      TESSERA_TRY(codec.Number(*count, "the coverage"));
    return Items(codec, x.left, "the operators left", kMaxItems, 17);
  } else if constexpr (std::is_same_v<Record, Artifact>) {
    TESSERA_TRY(Fields(codec, x.provenance));
    TESSERA_TRY(Items(codec, x.inputs, "the inputs", kMaxItems, 16));
    TESSERA_TRY(Items(codec, x.outputs, "the outputs", kMaxItems, 16));
    TESSERA_TRY(Items(codec, x.states, "the states", kMaxItems, 24));
    TESSERA_TRY(Items(codec, x.layers, "the layers", kMaxItems, 48));
    TESSERA_TRY(Items(codec, x.devices, "the devices", kMaxDevices, 16));
    TESSERA_TRY(codec.Bytes(x.constants, "the constants", kMaxBlobBytes));
    TESSERA_TRY(Items(codec, x.objects, "the host objects", kMaxItems, 16));
    TESSERA_TRY(Items(codec, x.sources, "the sources of kernels", kMaxItems, 20));
    TESSERA_TRY(Items(codec, x.programs, "the programs", kMaxItems, 12));
    TESSERA_TRY(Items(codec, x.plans, "the plans", kMaxItems, 64));
    return Fields(codec, x.coverage);
  } else {
    return PlanFields(codec, x);
  }
}
}  // namespace

std::vector<uint32_t> ExecutionPlan::DevicesUsed(const std::vector<DeviceProgram>& programs) const {
  std::vector<uint32_t> used;
  for (const PlanStep& step : steps) {
    const auto* run = std::get_if<ProgramStep>(&step);
    if (run == nullptr) continue;
    const uint32_t device = programs[run->program].device;
    if (std::ranges::count(used, device) == 0) used.push_back(device);
  }
  return used;
}

const Tap* ExecutionPlan::TapOf(uint32_t layer) const {
  const auto tap = std::ranges::find(taps, layer, &Tap::layer);
  return tap == taps.end() ? nullptr : &*tap;
}

std::vector<uint32_t> BuffersRead(const PlanStep& step) {
  if (const auto* kernel = std::get_if<KernelStep>(&step))
    return {kernel->buffers.begin(), kernel->buffers.begin() + kernel->result};
  if (const auto* transfer = std::get_if<TransferStep>(&step)) return {transfer->from};
  return std::get<ProgramStep>(step).reads;
}

std::vector<uint32_t> BuffersWritten(const PlanStep& step) {
  if (const auto* kernel = std::get_if<KernelStep>(&step))
    return {kernel->buffers.begin() + kernel->result, kernel->buffers.end()};
  if (const auto* transfer = std::get_if<TransferStep>(&step)) return {transfer->to};
  return std::get<ProgramStep>(step).writes;
}

const ExecutionPlan* Artifact::PlanNamed(std::string_view name) const {
  const auto plan = std::ranges::find(plans, name, &ExecutionPlan::name);
  return plan == plans.end() ? nullptr : &*plan;
}

const SourceKernel* Artifact::FindKernel(uint32_t device, std::string_view symbol) const {
  const auto source = std::ranges::find(sources, device, &KernelSource::device);
  if (source == sources.end()) return nullptr;
  const auto kernel = std::ranges::find(source->kernels, symbol, &SourceKernel::name);
  return kernel == source->kernels.end() ? nullptr : &*kernel;
}

bool LooksLikeArtifact(std::span<const uint8_t> bytes) {
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

std::vector<uint8_t> Serialize(const Artifact& artifact) {
  if (const Status status = CheckArtifact(artifact); !status)
    TESSERA_CHECK(false, "{}", status.error().message);
  ArtifactWriter writer;
  const auto write = [&]() -> Status {
    for (const char c : kMagic) TESSERA_TRY(writer.Number(c, "magic"));
    TESSERA_TRY(writer.Number(kVersion, "version"));
    return Fields(writer, artifact);
  };
  const Status status = write();
  TESSERA_CHECK(status.has_value());
  std::vector<uint8_t> bytes = writer.Take();
  const uint64_t crc = Crc64(bytes);
  bytes.resize(bytes.size() + kCrcBytes);
  std::memcpy(bytes.data() + bytes.size() - kCrcBytes, &crc, kCrcBytes);
  return bytes;
}

Result<Artifact> Parse(std::span<const uint8_t> bytes) {
  const size_t seen = std::min(bytes.size(), kMagic.size());
  if (!std::equal(bytes.begin(), bytes.begin() + static_cast<int64_t>(seen), kMagic.begin())) {
    return Fail(Code::kInvalidArgument, "is not an artifact: it does not begin with {}", kMagic);
  }
  if (bytes.size() < kMagic.size() + sizeof kVersion + kCrcBytes) {
    return Fail(Code::kDataLoss, "the artifact is truncated: {} bytes", bytes.size());
  }
  uint64_t crc = 0;
  const std::span<const uint8_t> body = bytes.first(bytes.size() - kCrcBytes);
  std::memcpy(&crc, bytes.data() + body.size(), kCrcBytes);
  if (crc != Crc64(body)) {
    return Fail(Code::kDataLoss,
                "the artifact's checksum differs: the file is truncated or damaged; compile the "
                "model again");
  }
  ArtifactReader reader(body.subspan(kMagic.size()));
  uint32_t version = 0;
  TESSERA_TRY(reader.Number(version, "the version"));
  if (version != kVersion) {
    return Fail(Code::kInvalidArgument,
                "the artifact is of version {}, this program reads {}; compile the model again",
                version, kVersion);
  }
  Artifact artifact;
  TESSERA_TRY(Fields(reader, artifact));
  if (reader.left() != 0)
    return Fail(Code::kInvalidArgument, "artifact: {} bytes follow the last part", reader.left());
  TESSERA_TRY(CheckArtifact(artifact));
  return artifact;
}

Result<Artifact> ReadArtifact(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  Result<Artifact> artifact = Parse(bytes);
  if (!artifact) return Within(path, artifact.error());
  return artifact;
}

Status WriteArtifact(const std::string& path, const Artifact& artifact) {
  return WriteFile(path, Serialize(artifact));
}

}  // namespace tessera::artifact
