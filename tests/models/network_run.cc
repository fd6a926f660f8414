// SPDX-License-Identifier: Apache-2.0
#include "tests/models/network_run.h"

#include <algorithm>
#include <map>
#include <memory>

#include "base/file.h"
#include "base/hash.h"
#include "compiler/driver/compile.h"
#include "compiler/import/import.h"
#include "runtime/device/registry.h"
#include "runtime/executor/executor.h"

namespace tessera::test {
namespace {

// |tensor| in the file's order: NHWC for the NCHW of a graph.
std::vector<uint8_t> InFileOrder(const HostTensor& tensor) {
  if (tensor.shape.size() != 4) return tensor.bytes;
  const size_t n = static_cast<size_t>(tensor.shape[0]), c = static_cast<size_t>(tensor.shape[1]);
  const size_t area = static_cast<size_t>(tensor.shape[2] * tensor.shape[3]);
  std::vector<uint8_t> out;
  out.reserve(tensor.bytes.size());
  for (size_t image = 0; image < n; ++image) {
    for (size_t at = 0; at < area; ++at) {
      for (size_t channel = 0; channel < c; ++channel)
        out.push_back(tensor.bytes[(image * c + channel) * area + at]);
    }
  }
  return out;
}

// The first element that differs: "[0, 3, 2, 1]: 5 instead of 6".
std::string FirstDifference(const std::vector<int64_t>& shape, const std::vector<uint8_t>& got,
                            const std::vector<uint8_t>& want) {
  if (got.size() != want.size())
    return fmt::format("{} values instead of {}", got.size(), want.size());
  const auto at = std::ranges::mismatch(got, want).in1 - got.begin();
  std::vector<int64_t> index(shape.size());
  int64_t rest = at;
  for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) index[d] = rest % shape[d];
  const size_t i = static_cast<size_t>(at);
  return fmt::format("first at {}: {} instead of {}", ShapeText(index), static_cast<int8_t>(got[i]),
                     static_cast<int8_t>(want[i]));
}

// A compiled network on a device, and which layer holds which operator's result.
class Machine {
 public:
  static Result<std::unique_ptr<Machine>> Make(const Golden& golden, const NetworkRun& how) {
    std::unique_ptr<Machine> made(new Machine);
    const std::string path = ModelPath(golden.file);
    TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
    const uint64_t crc = Crc64(bytes);
    if (crc != golden.file_crc)
      return Fail(Code::kInvalidArgument,
                  "{}: CRC {:016x}, the goldens are of {:016x}: another version", path, crc,
                  golden.file_crc);
    TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, path));
    compiler::CompileOptions options;
    TESSERA_ASSIGN(options.config, isa::LoadConfig(how.config));
    options.cpu = how.device == "cpu";
    options.device = !options.cpu;
    options.fuse = how.fuse;
    options.keep_tensors = how.observe;
    TESSERA_ASSIGN(compiler::Compiled compiled,
                   compiler::Compile(std::move(graph), path, crc, options));
    const auto artifact = std::make_shared<const artifact::Artifact>(std::move(compiled.artifact));
    if (options.device) {
      TESSERA_ASSIGN(made->device_,
                     OpenDevice(how.device, options.config, {.memory_bytes = how.memory_bytes}));
    }
    TESSERA_ASSIGN(made->executor_,
                   Executor::Open(artifact, options.cpu ? "cpu" : "device", made->device_.get()));
    for (uint32_t layer = 0; layer < artifact->layers.size(); ++layer) {
      // A layer of several operators keeps the result of its last one.
      const std::string& name = artifact->layers[layer].name;
      if (made->executor_->plan().TapOf(layer) != nullptr)
        made->layer_of_[name.substr(name.rfind('+') + 1)] = layer;
    }
    return made;
  }

  Result<std::vector<HostTensor>> Run(const HostTensor& input, ExecutionReport* report) {
    return executor_->Run({&input, 1}, report);
  }

  bool Has(const std::string& op) const { return layer_of_.contains(op); }
  Result<std::vector<uint8_t>> ResultOf(const std::string& op) const {
    TESSERA_ASSIGN(const HostTensor tensor, executor_->CaptureLayer(layer_of_.at(op)));
    return InFileOrder(tensor);
  }

 private:
  Machine() = default;
  std::unique_ptr<Device> device_;  // must outlive the executor
  std::unique_ptr<Executor> executor_;
  std::map<std::string, uint32_t> layer_of_;
};

// Golden bytes also where the file has only a checksum: the host's bytes, if they have that
// checksum.
class Reference {
 public:
  explicit Reference(const Golden& golden) : golden_(golden) {}

  std::optional<std::vector<uint8_t>> BytesOf(const Golden::Run& run, const HostTensor& input,
                                              size_t op) {
    if (const std::vector<uint8_t>* bytes = golden_.BytesOf(run, op)) return *bytes;
    if (!machine_) {
      Result<std::unique_ptr<Machine>> made =
          Machine::Make(golden_, {.device = "cpu", .fuse = false, .observe = true});
      if (!made) return std::nullopt;
      machine_ = std::move(*made);
    }
    const std::string& name = golden_.operators[op].name;
    if (!machine_->Has(name) || !machine_->Run(input, nullptr)) return std::nullopt;
    Result<std::vector<uint8_t>> bytes = machine_->ResultOf(name);
    if (!bytes || Crc64(*bytes) != run.crc[op]) return std::nullopt;
    return std::move(*bytes);
  }

 private:
  const Golden& golden_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace

Result<Comparison> CompareNetwork(const Golden& golden, const NetworkRun& how) {
  TESSERA_ASSIGN(const std::unique_ptr<Machine> machine, Machine::Make(golden, how));
  Reference reference(golden);
  Comparison comparison;
  for (const Golden::Run& run : golden.runs) {
    if (static_cast<size_t>(comparison.inputs) == how.most_inputs) break;
    const HostTensor input{DType::kInt8, golden.input_shape, MakeInput(golden, run.input).value()};
    ExecutionReport report;
    TESSERA_ASSIGN(const std::vector<HostTensor> outputs, machine->Run(input, &report));
    ++comparison.inputs;
    for (const uint64_t cycles : report.Cycles()) {
      if (cycles != 0) comparison.cycles.insert(cycles);
    }
    for (size_t op = 0; op < golden.operators.size(); ++op) {
      const Golden::Operator& the_operator = golden.operators[op];
      const bool last = op + 1 == golden.operators.size();
      std::vector<uint8_t> got;
      if (last) {
        got = outputs.at(0).bytes;
      } else {
        if (!machine->Has(the_operator.name)) continue;
        TESSERA_ASSIGN(got, machine->ResultOf(the_operator.name));
      }
      comparison.compared.insert(the_operator.name);
      if (Crc64(got) == run.crc[op]) continue;
      const std::optional<std::vector<uint8_t>> want = reference.BytesOf(run, input, op);
      comparison.different.push_back(fmt::format(
          "{} on {}, input '{}', {}: {}", golden.network, how.device, run.input, the_operator.name,
          want ? FirstDifference(the_operator.shape, got, *want)
               : fmt::format("CRC {:016x} instead of {:016x}", Crc64(got), run.crc[op])));
      break;
    }
    if (comparison.different.size() == 5) break;
  }
  return comparison;
}

}  // namespace tessera::test
