// SPDX-License-Identifier: Apache-2.0
//
// Turns a schedule with grid and thread loops into kernels: the code of one thread, a geometry, and
// barriers between writes of some threads and accesses of others (docs/rationale/gpu.md). Depends
// on: compiler/lower. Used by: the GPU back ends, the compile driver.
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

// Threads of a group continue when all of them have reached the barrier. It does nothing in the
// interpreter, which runs iterations in order.
inline constexpr const char* kBarrier = "barrier";

// One launch: |groups| of |threads| run |body|.
struct GpuKernel {
  std::string name;
  // The global buffers that it accesses: first those that it only reads, from |written| on the
  // others.
  std::vector<ir::Buffer> params;
  size_t written = 0;
  std::array<int64_t, 3> groups{1, 1, 1}, threads{1, 1, 1};
  // Free variables of the body: the numbers of the group and of the thread in it. x, y, z; null
  // where the extent is 1.
  std::array<ir::Expr, 3> group_ids, thread_ids;
  std::vector<ir::Buffer> shared;  // one of each per group, initially undefined
  // The 32 threads of thread.x execute calls of target::IsWarpCall together.
  bool warps = false;
  ir::Stmt body;  // eval barrier() waits for the group's other threads

  ir::Ranges IdRanges() const;
};

// |kernel| as loops over its groups and threads, for comparisons; barriers stay in place.
ir::Func AsFunc(const GpuKernel& kernel);

// A function as a sequence of kernels.
struct KernelFunc {
  ir::Func loops;  // the same computation as loops, for the interpreter
  std::vector<GpuKernel> kernels;
  std::vector<ir::Buffer> temporaries;  // global; made by one kernel, read by later ones
};

//   errors  kInvalidArgument  those of BuildLoops; a grid loop that is not outermost; a buffer in a
//                             memory that its threads cannot share, or that ends before its last
//                             reader; threads that access each other's elements where no barrier
//                             can stand
//           kOutOfRange       more threads or shared memory than the target has; names the steps
//           kUnsupported      a tile intrinsic
Result<KernelFunc> LowerKernels(const schedule::Schedule& schedule, const std::string& name,
                                const std::vector<std::string>& params = {});

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_GPU_KERNELS_H_
