// SPDX-License-Identifier: Apache-2.0
//
// Artifact: a compiled model as one file (net.tsr) that the runtime loads without the compiler. It
// holds host code for several CPU levels, any number of accelerator programs, constants, one
// ordered plan a way of running with its memory plan, where each layer's result can be read, and
// where all this came from. Depends on: base, isa/image.h. Made by the compile driver, run by
// runtime/executor, shown by tools.
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

// real = scale * (q - zero), one for the whole tensor.
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
  std::optional<Affine> quant;  // a float model input or output: of the integer tensor behind it
  bool operator==(const TensorInfo&) const = default;
};

// What one inference leaves for the next: bytes of |tensor|, which are |first| at the beginning.
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
  std::string options;      // how the compiler was called, as text
  std::string schedules;    // the layers' traces, as `tessera compile --schedule` reads them
  bool operator==(const Provenance&) const = default;
};

// One region of the graph: a row of the comparison table.
struct Layer {
  std::string name;   // "stage1_conv2+stage1_add"
  std::string op;     // "conv + add"
  uint64_t macs = 0;  // for one inference
  TensorInfo output;
  bool operator==(const Layer&) const = default;
};

// What share of a network the accelerator runs, and why it does not run the rest. Nodes are the
// graph's, less those that only show a tensor under another shape.
struct Coverage {
  // Nodes of the host for one reason, in words of the machine.
  struct LeftToHost {
    std::string op, why;
    int64_t nodes = 0;
    bool operator==(const LeftToHost&) const = default;
  };
  int64_t nodes = 0, accelerated = 0;
  int64_t macs = 0, accelerated_macs = 0;  // of one inference
  std::vector<LeftToHost> left;            // those with most nodes first
  bool operator==(const Coverage&) const = default;
};

// What steps run on. Everywhere else a device is its index in Artifact::devices; 0 is the host.
inline constexpr uint32_t kHostDevice = 0;
// kOpenCl and kCuda run kernels from source, whatever device they are.
enum class DeviceKind : uint8_t { kHost, kAccelerator, kOpenCl, kCuda };
inline bool RunsSource(DeviceKind kind) { return kind >= DeviceKind::kOpenCl; }
struct DeviceEntry {
  DeviceKind kind = DeviceKind::kHost;
  std::string name;          // "host"; an accelerator's configuration, for messages
  uint64_t config_hash = 0;  // isa::Config::Hash of an accelerator
  bool operator==(const DeviceEntry&) const = default;
};

// Code for an accelerator. All programs of a plan are in its device's memory at once. Segments
// isa::kArenaSegments are the arena that its device has in the plan, for all programs the same
// memory; every other segment is the program's own and keeps its contents.
struct DeviceProgram {
  uint32_t device = 1;
  isa::ProgramImage image;
  bool operator==(const DeviceProgram&) const = default;
};

// A piece of a device's memory: in its arena (ArenaSize bytes, contents undefined at first) or, on
// what runs kernels, in the constants. Buffers of an arena may overlap when their lives do not.
enum class BufferHome : uint8_t { kArena, kConstants };
struct PlanBuffer {
  std::string name;
  uint32_t device = kHostDevice;
  BufferHome home = BufferHome::kArena;
  uint64_t offset = 0;  // multiple of 64
  uint64_t bytes = 0;
  bool operator==(const PlanBuffer&) const = default;
};

// The arena of one device: the peak of the memory plan, and what the same tensors would take if
// each had a place of its own.
struct ArenaSize {
  uint64_t bytes = 0;
  uint64_t unshared_bytes = 0;
  bool operator==(const ArenaSize&) const = default;
};

// The same functions compiled for one CPU level (runtime/host/cpu_level.h has the names).
struct HostObject {
  std::string level;
  std::vector<uint8_t> elf;  // an ELF relocatable object
  bool operator==(const HostObject&) const = default;
};

// Kernels of a device as source, which its driver builds when the network is opened, and how many
// groups of how many threads run each.
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

// Calls |symbol| on |device| with the addresses of |buffers|, in order: it reads those before
// |result|, writes |result|, and uses what follows as scratch memory.
struct KernelStep {
  uint32_t device = kHostDevice;
  std::string symbol;
  int32_t layer = -1;  // -1: belongs to none (packing, reordering)
  std::vector<uint32_t> buffers;
  uint32_t result = 0;  // index into |buffers|
  bool operator==(const KernelStep&) const = default;
};

// Copies the bytes of buffer |from| to buffer |to|, of as many bytes on another device.
struct TransferStep {
  uint32_t from = 0, to = 0;
  bool operator==(const TransferStep&) const = default;
};

// Runs a program once on its device. |reads|: buffers that must hold their values before;
// |writes|: those that hold results afterwards.
struct ProgramStep {
  uint32_t program = 0;
  std::vector<uint32_t> reads, writes;
  bool operator==(const ProgramStep&) const = default;
};
using PlanStep = std::variant<KernelStep, TransferStep, ProgramStep>;

// After a run of its plan, buffer |buffer| holds layer |layer|'s output, laid out by |layout|.
struct Tap {
  uint32_t layer = 0;
  uint32_t buffer = 0;
  Layout layout;
  bool operator==(const Tap&) const = default;
};

// Where a plan runs a layer. |resident|: the result stays on the accelerator's chip.
struct LayerPlace {
  uint32_t device = kHostDevice;
  bool resident = false;
  bool operator==(const LayerPlace&) const = default;
};

// One way to run the model: "cpu" (kernels only), "device" (kernels, transfers and programs) or
// "opencl" and "cuda" (kernels there, transfers at both ends).
struct ExecutionPlan {
  std::string name;
  std::vector<ArenaSize> arenas;  // one a device
  std::vector<PlanBuffer> buffers;
  // The buffer that takes each model input, in its type and row-major, then each state.
  std::vector<uint32_t> inputs;
  // The buffer that holds each model output afterwards, likewise, then each state's next value.
  std::vector<uint32_t> outputs;
  std::vector<PlanStep> steps;
  std::vector<Tap> taps;           // at most one a layer
  std::vector<LayerPlace> layers;  // one a layer

  bool operator==(const ExecutionPlan&) const = default;

  const Tap* TapOf(uint32_t layer) const;  // null: this plan keeps no such result
  // Device ids of the programs that it runs, each once.
  std::vector<uint32_t> DevicesUsed(const std::vector<DeviceProgram>& programs) const;
};

// The buffers of |plan| that |step| reads, and those that it writes.
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
  std::vector<KernelSource> sources;  // at most one a device
  std::vector<DeviceProgram> programs;
  std::vector<ExecutionPlan> plans;
  Coverage coverage;  // nothing is accelerated without plan "device"
  bool operator==(const Artifact&) const = default;

  const ExecutionPlan* PlanNamed(std::string_view name) const;  // null: there is none
  // The kernel |symbol| of |device|; null: there is none.
  const SourceKernel* FindKernel(uint32_t device, std::string_view symbol) const;
};

// Limits of the format; what is larger is refused on reading and on writing.
inline constexpr uint64_t kMaxNameBytes = 4096;
inline constexpr uint64_t kMaxTextBytes = 1 << 20;
inline constexpr uint64_t kMaxSchedulesBytes = 1 << 26;
inline constexpr uint64_t kMaxItems = 1 << 20;  // of any list
inline constexpr uint64_t kMaxRank = 8;
inline constexpr uint64_t kMaxDevices = 16;
inline constexpr uint64_t kMaxBlobBytes = uint64_t{1} << 32;  // arena, constants, an object

// Whether the parts agree: every id in range, every buffer inside its arena, steps on buffers of
// their device, transfers between buffers of one size on two devices, programs of their device's
// configuration, taps inside their buffers, everything inside the limits. An executor may rely on
// it.
//   errors  kInvalidArgument  they contradict each other; the message names the part
//           kOutOfRange       something is past its limit
Status CheckArtifact(const Artifact& artifact);

// File format, little-endian: magic "TSRNET01", version, the fields in the order above, CRC-64 of
// everything before it. CheckArtifact(artifact) holds.
std::vector<uint8_t> Serialize(const Artifact& artifact);

// |bytes| are untrusted: no count is believed before it is compared with what is left.
//   errors  kInvalidArgument  not an artifact, of another version, or CheckArtifact's
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
