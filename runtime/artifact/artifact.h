// SPDX-License-Identifier: Apache-2.0
//
// Artifact: a compiled model as one file (net.tsr) that the runtime loads without the compiler. It
// holds host code for several CPU levels, any number of accelerator programs, constants, and one
// ordered plan with a memory plan for each way to run the model. It also tells where to read each
// layer's result, and where the model came from. Depends on: base, isa/image.h. Made by the compile
// driver, run by runtime/executor, shown by tools.
#ifndef TESSERA_RUNTIME_ARTIFACT_ARTIFACT_H_
#define TESSERA_RUNTIME_ARTIFACT_ARTIFACT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "base/layout.h"
#include "isa/image.h"

namespace tessera::artifact {

// real = scale * (q - zero), the same for the whole tensor.
struct Affine {
  double scale = 1;
  int32_t zero = 0;
  bool operator==(const Affine&) const = default;
};

// A logical tensor: row-major shape, NCHW for images.
struct TensorInfo {
  std::string name;
  DType dtype = DType::kInt8;
  std::vector<int64_t> shape;
  std::optional<Affine> quant;  // a float model input or output: that of its integer tensor
  bool operator==(const TensorInfo&) const = default;
};

// A tensor that one inference leaves for the next; |first| holds its bytes before the first one.
struct ModelState {
  TensorInfo tensor;
  std::vector<uint8_t> first;
  bool operator==(const ModelState&) const = default;
};

struct Provenance {
  std::string tool;         // "tessera 0.1.0"
  std::string model_file;   // its name without folders
  uint64_t model_crc = 0;   // CRC-64 of the file's bytes
  std::string config_json;  // isa::ConfigToJson of the accelerator; "" without one
  std::string options;      // the compiler's options, as text
  std::string schedules;    // the layers' traces, for `tessera compile --schedule`
  bool operator==(const Provenance&) const = default;
};

// One region of the graph: a row of the comparison table.
struct Layer {
  std::string name;   // "stage1_conv2+stage1_add"
  std::string op;     // "conv + add"
  uint64_t macs = 0;  // for one inference
  TensorInfo output;
  // Of host code that rounds other numbers than the definition does: its name, and the greatest
  // difference that the compiler states, as a share of the greatest result.
  std::string algorithm = {};
  double error = 0;
  bool operator==(const Layer&) const = default;
};

// kOpenCl and kCuda run kernels from source, on any device of their driver.
enum class DeviceKind : uint8_t { kHost, kAccelerator, kOpenCl, kCuda };
inline bool RunsSource(DeviceKind kind) { return kind >= DeviceKind::kOpenCl; }

// The share of a network that the accelerator runs, and the reasons for the rest. Counts the nodes
// of the graph, except those that only give a tensor another shape.
struct Coverage {
  // How many nodes of a kind are on another device, the host's for one reason, in words of the
  // machine.
  struct Left {
    std::string op, why;
    int64_t nodes = 0;
    DeviceKind device = DeviceKind::kHost;
    bool operator==(const Left&) const = default;
  };
  int64_t nodes = 0, accelerated = 0;
  int64_t macs = 0, accelerated_macs = 0;  // of one inference
  std::vector<Left> left;                  // those with the most nodes first
  bool operator==(const Coverage&) const = default;
};

// What steps run on. Everywhere else an index into Artifact::devices names a device; 0 is the host.
inline constexpr uint32_t kHostDevice = 0;
struct DeviceEntry {
  DeviceKind kind = DeviceKind::kHost;
  std::string name;          // "host"; an accelerator's configuration, for messages
  uint64_t config_hash = 0;  // isa::Config::Hash of an accelerator
  bool operator==(const DeviceEntry&) const = default;
};

// Code for an accelerator. All programs of a plan are in its device's memory at once, and share the
// arena of the plan on that device through the segments isa::kArenaSegments. Every other segment
// belongs to one program and keeps its contents.
struct DeviceProgram {
  uint32_t device = 1;
  isa::ProgramImage image;
  bool operator==(const DeviceProgram&) const = default;
};

// A piece of a device's memory: in its arena (ArenaSize bytes, contents undefined at first) or, on
// a device that runs kernels, in the constants. Buffers of an arena may overlap when their lives do
// not.
enum class BufferHome : uint8_t { kArena, kConstants };
struct PlanBuffer {
  std::string name;
  uint32_t device = kHostDevice;
  BufferHome home = BufferHome::kArena;
  uint64_t offset = 0;  // multiple of 64, except on an accelerator
  uint64_t bytes = 0;
  bool operator==(const PlanBuffer&) const = default;
};

// The arena of one device: the peak of the memory plan, and the bytes that the same tensors would
// need without sharing.
struct ArenaSize {
  uint64_t bytes = 0;
  uint64_t unshared_bytes = 0;
  bool operator==(const ArenaSize&) const = default;
};

// Host functions compiled for one CPU level (runtime/host/cpu_level.h lists the levels).
struct HostObject {
  std::string level;
  std::vector<uint8_t> elf;  // an ELF relocatable object
  bool operator==(const HostObject&) const = default;
};

// A kernel in a device's source, and the groups and threads of its launch. The driver builds the
// source when the executor opens.
struct SourceKernel {
  std::string name;
  std::array<uint32_t, 3> groups{1, 1, 1}, threads{1, 1, 1};
  bool operator==(const SourceKernel&) const = default;
};
struct KernelSource {
  uint32_t device = 1;
  std::string text;
  std::vector<SourceKernel> kernels;
  bool operator==(const KernelSource&) const = default;
};

// Calls |symbol| on |device| with the addresses of |buffers|, in order. The kernel reads the
// buffers before |result|, writes |result|, and uses the buffers after |result| as scratch memory.
struct KernelStep {
  uint32_t device = kHostDevice;
  std::string symbol;
  int32_t layer = -1;  // -1: no layer (packing, reordering)
  std::vector<uint32_t> buffers;
  uint32_t result = 0;  // index into |buffers|
  bool operator==(const KernelStep&) const = default;
};

// Copies buffer |from| to buffer |to|, which has as many bytes on another device.
struct TransferStep {
  uint32_t from = 0, to = 0;
  bool operator==(const TransferStep&) const = default;
};

// Runs a program once on its device. |reads|: buffers that must hold their values before the run;
// |writes|: buffers that hold results after it.
struct ProgramStep {
  uint32_t program = 0;
  std::vector<uint32_t> reads, writes;
  bool operator==(const ProgramStep&) const = default;
};
using PlanStep = std::variant<KernelStep, TransferStep, ProgramStep>;

// After a run of its plan, buffer |buffer| holds the output of layer |layer| in |layout|.
struct Tap {
  uint32_t layer = 0;
  uint32_t buffer = 0;
  Layout layout;
  bool operator==(const Tap&) const = default;
};

// Where a plan runs a layer. |resident|: the result stays in the accelerator's scratchpads.
struct LayerPlace {
  uint32_t device = kHostDevice;
  bool resident = false;
  bool operator==(const LayerPlace&) const = default;
};

// One way to run the model: "cpu" (kernels only), "device" (kernels, transfers and programs), or
// "opencl" and "cuda" (kernels on the device, transfers at both ends).
struct ExecutionPlan {
  std::string name;
  std::vector<ArenaSize> arenas;  // one for each device
  std::vector<PlanBuffer> buffers;
  // The buffer for each model input, in its type and row-major, then for each state.
  std::vector<uint32_t> inputs;
  // The buffer of each model output, in the same form, then of each state's next value.
  std::vector<uint32_t> outputs;
  std::vector<PlanStep> steps;
  std::vector<Tap> taps;           // at most one for each layer
  std::vector<LayerPlace> layers;  // one for each layer

  bool operator==(const ExecutionPlan&) const = default;

  const Tap* TapOf(uint32_t layer) const;  // null: this plan does not keep the result
  // Device ids of the programs that this plan runs, each once.
  std::vector<uint32_t> DevicesUsed(const std::vector<DeviceProgram>& programs) const;
};

// The buffers of |plan| that |step| reads, and those that |step| writes.
std::vector<uint32_t> BuffersRead(const PlanStep& step);
std::vector<uint32_t> BuffersWritten(const PlanStep& step);  // scratch memory included

struct Artifact {
  Provenance provenance;
  std::vector<TensorInfo> inputs, outputs;
  std::vector<ModelState> states;
  std::vector<Layer> layers;
  std::vector<DeviceEntry> devices{{DeviceKind::kHost, "host", 0}};
  std::vector<uint8_t> constants;
  std::vector<HostObject> objects;
  std::vector<KernelSource> sources;  // at most one for each device
  std::vector<DeviceProgram> programs;
  std::vector<ExecutionPlan> plans;
  Coverage coverage;  // without plan "device", nothing is accelerated
  bool operator==(const Artifact&) const = default;

  const ExecutionPlan* PlanNamed(std::string_view name) const;  // null: no such plan
  // The kernel |symbol| of |device|; null: no such kernel.
  const SourceKernel* FindKernel(uint32_t device, std::string_view symbol) const;
};

// Limits of the format; reading and writing reject larger artifacts.
inline constexpr uint64_t kMaxNameBytes = 4096;
inline constexpr uint64_t kMaxTextBytes = 1 << 20;
inline constexpr uint64_t kMaxSchedulesBytes = 1 << 26;
inline constexpr uint64_t kMaxItems = 1 << 20;  // of any list
inline constexpr uint64_t kMaxRank = 8;
inline constexpr uint64_t kMaxDevices = 16;
inline constexpr uint64_t kMaxBlobBytes = uint64_t{1} << 32;  // arena, constants, an object

// Checks that the parts agree, so that an executor may rely on it: every id in range, every buffer
// inside its arena, steps on buffers of their device, transfers between buffers of one size on two
// devices, programs for their device's configuration, taps inside their buffers, everything inside
// the limits.
//   errors  kInvalidArgument  the parts contradict each other; the message names the part
//           kOutOfRange       a part is past its limit
Status CheckArtifact(const Artifact& artifact);

// File format, little-endian: magic "TSRNET01", version, the fields in the order above, CRC-64 of
// everything before it. CheckArtifact(artifact) must hold.
std::vector<uint8_t> Serialize(const Artifact& artifact);

// |bytes| are untrusted: Parse compares every count with the bytes left before use.
//   errors  kInvalidArgument  not an artifact, another version, or an error of CheckArtifact
//           kDataLoss         truncated, or the checksum differs
//           kOutOfRange       a count or size is past its limit
Result<Artifact> Parse(std::span<const uint8_t> bytes);

// Parse and Serialize on files; errors of base/file.h too. Messages begin with |path|.
Result<Artifact> ReadArtifact(const std::string& path);
Status WriteArtifact(const std::string& path, const Artifact& artifact);

// Whether |bytes| begin like an artifact.
bool LooksLikeArtifact(std::span<const uint8_t> bytes);

}  // namespace tessera::artifact

#endif  // TESSERA_RUNTIME_ARTIFACT_ARTIFACT_H_
