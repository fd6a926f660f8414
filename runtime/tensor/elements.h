// SPDX-License-Identifier: Apache-2.0
//
// Visits the elements of a tensor of any type. Depends on: tensor.h, base/half.h. Used by: tools.
#ifndef TESSERA_RUNTIME_TENSOR_ELEMENTS_H_
#define TESSERA_RUNTIME_TENSOR_ELEMENTS_H_

#include "base/check.h"
#include "base/half.h"
#include "runtime/tensor/tensor.h"

namespace tessera {

// Calls |visit| with each element of |tensor| in order, in its own C++ type, float16 as float.
template <typename Visit>
void VisitElements(const HostTensor& tensor, Visit&& visit) {
  const auto all = [&](auto elements) {
    for (const auto element : elements) visit(element);
  };
  switch (tensor.dtype) {
    case DType::kInt8:
      return all(tensor.as<int8_t>());
    case DType::kBool:
    case DType::kUint8:
      return all(tensor.as<uint8_t>());
    case DType::kInt16:
      return all(tensor.as<int16_t>());
    case DType::kInt32:
      return all(tensor.as<int32_t>());
    case DType::kInt64:
      return all(tensor.as<int64_t>());
    case DType::kFloat32:
      return all(tensor.as<float>());
    case DType::kFloat16:
      for (const uint16_t half : tensor.as<uint16_t>()) visit(HalfToFloat(half));
      return;
  }
  TESSERA_CHECK(false);
}

}  // namespace tessera

#endif  // TESSERA_RUNTIME_TENSOR_ELEMENTS_H_
