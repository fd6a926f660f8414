// SPDX-License-Identifier: Apache-2.0
//
// ONNX Runtime's functions by name, its errors as Status, and its lists as vectors. Depends on:
// ort_abi.h, base. Used by: provider/onnxruntime, tests/provider.
#ifndef TESSERA_PROVIDER_ONNXRUNTIME_CALLS_H_
#define TESSERA_PROVIDER_ONNXRUNTIME_CALLS_H_

#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "provider/onnxruntime/ort_abi.h"
#include "runtime/tensor/tensor.h"

namespace tessera::ort {

// The functions of |base|, the ONNX Runtime of this process.
//   errors  kUnsupported  it is older than 1.23, or a build without the model editor
Result<Calls> LoadCalls(const OrtApiBase& base);

// The version of |base|'s interface: 31 of "1.31.1"; 0 if its text is another.
uint32_t ApiVersionOf(const OrtApiBase& base);

// |status| as ours; releases it.
Status Check(const Calls& calls, OrtStatus* status);
// |status| as ONNX Runtime's; null: no error.
OrtStatus* ToOrt(const Calls& calls, const Status& status);

// The numbers of ONNX for element types.
//   errors  kUnsupported  a type that DType lacks
Result<DType> TypeOf(OrtElementType type);
OrtElementType NumberOf(DType type);

// A list of |owner| by the functions that count and fill it.
template <typename Item, typename Owner, typename Count, typename Fill>
Result<std::vector<const Item*>> ListOf(const Calls& calls, const Owner* owner, Count count,
                                        Fill fill) {
  size_t size = 0;
  TESSERA_TRY(Check(calls, count(owner, &size)));
  std::vector<const Item*> list(size);
  if (size > 0) TESSERA_TRY(Check(calls, fill(owner, list.data(), size)));
  return list;
}

// The name of a value; "" for null, an optional value that is left out.
Result<std::string> NameOf(const Calls& calls, const OrtValueInfo* value);

// The names of the inputs or outputs of |node|.
Result<std::vector<std::string>> InputsOf(const Calls& calls, const OrtNode* node);
Result<std::vector<std::string>> OutputsOf(const Calls& calls, const OrtNode* node);

// A copy of |value|, a tensor in the host's memory.
//   errors  kUnsupported  a type that DType lacks
Result<HostTensor> TensorOf(const Calls& calls, const OrtValue* value);

}  // namespace tessera::ort

#endif  // TESSERA_PROVIDER_ONNXRUNTIME_CALLS_H_
