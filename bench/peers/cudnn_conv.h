// SPDX-License-Identifier: Apache-2.0
//
// The fastest convolution of cuDNN: times every plan of every form of FormsOf. Depends on:
// cudnn_graph.h, gpu_bytes.h. Used by nvidia_libraries.cc.
#ifndef TESSERA_BENCH_PEERS_CUDNN_CONV_H_
#define TESSERA_BENCH_PEERS_CUDNN_CONV_H_

#include "bench/peers/cudnn_graph.h"
#include "runtime/gpu/cuda_api.h"

namespace tessera {

// As NvidiaLibraries::Conv: the fastest plan with a |right| result, else the fastest plan.
Result<PeerCase> FastestConv(const CudnnApi& api, DnnHandle handle, const CudaApi& cuda,
                             const NvidiaLibraries::Timer& timer, const ConvSize& size, DType dtype,
                             std::span<const uint8_t> x, std::span<const uint8_t> w,
                             const NvidiaLibraries::Right& right);

// |data|, [n, c, point], |n| x |channels| images of |points| elements of |bytes| bytes, in the
// channels and the order of |form|.
std::vector<uint8_t> InForm(std::span<const uint8_t> data, int64_t n, int64_t channels,
                            int64_t points, int64_t bytes, const ConvForm& form);

}  // namespace tessera

#endif  // TESSERA_BENCH_PEERS_CUDNN_CONV_H_
