// SPDX-License-Identifier: Apache-2.0
#include "tools/docs/schedule_problems.h"

#include <algorithm>

#include "base/rng.h"
#include "compiler/cost/cost.h"
#include "compiler/driver/run_func.h"
#include "compiler/ir/scalar_math.h"
#include "compiler/target/accelerator.h"
#include "runtime/device/registry.h"

namespace tessera::tools {
namespace {

std::vector<uint8_t> RandomBytes(int64_t count, Rng& rng) {
  std::vector<uint8_t> bytes(static_cast<size_t>(count));
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(rng.Next());
  return bytes;
}

int32_t At(const std::vector<uint8_t>& bytes, int64_t i) {
  return static_cast<int8_t>(bytes[static_cast<size_t>(i)]);
}

uint8_t Requantised(int32_t sum, isa::Round round, int32_t zero, int32_t hi) {
  const int32_t scaled = ir::RequantValue(sum, 1518500250, -9, round);
  return static_cast<uint8_t>(std::clamp(scaled + zero, -128, hi));
}

}  // namespace

ScheduleProblem ProductProblem(int64_t m, int64_t n, int64_t k) {
  Rng rng(1);
  ScheduleProblem p{compiler::ProductExample(m, n, k),
                    m * n * k,
                    {RandomBytes(m * k, rng), RandomBytes(n * k, rng)},
                    {}};
  for (int64_t r = 0; r < m; ++r) {
    for (int64_t c = 0; c < n; ++c) {
      int32_t sum = 0;
      for (int64_t i = 0; i < k; ++i)
        sum += At(p.inputs[0], r * k + i) * At(p.inputs[1], c * k + i);
      p.expected.push_back(Requantised(sum, isa::Round::kEven, 3, 127));
    }
  }
  return p;
}

ScheduleProblem WindowProblem(const compiler::WindowShape& v) {
  Rng rng(1);
  const int64_t rows = v.out(v.height), columns = v.out(v.width), taps = v.taps * v.taps;
  ScheduleProblem p{compiler::WindowExample(v),
                    rows * columns * v.outs * v.channels * taps,
                    {RandomBytes(v.channels * v.height * v.width, rng),
                     RandomBytes(v.outs * v.channels * taps, rng)},
                    {}};
  // Pads the input, so that the innermost loop runs over a row and the processor uses vectors.
  const int64_t height = v.height + 2 * v.pad, width = v.width + 2 * v.pad;
  std::vector<int32_t> padded(static_cast<size_t>(v.channels * height * width),
                              static_cast<int32_t>(v.value));
  for (int64_t i = 0; i < v.channels * v.height * v.width; ++i) {
    const int64_t row = i / v.width, c = row / v.height;
    padded[static_cast<size_t>((c * height + row % v.height + v.pad) * width + i % v.width +
                               v.pad)] = At(p.inputs[0], i);
  }
  std::vector<int32_t> sums(static_cast<size_t>(rows * columns));
  for (int64_t o = 0; o < v.outs; ++o) {
    std::ranges::fill(sums, 0);
    for (int64_t t = 0; t < v.channels * taps; ++t) {
      const int32_t weight = At(p.inputs[1], o * v.channels * taps + t);
      const int64_t tap = t % taps,
                    from = (t / taps * height + tap / v.taps) * width + tap % v.taps;
      for (int64_t y = 0; y < rows; ++y) {
        const int32_t* x = padded.data() + from + y * v.stride * width;
        int32_t* sum = sums.data() + y * columns;
        for (int64_t column = 0; column < columns; ++column)
          sum[column] += weight * x[column * v.stride];
      }
    }
    for (const int32_t sum : sums)
      p.expected.push_back(Requantised(sum, isa::Round::kTflite, -5, 100));
  }
  return p;
}

Result<RunReport> Measure(const ScheduleProblem& problem, const std::string& steps,
                          const isa::Config& config) {
  TESSERA_ASSIGN(const schedule::Trace trace, schedule::ParseTrace(steps));
  TESSERA_ASSIGN(const schedule::Schedule s,
                 schedule::Schedule::Replay({problem.output}, trace, target::Accelerator(config)));
  TESSERA_ASSIGN(const auto device, OpenDevice("cycle", config, {}));
  TESSERA_ASSIGN(const compiler::ScheduledRun run,
                 compiler::RunScheduled(s, *device, problem.inputs));
  if (run.output != problem.expected)
    return Fail(Code::kDataLoss, "the result is not what the expression says");
  return run.report;
}

Result<double> Estimate(const ScheduleProblem& problem, const std::string& steps,
                        const isa::Config& config) {
  TESSERA_ASSIGN(const schedule::Trace trace, schedule::ParseTrace(steps));
  TESSERA_ASSIGN(const schedule::Schedule s,
                 schedule::Schedule::Replay({problem.output}, trace, target::Accelerator(config)));
  TESSERA_ASSIGN(const cost::Cost cost, cost::AccelCost(s, config));
  return cost.cycles;
}

double ArrayShare(int64_t macs, const RunReport& report, const isa::Config& config) {
  const auto each = static_cast<double>(config.batch * config.block_in * config.block_out);
  return 100 * static_cast<double>(macs) / each / static_cast<double>(report.cycles);
}

}  // namespace tessera::tools
