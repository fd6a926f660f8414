// SPDX-License-Identifier: Apache-2.0
#include "bench/peers/nvidia_libraries.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/half.h"
#include "runtime/gpu/cuda_api.h"
#include "runtime/gpu/shared_library.h"

namespace tessera {
namespace {

using Handle = void*;  // of any kind
using Bytes = std::vector<uint8_t>;

// Numbers of NVIDIA's headers.
constexpr int kR32F = 0, kR16F = 2, kR8I = 3, kR32I = 10;                // cudaDataType
constexpr int kCompute32F = 68, kCompute32I = 72;                        // cublasComputeType_t
constexpr int kCublasTransposed = 1, kCublasAsItIs = 0;                  // cublasOperation_t
constexpr int kDnnFloat = 0, kDnnHalf = 2, kDnnInt8 = 3, kDnnInt32 = 4;  // cudnnDataType_t
constexpr int kNchw = 0, kNhwc = 1, kCrossCorrelation = 1, kTensorCores = 1, kFloatUnits = 3;

struct CublasApi {
  int (*Create)(Handle*);
  int (*GemmEx)(Handle, int, int, int, int, int, const void*, CudaAddress, int, int, CudaAddress,
                int, int, const void*, CudaAddress, int, int, int, int);
};

// What cudnnGetConvolutionForwardAlgorithm_v7 fills.
struct DnnAlgorithm {
  int algorithm = 0, status = 0;
  float time = 0;
  size_t memory = 0;
  int determinism = 0, math = 0, reserved[3] = {};
};

struct CudnnApi {
  int (*Create)(Handle*);
  int (*CreateTensor)(Handle*);
  int (*CreateFilter)(Handle*);
  int (*CreateConvolution)(Handle*);
  int (*SetTensor)(Handle, int, int, int, int, int, int);
  int (*SetFilter)(Handle, int, int, int, int, int, int);
  int (*SetConvolution)(Handle, int, int, int, int, int, int, int, int);
  int (*SetMath)(Handle, int);
  int (*Algorithms)(Handle, Handle, Handle, Handle, Handle, int, int*, DnnAlgorithm*);
  int (*Workspace)(Handle, Handle, Handle, Handle, Handle, int, size_t*);
  int (*Forward)(Handle, const void*, Handle, CudaAddress, Handle, CudaAddress, Handle, int,
                 CudaAddress, size_t, const void*, Handle, CudaAddress);
};

Status Check(const char* call, int code) {
  if (code == 0) return {};
  return Fail(Code::kUnavailable, "{} gives code {}", call, code);
}

Result<const CublasApi*> LoadCublas() {
  static CublasApi api;
  const NamedFunction functions[] = {{api.Create, "cublasCreate_v2"}, {api.GemmEx, "cublasGemmEx"}};
  TESSERA_TRY(LoadFunctions({"cuBLAS",
                             {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"},
                             "install CUDA's toolkit",
                             "install cuBLAS 11 or later"},
                            functions));
  return &api;
}

Result<const CudnnApi*> LoadCudnn() {
  static CudnnApi api;
  const NamedFunction functions[] = {
      {api.Create, "cudnnCreate"},
      {api.CreateTensor, "cudnnCreateTensorDescriptor"},
      {api.CreateFilter, "cudnnCreateFilterDescriptor"},
      {api.CreateConvolution, "cudnnCreateConvolutionDescriptor"},
      {api.SetTensor, "cudnnSetTensor4dDescriptor"},
      {api.SetFilter, "cudnnSetFilter4dDescriptor"},
      {api.SetConvolution, "cudnnSetConvolution2dDescriptor"},
      {api.SetMath, "cudnnSetConvolutionMathType"},
      {api.Algorithms, "cudnnGetConvolutionForwardAlgorithm_v7"},
      {api.Workspace, "cudnnGetConvolutionForwardWorkspaceSize"},
      {api.Forward, "cudnnConvolutionForward"},
  };
  TESSERA_TRY(LoadFunctions(
      {"cuDNN", {"libcudnn.so.9", "libcudnn.so.8"}, "install cuDNN", "install cuDNN 8 or 9"},
      functions));
  return &api;
}

// Memory of the GPU, in the context that this thread uses.
struct GpuBytes {
  explicit GpuBytes(const CudaApi& the_api) : api(the_api) {}
  ~GpuBytes() {
    if (at != 0) api.MemFree(at);
  }
  GpuBytes(const GpuBytes&) = delete;
  GpuBytes& operator=(const GpuBytes&) = delete;

  static Result<std::shared_ptr<GpuBytes>> Make(const CudaApi& api, size_t bytes) {
    auto made = std::make_shared<GpuBytes>(api);
    TESSERA_TRY(Check("cuMemAlloc", api.MemAlloc(&made->at, std::max<size_t>(bytes, 1))));
    made->size = bytes;
    return made;
  }
  static Result<std::shared_ptr<GpuBytes>> Of(const CudaApi& api, std::span<const uint8_t> data) {
    TESSERA_ASSIGN(auto made, Make(api, data.size()));
    TESSERA_TRY(Check("cuMemcpyHtoD", api.MemcpyHtoD(made->at, data.data(), data.size())));
    return made;
  }

  const CudaApi api;
  CudaAddress at = 0;
  size_t size = 0;
};

Result<std::vector<float>> ReadFloats(const CudaApi& api, const GpuBytes& from, DType dtype) {
  Bytes bytes(from.size);
  TESSERA_TRY(Check("cuMemcpyDtoH", api.MemcpyDtoH(bytes.data(), from.at, bytes.size())));
  std::vector<float> values(bytes.size() / static_cast<size_t>(SizeOf(dtype)));
  for (size_t i = 0; i < values.size(); ++i) {
    int32_t whole = 0;
    uint16_t half = 0;
    if (dtype == DType::kFloat32) std::memcpy(&values[i], bytes.data() + 4 * i, 4);
    if (dtype == DType::kInt32) {
      std::memcpy(&whole, bytes.data() + 4 * i, 4);
      values[i] = static_cast<float>(whole);
    }
    if (dtype == DType::kFloat16) {
      std::memcpy(&half, bytes.data() + 2 * i, 2);
      values[i] = HalfToFloat(half);
    }
  }
  return values;
}

// [n, c, y, x] to [n, y, x, c], elements of |bytes|, or back.
Bytes ChannelsLast(std::span<const uint8_t> data, int64_t n, int64_t c, int64_t points,
                   int64_t bytes, bool back) {
  Bytes out(data.size());
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < c; ++k) {
      for (int64_t p = 0; p < points; ++p) {
        const int64_t first = ((i * c + k) * points + p) * bytes,
                      last = ((i * points + p) * c + k) * bytes;
        std::memcpy(out.data() + (back ? first : last), data.data() + (back ? last : first),
                    static_cast<size_t>(bytes));
      }
    }
  }
  return out;
}

std::function<Status()> Waiter(const CudaApi& api) {
  return [api] { return Check("cuCtxSynchronize", api.CtxSynchronize()); };
}

}  // namespace

Result<PeerCase> CublasProduct(const ProductSize& size, DType dtype, std::span<const uint8_t> x,
                               std::span<const uint8_t> w) {
  TESSERA_ASSIGN(const CublasApi* cublas, LoadCublas());
  TESSERA_ASSIGN(const CudaApi cuda, LoadCuda());
  static Handle handle = nullptr;
  if (handle == nullptr) TESSERA_TRY(Check("cublasCreate", cublas->Create(&handle)));
  TESSERA_ASSIGN(const auto a, GpuBytes::Of(cuda, x));
  TESSERA_ASSIGN(const auto b, GpuBytes::Of(cuda, w));
  TESSERA_ASSIGN(const auto c,
                 GpuBytes::Make(cuda, static_cast<size_t>(size.rows * size.columns) * 4));
  const bool whole = dtype == DType::kInt8;
  const int narrow = whole ? kR8I : dtype == DType::kFloat16 ? kR16F : kR32F;
  // Its matrices are by columns: it computes the transpose of the result.
  const auto launch = [=]() -> Status {
    static const int32_t kOneI = 1, kZeroI = 0;
    static const float kOneF = 1, kZeroF = 0;
    const void* const one = whole ? static_cast<const void*>(&kOneI) : &kOneF;
    const void* const zero = whole ? static_cast<const void*>(&kZeroI) : &kZeroF;
    const int rows = static_cast<int>(size.rows), columns = static_cast<int>(size.columns),
              depth = static_cast<int>(size.depth);
    return Check("cublasGemmEx", cublas->GemmEx(handle, kCublasTransposed, kCublasAsItIs, columns,
                                                rows, depth, one, b->at, narrow, depth, a->at,
                                                narrow, depth, zero, c->at, whole ? kR32I : kR32F,
                                                columns, whole ? kCompute32I : kCompute32F, -1));
  };
  return PeerCase{launch, Waiter(cuda),
                  [=] { return ReadFloats(cuda, *c, whole ? DType::kInt32 : DType::kFloat32); }};
}

Result<PeerCase> CudnnConv(const ConvSize& size, DType dtype, std::span<const uint8_t> x,
                           std::span<const uint8_t> w) {
  TESSERA_ASSIGN(const CudnnApi* cudnn, LoadCudnn());
  TESSERA_ASSIGN(const CudaApi cuda, LoadCuda());
  static Handle handle = nullptr;
  if (handle == nullptr) TESSERA_TRY(Check("cudnnCreate", cudnn->Create(&handle)));
  // Tensor cores read channels last; float32 stays as it is.
  const bool last = dtype != DType::kFloat32;
  const int format = last ? kNhwc : kNchw;
  const int narrow = dtype == DType::kInt8      ? kDnnInt8
                     : dtype == DType::kFloat16 ? kDnnHalf
                                                : kDnnFloat;
  const int wide = dtype == DType::kFloat16 ? kDnnHalf : kDnnFloat;
  const int channels = static_cast<int>(size.channels), outs = static_cast<int>(size.outs),
            extent = static_cast<int>(size.size), taps = static_cast<int>(size.taps),
            stride = static_cast<int>(size.stride), out = static_cast<int>(size.out_size());
  Handle in = nullptr, filter = nullptr, convolution = nullptr, result = nullptr;
  TESSERA_TRY(Check("cudnnCreateTensorDescriptor", cudnn->CreateTensor(&in)));
  TESSERA_TRY(Check("cudnnCreateTensorDescriptor", cudnn->CreateTensor(&result)));
  TESSERA_TRY(Check("cudnnCreateFilterDescriptor", cudnn->CreateFilter(&filter)));
  TESSERA_TRY(Check("cudnnCreateConvolutionDescriptor", cudnn->CreateConvolution(&convolution)));
  TESSERA_TRY(Check("cudnnSetTensor4dDescriptor",
                    cudnn->SetTensor(in, format, narrow, 1, channels, extent, extent)));
  TESSERA_TRY(Check("cudnnSetTensor4dDescriptor",
                    cudnn->SetTensor(result, format, wide, 1, outs, out, out)));
  TESSERA_TRY(Check("cudnnSetFilter4dDescriptor",
                    cudnn->SetFilter(filter, narrow, format, outs, channels, taps, taps)));
  TESSERA_TRY(Check(
      "cudnnSetConvolution2dDescriptor",
      cudnn->SetConvolution(convolution, taps / 2, taps / 2, stride, stride, 1, 1,
                            kCrossCorrelation, dtype == DType::kInt8 ? kDnnInt32 : kDnnFloat)));
  TESSERA_TRY(Check("cudnnSetConvolutionMathType",
                    cudnn->SetMath(convolution, last ? kTensorCores : kFloatUnits)));
  DnnAlgorithm found[8];
  int count = 0;
  TESSERA_TRY(Check("cudnnGetConvolutionForwardAlgorithm_v7",
                    cudnn->Algorithms(handle, in, filter, convolution, result, 8, &count, found)));
  int algorithm = -1;
  for (int i = count; i-- > 0;) algorithm = found[i].status == 0 ? found[i].algorithm : algorithm;
  if (algorithm < 0)
    return Fail(Code::kUnsupported, "cuDNN has no algorithm for this convolution of {}",
                Text(dtype));
  size_t workspace = 0;
  TESSERA_TRY(
      Check("cudnnGetConvolutionForwardWorkspaceSize",
            cudnn->Workspace(handle, in, filter, convolution, result, algorithm, &workspace)));
  const int64_t bytes = SizeOf(dtype), points = size.size * size.size,
                window = size.taps * size.taps;
  const Bytes x_last = ChannelsLast(x, 1, size.channels, points, bytes, false),
              w_last = ChannelsLast(w, size.outs, size.channels, window, bytes, false);
  TESSERA_ASSIGN(const auto a, GpuBytes::Of(cuda, last ? std::span<const uint8_t>(x_last) : x));
  TESSERA_ASSIGN(const auto b, GpuBytes::Of(cuda, last ? std::span<const uint8_t>(w_last) : w));
  const DType read = dtype == DType::kFloat16 ? DType::kFloat16 : DType::kFloat32;
  const int64_t results = size.outs * size.out_size() * size.out_size();
  TESSERA_ASSIGN(const auto y, GpuBytes::Make(cuda, static_cast<size_t>(results * SizeOf(read))));
  TESSERA_ASSIGN(const auto scratch, GpuBytes::Make(cuda, workspace));
  const auto launch = [=]() -> Status {
    static const float kOne = 1, kZero = 0;
    return Check("cudnnConvolutionForward",
                 cudnn->Forward(handle, &kOne, in, a->at, filter, b->at, convolution, algorithm,
                                scratch->at, workspace, &kZero, result, y->at));
  };
  const auto values = [=]() -> Result<std::vector<float>> {
    TESSERA_ASSIGN(const std::vector<float> all, ReadFloats(cuda, *y, read));
    if (!last) return all;
    const auto* data = reinterpret_cast<const uint8_t*>(all.data());
    const Bytes back = ChannelsLast({data, all.size() * 4}, 1, size.outs,
                                    size.out_size() * size.out_size(), 4, true);
    std::vector<float> ordered(all.size());
    std::memcpy(ordered.data(), back.data(), back.size());
    return ordered;
  };
  return PeerCase{launch, Waiter(cuda), values};
}

}  // namespace tessera
