// SPDX-License-Identifier: Apache-2.0
//
// EPContext: the node of ONNX Runtime that holds a compiled network. A model with such nodes loads
// without the compiler. Depends on: calls.h, options.h, runtime/artifact. Used by: provider.cc,
// tests.
#ifndef TESSERA_PROVIDER_ONNXRUNTIME_CONTEXT_H_
#define TESSERA_PROVIDER_ONNXRUNTIME_CONTEXT_H_

#include <string>

#include "base/error.h"
#include "compiler/import/onnx_model.h"
#include "provider/onnxruntime/calls.h"
#include "provider/onnxruntime/options.h"
#include "runtime/artifact/artifact.h"

namespace tessera::ort {

// Whether |node| is an EPContext node of this provider.
bool IsContext(const onnx_model::OnnxNode& node);

// Makes the node that stands for |fused|, whose network is |net|. Without embedding, writes the
// network to a file beside the model that the session makes from |model_path|.
//   errors  those of base/file.h; ONNX Runtime's
Result<OrtNode*> MakeContext(const Calls& calls, const OrtNode* fused,
                             const artifact::Artifact& net, const ProviderOptions& options,
                             const std::string& model_path);

// The network that |node| holds. |model_path|: of the model; "": it was loaded from memory, so that
// files are looked for beside ProviderOptions::context_path.
//   errors  kInvalidArgument  attributes that are missing, another version, a file outside of the
//                             model's folder
//           others            as artifact::Parse, ReadFile; every message begins with the node
Result<artifact::Artifact> ReadContext(const onnx_model::OnnxNode& node,
                                       const ProviderOptions& options,
                                       const std::string& model_path);

}  // namespace tessera::ort

#endif  // TESSERA_PROVIDER_ONNXRUNTIME_CONTEXT_H_
