// SPDX-License-Identifier: Apache-2.0
//
// Artifact: a compiled model as one file (net.tsr) that the runtime loads without the compiler. It
// holds host code for several CPU levels, the accelerator program, constants, a memory plan, one
// ordered plan a way of running, where each layer's result can be read, and where all this came
// from. Depends on: base, isa/image.h. Made by the compile driver, run by runtime/executor, shown
// by tools.
#ifndef TESSERA_RUNTIME_ARTIFACT_ARTIFACT_H_
#define TESSERA_RUNTIME_ARTIFACT_ARTIFACT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
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

struct Provenance {
  std::string tool;         // "tessera 0.1.0"
  std::string model_file;   // its name without folders
  uint64_t model_crc = 0;   // CRC-64 of the file's bytes
  std::string config_json;  // isa::ConfigToJson of the accelerator; "" without one
  std::string options;      // how the compiler was called, as text
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

// A piece of host memory: in the arena (one allocation of arena_bytes, contents undefined at first)
// or in the constants. Buffers of the arena may overlap when their lives do not.
enum class BufferHome : uint8_t { kArena, kConstants };
struct HostBuffer {
  std::string name;
  BufferHome place = BufferHome::kArena;
  uint64_t offset = 0;  // multiple of 64
  uint64_t bytes = 0;
  bool operator==(const HostBuffer&) const = default;
};

// The same functions compiled for one CPU level (runtime/host/cpu_level.h has the names).
struct HostObject {
  std::string level;
  std::vector<uint8_t> elf;  // an ELF relocatable object
  bool operator==(const HostObject&) const = default;
};

// Calls |symbol| with the addresses of |buffers|, in order.
struct KernelStep {
  std::string symbol;
  int32_t layer = -1;  // -1: belongs to none (packing, quantising)
  std::vector<uint32_t> buffers;
  bool operator==(const KernelStep&) const = default;
};

// A whole host buffer beside the same number of bytes in a segment of the accelerator program.
struct SegmentCopy {
  uint32_t buffer = 0;
  isa::Segment segment = isa::Segment::kInput;
  uint64_t offset = 0;  // bytes
  bool operator==(const SegmentCopy&) const = default;
};

// Copies |inputs| to the device, runs the program once, copies |outputs| back.
struct DeviceStep {
  std::vector<SegmentCopy> inputs, outputs;
  bool operator==(const DeviceStep&) const = default;
};
using PlanStep = std::variant<KernelStep, DeviceStep>;

// One physical dimension: index[dim] / div, then % mod where mod is not zero.
struct PhysicalDim {
  uint32_t dim = 0;
  int64_t div = 1;
  int64_t mod = 0;
  bool operator==(const PhysicalDim&) const = default;
};

// Where the elements of a logical tensor are. Element (i0, i1, ...) is at
// sum over k of strides[k] * physical index k, in elements. No dims: row-major and dense.
struct PhysicalLayout {
  DType dtype = DType::kInt8;
  std::vector<int64_t> shape;  // logical
  std::vector<PhysicalDim> dims;
  std::vector<int64_t> strides;  // one for each of |dims|
  bool operator==(const PhysicalLayout&) const = default;
};

// After a run of its plan, layer |layer|'s output is in a host buffer or in device memory.
struct Tap {
  uint32_t layer = 0;
  bool on_device = false;
  uint32_t buffer = 0;                          // on the host
  isa::Segment segment = isa::Segment::kArena;  // on the device
  uint64_t offset = 0;                          // bytes from the buffer's or segment's start
  PhysicalLayout layout;
  bool operator==(const Tap&) const = default;
};

// One way to run the model: "cpu" (kernels only) or "device" (kernels around one device run).
struct ExecutionPlan {
  std::string name;
  std::vector<uint32_t>
      inputs;  // the buffer that takes each model input, in its type and row-major
  std::vector<uint32_t> outputs;  // the buffer that holds each model output afterwards, likewise
  std::vector<PlanStep> steps;
  std::vector<Tap> taps;  // at most one a layer
  bool operator==(const ExecutionPlan&) const = default;

  bool uses_device() const;
  const Tap* TapOf(uint32_t layer) const;  // null: this plan keeps no such result
};

struct Artifact {
  Provenance provenance;
  std::vector<TensorInfo> inputs, outputs;
  std::vector<Layer> layers;
  uint64_t arena_bytes = 0;
  std::vector<uint8_t> constants;
  std::vector<HostBuffer> buffers;
  std::vector<HostObject> objects;
  std::vector<ExecutionPlan> plans;
  std::optional<isa::ProgramImage> program;
  bool operator==(const Artifact&) const = default;

  const ExecutionPlan* PlanNamed(std::string_view name) const;  // null: there is none
};

// Limits of the format; what is larger is refused on reading and on writing.
inline constexpr uint64_t kMaxNameBytes = 4096;
inline constexpr uint64_t kMaxTextBytes = 1 << 20;
inline constexpr uint64_t kMaxItems = 1 << 20;  // of any list
inline constexpr uint64_t kMaxRank = 8;
inline constexpr uint64_t kMaxBlobBytes = uint64_t{1} << 32;  // arena, constants, an object

// Whether the parts agree: every id in range, every buffer inside its place, copies and taps inside
// what they name, a device step in at most one place of a plan and only with a program, everything
// inside the limits. An executor may rely on it.
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
