// SPDX-License-Identifier: Apache-2.0
//
// gpu_peers: compares products of matrices and the layers of ResNet-18, by the kernels of device
// cuda in float32, float16 and int8, with cuBLAS and cuDNN on the same GPU in the same run.
//
//   Compared   Elements are -1, 0 and 1, so every sum is a whole number that each type holds, in
//              any order of adding: results must be equal. If cuDNN is fastest with Winograd's or
//              Fourier's transforms, whose steps round, results may differ by a part of the largest
//              result, which the line names. If cuDNN writes int8, our results are clamped too.
//   The peer   cuBLAS as it chooses. cuDNN with the fastest plan that runs and is right, of all
//              plans of its graph interface: channels padded or not, both orders of dimensions in
//              float32, results of int32 or int8. Its float16 results are float16, ours float32.
//              Neither side uses tensor cores in float32.
//   Time       The GPU's own time, by events around a turn of launches that wait until all are
//              queued, so no host time is in it. Turns of the two sides alternate, and the least of
//              each counts. The line "nothing" is a kernel that does nothing, the lower limit.
//
// Layers are their sums alone, without the operations after them. docs/rationale/gpu.md has the
// figures of one GPU. Without a GPU the program says so. TESSERA_CUDA_DRIVER may name a stand-in
// without peers, whose times mean nothing. --ptx needs no GPU. Depends on: lower/gpu, codegen/llvm,
// runtime/gpu; opens cuBLAS and cuDNN at run time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>

#include "base/file.h"
#include "bench/peers/gpu_timer.h"
#include "bench/peers/nvidia_libraries.h"
#include "bench/peers/our_kernels.h"
#include "bench/peers/peer_problems.h"
#include "runtime/gpu/cuda_device.h"

namespace tessera {
namespace {

struct PeerFlags {
  std::string filter, ptx;
  int rounds = 5, launches = 20;
  bool tiny = false, check = false;
};

std::string FullName(const PeerProblem& p) { return fmt::format("{} {}", p.name, Text(p.dtype)); }

// The least time of a side; a time without gaps replaces one with gaps.
struct LeastTime {
  GpuTime least{std::numeric_limits<double>::infinity(), true};

  void Take(const GpuTime& t) {
    if (std::pair(t.gaps, t.microseconds) < std::pair(least.gaps, least.microseconds)) least = t;
  }
  std::string Text() const {
    return fmt::format("{:.1f}{}", least.microseconds, least.gaps ? "*" : " ");
  }
};

struct PeerRow {
  std::string kernel = "-", ours = "-", speed = "-", peer = "-", ratio = "-", results;
  bool equal = true;
};

void Print(const std::string& name, std::string_view type, const PeerRow& row) {
  fmt::print("{:<26}{:<9}{:<8}{:>11}{:>9}{:>11}{:>8}   {}\n", name, type, row.kernel, row.ours,
             row.speed, row.peer, row.ratio, row.results);
}

class PeerTable {
 public:
  explicit PeerTable(const PeerFlags& flags, std::unique_ptr<GpuTimer> timer)
      : flags_(flags),
        timer_(std::move(timer)),
        libraries_([this](const std::function<Status()>& launch) { return Microseconds(launch); }) {
  }

  Status Head(const std::string& device) {
    fmt::print("{}; {}; {}\n", device, timer_->Describe(), libraries_.Versions());
    fmt::print("The least of {} turns of {} launches each.\n", flags_.rounds, flags_.launches);
    fmt::print("{:<26}{:<9}{:<8}{:>11}{:>9}{:>11}{:>8}   results\n", "case", "type", "kernel",
               "ours us ", "TOP/s", "peer us ", "ratio");
    LeastTime nothing;
    for (int round = 0; round < flags_.rounds; ++round) {
      TESSERA_ASSIGN(const GpuTime t, timer_->TimeOfNothing(flags_.launches));
      nothing.Take(t);
    }
    Print("nothing", "-", {.ours = nothing.Text(), .results = "an empty kernel"});
    gaps_ = gaps_ || nothing.least.gaps;
    return {};
  }

  void Line(const PeerProblem& p) {
    PeerRow row;
    const Status compared = Compare(p, &row);
    if (!compared) {
      row.equal = false;
      row.results = "FAILS: " + compared.error().message;
    }
    equal_ = equal_ && row.equal;
    ++lines_;
    Print(p.name, Text(p.dtype), row);
  }

  // Prints the end of the table; true if every case ran and is equal.
  bool Foot() const {
    if (gaps_) fmt::print("* the GPU waited for the host between launches\n");
    for (const auto& [message, cases] : without_) {
      const bool all = cases.size() == lines_;
      fmt::print("no peer for {}: {}\n",
                 all ? "any case" : fmt::format("{}", fmt::join(cases, ", ")), message);
    }
    return equal_;
  }

 private:
  // Times a launch to choose a plan. The first launch may load code.
  Result<double> Microseconds(const std::function<Status()>& launch) {
    TESSERA_TRY(launch());
    TESSERA_ASSIGN(const GpuTime t, timer_->Time(std::min(flags_.launches, 5), launch));
    return t.microseconds;
  }

  Status Compare(const PeerProblem& p, PeerRow* row) {
    Rng rng(17);
    const ir::Array x = PeerElements(p.x, rng), w = PeerElements(p.w, rng);
    TESSERA_ASSIGN(PeerKernels kernels, MakePeerKernels(p));
    row->kernel = kernels.fragments() ? "mma" : "scalar";
    PeerOnDevice ours;
    TESSERA_TRY(ours.Prepare(std::move(kernels), x, w));
    const auto launch = [&] { return ours.Launch(); };
    TESSERA_TRY(launch());
    int64_t count = 1;
    for (const int64_t n : p.y.shape()) count *= n;
    TESSERA_ASSIGN(const std::vector<float> got, ours.Read(p.y.dtype(), count));
    const auto is_right = [&](const PeerCase& one) -> Result<bool> {
      TESSERA_ASSIGN(const std::vector<float> want, one.read());
      return Difference(got, want, one).empty();
    };
    Result<PeerCase> peer = p.product
                                ? libraries_.Product(*p.product, p.dtype, x.bytes(), w.bytes())
                                : libraries_.Conv(*p.conv, p.dtype, x.bytes(), w.bytes(), is_right);
    if (peer) {
      const Status ran = peer->launch();
      if (!ran) peer = std::unexpected(ran.error());
    }
    LeastTime our_time, peer_time;
    for (int round = 0; round < flags_.rounds; ++round) {
      TESSERA_ASSIGN(const GpuTime a, timer_->Time(flags_.launches, launch));
      our_time.Take(a);
      if (!peer) continue;
      const Result<GpuTime> b = timer_->Time(flags_.launches, peer->launch);
      if (b) {
        peer_time.Take(*b);
      } else {
        peer = std::unexpected(b.error());
      }
    }
    const double least = our_time.least.microseconds;
    row->ours = our_time.Text();
    row->speed = fmt::format("{:.2f}", p.operations / least * 1e-6);
    gaps_ = gaps_ || our_time.least.gaps;
    const auto compared = [&](const std::string& with, const std::string& difference) {
      row->equal = row->equal && difference.empty();
      row->results += row->results.empty() ? "" : "; ";
      row->results += difference.empty() ? "equal to " + with
                                         : fmt::format("DIFFERENT from {}: {}", with, difference);
    };
    if (peer) {
      row->peer = peer_time.Text();
      row->ratio = fmt::format("{:.2f}", peer_time.least.microseconds / least);
      gaps_ = gaps_ || peer_time.least.gaps;
      TESSERA_ASSIGN(const std::vector<float> want, peer->read());
      compared(peer->off == 0 ? peer->how
                              : fmt::format("{}, within {:g} of the largest", peer->how, peer->off),
               Difference(got, want, *peer));
    } else {
      without_[peer.error().message].push_back(FullName(p));
    }
    if (flags_.check || flags_.tiny) {
      te::Values values{{p.x.get(), x}, {p.w.get(), w}};
      TESSERA_TRY(te::Evaluate({p.y}, &values));
      compared("definition", Difference(got, Floats(values.at(p.y.get())), {}));
    }
    if (row->results.empty()) row->results = "not compared";
    return {};
  }

  const PeerFlags& flags_;
  std::unique_ptr<GpuTimer> timer_;
  NvidiaLibraries libraries_;
  std::map<std::string, std::vector<std::string>> without_;  // cases without a peer, by reason
  size_t lines_ = 0;
  bool equal_ = true, gaps_ = false;
};

// Writes the PTX of |problems| and of the timer as files into |folder|.
Status WritePtx(const std::vector<PeerProblem>& problems, const std::string& folder) {
  std::error_code made;
  std::filesystem::create_directories(folder, made);
  if (made) return Fail(Code::kUnavailable, "--ptx {}: {}", folder, made.message());
  TESSERA_TRY(WriteFile(folder + "/timer.ptx", std::string_view(GpuTimer::Ptx())));
  for (const PeerProblem& p : problems) {
    TESSERA_ASSIGN(const PeerKernels kernels, MakePeerKernels(p));
    std::string file = FullName(p) + ".ptx";
    std::ranges::replace(file, ' ', '_');
    TESSERA_TRY(WriteFile(folder + "/" + file, kernels.ptx));
    fmt::print("{}: {}\n", file, kernels.fragments() ? "mma" : "scalar");
  }
  return {};
}

Result<int> Run(const PeerFlags& flags) {
  std::vector<PeerProblem> problems = PeerProblems(flags.tiny);
  std::erase_if(problems, [&](const PeerProblem& p) {
    return FullName(p).find(flags.filter) == std::string::npos;
  });
  if (problems.empty())
    return Fail(Code::kNotFound, "--filter {}: no case has it in its name", flags.filter);
  if (!flags.ptx.empty()) {
    TESSERA_TRY(WritePtx(problems, flags.ptx));
    return 0;
  }
  TESSERA_ASSIGN(const std::unique_ptr<KernelDevice> device, OpenCudaDevice());
  TESSERA_ASSIGN(std::unique_ptr<GpuTimer> timer, GpuTimer::Open());
  PeerTable table(flags, std::move(timer));
  TESSERA_TRY(table.Head(device->name()));
  for (const PeerProblem& p : problems) table.Line(p);
  return table.Foot() ? 0 : 1;
}

int Main(int count, char** words) {
  PeerFlags flags;
  CLI::App app{
      "Products of matrices and ResNet-18's layers on device cuda, beside cuBLAS and cuDNN.",
      "gpu_peers"};
  app.add_option("--filter", flags.filter, "cases with this in name or type: 'C6', 'int8'");
  app.add_option("--rounds", flags.rounds, "turns that each side has")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--launches", flags.launches, "launches of a turn")
      ->check(CLI::Range(1, GpuTimer::kMostLaunches))
      ->capture_default_str();
  app.add_flag("--tiny", flags.tiny, "small cases, compared with their definition too");
  app.add_flag("--check", flags.check, "compare with the definition too, which takes long");
  app.add_option("--ptx", flags.ptx,
                 "write the kernels to this folder, and run none: no GPU needed");
  app.footer(
      "Ratio: the peer's time by ours, above 1 where ours is faster. Exit codes: 0 all equal, 1 a\n"
      "difference or a case of ours that fails, 2 bad use or no GPU.\n"
      "Example: gpu_peers --filter int8");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    fmt::print(stderr, "gpu_peers: {}; --help lists what it takes\n", error.what());
    return 2;
  }
  const Result<int> code = Run(flags);
  if (code) return *code;
  fmt::print(stderr, "gpu_peers: {}\n", code.error().message);
  return 2;
}

}  // namespace
}  // namespace tessera

int main(int count, char** words) { return tessera::Main(count, words); }
