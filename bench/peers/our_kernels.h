// SPDX-License-Identifier: Apache-2.0
//
// The kernels of device cuda for a case of gpu_peers. Depends on: lower/gpu, codegen/llvm,
// runtime/gpu. Used by gpu_peers.
#ifndef TESSERA_BENCH_PEERS_OUR_KERNELS_H_
#define TESSERA_BENCH_PEERS_OUR_KERNELS_H_

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/peers/peer_problems.h"
#include "compiler/lower/gpu/kernels.h"
#include "compiler/schedule/schedule.h"
#include "runtime/kernel_device.h"

namespace tessera {

// A case as kernels and as PTX, with the generator's schedule.
struct PeerKernels {
  schedule::Schedule schedule;
  lower::KernelFunc func;
  std::string ptx;

  // Whether the kernels use matrix fragments.
  bool fragments() const;
};
Result<PeerKernels> MakePeerKernels(const PeerProblem& p);

// The kernels in the memory of a GPU.
class PeerOnDevice {
 public:
  Status Prepare(PeerKernels kernels, const ir::Array& x, const ir::Array& w);
  Status Launch();
  // The results, after all launches have run.
  Result<std::vector<float>> Read(DType dtype, int64_t count);

 private:
  struct Call {
    std::string kernel;
    std::array<uint32_t, 3> groups, threads;
    std::vector<KernelDevice::MemoryPlace> buffers;
  };

  std::unique_ptr<KernelDevice> device_;
  std::vector<Call> calls_;
  KernelDevice::MemoryPlace out_;
};

std::vector<float> Floats(const ir::Array& a);

}  // namespace tessera

#endif  // TESSERA_BENCH_PEERS_OUR_KERNELS_H_
