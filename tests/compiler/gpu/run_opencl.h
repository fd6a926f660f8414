// SPDX-License-Identifier: Apache-2.0
//
// Runs kernels on a device for tests.
#ifndef TESSERA_TESTS_COMPILER_GPU_RUN_OPENCL_H_
#define TESSERA_TESTS_COMPILER_GPU_RUN_OPENCL_H_

#include <array>
#include <map>
#include <vector>

#include "compiler/ir/array.h"
#include "compiler/ir/layout.h"
#include "compiler/lower/gpu/kernels.h"
#include "runtime/gpu/opencl_device.h"

namespace tessera::test {

// |arrays|: one a parameter of |func|, read and written. The kernels have been built. Each buffer
// begins at byte 64 of its memory.
inline Status RunOnDevice(KernelDevice& device, const lower::KernelFunc& func,
                          std::vector<ir::Array>& arrays) {
  std::map<const ir::BufferNode*, KernelDevice::MemoryPlace> places;
  const auto place = [&](const ir::Buffer& buffer, uint64_t bytes) -> Status {
    TESSERA_ASSIGN(const uint64_t memory, device.Allocate(bytes + 64));
    places[buffer.get()] = {memory, 64};
    return {};
  };
  for (size_t p = 0; p < arrays.size(); ++p) {
    TESSERA_TRY(place(func.loops.params[p], arrays[p].bytes().size()));
    TESSERA_TRY(device.Write(places.at(func.loops.params[p].get()), arrays[p].bytes()));
  }
  for (const ir::Buffer& b : func.temporaries)
    TESSERA_TRY(place(b, static_cast<uint64_t>(ir::SizeInBytes(*b))));
  for (const lower::GpuKernel& k : func.kernels) {
    std::vector<KernelDevice::MemoryPlace> buffers;
    for (const ir::Buffer& b : k.params) buffers.push_back(places.at(b.get()));
    std::array<uint32_t, 3> groups{}, threads{};
    for (size_t d = 0; d < 3; ++d) {
      groups[d] = static_cast<uint32_t>(k.groups[d]);
      threads[d] = static_cast<uint32_t>(k.threads[d]);
    }
    TESSERA_TRY(device.Launch(k.name, groups, threads, buffers));
  }
  for (size_t p = 0; p < arrays.size(); ++p)
    TESSERA_TRY(device.Read(places.at(func.loops.params[p].get()), arrays[p].bytes()));
  return {};
}

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_GPU_RUN_OPENCL_H_
