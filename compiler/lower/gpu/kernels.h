// SPDX-License-Identifier: Apache-2.0
//
// From a schedule with grid and thread loops to kernels: what one thread does, a geometry, and the
// barriers between what threads write and what others read (docs/rationale/gpu.md). Depends on:
// compiler/lower. Used by: the GPU back ends, the compile driver.
#ifndef TESSERA_COMPILER_LOWER_GPU_KERNELS_H_
#define TESSERA_COMPILER_LOWER_GPU_KERNELS_H_

#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/ir.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

// A thread of a group goes on when all of them are here; to the interpreter, which runs iterations
// in order, it is nothing.
inline constexpr const char* kBarrier = "barrier";

// One launch: |groups| of |threads| run |body|.
struct GpuKernel {
  std::string name;
  // The global buffers that it touches: those that it only reads, then from |written| on the rest.
  std::vector<ir::Buffer> params;
  size_t written = 0;
  std::array<int64_t, 3> groups{1, 1, 1}, threads{1, 1, 1};
  // Free variables of the body: which group, which thread of it. x, y, z; null where there is one.
  std::array<ir::Expr, 3> group_ids, thread_ids;
  std::vector<ir::Buffer> shared;  // one of each for a group; their contents are undefined at first
  // Calls of target::IsWarpCall are done by the 32 threads of thread.x together.
  bool warps = false;
  ir::Stmt body;  // eval barrier() waits for the other threads of the group

  ir::Ranges IdRanges() const;
};

// |kernel| as loops over its groups and threads, for comparing; its barriers stay where they are.
ir::Func AsFunc(const GpuKernel& kernel);

// A function as kernels that run one after the other.
struct KernelFunc {
  ir::Func loops;  // what they compute, as loops: the interpreter's reading
  std::vector<GpuKernel> kernels;
  std::vector<ir::Buffer> temporaries;  // global, of one kernel and read by later ones
};

//   errors  kInvalidArgument  BuildLoops'; a grid loop that is not outermost; a buffer in a memory
//                             that its threads cannot share or that ends before its last reader;
//                             threads that touch each other's elements where no barrier can stand
//           kOutOfRange       more threads or shared memory than the target has, with the steps
//           kUnsupported      a tile intrinsic
Result<KernelFunc> LowerKernels(const schedule::Schedule& schedule, const std::string& name,
                                const std::vector<std::string>& params = {});

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_GPU_KERNELS_H_
