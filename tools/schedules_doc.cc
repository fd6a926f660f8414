// SPDX-License-Identifier: Apache-2.0
//
// Prints docs/schedules.md: schedules for the accelerator written step by step, with what each step
// costs on the cycle model. Every run is compared with the definition.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/rng.h"
#include "compiler/driver/run_func.h"
#include "compiler/ir/array.h"
#include "compiler/ir/intrin.h"
#include "compiler/target/accelerator.h"
#include "runtime/device/registry.h"
#include "tools/output.h"

namespace tessera::tools {
namespace {

using ir::Expr;

constexpr int64_t kRows = 128, kColumns = 128, kDepth = 128;

// y = int8(x w^T / 2^9.5 + 3), 128 x 128 x 128.
te::Tensor Product() {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {kRows, kDepth}),
                   w = te::Placeholder("w", DType::kInt8, {kColumns, kDepth});
  const te::Axis k = te::ReduceAxis("k", kDepth);
  const auto wide = [](const Expr& e) { return ir::Cast(DType::kInt32, e); };
  const te::Tensor sum =
      te::Compute("sum", {kRows, kColumns}, {"m", "n"}, [&](const std::vector<Expr>& i) {
        return te::Sum(wide(x(i[0], k.var)) * wide(w(i[1], k.var)), {k});
      });
  const auto number = [](int64_t v) { return ir::Imm(DType::kInt32, v); };
  return te::Compute("y", {kRows, kColumns}, {"m", "n"}, [&](const std::vector<Expr>& i) {
    const Expr scaled = ir::Requant(sum(i), number(1518500250), number(-9), isa::Round::kEven);
    return ir::Cast(DType::kInt8, ir::ClampAdd(scaled, number(3), number(-128), number(127)));
  });
}

// One version of a schedule: what it changes in the version before it.
struct Version {
  const char* title;
  const char* says;
  int64_t rows, columns, depth;  // of a tile of work, in elements
  bool weights_stay;             // all of w is in wgt from the start
};

std::string Steps(const Version& v) {
  std::string text =
      "# where everything is\n"
      "cache_write y out y.o\nset_scope sum acc\ncache_read x inp x.i sum\ncache_read w wgt w.i "
      "sum\n"
      "layout x 0,1/16,1%16\nlayout y 0,1/16,1%16\nlayout w 0/16,1/16,0%16,1%16\n"
      "layout x.i 0,1/16,1%16\nlayout y.o 0,1/16,1%16\nlayout sum 0,1/16,1%16\n"
      "layout w.i 0/16,1/16,0%16,1%16\n";
  text += fmt::format(
      "# tiles of work: {0} rows, {1} columns, {2} of the reduction at a time\n"
      "tile y m n {0} {1} m.o n.o m.i n.i\nsplit sum k {2} k.o k.i\n"
      "compute_at y.o y n.o\ncompute_at sum y n.o\n",
      v.rows, v.columns, v.depth);
  text += v.weights_stay ? "compute_at x.i sum k.o\n"
                         : "compute_at x.i sum k.o\ncompute_at w.i sum k.o before x.i\n";
  return text +
         "# tiles of the machine: rows of 16 elements, weights of 16 x 16\n"
         "split y n.i 16 n.t lane\nsplit y.o n 16 n.t lane\nsplit x.i i1 16 k.t lane\n"
         "tile w.i i0 i1 16 16 n.t k.t o l\nfuse w.i o l lane\n"
         "split sum n 16 n.t o\nsplit sum k.i 16 k.t l\nreorder sum k.o m n.t k.t o l\n"
         "# instructions\n"
         "tensorize x.i lane tile.load_inp\ntensorize w.i lane tile.load_wgt\n"
         "tensorize sum o tile.gemm\ntensorize y.o lane tile.requant\n"
         "tensorize y lane tile.store\n";
}

Result<RunReport> Measure(const te::Tensor& y, const std::string& steps,
                          const isa::Config& config) {
  TESSERA_ASSIGN(const schedule::Trace trace, schedule::ParseTrace(steps));
  TESSERA_ASSIGN(const schedule::Schedule s,
                 schedule::Schedule::Replay({y}, trace, target::Accelerator(config)));
  Rng rng(1);
  te::Values values;
  std::vector<std::vector<uint8_t>> inputs;
  for (const te::Tensor& t : te::TopologicalOrder({y})) {
    if (!t->placeholder) continue;
    ir::Array a(t.dtype(), t.shape()[0] * t.shape()[1]);
    for (int64_t i = 0; i < a.size(); ++i) a.SetInt(i, rng.Range(-128, 127));
    inputs.push_back(a.bytes());
    values[t.get()] = std::move(a);
  }
  TESSERA_TRY(te::Evaluate({y}, &values));
  TESSERA_ASSIGN(const auto device, OpenDevice("cycle", config, {}));
  TESSERA_ASSIGN(const compiler::ScheduledRun run, compiler::RunScheduled(s, *device, inputs));
  if (run.output != values.at(y.get()).bytes())
    return Fail(Code::kDataLoss, "the result is not what the expression says");
  return run.report;
}

Result<std::string> Document() {
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig("default"));
  const te::Tensor y = Product();
  const Version kVersions[] = {
      {"One tile of weights at a time",
       "A tile of work is 16 columns of 16 rows. For each 16 of the reduction its rows and its "
       "weights are fetched anew: the\nbus has as much to do as if nothing stayed, and the array "
       "waits for it.",
       16, 16, 16, false},
      {"Larger tiles of work",
       "64 rows by 64 columns: each row that is fetched meets four tiles of weights, each tile of "
       "weights 64 rows. Each piece\nof a scratchpad is taken by the next tile as soon as it is "
       "free, so fetching, multiplying and storing overlap.",
       64, 64, 16, false},
      {"The whole reduction in one chunk",
       "Fewer and longer transfers, but the first product of a tile of work waits until all 128 of "
       "the reduction are there, and\nthe machine has nothing else to do while the first tile of "
       "all comes in.",
       64, 64, 128, false},
      {"Larger tiles still",
       "128 rows need half the weights, but their sums take so much of `acc` that a tile of work "
       "waits until the one before it\nhas been drained.",
       128, 64, 16, false},
      {"Weights that stay",
       "All of `w` fits into `wgt`: without the line `compute_at w.i sum k.o before x.i` it is "
       "computed in front of everything, and\nfetched once. The bus has the least to do, and the "
       "array waits at the "
       "start "
       "until all of it is there: what one layer loses so, a network hides by\nfetching the "
       "weights "
       "of a layer under the layer before.",
       16, 128, 64, true},
  };
  std::string out =
      "# Schedules for the accelerator, step by step\n\n"
      "This page is printed by `schedules_doc` (tools/schedules_doc.cc); run `cmake --build build "
      "-t "
      "regenerate`. [steps](steps.md)\nhas every step by itself. Cycles are of device `cycle`, "
      "configuration `default`: an array of 16 x 16, so that 128 x 128 x 128\nproducts take 8,192 "
      "cycles at best. Every version gives the same integers, compared with the definition.\n\n"
      "    x: int8[128, 128]   w: int8[128, 128]   y = int8(requantised x w^T)\n\n"
      "In C++ a version is a few lines (compiler/driver/run_func.h):\n\n"
      "    schedule::Schedule s = *schedule::Schedule::Create({y}, target::Accelerator(config));\n"
      "    TESSERA_TRY(s.Apply(\"cache_read x inp x.i sum\\n...\"));\n"
      "    TESSERA_ASSIGN(auto run, compiler::RunScheduled(s, *device, {x_bytes, w_bytes}));\n\n";
  std::vector<std::vector<std::string>> rows;
  std::string texts, first;
  for (const Version& v : kVersions) {
    const std::string steps = Steps(v);
    Result<RunReport> report = Measure(y, steps, config);
    if (!report) return Within(v.title, report.error());
    constexpr double kBest = static_cast<double>(kRows * kColumns * kDepth) / 256;
    rows.push_back({std::to_string(rows.size() + 1) + ". " + v.title,
                    Grouped(static_cast<int64_t>(report->cycles)),
                    fmt::format("{:.1f} %", 100 * kBest / static_cast<double>(report->cycles)),
                    Grouped(static_cast<int64_t>(report->bytes_read + report->bytes_written))});
    texts += fmt::format("## {}. {}\n\n{}\n\n", rows.size(), v.title, v.says);
    // The first version whole, of the others the lines that the first has not.
    size_t from = 0;
    for (size_t end; (end = steps.find('\n', from)) != std::string::npos; from = end + 1) {
      const std::string line = steps.substr(from, end - from + 1);
      if (first.empty() || ("\n" + first).find("\n" + line) == std::string::npos)
        texts += "    " + line;
    }
    texts += "\n";
    if (first.empty()) first = steps;
  }
  out += "| version | cycles | of the array | bytes on the bus |\n|---|---|---|---|\n";
  for (const auto& row : rows)
    out += fmt::format("| {} | {} | {} | {} |\n", row[0], row[1], row[2], row[3]);
  return out + "\n" + texts;
}

}  // namespace
}  // namespace tessera::tools

int main() {
  const tessera::Result<std::string> document = tessera::tools::Document();
  if (!document) {
    std::fprintf(stderr, "schedules_doc: %s\n", document.error().message.c_str());
    return 1;
  }
  std::fwrite(document->data(), 1, document->size(), stdout);
  return 0;
}
