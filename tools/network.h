// SPDX-License-Identifier: Apache-2.0
//
// A network from a model file or an artifact, opened on devices, for `run` and `compare`.
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
  bool compiled = false;  // true: compiled here from a model; false: read from an artifact
};

// Adds options --tflite, --shape, --known, --place and --config to a verb that runs models. Words
// stay empty without their options.
void AddNetworkOptions(CLI::App* verb, std::string& config, ImportWords& import);

// Adds option --floats to a verb that compiles models. |floats| stays empty without it.
void AddFloatsOption(CLI::App* verb, std::string& floats);
inline constexpr const char* kFastFloats = "fast";

// Adds option --threads to a verb that runs host code.
void AddThreadsOption(CLI::App* verb, ExecutorOptions& options);

// Adds option --reset-state to a verb that runs items one after another.
void AddStateOption(CLI::App* verb, ExecutorOptions& options);

// The plans that an artifact must have.
struct WantedPlans {
  bool cpu = false, device = false, opencl = false, cuda = false;
  bool verify = false;      // CompileOptions::verify
  std::string floats = "";  // the word of --floats; "": exact, or those of an artifact
};
WantedPlans PlansFor(const std::vector<ChosenDevice>& devices);

// Reads an artifact, or imports and compiles a model for |config_name| ("": default). |plans|: the
// plans to compile; opening an artifact that lacks one is an error later. |import|: how to read a
// model. |keep_tensors|: every layer's result of a model can be read back
// (CompileOptions::keep_tensors).
//   errors  kInvalidArgument  --config, --tflite, --shape, --known or --floats with an artifact
//                             that was made for another; --floats fast without host code; those of
//                             the parts
Result<LoadedNetwork> LoadNetwork(const std::string& path, const std::string& config_name,
                                  const WantedPlans& plans, const ImportWords& import,
                                  bool keep_tensors = false);

// Refuses --floats fast where no code of the host is compiled.
Status CheckFloats(const std::string& floats, bool host_code);

// The network on one device.
struct Runner {
  std::string name;
  ChosenDevice chosen;
  isa::Config config;
  std::shared_ptr<Device> device;         // the machine; null on other devices
  std::unique_ptr<KernelDevice> kernels;  // the GPU; null on other devices
  std::unique_ptr<Executor> executor;
  std::string dump_dir;  // where a failed run leaves a dump; "": nowhere
  std::string plan() const { return chosen.machine() ? "device" : chosen.name; }
  bool has_clock() const { return device && device->has_clock(); }
};

//   errors  kNotFound  the network was not compiled for such a device; names the --target to use
//           others     as OpenDevice and Executor::Open
Result<Runner> OpenRunner(const LoadedNetwork& network, const ChosenDevice& device,
                          const ExecutorOptions& options);

// Opens another network on the device of |opened|. The device is opened once, because a board has
// one user, and then holds both networks, which run one after the other.
//   errors  those of OpenRunner
Result<Runner> OpenBeside(const Runner& opened, const LoadedNetwork& network,
                          const ExecutorOptions& options);

// Splits "cpu,device". errors: kInvalidArgument an empty or repeated name
Result<std::vector<std::string>> SplitNames(const std::string& list);
}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_NETWORK_H_
