// SPDX-License-Identifier: Apache-2.0
//
// One group of nodes as a compiled network on its device: what a node of ONNX Runtime runs. Depends
// on: compiler/driver, runtime/executor, options.h. Used by: provider.cc, context.h.
#ifndef TESSERA_PROVIDER_ONNXRUNTIME_NETWORK_H_
#define TESSERA_PROVIDER_ONNXRUNTIME_NETWORK_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/import/onnx_model.h"
#include "provider/onnxruntime/calls.h"
#include "provider/onnxruntime/options.h"
#include "runtime/artifact/artifact.h"
#include "runtime/device.h"
#include "runtime/executor/executor.h"

namespace tessera::ort {

// Compiles |model|, a group of nodes called |name|, for the accelerator of |options|.
//   errors  those of ImportOnnx and compiler::Compile
Result<artifact::Artifact> CompileGroup(const onnx_model::OnnxModel& model, const std::string& name,
                                        const ProviderOptions& options);

// What a run took.
struct RunTimes {
  double host_seconds = 0;
  uint64_t cycles = 0;  // of the device; 0: it has no clock or no program ran
};

// The device of a session, which all of its networks share.
struct SessionDevice {
  std::unique_ptr<Device> device;
  std::mutex mutex;  // held by the network that runs

  //   errors  as OpenDevice
  static Result<std::shared_ptr<SessionDevice>> Open(const ProviderOptions& options);
};

// Which inputs and outputs of a network have an open first extent, which counts items.
struct OpenExtents {
  std::vector<bool> inputs, outputs;
};

class Network {
 public:
  // Prepares |net|, whose inputs and outputs are as many as those of |open|, on |device|.
  //   errors  kInvalidArgument  a program for another configuration
  //           others            as Executor::Open
  static Result<std::unique_ptr<Network>> Open(const std::string& name, artifact::Artifact net,
                                               OpenExtents open,
                                               std::shared_ptr<SessionDevice> device,
                                               const ProviderOptions& options);

  // Runs the network with the inputs and outputs of |context|, in their order, once for each item.
  // All items get the same values of an input without an open extent. Calls from several threads
  // take turns.
  //   errors  those of Executor::Run and ONNX Runtime's
  Status Run(const Calls& calls, OrtKernelContext* context, RunTimes* times);

  const std::string& name() const { return name_; }
  const artifact::Artifact& artifact() const { return *net_; }

 private:
  Network() = default;
  Result<std::vector<HostTensor>> Inputs(const Calls& calls, OrtKernelContext* context) const;
  // Gives |result|, [items, ...], to ONNX Runtime as output |index|.
  Status Give(const Calls& calls, OrtKernelContext* context, size_t index,
              const HostTensor& result) const;

  std::string name_;
  OpenExtents open_;
  std::shared_ptr<const artifact::Artifact> net_;
  std::shared_ptr<SessionDevice> device_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace tessera::ort

#endif  // TESSERA_PROVIDER_ONNXRUNTIME_NETWORK_H_
