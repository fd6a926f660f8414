// SPDX-License-Identifier: Apache-2.0
//
// What `run` and `compare` work with: a network from a model file or an artifact, opened on
// devices.
#ifndef TESSERA_TOOLS_NETWORK_H_
#define TESSERA_TOOLS_NETWORK_H_

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "isa/config.h"
#include "runtime/artifact/artifact.h"
#include "runtime/device.h"
#include "runtime/executor/executor.h"
#include "tools/devices.h"
#include "tools/import_words.h"

namespace tessera::tools {

struct LoadedNetwork {
  std::shared_ptr<const artifact::Artifact> artifact;
  isa::Config config;
  bool compiled = false;  // from a model, here; else it was read
};

// Options --tflite, --shape, --known and --config of a verb that runs models. Words stay empty
// where they are not given.
void AddNetworkOptions(CLI::App* verb, std::string& config, ImportWords& import);

// Option --threads of a verb that runs host code.
void AddThreadsOption(CLI::App* verb, ExecutorOptions& options);

// Option --reset-state of a verb that runs items one behind the other.
void AddStateOption(CLI::App* verb, ExecutorOptions& options);

// The plans of an artifact.
struct WantedPlans {
  bool cpu = false, device = false, opencl = false, cuda = false;
  bool verify = false;  // CompileOptions::verify
};
WantedPlans PlansFor(const std::vector<ChosenDevice>& devices);

// Reads an artifact, or imports and compiles a model for |config_name| ("": default). |plans|:
// those that are needed; an artifact that lacks one is an error where it is opened. |import|: how
// a model is read. |keep_tensors|: every layer's result of a model can be read back
// (CompileOptions::keep_tensors).
//   errors  kInvalidArgument  --config, --tflite, --shape or --known with an artifact made for
//                             another one; and those of the parts
Result<LoadedNetwork> LoadNetwork(const std::string& path, const std::string& config_name,
                                  const WantedPlans& plans, const ImportWords& import,
                                  bool keep_tensors = false);

// The network on one device.
struct Runner {
  std::string name;
  ChosenDevice chosen;
  isa::Config config;
  std::shared_ptr<Device> device;         // of the machine; else null
  std::unique_ptr<KernelDevice> kernels;  // of a GPU; else null
  std::unique_ptr<Executor> executor;
  std::string dump_dir;  // where a run that fails leaves a dump; "": nowhere
  std::string plan() const { return chosen.machine() ? "device" : chosen.name; }
  bool has_clock() const { return device && device->has_clock(); }
};

//   errors  kNotFound  the network was not compiled for such a device: the --target to compile for
//           and those of OpenDevice and Executor::Open
Result<Runner> OpenRunner(const LoadedNetwork& network, const ChosenDevice& device,
                          const ExecutorOptions& options);

// Another network on the device of |opened|, which is opened once (a board has one user) and then
// holds both; the two run one after the other.
//   errors  those of OpenRunner
Result<Runner> OpenBeside(const Runner& opened, const LoadedNetwork& network,
                          const ExecutorOptions& options);

// "cpu,device" as a list. errors: kInvalidArgument an empty or repeated name
Result<std::vector<std::string>> SplitNames(const std::string& list);
}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_NETWORK_H_
