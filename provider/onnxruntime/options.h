// SPDX-License-Identifier: Apache-2.0
//
// The options of the provider, which a program gives to a session. Depends on: calls.h,
// runtime/device, isa. Used by: provider.cc.
//
//   device   where networks run: NAME or NAME:option=value,... as `tessera run --device` takes it
//            (default: func)
//   config   the accelerator's configuration, a name or a JSON file (default: default)
//   claim    accelerator (default): the nodes that the accelerator runs; all: every node that the
//            compiler takes
//   threads  threads of host code (default: 1)
#ifndef TESSERA_PROVIDER_ONNXRUNTIME_OPTIONS_H_
#define TESSERA_PROVIDER_ONNXRUNTIME_OPTIONS_H_

#include <map>
#include <string>

#include "base/error.h"
#include "isa/config.h"
#include "provider/onnxruntime/calls.h"
#include "provider/onnxruntime/claim.h"
#include "runtime/device/registry.h"

namespace tessera::ort {

inline constexpr const char* kProviderName = "TesseraExecutionProvider";

struct ProviderOptions {
  std::string device = "func";
  DeviceOptions device_options = {};
  isa::Config config = {};
  ClaimRule claim = ClaimRule::kAccelerator;
  int threads = 1;
  // Of the session: whether it keeps compiled networks in a model of its own, and where.
  bool context_enable = false, context_embed = false;
  std::string context_path;  // "": MODEL_ctx.onnx beside the model
};

// Reads the entries of a session; those of other providers and of ONNX Runtime do not count.
//   errors  kInvalidArgument  an unknown option or a wrong value; the message lists the valid ones
//           kNotFound         no such device or configuration
Result<ProviderOptions> ReadOptions(const std::map<std::string, std::string>& entries);

// The entries of |options|.
Result<std::map<std::string, std::string>> EntriesOf(const Calls& calls,
                                                     const OrtSessionOptions* options);

}  // namespace tessera::ort

#endif  // TESSERA_PROVIDER_ONNXRUNTIME_OPTIONS_H_
