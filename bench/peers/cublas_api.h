// SPDX-License-Identifier: Apache-2.0
//
// The functions and numbers of cuBLAS that gpu_peers uses, looked up by name in its library. Where
// NVIDIA's headers are installed, a test compares the numbers. Used by nvidia_libraries.cc.
#ifndef TESSERA_BENCH_PEERS_CUBLAS_API_H_
#define TESSERA_BENCH_PEERS_CUBLAS_API_H_

#include "base/error.h"
#include "runtime/gpu/cuda_api.h"

namespace tessera {

using CublasHandle = struct CublasObject*;

// cudaDataType; cublasComputeType_t, with tensor cores only where they are exact, so not for
// float32; cublasOperation_t; cublasGemmAlgo_t: the library chooses.
inline constexpr int kCudaR32F = 0, kCudaR16F = 2, kCudaR8I = 3, kCudaR32I = 10;
inline constexpr int kCublas32F = 68, kCublas32I = 72;
inline constexpr int kCublasAsItIs = 0, kCublasTransposed = 1;
inline constexpr int kCublasChooses = -1;

struct CublasApi {
  int (*Create)(CublasHandle*);
  int (*Destroy)(CublasHandle);
  int (*GetVersion)(CublasHandle, int*);  // 130001: 13.0.1
  int (*GemmEx)(CublasHandle, int, int, int, int, int, const void*, CudaAddress, int, int,
                CudaAddress, int, int, const void*, CudaAddress, int, int, int, int);
};

// errors: kUnsupported it or a function is missing
Result<CublasApi> LoadCublas();

}  // namespace tessera

#endif  // TESSERA_BENCH_PEERS_CUBLAS_API_H_
