// SPDX-License-Identifier: Apache-2.0
//
// What `trace` and `debug` run, once, on a watched device: the programs of a model or artifact, or
// one program image, also that of a dump. Depends on: runtime/executor, sim/rig, sim/debug. Used
// by: trace, debug.
#ifndef TESSERA_TOOLS_TRACED_NETWORK_H_
#define TESSERA_TOOLS_TRACED_NETWORK_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/executor/executor.h"
#include "runtime/machine_view.h"
#include "sim/debug/dump.h"
#include "tools/inputs.h"
#include "tools/network.h"

namespace tessera::tools {

struct TracedLayer {
  std::string name, op;
  uint64_t macs = 0;
};

class TracedNetwork {
 public:
  // |input|: files whose first items are the model's inputs; without files: zeros. |keep_tensors|:
  // as for LoadNetwork.
  //   errors  those of LoadNetwork, LoadInputs and ParseImage
  //           kNotFound         no layer runs on the accelerator
  //           kInvalidArgument  --input with a program image, which contains its data
  static Result<TracedNetwork> Load(const std::string& path, const std::string& config,
                                    const ImportWords& import, const InputOptions& input,
                                    bool keep_tensors = false);

  const isa::Config& config() const { return config_; }
  const std::vector<TracedLayer>& layers() const { return layers_; }
  size_t programs() const { return network_ ? network_->artifact->programs.size() : 1; }
  const isa::ProgramImage& program(uint32_t index) const {
    return network_ ? network_->artifact->programs[index].image : *image_;
  }

  // Null if the file is not a dump. Its image has moved to program(0).
  const sim::RunDump* dump() const { return dump_ ? &*dump_ : nullptr; }
  // Null for a program image.
  const artifact::Artifact* artifact() const {
    return network_ ? network_->artifact.get() : nullptr;
  }
  const std::vector<HostTensor>& inputs() const { return inputs_.items; }
  const PixelRule& pixels() const { return inputs_.pixels; }
  const std::string& pixels_line() const { return inputs_.pixels_line; }

  // Runs one inference. |listener| hears of each run, with its trace. |failed|, if not null,
  // becomes the run of a program that failed. |watcher|, if not null, looks at each run.
  //   errors  those of Executor::Open, Executor::Run and the device
  Status Run(const ChosenDevice& device, ProgramListener& listener, uint64_t budget,
             std::optional<FailedRun>* failed = nullptr, MachineWatcher* watcher = nullptr) const;

 private:
  std::string name_;  // of the file
  isa::Config config_;
  std::vector<TracedLayer> layers_;
  std::optional<LoadedNetwork> network_;  // this or |image_|
  std::optional<isa::ProgramImage> image_;
  std::optional<sim::RunDump> dump_;  // the dump that |image_| came from
  Inputs inputs_;
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TRACED_NETWORK_H_
