// SPDX-License-Identifier: Apache-2.0
//
// Scheduled expressions with inputs and what they give, for tests of back ends for GPUs: the same
// cases for each.
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
#include "compiler/schedule/schedule.h"
#include "compiler/target/target.h"
#include "compiler/te/ops/region.h"
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

// |out| under |schedule|, with |values| of its placeholders. A failure of the test where it does
// not lower.
void AddCase(const std::string& name, const te::Tensor& out, const schedule::Schedule& schedule,
             te::Values values, GpuCases* cases);

// How the generator is asked for a schedule.
struct Asked {
  std::shared_ptr<const target::Target> target = target::Gpu();
  bool any_picks = false;        // of its decisions, not its own
  bool constants_known = false;  // as the compiler has them, or all are inputs
};
// Every kernel that stores more than a handful of elements has several threads. Halves are whole
// numbers where the target adds them in an order of its own.
void AddRegion(const std::string& name, const te::RegionTe& region, const Asked& asked, Rng& rng,
               GpuCases* cases);

// A convolution of |dtype| with weights, by the graph; |x|: of the input, |out| channels.
graph::Graph ConvGraph(DType dtype, const graph::Shape& x, int64_t out, const graph::Window& w,
                       int64_t groups, Rng& rng);
// Its result and another input, added: a region of two operators.
graph::Graph WithResidual(graph::Graph conv);

// Whole numbers, small enough that sums of halves are exact in any order.
ir::Array SmallNumbers(const te::Tensor& t, Rng& rng);

// Every operator of the graph in every pair of types that it takes, and a convolution with an
// addition behind it, under the generator's schedule: two drawn examples of each, over images and
// rows.
GpuCases EveryOperator(const Asked& asked = {});

// Convolutions that the generator cuts into blocks in shared memory, with strides, dilations, pads
// and extents that no block divides: as it picks their sizes in int8, with any picks in floats.
GpuCases BlockedConvolutions();

// A matrix product and a 3 x 3 convolution in int8 and in f16 by matrix fragments, for
// target::Cuda: operands in shared memory, sums in the registers of warps (mma_cases.cc).
GpuCases FragmentCases();

// What the generator makes for target::Cuda: convolutions, dense layers and products of matrices by
// fragments, in extents that no fragment divides, with constants known and not, with its own and
// any picks; and sums that have no fragments, which it makes without (fragment_cases.cc).
GpuCases GeneratedFragments();

// Every function of floats on all exponents and signs, under the generator's schedule.
GpuCases EveryFunction();

// |count| random expressions under random schedules and, one of four, the generator's; or those
// that the environment asks for (lower/agree.h).
GpuCases RandomCases(uint64_t seed, size_t count);

std::vector<lower::GpuKernel> KernelsOf(const GpuCases& cases);

// A device on which a program of these kernels is built.
using DeviceWith =
    std::function<Result<std::unique_ptr<KernelDevice>>(const std::vector<lower::GpuKernel>&)>;

// One program of all cases (a driver takes most of its time by the program): every output equals
// its definition, bit for bit. A random program that differs is made small, with a program of its
// own for each try.
void ExpectExact(const DeviceWith& device_with, const GpuCases& cases);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_GPU_GPU_CASES_H_
