// SPDX-License-Identifier: Apache-2.0
//
// A convolution by cuDNN as fast as it has it: every form of FormsOf, every plan, timed. Depends
// on: cudnn_graph.h, gpu_bytes.h. Used by nvidia_libraries.cc.
#ifndef TESSERA_BENCH_PEERS_CUDNN_CONV_H_
#define TESSERA_BENCH_PEERS_CUDNN_CONV_H_

#include "bench/peers/cudnn_graph.h"
#include "runtime/gpu/cuda_api.h"

namespace tessera {

// As NvidiaLibraries::Conv: the fastest plan whose result is |right|; where none is, the fastest.
Result<PeerCase> FastestConv(const CudnnApi& api, DnnHandle handle, const CudaApi& cuda,
                             const NvidiaLibraries::Timer& timer, const ConvSize& size, DType dtype,
                             std::span<const uint8_t> x, std::span<const uint8_t> w,
                             const NvidiaLibraries::Right& right);

// |n| times |channels| images of |points| elements of |bytes|, [n, c, point], as |form| has them:
// its channels, its order.
std::vector<uint8_t> InForm(std::span<const uint8_t> data, int64_t n, int64_t channels,
                            int64_t points, int64_t bytes, const ConvForm& form);

}  // namespace tessera

#endif  // TESSERA_BENCH_PEERS_CUDNN_CONV_H_
