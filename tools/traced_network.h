// SPDX-License-Identifier: Apache-2.0
//
// What `trace` and `debug` run: the programs of a model or artifact, or one program image, that of
// a dump too, once, on a device
// that somebody watches. Depends on: runtime/executor. Used by: trace, debug.
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
  // |input|: files whose first items are the model's inputs; none: zeros. |keep_tensors|: as for
  // LoadNetwork.
  //   errors  those of LoadNetwork, LoadInputs and ParseImage
  //           kNotFound         no layer runs on the accelerator
  //           kInvalidArgument  --input with a program image, whose data are in it
  static Result<TracedNetwork> Load(const std::string& path, const std::string& config,
                                    const ImportWords& import, const InputOptions& input,
                                    bool keep_tensors = false);

  const isa::Config& config() const { return config_; }
  const std::vector<TracedLayer>& layers() const { return layers_; }
  size_t programs() const { return network_ ? network_->artifact->programs.size() : 1; }
  const isa::ProgramImage& program(uint32_t index) const {
    return network_ ? network_->artifact->programs[index].image : *image_;
  }

  // Null: it is no dump. The image moved to program(0).
  const sim::RunDump* dump() const { return dump_ ? &*dump_ : nullptr; }
  // Null: a program image.
  const artifact::Artifact* artifact() const {
    return network_ ? network_->artifact.get() : nullptr;
  }
  const std::vector<HostTensor>& inputs() const { return inputs_.items; }
  const PixelRule& pixels() const { return inputs_.pixels; }
  const std::string& pixels_line() const { return inputs_.pixels_line; }

  // One inference. |listener| hears of each run, with its trace. |failed|: not null: becomes the
  // run of a program that failed. |watcher|: not null: looks at each run.
  //   errors  those of Executor::Open and Run, and the device's
  Status Run(const ChosenDevice& device, ProgramListener& listener, uint64_t budget,
             std::optional<FailedRun>* failed = nullptr, MachineWatcher* watcher = nullptr) const;

 private:
  std::string name_;  // of the file
  isa::Config config_;
  std::vector<TracedLayer> layers_;
  std::optional<LoadedNetwork> network_;  // or
  std::optional<isa::ProgramImage> image_;
  std::optional<sim::RunDump> dump_;  // whose |image_| it is
  Inputs inputs_;
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TRACED_NETWORK_H_
