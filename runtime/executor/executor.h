// SPDX-License-Identifier: Apache-2.0
//
// Executor: runs one plan of an artifact, any number of times. Everything is prepared when it is
// opened (host code loaded, device memory allocated, code and constants uploaded); an inference
// only copies its inputs, calls kernels and starts the program. Depends on: runtime/artifact,
// runtime/host, runtime/device.h. Used by tools.
#ifndef TESSERA_RUNTIME_EXECUTOR_EXECUTOR_H_
#define TESSERA_RUNTIME_EXECUTOR_EXECUTOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/artifact/artifact.h"
#include "runtime/device.h"
#include "runtime/host/host_code.h"
#include "runtime/host/mapping.h"
#include "runtime/tensor/tensor.h"

namespace tessera {

struct ExecutorOptions {
  std::string cpu_level;              // "": the best that the artifact has and this machine runs
  uint64_t budget = Launch().budget;  // device cycles for one inference
};

// What a call of Run took.
struct ExecutionReport {
  int64_t inferences = 0;
  std::vector<RunReport>
      runs;  // of the device, one an inference; empty for a plan without a device
};

class Executor {
 public:
  // |device| may be null when the plan does not use one; it outlives the executor.
  //   errors  kNotFound         no such plan; the message lists them
  //           kInvalidArgument  the plan needs a device and there is none; the program is for
  //           another
  //                             configuration
  //           kUnsupported      no host object of a level that this machine runs
  //           kOutOfRange       the program does not fit device memory
  //           and HostCode's and the device's
  static Result<std::unique_ptr<Executor>> Open(std::shared_ptr<const artifact::Artifact> artifact,
                                                const std::string& plan, Device* device,
                                                const ExecutorOptions& options = {});
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // One tensor an input of the model, all with the same number N of inferences
  // (runtime/executor/inputs.h says what is accepted). Gives one tensor an output, [N, ...].
  //   errors  kInvalidArgument  another number of tensors, or one of another shape or type
  //           and the device's; nothing is given then
  Result<std::vector<HostTensor>> Run(std::span<const HostTensor> inputs,
                                      ExecutionReport* report = nullptr);

  // The output of layer |layer| in the last inference, logical and row-major.
  //   errors  kNotFound  no such layer, or the plan does not keep its result
  Result<HostTensor> CaptureLayer(uint32_t layer) const;

  const artifact::Artifact& artifact() const { return *artifact_; }
  const artifact::ExecutionPlan& plan() const { return *plan_; }
  const std::string& cpu_level() const { return cpu_level_; }  // "" when the plan has no kernels

 private:
  struct BoundKernel {
    HostKernel function = nullptr;
    std::vector<void*> buffers;
  };

  Executor() = default;
  Status PrepareHost(const ExecutorOptions& options);
  Status PrepareDevice(const ExecutorOptions& options);
  Status Once(ExecutionReport* report);
  Status RunDevice(const artifact::DeviceStep& step, ExecutionReport* report);
  std::span<uint8_t> BytesOf(uint32_t buffer) const;

  std::shared_ptr<const artifact::Artifact> artifact_;
  const artifact::ExecutionPlan* plan_ = nullptr;
  Device* device_ = nullptr;
  std::string cpu_level_;
  std::optional<HostCode> code_;
  Mapping arena_, constants_;
  std::vector<BoundKernel> kernels_;  // one a KernelStep, in order
  Launch launch_;
  std::vector<uint64_t> allocations_;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_EXECUTOR_EXECUTOR_H_
