// SPDX-License-Identifier: Apache-2.0
//
// Executor: runs one plan of an artifact, any number of times. Everything is prepared when it is
// opened (host code loaded, arenas allocated, code and constants of all programs uploaded); an
// inference only copies its inputs and runs the steps in order: kernels, transfers, programs.
// Depends on: runtime/artifact, runtime/host, runtime/device.h. Used by tools.
#ifndef TESSERA_RUNTIME_EXECUTOR_EXECUTOR_H_
#define TESSERA_RUNTIME_EXECUTOR_EXECUTOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/artifact/artifact.h"
#include "runtime/device.h"
#include "runtime/executor/inputs.h"
#include "runtime/host/host_code.h"
#include "runtime/host/mapping.h"
#include "runtime/host/threads.h"
#include "runtime/kernel_device.h"
#include "runtime/tensor/tensor.h"

namespace tessera {

struct ExecutorOptions {
  std::string cpu_level;  // "": the best that the artifact has and this machine runs
  int threads = 1;        // at work on host code, at most those that this process may use
  uint64_t budget = Launch().budget;      // device cycles for one inference, all programs together
  KernelDevice* kernel_device = nullptr;  // runs the plan's kernels from source; outlives it
  PixelRule pixels;                       // what pixels that are given for an input become
  // Each inference begins with the model's first states; else with what the one before left, of
  // this call of Run or of an earlier one.
  bool fresh_states = false;
  // Tests: before each step, bytes of the arenas that hold nothing which a later step reads are
  // overwritten with junk.
  bool poison_dead = false;
};

// The bytes of each state of a model (artifact::ModelState).
using StateValues = std::vector<std::vector<uint8_t>>;

// One run of a program.
struct ProgramRun {
  uint32_t program = 0;  // index into Artifact::programs
  RunReport report;
  std::vector<TraceEntry> trace;  // with ExecutionReport::traced
};

// Hears of each run of a program.
class ProgramListener {
 public:
  virtual ~ProgramListener() = default;
  virtual RunObserver* Begin(uint32_t program) = 0;  // is told of the run; null: nobody
  virtual void End(const ProgramRun& run) = 0;       // not called for a run that fails
};

// A run of a program that failed on its device: the image with what its segments held when that
// run began, by which it can be made again.
struct FailedRun {
  isa::ProgramImage image;
  uint64_t budget = 0;
  std::string model;                // the file's name
  std::vector<std::string> layers;  // by the numbers of the image's source map; else its operators
};

// What a call of Run took.
struct ExecutionReport {
  // Given by the caller: whether each run is traced.
  //   errors  the device's, when it cannot
  bool traced = false;
  ProgramListener* listener = nullptr;  // given by the caller; null: nobody
  // And told behind each inference how many there were; says whether to go on.
  std::function<bool(int64_t)> done;
  int64_t inferences = 0;  // that were done
  // What each step of the plan took of the host, all inferences together; programs 0.
  std::vector<double> step_seconds;
  // Those of one inference after those of another; empty for a plan without programs.
  std::vector<ProgramRun> runs;

  double HostSeconds() const;  // all steps together
  // Device cycles of each inference.
  std::vector<uint64_t> Cycles() const;
};

class Executor {
 public:
  // |devices|: by device id of the artifact; those that the plan does not use may be null or
  // missing. They outlive the executor.
  //   errors  kNotFound         no such plan; the message lists them
  //           kInvalidArgument  the plan needs a device and there is none; a program is for another
  //                             configuration
  //           kUnsupported      no host object of a level that this machine runs
  //           kOutOfRange       programs and arena do not fit device memory; another number of
  //                             threads
  //           and HostCode's and the devices'
  static Result<std::unique_ptr<Executor>> Open(std::shared_ptr<const artifact::Artifact> artifact,
                                                const std::string& plan,
                                                std::span<Device* const> devices,
                                                const ExecutorOptions& options = {});
  // With the one accelerator that today's artifacts have, as device 1; null: none.
  static Result<std::unique_ptr<Executor>> Open(std::shared_ptr<const artifact::Artifact> artifact,
                                                const std::string& plan, Device* accelerator,
                                                const ExecutorOptions& options = {});
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // One tensor an input of the model, all with the same number N of inferences
  // (runtime/executor/inputs.h says what is accepted). Gives one tensor an output, [N, ...]; of
  // fewer inferences if |report->done| ends them.
  //   errors  kInvalidArgument  another number of tensors, one of another shape or type, or a rule
  //                             for pixels that does not fit
  //           and the device's; nothing is given then
  Result<std::vector<HostTensor>> Run(std::span<const HostTensor> inputs,
                                      ExecutionReport* report = nullptr);

  // What the last inference began with, and what the next one begins with.
  const StateValues& StatesBefore() const { return before_; }
  void SetStates(StateValues values);  // bytes as many as the states have

  // The output of layer |layer| in the last inference, logical and row-major.
  //   errors  kNotFound  no such layer, or the plan does not keep its result
  Result<HostTensor> CaptureLayer(uint32_t layer) const;

  // Of the last call of Run, if it failed in a program; the steps before that are done once more
  // to find it. Nothing: it did not, or the device does not give its memory back.
  std::optional<FailedRun> Failed();

  // What run |run| of a program begins with in the first inference of |inputs|, which Run accepts,
  // with the states of the last one; the steps before it are done once more. Nothing: as Failed, or
  // there is no such run.
  std::optional<FailedRun> Beginning(std::span<const HostTensor> inputs, size_t run);

  const artifact::Artifact& artifact() const { return *artifact_; }
  const artifact::ExecutionPlan& plan() const { return *plan_; }
  const std::string& cpu_level() const { return cpu_level_; }  // "" when the plan has no kernels

 private:
  struct BoundKernel {
    HostKernel function = nullptr;
    std::vector<void*> buffers;
  };
  // A launch on the device that builds kernels.
  struct BoundLaunch {
    const artifact::SourceKernel* kernel = nullptr;
    std::vector<KernelDevice::MemoryPlace> buffers;
  };
  // A device with the plan's arena in its memory.
  struct Opened {
    Device* device = nullptr;
    KernelDevice* kernels = nullptr;  // instead
    uint64_t arena = 0;               // device address, or memory of |kernels|
    std::vector<uint64_t> allocations;
  };

  Executor() = default;
  Status PrepareHost();
  Status PrepareDevices(std::span<Device* const> devices);
  Status PrepareProgram(uint32_t program);
  Status PrepareKernels(uint32_t device);
  Status Write(uint32_t device, uint64_t offset, std::span<const uint8_t> bytes);  // to its arena
  Status Read(uint32_t device, uint64_t offset, std::span<uint8_t> bytes) const;
  // What an inference does, up to step |end|.
  Status Once(ExecutionReport* report, size_t end);
  // And the states, of which those that it begins with are |before_|.
  void FillInputs(std::span<const HostTensor> inputs, int64_t inference);
  void KeepStates();  // what an inference left
  Result<isa::ProgramImage> ImageNow(uint32_t program);
  Status RunProgram(uint32_t program, uint64_t& budget, ExecutionReport* report);
  Status Transfer(const artifact::TransferStep& step);
  Result<std::vector<uint8_t>> BytesOf(uint32_t buffer) const;  // wherever it is
  std::span<uint8_t> HostBytes(uint32_t buffer) const;          // on the host
  Status Poison(size_t step);

  std::shared_ptr<const artifact::Artifact> artifact_;
  const artifact::ExecutionPlan* plan_ = nullptr;
  ExecutorOptions options_;
  std::string cpu_level_;
  std::optional<HostCode> code_;
  std::unique_ptr<HostThreads> pool_;  // with host code
  Mapping arena_, constants_;
  std::vector<BoundKernel> kernels_;             // one a KernelStep of the host, in order
  std::vector<BoundLaunch> kernel_launches_;     // one a KernelStep elsewhere, in order
  std::vector<Opened> devices_;                  // by device id; the host's is empty
  std::vector<std::optional<Launch>> launches_;  // by program; of those that the plan runs
  StateValues states_, before_;                  // of the next inference, of the last one
  // The program that failed last: its step, its budget, what the inference was fed.
  struct Failure {
    uint64_t budget = 0;
    size_t step = 0;
    std::vector<HostTensor> inputs;  // of one inference, or more, of which it is the first
  };
  std::optional<FailedRun> Again(const Failure& failure);
  std::optional<Failure> failure_;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_EXECUTOR_EXECUTOR_H_
