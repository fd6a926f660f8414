// SPDX-License-Identifier: Apache-2.0
#include "bench/peers/our_kernels.h"

#include <algorithm>
#include <map>

#include "compiler/codegen/llvm/ptx.h"
#include "compiler/ir/layout.h"
#include "compiler/schedule/gpu.h"
#include "compiler/schedule/params.h"
#include "compiler/target/cuda.h"
#include "runtime/gpu/cuda_device.h"

namespace tessera {

bool PeerKernels::fragments() const {
  return std::ranges::any_of(func.kernels, [](const auto& k) { return k.warps; });
}

Result<PeerKernels> MakePeerKernels(const PeerProblem& p) {
  TESSERA_ASSIGN(schedule::Schedule s, schedule::GpuSchedule({p.y}, target::Cuda(), {"w"}));
  TESSERA_ASSIGN(lower::KernelFunc func, lower::LowerKernels(s, "peer"));
  TESSERA_ASSIGN(std::string ptx, codegen::PtxSource(func.kernels));
  return PeerKernels{std::move(s), std::move(func), std::move(ptx)};
}

Status PeerOnDevice::Prepare(PeerKernels kernels, const ir::Array& x, const ir::Array& w) {
  TESSERA_ASSIGN(device_, OpenCudaDevice());
  TESSERA_TRY(device_->Build(kernels.ptx));
  std::map<std::string, std::vector<uint8_t>> values = {{"x", x.bytes()}, {"w", w.bytes()}};
  TESSERA_TRY(schedule::Prepare(kernels.schedule, &values));
  std::map<const ir::BufferNode*, KernelDevice::MemoryPlace> places;
  const auto place = [&](const ir::Buffer& b) -> Status {
    const auto bytes = static_cast<uint64_t>(ir::SizeInBytes(*b));
    TESSERA_ASSIGN(const uint64_t memory, device_->Allocate(bytes));
    places[b.get()] = {memory, 0};
    const auto known = values.find(b->name);
    return known == values.end() ? Status() : device_->Write({memory, 0}, known->second);
  };
  for (const ir::Buffer& b : kernels.func.loops.params) TESSERA_TRY(place(b));
  for (const ir::Buffer& b : kernels.func.temporaries) TESSERA_TRY(place(b));
  out_ = places.at(kernels.func.loops.params.back().get());
  for (const lower::GpuKernel& k : kernels.func.kernels) {
    Call call{k.name, {}, {}, {}};
    for (size_t d = 0; d < 3; ++d) {
      call.groups[d] = static_cast<uint32_t>(k.groups[d]);
      call.threads[d] = static_cast<uint32_t>(k.threads[d]);
    }
    for (const ir::Buffer& b : k.params) call.buffers.push_back(places.at(b.get()));
    calls_.push_back(std::move(call));
  }
  return {};
}

Status PeerOnDevice::Launch() {
  for (const Call& call : calls_)
    TESSERA_TRY(device_->Launch(call.kernel, call.groups, call.threads, call.buffers));
  return {};
}

Result<std::vector<float>> PeerOnDevice::Read(DType dtype, int64_t count) {
  ir::Array y(dtype, count);
  TESSERA_TRY(device_->Read(out_, y.bytes()));
  return Floats(y);
}

std::vector<float> Floats(const ir::Array& a) {
  std::vector<float> values;
  for (int64_t i = 0; i < a.size(); ++i)
    values.push_back(IsFloat(a.dtype()) ? a.Float(i) : static_cast<float>(a.Int(i)));
  return values;
}

}  // namespace tessera
