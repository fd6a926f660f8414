// SPDX-License-Identifier: Apache-2.0
//
// What `trace` runs: the programs of a model or artifact, or one program image, once, on a device
// that somebody watches. Depends on: runtime/executor. Used by: trace.cc, trace_wave.cc.
#ifndef TESSERA_TOOLS_TRACED_NETWORK_H_
#define TESSERA_TOOLS_TRACED_NETWORK_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/executor/executor.h"
#include "tools/network.h"

namespace tessera::tools {

struct TracedLayer {
  std::string name, op;
  uint64_t macs = 0;
};

class TracedNetwork {
 public:
  // |input|: a .npy or IDX file whose first item is the model's input; "": zeros.
  //   errors  those of LoadNetwork and ParseImage
  //           kNotFound         no layer runs on the accelerator
  //           kInvalidArgument  --input with a program image, whose data are in it
  static Result<TracedNetwork> Load(const std::string& path, const std::string& config,
                                    const std::string& tflite, const std::string& input);

  const isa::Config& config() const { return config_; }
  const std::vector<TracedLayer>& layers() const { return layers_; }
  size_t programs() const { return network_ ? network_->artifact->programs.size() : 1; }
  const isa::ProgramImage& program(uint32_t index) const {
    return network_ ? network_->artifact->programs[index].image : *image_;
  }

  // One inference. |listener| hears of each run, with its trace.
  //   errors  those of Executor::Open and Run, and the device's
  Status Run(const ChosenDevice& device, ProgramListener& listener, uint64_t budget) const;

 private:
  isa::Config config_;
  std::vector<TracedLayer> layers_;
  std::optional<LoadedNetwork> network_;  // or
  std::optional<isa::ProgramImage> image_;
  std::vector<HostTensor> inputs_;
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TRACED_NETWORK_H_
