// SPDX-License-Identifier: Apache-2.0
//
// A network that no single device runs: a convolution, an operator that the compiler lacks, another
// convolution. All scales are powers of two, so that float arithmetic in any order is exact and
// ONNX Runtime's own result is the expected one, bit for bit.
#ifndef TESSERA_TESTS_PROVIDER_ONNXRUNTIME_MIXED_NETWORK_H_
#define TESSERA_TESTS_PROVIDER_ONNXRUNTIME_MIXED_NETWORK_H_

#include "compiler/import/onnx_model.h"
#include "provider/onnxruntime/graph_reader.h"

namespace tessera::ort {

// Input "x" float32 [1, 16, 8, 8], output "y" of this shape. Nodes: 0 QuantizeLinear; 1 and 2
// DequantizeLinear of the value and of weights, 3 Conv, 4 QuantizeLinear, 5 DequantizeLinear;
// 6 Einsum; 7 QuantizeLinear; 8 to 12 as 1 to 5.
onnx_model::OnnxModel MixedNetwork();

// |model| as ReadGraph returns it, without ONNX Runtime's nodes. Every value has the shape of x.
ReadModel AsRead(onnx_model::OnnxModel model);

}  // namespace tessera::ort

#endif  // TESSERA_TESTS_PROVIDER_ONNXRUNTIME_MIXED_NETWORK_H_
