// SPDX-License-Identifier: Apache-2.0
#include "bench/peers/nvidia_libraries.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/peers/cublas_api.h"
#include "bench/peers/cudnn_conv.h"
#include "bench/peers/gpu_bytes.h"
#include "runtime/gpu/cuda_api.h"
#include "runtime/gpu/shared_library.h"

namespace tessera {
namespace {

Status CublasCheck(const char* call, int code) {
  if (code == 0) return {};
  return Fail(Code::kUnavailable, "{} gives cublasStatus_t {}", call, code);
}

}  // namespace

std::string Difference(std::span<const float> ours, std::span<const float> theirs,
                       const PeerCase& peer) {
  if (ours.size() != theirs.size())
    return fmt::format("{} results against {}", ours.size(), theirs.size());
  double off = 0, largest = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double cut = std::clamp<double>(ours[i], peer.least, peer.most),
                 apart = std::abs(cut - static_cast<double>(theirs[i]));
    off = std::max(off, std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart);
    largest = std::max(largest, std::abs(cut));
  }
  return off <= peer.off * largest ? "" : fmt::format("off by up to {:g} of {:g}", off, largest);
}

Result<CublasApi> LoadCublas() {
  CublasApi api{};
  const NamedFunction functions[] = {{api.Create, "cublasCreate_v2"},
                                     {api.Destroy, "cublasDestroy_v2"},
                                     {api.GetVersion, "cublasGetVersion_v2"},
                                     {api.GemmEx, "cublasGemmEx"}};
  TESSERA_TRY(LoadFunctions({"cuBLAS",
                             {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"},
                             "install CUDA's toolkit",
                             "install cuBLAS 11 or later"},
                            functions));
  return api;
}

Result<CudnnApi> LoadCudnn() {
  CudnnApi api{};
  const NamedFunction functions[] = {
      {api.GetVersion, "cudnnGetVersion"},
      {api.GetErrorString, "cudnnGetErrorString"},
      {api.Create, "cudnnCreate"},
      {api.Destroy, "cudnnDestroy"},
      {api.CreateDescriptor, "cudnnBackendCreateDescriptor"},
      {api.DestroyDescriptor, "cudnnBackendDestroyDescriptor"},
      {api.SetAttribute, "cudnnBackendSetAttribute"},
      {api.GetAttribute, "cudnnBackendGetAttribute"},
      {api.Finalize, "cudnnBackendFinalize"},
      {api.Execute, "cudnnBackendExecute"},
  };
  TESSERA_TRY(LoadFunctions(
      {"cuDNN", {"libcudnn.so.9", "libcudnn.so.8"}, "install cuDNN", "install cuDNN 8.3 or later"},
      functions));
  return api;
}

struct NvidiaLibraries::Opened {
  Timer timer;
  CudaApi cuda{};
  Result<CublasApi> cublas = Fail(Code::kUnsupported, "cuBLAS is not open");
  CublasHandle cublas_handle = nullptr;
  Result<CudnnApi> cudnn = Fail(Code::kUnsupported, "cuDNN is not open");
  DnnHandle cudnn_handle = nullptr;

  void Open() {
    if (CudaLibrary() != kCudaLibrary) {
      const auto other =
          Fail(Code::kUnsupported,
               "the driver is {}, and cuBLAS and cuDNN use the system's; unset TESSERA_CUDA_DRIVER",
               CudaLibrary());
      cublas = other;
      cudnn = other;
      return;
    }
    const Result<CudaApi> driver = LoadCuda();
    if (!driver) return;
    cuda = *driver;
    cublas = LoadCublas();
    if (cublas) {
      const Status made = CublasCheck("cublasCreate", cublas->Create(&cublas_handle));
      if (!made) cublas = std::unexpected(made.error());
    }
    cudnn = LoadCudnn();
    if (cudnn) {
      const Status made = DnnCheck(*cudnn, "cudnnCreate", cudnn->Create(&cudnn_handle));
      if (!made) cudnn = std::unexpected(made.error());
    }
  }
};

NvidiaLibraries::NvidiaLibraries(Timer timer) : opened_(std::make_unique<Opened>()) {
  opened_->timer = std::move(timer);
  opened_->Open();
}

NvidiaLibraries::~NvidiaLibraries() {
  if (opened_->cublas) opened_->cublas->Destroy(opened_->cublas_handle);
  if (opened_->cudnn) opened_->cudnn->Destroy(opened_->cudnn_handle);
}

std::string NvidiaLibraries::Versions() {
  std::string text = "cuBLAS none";
  int blas = 0;
  if (opened_->cublas && opened_->cublas->GetVersion(opened_->cublas_handle, &blas) == 0)
    text = fmt::format("cuBLAS {}.{}.{}", blas / 10000, blas / 100 % 100, blas % 100);
  if (!opened_->cudnn) return text + ", cuDNN none";
  const size_t dnn = opened_->cudnn->GetVersion(), major = dnn >= 90000 ? 10000 : 1000;
  return text + fmt::format(", cuDNN {}.{}.{}", dnn / major, dnn % major / 100, dnn % 100);
}

Result<PeerCase> NvidiaLibraries::Product(const ProductSize& size, DType dtype,
                                          std::span<const uint8_t> x, std::span<const uint8_t> w) {
  if (!opened_->cublas) return std::unexpected(opened_->cublas.error());
  const CudaApi& cuda = opened_->cuda;
  TESSERA_ASSIGN(const auto a, GpuBytes::Of(cuda, x));
  TESSERA_ASSIGN(const auto b, GpuBytes::Of(cuda, w));
  TESSERA_ASSIGN(const auto c,
                 GpuBytes::Make(cuda, static_cast<size_t>(size.rows * size.columns) * 4));
  const bool whole = dtype == DType::kInt8;
  const int narrow = whole ? kCudaR8I : dtype == DType::kFloat16 ? kCudaR16F : kCudaR32F;
  PeerCase ready;
  // cuBLAS stores matrices by columns, so it computes the transpose of the result.
  ready.launch = [gemm = opened_->cublas->GemmEx, handle = opened_->cublas_handle, size, whole,
                  narrow, a, b, c] {
    static const int32_t kOneI = 1, kZeroI = 0;
    static const float kOneF = 1, kZeroF = 0;
    const void* const one = whole ? static_cast<const void*>(&kOneI) : &kOneF;
    const void* const zero = whole ? static_cast<const void*>(&kZeroI) : &kZeroF;
    const int rows = static_cast<int>(size.rows), columns = static_cast<int>(size.columns),
              depth = static_cast<int>(size.depth);
    return CublasCheck(
        "cublasGemmEx",
        gemm(handle, kCublasTransposed, kCublasAsItIs, columns, rows, depth, one, b->at(), narrow,
             depth, a->at(), narrow, depth, zero, c->at(), whole ? kCudaR32I : kCudaR32F, columns,
             whole ? kCublas32I : kCublas32F, kCublasChooses));
  };
  ready.read = [c, whole] { return c->Floats(whole ? DType::kInt32 : DType::kFloat32); };
  ready.how = "cuBLAS";
  return ready;
}

Result<PeerCase> NvidiaLibraries::Conv(const ConvSize& size, DType dtype,
                                       std::span<const uint8_t> x, std::span<const uint8_t> w,
                                       const Right& right) {
  if (!opened_->cudnn) return std::unexpected(opened_->cudnn.error());
  return FastestConv(*opened_->cudnn, opened_->cudnn_handle, opened_->cuda, opened_->timer, size,
                     dtype, x, w, right);
}

}  // namespace tessera
