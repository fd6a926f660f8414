// SPDX-License-Identifier: Apache-2.0
//
// gpu_peers: products of matrices and ResNet-18's convolutions by the kernels of device cuda, in
// float32, float16 and int8, beside cuBLAS and cuDNN on the same GPU in the same run. The two take
// turns; the least time of each is printed with their ratio, and whether the results are equal:
// elements are -1, 0 and 1, so that every sum is exact in every type and order. Without a GPU it
// says so; TESSERA_CUDA_DRIVER may name a stand-in, whose times mean nothing. Depends on:
// lower/gpu, codegen/llvm, runtime/gpu; cuBLAS and cuDNN are opened when it runs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "base/rng.h"
#include "bench/peers/nvidia_libraries.h"
#include "compiler/codegen/llvm/ptx.h"
#include "compiler/ir/array.h"
#include "compiler/ir/layout.h"
#include "compiler/lower/gpu/kernels.h"
#include "compiler/schedule/gpu.h"
#include "compiler/schedule/params.h"
#include "compiler/target/cuda.h"
#include "compiler/te/te.h"
#include "runtime/gpu/cuda_device.h"

namespace tessera {
namespace {

using Index = std::vector<ir::Expr>;
using SteadyClock = std::chrono::steady_clock;

struct PeerFlags {
  std::string filter;
  int rounds = 5, launches = 20;
  bool tiny = false, check = false;
};

// One line of the table.
struct PeerProblem {
  std::string name;
  DType dtype = DType::kInt8;
  std::optional<ProductSize> product;
  std::optional<ConvSize> conv;
  te::Tensor x, w, y;
  double operations = 0;  // multiplications and additions
};

DType WideOf(DType dtype) { return IsFloat(dtype) ? DType::kFloat32 : DType::kInt32; }

PeerProblem Product(const ProductSize& s, DType dtype) {
  PeerProblem p{.name = fmt::format("product {}x{}x{}", s.rows, s.columns, s.depth),
                .dtype = dtype,
                .product = s};
  p.x = te::Placeholder("x", dtype, {s.rows, s.depth});
  p.w = te::Placeholder("w", dtype, {s.columns, s.depth});
  const te::Axis k = te::ReduceAxis("k", s.depth);
  const DType wide = WideOf(dtype);
  p.y = te::Compute("y", {s.rows, s.columns}, {"i", "j"}, [&](const Index& i) {
    return te::Sum(ir::Cast(wide, p.x(i[0], k.var)) * ir::Cast(wide, p.w(i[1], k.var)), {k});
  });
  p.operations = 2.0 * static_cast<double>(s.rows * s.columns * s.depth);
  return p;
}

PeerProblem Conv(const std::string& name, const ConvSize& s, DType dtype) {
  PeerProblem p{.name = fmt::format("{} {}x{} {} to {}", name, s.taps, s.taps, s.channels, s.outs),
                .dtype = dtype,
                .conv = s};
  const int64_t pad = s.taps / 2, wide_size = s.size + 2 * pad, out = s.out_size();
  p.x = te::Placeholder("x", dtype, {1, s.channels, s.size, s.size});
  p.w = te::Placeholder("w", dtype, {s.outs, s.channels, s.taps, s.taps});
  const te::Tensor padded = te::Compute(
      "p", {1, s.channels, wide_size, wide_size}, {"n", "c", "v", "h"}, [&](const Index& i) {
        const auto inside = [&](const ir::Expr& at) {
          return ir::And(ir::Le(pad, at), ir::Lt(at, pad + s.size));
        };
        return ir::Select(ir::And(inside(i[2]), inside(i[3])),
                          p.x(i[0], i[1], i[2] - pad, i[3] - pad), ir::Const(dtype, 0));
      });
  const te::Axis ci = te::ReduceAxis("ci", s.channels), ky = te::ReduceAxis("ky", s.taps),
                 kx = te::ReduceAxis("kx", s.taps);
  const DType wide = WideOf(dtype);
  p.y = te::Compute("y", {1, s.outs, out, out}, {"n", "c", "v", "h"}, [&](const Index& i) {
    return te::Sum(
        ir::Cast(wide, padded(i[0], ci.var, i[2] * s.stride + ky.var, i[3] * s.stride + kx.var)) *
            ir::Cast(wide, p.w(i[1], ci.var, ky.var, kx.var)),
        {ci, ky, kx});
  });
  p.operations = 2.0 * static_cast<double>(s.outs * out * out * s.channels * s.taps * s.taps);
  return p;
}

// The names of VTA's papers, with the input's pads that ResNet-18 has.
std::vector<PeerProblem> Problems(bool tiny) {
  const std::pair<const char*, ConvSize> kLayers[] = {
      {"C1", {3, 64, 224, 7, 2}},    {"C2", {64, 64, 56, 3, 1}},    {"C3", {64, 64, 56, 1, 1}},
      {"C4", {64, 128, 56, 3, 2}},   {"C5", {64, 128, 56, 1, 2}},   {"C6", {128, 128, 28, 3, 1}},
      {"C7", {128, 256, 28, 3, 2}},  {"C8", {128, 256, 28, 1, 2}},  {"C9", {256, 256, 14, 3, 1}},
      {"C10", {256, 512, 14, 3, 2}}, {"C11", {256, 512, 14, 1, 2}}, {"C12", {512, 512, 7, 3, 1}}};
  std::vector<PeerProblem> all;
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kInt8}) {
    if (tiny) {
      all.push_back(Product({24, 20, 40}, dtype));
      all.push_back(Conv("C", {8, 16, 9, 3, 2}, dtype));
      continue;
    }
    for (const int64_t n : {512, 1024, 2048, 4096}) all.push_back(Product({n, n, n}, dtype));
    for (const auto& [name, size] : kLayers) all.push_back(Conv(name, size, dtype));
  }
  return all;
}

ir::Array Elements(const te::Tensor& t, Rng& rng) {
  int64_t count = 1;
  for (const int64_t n : t.shape()) count *= n;
  ir::Array a(t.dtype(), count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t v = rng.Range(-1, 1);
    IsFloat(t.dtype()) ? a.SetFloat(i, static_cast<float>(v)) : a.SetInt(i, v);
  }
  return a;
}

std::vector<float> Floats(const ir::Array& a) {
  std::vector<float> values;
  for (int64_t i = 0; i < a.size(); ++i)
    values.push_back(IsFloat(a.dtype()) ? a.Float(i) : static_cast<float>(a.Int(i)));
  return values;
}

// The kernels of device cuda for a problem, ready to be launched.
class OurKernels {
 public:
  Status Prepare(const PeerProblem& p, const ir::Array& x, const ir::Array& w) {
    TESSERA_ASSIGN(const schedule::Schedule s, schedule::GpuSchedule({p.y}, target::Cuda(), {"w"}));
    TESSERA_ASSIGN(func_, lower::LowerKernels(s, "peer"));
    TESSERA_ASSIGN(const std::string text, codegen::PtxSource(func_.kernels));
    TESSERA_ASSIGN(device_, OpenCudaDevice());
    TESSERA_TRY(device_->Build(text));
    std::map<std::string, std::vector<uint8_t>> values = {{"x", x.bytes()}, {"w", w.bytes()}};
    TESSERA_TRY(schedule::Prepare(s, &values));
    const auto place = [&](const ir::Buffer& b) -> Status {
      const auto bytes = static_cast<uint64_t>(ir::SizeInBytes(*b));
      TESSERA_ASSIGN(const uint64_t memory, device_->Allocate(bytes));
      places_[b.get()] = {memory, 0};
      const auto known = values.find(b->name);
      return known == values.end() ? Status() : device_->Write({memory, 0}, known->second);
    };
    for (const ir::Buffer& b : func_.loops.params) TESSERA_TRY(place(b));
    for (const ir::Buffer& b : func_.temporaries) TESSERA_TRY(place(b));
    return {};
  }

  Status Launch() {
    for (const lower::GpuKernel& k : func_.kernels) {
      std::vector<KernelDevice::MemoryPlace> buffers;
      for (const ir::Buffer& b : k.params) buffers.push_back(places_.at(b.get()));
      std::array<uint32_t, 3> groups{}, threads{};
      for (size_t d = 0; d < 3; ++d) {
        groups[d] = static_cast<uint32_t>(k.groups[d]);
        threads[d] = static_cast<uint32_t>(k.threads[d]);
      }
      TESSERA_TRY(device_->Launch(k.name, groups, threads, buffers));
    }
    return {};
  }
  // Until all launches have run: reading waits for them.
  Status Wait() {
    uint8_t byte[4];
    return device_->Read(places_.at(func_.loops.params.back().get()), byte);
  }
  Result<std::vector<float>> Read(DType dtype, int64_t count) {
    ir::Array y(dtype, count);
    TESSERA_TRY(device_->Read(places_.at(func_.loops.params.back().get()), y.bytes()));
    return Floats(y);
  }
  const std::string& device() const { return device_->name(); }
  bool fragments() const {
    return std::ranges::any_of(func_.kernels, [](const auto& k) { return k.warps; });
  }

 private:
  lower::KernelFunc func_;
  std::unique_ptr<KernelDevice> device_;
  std::map<const ir::BufferNode*, KernelDevice::MemoryPlace> places_;
};

// Microseconds of one of |launches| launches.
template <typename Launch, typename Wait>
Result<double> Time(int launches, Launch&& launch, Wait&& wait) {
  const auto begin = SteadyClock::now();
  for (int i = 0; i < launches; ++i) TESSERA_TRY(launch());
  TESSERA_TRY(wait());
  const std::chrono::duration<double, std::micro> took = SteadyClock::now() - begin;
  return took.count() / launches;
}

// Prints the line of |p|; whether all that was computed is equal.
Result<bool> Compare(const PeerProblem& p, const PeerFlags& flags, std::set<std::string>* missing) {
  Rng rng(17);
  const ir::Array x = Elements(p.x, rng), w = Elements(p.w, rng);
  OurKernels ours;
  TESSERA_TRY(ours.Prepare(p, x, w));
  Result<PeerCase> peer = p.product ? CublasProduct(*p.product, p.dtype, x.bytes(), w.bytes())
                                    : CudnnConv(*p.conv, p.dtype, x.bytes(), w.bytes());
  TESSERA_TRY(ours.Launch());
  TESSERA_TRY(ours.Wait());
  if (peer) {
    const Status ran = peer->launch();
    if (!ran) peer = std::unexpected(ran.error());
  }
  if (!peer) missing->insert(peer.error().message);
  double our_time = std::numeric_limits<double>::infinity(), peer_time = our_time;
  for (int round = 0; round < flags.rounds; ++round) {
    TESSERA_ASSIGN(const double a,
                   Time(
                       flags.launches, [&] { return ours.Launch(); }, [&] { return ours.Wait(); }));
    our_time = std::min(our_time, a);
    if (!peer) continue;
    TESSERA_ASSIGN(const double b, Time(flags.launches, peer->launch, peer->wait));
    peer_time = std::min(peer_time, b);
  }
  int64_t count = 1;
  for (const int64_t n : p.y.shape()) count *= n;
  TESSERA_ASSIGN(const std::vector<float> got, ours.Read(p.y.dtype(), count));
  bool equal = true;
  std::string with;
  if (peer) {
    TESSERA_ASSIGN(const std::vector<float> want, peer->read());
    equal = want == got;
    with = p.product ? "cuBLAS" : "cuDNN";
  }
  if (flags.check || flags.tiny) {
    te::Values values{{p.x.get(), x}, {p.w.get(), w}};
    TESSERA_TRY(te::Evaluate({p.y}, &values));
    equal = equal && Floats(values.at(p.y.get())) == got;
    with += with.empty() ? "definition" : ", definition";
  }
  fmt::print("{:<26}{:<9}{:<10}{:>11.1f}{:>11.2f}{:>11}{:>8}   {}\n", p.name, Text(p.dtype),
             ours.fragments() ? "mma" : "scalar", our_time, p.operations / our_time * 1e-6,
             peer ? fmt::format("{:.1f}", peer_time) : "-",
             peer ? fmt::format("{:.2f}", peer_time / our_time) : "-",
             with.empty() ? "not compared" : (equal ? "equal to " : "DIFFERENT from ") + with);
  return equal;
}

Result<int> Run(const PeerFlags& flags) {
  TESSERA_ASSIGN(const std::unique_ptr<KernelDevice> device, OpenCudaDevice());
  std::set<std::string> missing;
  bool equal = true, any = false;
  for (const PeerProblem& p : Problems(flags.tiny)) {
    const std::string full = fmt::format("{} {}", p.name, Text(p.dtype));
    if (full.find(flags.filter) == std::string::npos) continue;
    if (!std::exchange(any, true)) {
      fmt::print("{}; the least of {} rounds of {} launches\n", device->name(), flags.rounds,
                 flags.launches);
      fmt::print("{:<26}{:<9}{:<10}{:>11}{:>11}{:>11}{:>8}   results\n", "case", "type", "kernel",
                 "ours us", "TOP/s", "peer us", "ratio");
    }
    TESSERA_ASSIGN(const bool same, Compare(p, flags, &missing));
    equal = equal && same;
  }
  if (!any) return Fail(Code::kNotFound, "--filter {}: no case has it in its name", flags.filter);
  for (const std::string& message : missing) fmt::print("no peer: {}\n", message);
  return equal ? 0 : 1;
}

int Main(int count, char** words) {
  PeerFlags flags;
  CLI::App app{
      "Products of matrices and ResNet-18's convolutions on device cuda, beside cuBLAS and cuDNN.",
      "gpu_peers"};
  app.add_option("--filter", flags.filter, "cases with this in name or type: 'C6', 'int8'");
  app.add_option("--rounds", flags.rounds, "turns that each side has")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--launches", flags.launches, "launches of a turn")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_flag("--tiny", flags.tiny, "small cases, compared with their definition too");
  app.add_flag("--check", flags.check, "compare with the definition too, which takes long");
  app.footer(
      "Ratio: the peer's time by ours, above 1 where ours is faster. Exit codes: 0 all equal, 1 a\n"
      "difference, 2 bad use or no GPU.\n"
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
