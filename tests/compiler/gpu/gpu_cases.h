// SPDX-License-Identifier: Apache-2.0
//
// Scheduled expressions with inputs and results, for tests of GPU back ends: all back ends have the
// same cases.
#ifndef TESSERA_TESTS_COMPILER_GPU_GPU_CASES_H_
#define TESSERA_TESTS_COMPILER_GPU_GPU_CASES_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "compiler/graph/graph.h"
#include "compiler/lower/gpu/kernels.h"
#include "compiler/region/region.h"
#include "compiler/schedule/schedule.h"
#include "compiler/target/target.h"
#include "compiler/te/te.h"
#include "runtime/kernel_device.h"

namespace tessera::test {

struct GpuCase {
  std::string name;
  te::Tensor out;
  schedule::Schedule schedule;
  lower::KernelFunc func;
  te::Values values;             // of every tensor, by te::Evaluate
  std::optional<uint64_t> seed;  // of a random program
};
using GpuCases = std::vector<GpuCase>;

// Adds |out| under |schedule|, with |values| of its placeholders. Fails the test if it does not
// lower.
void AddCase(const std::string& name, const te::Tensor& out, const schedule::Schedule& schedule,
             te::Values values, GpuCases* cases);

// Options for the generator.
struct Asked {
  std::shared_ptr<const target::Target> target = target::Gpu();
  bool any_picks = false;        // random values for its decisions
  size_t sketch = 0;             // which of its sketches, without any_picks; no case: it has fewer
  bool constants_known = false;  // as in the compiler; false: all are inputs
};
// Expects several threads in each kernel that stores more than a few elements. Inputs of halves are
// whole numbers if the target adds them in its own order.
void AddRegion(const std::string& name, const te::RegionTe& region, const Asked& asked, Rng& rng,
               GpuCases* cases);

// A convolution of |dtype| with weights, as a graph; |x|: the input's shape, |out| channels.
graph::Graph ConvGraph(DType dtype, const graph::Shape& x, int64_t out, const graph::Window& w,
                       int64_t groups, Rng& rng);
// The convolution plus another input: a region of two operators.
graph::Graph WithResidual(graph::Graph conv);

// Whole numbers, small enough that sums of halves are exact in any order.
ir::Array SmallNumbers(const te::Tensor& t, Rng& rng);

// Every operator of the graph in every pair of types that it takes, and a convolution with an
// addition behind it, under the generator's schedule: two drawn examples of each, over images and
// rows; the first one under its other sketches, too.
GpuCases EveryOperator(const Asked& asked = {});

// Convolutions that the generator cuts into blocks in shared memory, with strides, dilations, pads
// and extents that no block divides: int8 with the generator's picks, floats with random picks.
GpuCases BlockedConvolutions();

// A matrix product and a 3 x 3 convolution in int8 and in f16 by matrix fragments, for
// target::Cuda: operands in shared memory, sums in the registers of warps (mma_cases.cc).
GpuCases FragmentCases();

// Kernels of the generator for target::Cuda: convolutions, dense layers and matrix products by
// fragments, in extents that no fragment divides, with and without known constants, with its own
// and random picks; and sums for which it uses no fragments (fragment_cases.cc).
GpuCases GeneratedFragments();

// Every function of floats on all exponents and signs, under the generator's schedule.
GpuCases EveryFunction();

// |count| random expressions under random schedules and, for one of four, the generator's; or the
// programs that the environment names (lower/agree.h).
GpuCases RandomCases(uint64_t seed, size_t count);

std::vector<lower::GpuKernel> KernelsOf(const GpuCases& cases);

// Opens a device on which a program of these kernels is built.
using DeviceWith =
    std::function<Result<std::unique_ptr<KernelDevice>>(const std::vector<lower::GpuKernel>&)>;

// Builds one program of all cases (a driver's time is mostly per program) and expects every output
// to equal its definition, bit for bit. A random program that differs is shrunk, with a program of
// its own for each try.
void ExpectExact(const DeviceWith& device_with, const GpuCases& cases);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_GPU_GPU_CASES_H_
