// SPDX-License-Identifier: Apache-2.0
//
// Executor: runs one plan of an artifact, any number of times. Open prepares everything (loads host
// code, allocates arenas, uploads code and constants of all programs). An inference only copies its
// inputs and runs the steps: kernels, transfers, programs. Steps of different devices run at the
// same time where neither needs the other (docs/rationale/executor.md); the results are those of
// the plan's order. Depends on: runtime/artifact, runtime/host, runtime/device.h. Used by tools.
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
#include "runtime/executor/flow.h"
#include "runtime/executor/inputs.h"
#include "runtime/executor/tasks.h"
#include "runtime/host/host_code.h"
#include "runtime/host/mapping.h"
#include "runtime/host/threads.h"
#include "runtime/kernel_device.h"
#include "runtime/tensor/tensor.h"

namespace tessera {

struct ExecutorOptions {
  std::string cpu_level;  // "": the best level that the artifact has and this machine runs
  int threads = 1;        // for host code, at most those that this process may use
  // Device cycles for one inference: for the programs on each way through it, from step to step
  // that needs the one before. Programs of one device are on one way.
  uint64_t budget = Launch().budget;
  KernelDevice* kernel_device = nullptr;  // runs the plan's kernels from source; outlives it
  PixelRule pixels;                       // turns pixels into the values of an input
  // Each inference begins with the model's first states. If false, it begins with the states that
  // the inference before it left, in this call of Run or an earlier one.
  bool fresh_states = false;
  // Inferences that may be in progress at a time, so that devices work on different ones. Each has
  // arenas of its own on the host and on every device. 1 if only one device of the plan works.
  int in_flight = 1;
  // For tests: before each step, overwrites with junk the bytes of the arenas that no later step
  // reads. All steps run in the order of the plan, one inference after another.
  bool poison_dead = false;
};

// The bytes of each state of a model (artifact::ModelState).
using StateValues = std::vector<std::vector<uint8_t>>;

// One run of a program.
struct ProgramRun {
  uint32_t program = 0;  // index into Artifact::programs
  RunReport report;
  std::vector<TraceEntry> trace;  // if ExecutionReport::traced
};

// Hears of each run of a program.
class ProgramListener {
 public:
  virtual ~ProgramListener() = default;
  virtual RunObserver* Begin(uint32_t program) = 0;  // returns the run's observer; null: none
  virtual void End(const ProgramRun& run) = 0;       // not called for a run that fails
};

// A run of a program that failed on its device: the image, with the contents of its segments at the
// begin of that run, so that the run can be repeated.
struct FailedRun {
  isa::ProgramImage image;
  uint64_t budget = 0;
  std::string model;  // the file's name
  std::vector<std::string>
      layers;  // by the layer numbers of the source map; empty: use its operators
};

// What a call of Run does and measures.
struct ExecutionReport {
  // Set by the caller: trace each run.
  //   errors  those of a device that cannot
  bool traced = false;
  // Set by the caller; null: nobody listens. With one, all steps run in the order of the plan, one
  // inference after another.
  ProgramListener* listener = nullptr;
  // Set by the caller: wait for each kernel of a GPU, so that the seconds of its step are its own.
  // All steps then run in the order of the plan.
  bool each_kernel = false;
  // Set by the caller: called after each inference with their number so far, in order and on the
  // caller's thread; false ends the call.
  std::function<bool(int64_t)> done;
  int64_t inferences = 0;  // how many ran
  // Host seconds of each step of the plan, all inferences together; 0 for programs.
  std::vector<double> step_seconds;
  // By device id: seconds in which the device was busy with steps of these inferences. A transfer
  // counts for the device that is not the host; inputs and outputs count for the host.
  std::vector<double> device_seconds;
  // The runs of the inferences, one inference after another; empty for a plan without programs.
  std::vector<ProgramRun> runs;

  double HostSeconds() const;  // all steps together
  // Device cycles of each inference.
  std::vector<uint64_t> Cycles() const;
};

class Executor {
 public:
  // |devices|: by device id of the artifact; null or missing for those that the plan does not use.
  // They must outlive the executor.
  //   errors  kNotFound         no such plan; the message lists the plans
  //           kInvalidArgument  a device of the plan is missing; a program is for another
  //                             configuration
  //           kUnsupported      no host object for a level that this machine runs
  //           kOutOfRange       programs and arenas do not fit device memory; a wrong number of
  //                             threads or of inferences in flight
  //           others            as HostCode and the devices
  static Result<std::unique_ptr<Executor>> Open(std::shared_ptr<const artifact::Artifact> artifact,
                                                const std::string& plan,
                                                std::span<Device* const> devices,
                                                const ExecutorOptions& options = {});
  // The same for artifacts with one accelerator, device 1; null: none.
  static Result<std::unique_ptr<Executor>> Open(std::shared_ptr<const artifact::Artifact> artifact,
                                                const std::string& plan, Device* accelerator,
                                                const ExecutorOptions& options = {});
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // One tensor for each model input, all with the same number N of inferences
  // (runtime/executor/inputs.h says what an input takes). Returns one tensor for each output,
  // [N, ...]; fewer inferences if |report->done| ends them.
  //   errors  kInvalidArgument  another number of tensors, another shape or type, or a pixel rule
  //                             that does not fit
  //           kUnavailable      the system gives no thread for a device
  //           others            as the device; without results. The error is that of the first
  //                             step that fails, by inference and then by step. It names the step,
  //                             except where a program fails by what it does
  Result<std::vector<HostTensor>> Run(std::span<const HostTensor> inputs,
                                      ExecutionReport* report = nullptr);

  // The states at the begin of the last inference; SetStates sets those of the next one.
  const StateValues& StatesBefore() const { return before_; }
  void SetStates(StateValues values);  // bytes as many as the states have

  // The output of layer |layer| in the last inference, logical and row-major.
  //   errors  kNotFound  no such layer, or the plan does not keep its result
  Result<HostTensor> CaptureLayer(uint32_t layer) const;

  // The run of the last call of Run, if that call failed in a program. Repeats the steps before
  // that run to find the contents of memory. Nothing: no such failure, or the device does not let
  // its memory be read.
  std::optional<FailedRun> Failed();

  // The state before run |run| of a program in the first inference of |inputs|, which Run must
  // accept, with the states of the last inference. Repeats the steps before that run. Nothing: as
  // for Failed, or no such run.
  std::optional<FailedRun> Beginning(std::span<const HostTensor> inputs, size_t run);

  const artifact::Artifact& artifact() const { return *artifact_; }
  const artifact::ExecutionPlan& plan() const { return *plan_; }
  const std::string& cpu_level() const { return cpu_level_; }  // "" if the plan has no kernels

  // Inferences that may be in progress at a time.
  size_t in_flight() const { return slots_.size(); }

 private:
  // A device of the plan, with what is in its memory until the executor is gone.
  struct Opened {
    Device* device = nullptr;
    KernelDevice* kernels = nullptr;  // set instead of |device|
    std::vector<uint64_t> allocations;
    std::vector<uint64_t> constants;  // memory of |kernels| by buffer of the plan
  };
  // What a task of an inference leaves for its report and for the tasks after it.
  struct TaskState {
    double seconds = 0;
    uint64_t spent = 0;   // device cycles on the longest way to the end of this task
    uint64_t budget = 0;  // of its program; 0: did not start
    ProgramRun run;
  };
  // The memory of one inference in progress. The lists have an entry for each step or task.
  struct Slot {
    Mapping arena;                 // of the host
    std::vector<uint64_t> arenas;  // by device id: device address, or memory of a kernel device
    std::vector<std::vector<void*>> buffers;                     // of kernels of the host
    std::vector<std::vector<KernelDevice::MemoryPlace>> places;  // of kernels of other devices
    std::vector<std::vector<uint8_t>> between;  // the bytes of transfers between two devices
    std::vector<TaskState> tasks;
    StateValues before, after;
  };
  // What one call of Run works on.
  struct Call {
    std::span<const HostTensor> inputs;
    ExecutionReport* report = nullptr;
    std::vector<HostTensor> outputs;
    int64_t count = 0;  // of inferences
  };

  Executor() = default;
  Status PrepareHost();
  Status PrepareDevices(std::span<Device* const> devices);
  Status PrepareProgram(uint32_t program);
  Status PrepareKernels(uint32_t device);
  Status PrepareSlots();
  Status AddSlot();
  Status Write(const Slot& slot, uint32_t device, uint64_t offset,
               std::span<const uint8_t> bytes);  // to its arena
  Status Read(const Slot& slot, uint32_t device, uint64_t offset, std::span<uint8_t> bytes) const;
  // Does a task and takes its time. False: the call ends with this inference.
  Result<bool> Do(Call& call, FlowPlace at, size_t slot);
  Status Perform(Call& call, FlowPlace at, Slot& slot);
  std::unexpected<Error> Named(const PlanTask& task, const Error& error) const;
  void FillStates(Slot& slot);
  void KeepStates(Slot& slot);
  bool Finish(Call& call, int64_t inference, size_t slot);
  // Moves tasks [0, end) of an inference to the report.
  void Account(Slot& slot, uint32_t end, ExecutionReport* report);
  Status RunProgram(uint32_t task, Slot& slot, ExecutionReport* report);
  Status RunKernel(const PlanTask& task, Slot& slot, const ExecutionReport* report);
  Status Transfer(const PlanTask& task, Slot& slot);
  Launch LaunchOf(uint32_t program, const Slot& slot) const;
  Result<isa::ProgramImage> ImageNow(uint32_t program, const Slot& slot);
  Result<std::vector<uint8_t>> BytesOf(uint32_t buffer, const Slot& slot) const;  // on any device
  std::span<uint8_t> HostBytes(uint32_t buffer, const Slot& slot) const;          // on the host
  Status Poison(size_t step);

  std::shared_ptr<const artifact::Artifact> artifact_;
  const artifact::ExecutionPlan* plan_ = nullptr;
  ExecutorOptions options_;
  std::string cpu_level_;
  std::optional<HostCode> code_;
  std::unique_ptr<HostThreads> pool_;  // with host code
  Mapping constants_;
  // By step: the kernel of the host, or that of another device; both null for other steps.
  std::vector<HostKernel> functions_;
  std::vector<const artifact::SourceKernel*> sources_;
  std::vector<Opened> devices_;  // by device id; the host's is empty
  // By program; set if the plan runs it. The segments of the arena have no address.
  std::vector<std::optional<Launch>> launches_;
  std::vector<PlanTask> tasks_;
  Flow flow_;  // of |tasks_|
  std::vector<Slot> slots_;
  size_t last_slot_ = 0;         // of the last inference
  StateValues states_, before_;  // of the next inference, of the last one
  StateValues next_;             // in a call of Run: of the next inference that begins
  // The last program that failed: its step, its budget, the inputs of the inference.
  struct Failure {
    uint64_t budget = 0;
    size_t step = 0;
    std::vector<HostTensor> inputs;  // the first inference in them counts
  };
  std::optional<FailedRun> Again(const Failure& failure);
  std::optional<Failure> failure_;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_EXECUTOR_EXECUTOR_H_
