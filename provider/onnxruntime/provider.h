// SPDX-License-Identifier: Apache-2.0
//
// The provider of one session: ONNX Runtime's OrtEp. Depends on: the files beside it. Used by:
// factory.cc.
#ifndef TESSERA_PROVIDER_ONNXRUNTIME_PROVIDER_H_
#define TESSERA_PROVIDER_ONNXRUNTIME_PROVIDER_H_

#include "provider/onnxruntime/calls.h"
#include "provider/onnxruntime/options.h"

namespace tessera::ort {

// A provider for an ONNX Runtime whose interface is |version|; |logger| is the session's.
OrtEp* MakeProvider(const Calls& calls, uint32_t version, ProviderOptions options,
                    const OrtLogger* logger);
void DeleteProvider(OrtEp* provider);

// The version that tables for an ONNX Runtime of |version| name.
uint32_t TableVersion(uint32_t version);

}  // namespace tessera::ort

#endif  // TESSERA_PROVIDER_ONNXRUNTIME_PROVIDER_H_
