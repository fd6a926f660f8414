// SPDX-License-Identifier: Apache-2.0
#include "bench/peers/cudnn_conv.h"

#include <cstring>
#include <limits>

#include "bench/peers/gpu_bytes.h"

namespace tessera {
namespace {

constexpr size_t kPlansOfAForm = 10;

// The error of transforms, relative to the largest result: float32 has 24 bits, float16 11, and
// transforms of Winograd's larger tiles lose some of them.
double OffBy(DType dtype, const DnnPlan& plan) {
  if (plan.exact()) return 0;
  return dtype == DType::kFloat16 ? 1e-2 : 1e-3;
}

// One convolution in one form, in the GPU's memory.
struct FormOnGpu {
  ConvForm form;
  std::shared_ptr<GpuBytes> x, w, y;
};

Result<FormOnGpu> Place(const CudaApi& cuda, const ConvSize& s, DType dtype, const ConvForm& form,
                        std::span<const uint8_t> x, std::span<const uint8_t> w) {
  const int64_t bytes = SizeOf(dtype), results = s.outs * s.out_size() * s.out_size();
  FormOnGpu placed{form, {}, {}, {}};
  TESSERA_ASSIGN(placed.x,
                 GpuBytes::Of(cuda, InForm(x, 1, s.channels, s.size * s.size, bytes, form)));
  TESSERA_ASSIGN(placed.w,
                 GpuBytes::Of(cuda, InForm(w, s.outs, s.channels, s.taps * s.taps, bytes, form)));
  TESSERA_ASSIGN(placed.y, GpuBytes::Make(cuda, static_cast<size_t>(results * SizeOf(form.out))));
  return placed;
}

Result<PeerCase> Ready(const CudnnApi& api, DnnHandle handle, const CudaApi& cuda,
                       const ConvSize& s, DType dtype, const FormOnGpu& on, const DnnPlan& plan) {
  TESSERA_ASSIGN(const auto workspace, GpuBytes::Make(cuda, static_cast<size_t>(plan.workspace)));
  TESSERA_ASSIGN(const DnnOwned pack,
                 Bind(api, {on.x->at(), on.w->at(), on.y->at(), workspace->at()}));
  PeerCase ready;
  ready.launch = [api, handle, on, plan, pack, workspace] {
    return DnnCheck(api, "cudnnBackendExecute", api.Execute(handle, plan.plan.get(), pack.get()));
  };
  ready.read = [on, s]() -> Result<std::vector<float>> {
    TESSERA_ASSIGN(std::vector<float> all, on.y->Floats(on.form.out));
    if (!on.form.channels_last) return all;
    const int64_t points = s.out_size() * s.out_size();
    std::vector<float> ordered(all.size());
    for (int64_t k = 0; k < s.outs; ++k) {
      for (int64_t p = 0; p < points; ++p)
        ordered[static_cast<size_t>(k * points + p)] = all[static_cast<size_t>(p * s.outs + k)];
    }
    return ordered;
  };
  ready.how = fmt::format("cuDNN {}", plan.Text());
  if (on.form.channels != s.channels) ready.how += fmt::format(", {} channels", on.form.channels);
  if (on.form.out == DType::kInt8) {
    ready.how += ", to int8";
    ready.least = -128;
    ready.most = 127;
  }
  ready.off = OffBy(dtype, plan);
  return ready;
}

}  // namespace

std::vector<uint8_t> InForm(std::span<const uint8_t> data, int64_t n, int64_t channels,
                            int64_t points, int64_t bytes, const ConvForm& form) {
  std::vector<uint8_t> out(static_cast<size_t>(n * form.channels * points * bytes));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < channels; ++k) {
      for (int64_t p = 0; p < points; ++p) {
        const int64_t to = form.channels_last ? (i * points + p) * form.channels + k
                                              : (i * form.channels + k) * points + p;
        std::memcpy(out.data() + to * bytes,
                    data.data() + ((i * channels + k) * points + p) * bytes,
                    static_cast<size_t>(bytes));
      }
    }
  }
  return out;
}

Result<PeerCase> FastestConv(const CudnnApi& api, DnnHandle handle, const CudaApi& cuda,
                             const NvidiaLibraries::Timer& timer, const ConvSize& size, DType dtype,
                             std::span<const uint8_t> x, std::span<const uint8_t> w,
                             const NvidiaLibraries::Right& right) {
  PeerCase best[2];  // [0]: the fastest with a wrong result, [1]: with a right one
  constexpr double kNever = std::numeric_limits<double>::infinity();
  double least[2] = {kNever, kNever};
  int tried = 0, wrong = 0;
  Status last;  // why the last plan that failed to run failed
  for (const ConvForm& form : FormsOf(size, dtype)) {
    TESSERA_ASSIGN(const std::vector<DnnPlan> plans,
                   PlansOf(api, {handle, ""}, size, dtype, form, kPlansOfAForm));
    if (plans.empty()) continue;
    TESSERA_ASSIGN(const FormOnGpu placed, Place(cuda, size, dtype, form, x, w));
    for (const DnnPlan& plan : plans) {
      Result<PeerCase> ready = Ready(api, handle, cuda, size, dtype, placed, plan);
      const Result<double> took = ready ? timer(ready->launch) : std::unexpected(ready.error());
      if (!took) {
        last = std::unexpected(took.error());
        continue;
      }
      TESSERA_ASSIGN(const bool is_right, right(*ready));
      ++tried;
      wrong += is_right ? 0 : 1;
      if (*took >= least[is_right]) continue;
      least[is_right] = *took;
      best[is_right] = std::move(*ready);
    }
  }
  if (tried == 0 && !last) return std::unexpected(last.error());
  if (tried == 0)
    return Fail(Code::kUnsupported, "cuDNN has no plan for a convolution of {}", Text(dtype));
  PeerCase& chosen = best[wrong < tried];
  chosen.how += fmt::format(", best of {}", tried);
  if (wrong > 0) chosen.how += fmt::format(", of which {} give something else", wrong);
  return chosen;
}

}  // namespace tessera
