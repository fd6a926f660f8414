// SPDX-License-Identifier: Apache-2.0
//
// host_layers ROUNDS: compares two 3x3 convolutions of ResNet-18 (C6: 28x28, 128 channels; C9:
// 14x14, 256) in int8 and float32 with oneDNN on one thread. Our side uses the hand-written
// schedules of bench/layers. The two sides take turns. Prints the least time of each, their ratio,
// and the difference of the results. Each side has its own layouts of input, output and weights;
// our input includes the pads, which the layer before would write. Exit status: 1 if the results
// differ, in float32 by more than 1e-5 of the largest; 2 if it does not run. Depends on: lower,
// codegen/llvm, runtime/host, and oneDNN (libdnnl-dev); without oneDNN it is not built.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "base/file.h"
#include "base/rng.h"
#include "bench/layers/layer.h"
#include "compiler/codegen/llvm/llvm.h"
#include "compiler/ir/layout.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/params.h"
#include "runtime/host/cpu_level.h"
#include "runtime/host/host_code.h"
#include "runtime/host/mapping.h"

namespace tessera {
namespace {

using Bytes = std::vector<uint8_t>;
using bench::Layer;
using bench::LayerShape;

struct Data {
  Bytes x, w;  // x without pads, both row-major
  std::vector<float> factor;
};

template <typename T>
Bytes Random(int64_t count, Rng& rng, const std::function<T(int64_t)>& of) {
  Bytes bytes(static_cast<size_t>(count) * sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    const T value = of(rng.Range(-127, 127));
    std::memcpy(&bytes[static_cast<size_t>(i) * sizeof(T)], &value, sizeof(T));
  }
  return bytes;
}

Data MakeData(const LayerShape& l, bool int8) {
  Rng rng(7);
  const int64_t nx = l.channels * l.size * l.size, nw = l.channels * l.channels * 9;
  Data d;
  if (int8) {
    d.x = Random<uint8_t>(nx, rng, [](int64_t v) { return static_cast<uint8_t>(v + 127); });
    d.w = Random<int8_t>(nw, rng, [](int64_t v) { return static_cast<int8_t>(v); });
  } else {
    d.x = Random<float>(nx, rng, [](int64_t v) { return static_cast<float>(v) / 64; });
    d.w = Random<float>(nw, rng, [](int64_t v) { return static_cast<float>(v) / 1024; });
  }
  for (int64_t c = 0; c < l.channels; ++c)
    d.factor.push_back(1.0f / static_cast<float>(rng.Range(2000, 9000)));
  return d;
}

Bytes Padded(const LayerShape& l, const Bytes& x, size_t bytes) {
  const auto s = static_cast<size_t>(l.size), c = static_cast<size_t>(l.channels);
  Bytes out(c * (s + 2) * (s + 2) * bytes);
  for (size_t row = 0; row < c * s; ++row) {
    const size_t to = (row / s * (s + 2) + row % s + 1) * (s + 2) + 1;
    std::memcpy(&out[to * bytes], &x[row * s * bytes], s * bytes);
  }
  return out;
}

// A function that runs one side, and its result, row-major.
struct Candidate {
  std::function<void()> run;
  std::function<Bytes()> result;
  double least = std::numeric_limits<double>::infinity();
};

Result<Candidate> Ours(const LayerShape& l, bool int8, const Data& data) {
  const std::string path = fmt::format("{}/{}", TESSERA_LAYERS, bench::ScheduleFile(int8));
  TESSERA_ASSIGN(const Bytes text, ReadFile(path));
  TESSERA_ASSIGN(const schedule::Trace trace, schedule::ParseTrace({text.begin(), text.end()}));
  TESSERA_ASSIGN(const schedule::Schedule made,
                 schedule::Schedule::Replay({Layer(l, int8)}, trace, target::Host()));
  std::vector<std::string> names = {"x", "w", "y"};
  if (int8) names = {"x", "w", "factor", "y"};
  TESSERA_ASSIGN(const ir::Func func, lower::Lower(made, "layer", {.params = names}));
  TESSERA_ASSIGN(const Bytes object, codegen::CompileObject({&func, 1}, CpuLevels().front()));
  TESSERA_ASSIGN(HostCode loaded, HostCode::Load(object));
  const auto code = std::make_shared<HostCode>(std::move(loaded));
  TESSERA_ASSIGN(const HostKernel kernel, code->Find("layer"));
  const auto memory = std::make_shared<std::vector<Mapping>>();
  std::vector<void*> places;
  for (const std::string& name : names) {
    const ir::Buffer buffer = schedule::ParamBuffer(made, name);
    Bytes bytes(static_cast<size_t>(ir::SizeInBytes(*buffer)));
    if (name == "x") bytes = ir::PackLayout(*buffer, Padded(l, data.x, int8 ? 1 : 4));
    if (name == "w") bytes = ir::PackLayout(*buffer, data.w);
    if (name == "factor") std::memcpy(bytes.data(), data.factor.data(), bytes.size());
    TESSERA_ASSIGN(Mapping mapping, Mapping::Make(bytes.size()));
    std::memcpy(mapping.data(), bytes.data(), bytes.size());
    places.push_back(mapping.data());
    memory->push_back(std::move(mapping));
  }
  const ir::Buffer output = schedule::ParamBuffer(made, "y");
  return Candidate{[=]() mutable { kernel(places.data()); },
                   [=] {
                     const auto* bytes = static_cast<const uint8_t*>(places.back());
                     (void)code, (void)memory;  // keeps them alive as long as this function
                     return ir::UnpackLayout(*output, {bytes, bytes + ir::SizeInBytes(*output)});
                   }};
}

Candidate OneDnn(const LayerShape& l, bool int8, const Data& data) {
  using namespace dnnl;  // NOLINT: its names have no short prefix
  using Tag = memory::format_tag;
  const auto x_type = int8 ? memory::data_type::u8 : memory::data_type::f32;
  const auto w_type = int8 ? memory::data_type::s8 : memory::data_type::f32;
  const engine cpu(engine::kind::cpu, 0);
  stream order(cpu);
  const memory::dims image{1, l.channels, l.size, l.size}, taps{l.channels, l.channels, 3, 3};
  primitive_attr attributes;
  post_ops after;
  if (int8) {
    attributes.set_output_scales(1 << 1, data.factor);
  } else {
    after.append_eltwise(1, algorithm::eltwise_relu, 0, 0);
    attributes.set_post_ops(after);
  }
  const convolution_forward::desc described(
      prop_kind::forward_inference, algorithm::convolution_direct, {image, x_type, Tag::any},
      {taps, w_type, Tag::any}, {image, x_type, Tag::any}, {1, 1}, {1, 1}, {1, 1});
  const convolution_forward::primitive_desc chosen(described, attributes, cpu);
  memory x(chosen.src_desc(), cpu), w(chosen.weights_desc(), cpu), y(chosen.dst_desc(), cpu);
  const auto put = [&](const Bytes& bytes, const memory::dims& dims, memory::data_type type,
                       Tag tag, memory& to) {
    memory from({dims, type, tag}, cpu, const_cast<uint8_t*>(bytes.data()));
    reorder(from, to).execute(order, from, to);
    order.wait();
  };
  put(data.x, image, x_type, Tag::nchw, x);
  put(data.w, taps, w_type, Tag::oihw, w);
  const convolution_forward convolution(chosen);
  return {
      [=]() mutable {
        convolution.execute(order, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, y}});
        order.wait();
      },
      [=]() mutable {
        memory plain({image, x_type, Tag::nchw}, cpu);
        reorder(y, plain).execute(order, y, plain);
        order.wait();
        const auto* bytes = static_cast<const uint8_t*>(plain.get_data_handle());
        return Bytes(bytes, bytes + plain.get_desc().get_size());
      }};
}

// The largest difference; in float32 relative to the largest value.
double Difference(bool int8, const Bytes& a, const Bytes& b) {
  double most = 0, largest = 1;
  for (size_t i = 0; i < a.size(); i += int8 ? 1 : sizeof(float)) {
    float p = a[i], q = b[i];
    if (!int8) {
      std::memcpy(&p, &a[i], sizeof p);
      std::memcpy(&q, &b[i], sizeof q);
      largest = std::max<double>(largest, std::abs(q));
    }
    if (const double apart = std::abs(p - q); !(apart <= most)) most = apart;  // keeps a NaN
  }
  return most / largest;
}

void Time(Candidate& c) {
  const auto begin = std::chrono::steady_clock::now();
  c.run();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  c.least = std::min(c.least, took.count());
}

int Main(int count, char** words) {
  const int rounds = count == 2 ? std::atoi(words[1]) : 0;
  if (rounds < 1) {
    fmt::print(stderr, "host_layers ROUNDS: runs of each layer\n");
    return 2;
  }
  omp_set_num_threads(1);
  bool same = true;
  fmt::print("layer       ours ms   oneDNN ms   ours GOP/s   ratio   difference\n");
  for (const bool int8 : {false, true}) {
    for (const LayerShape& l : {LayerShape{"c6", 128, 28}, LayerShape{"c9", 256, 14}}) {
      const Data data = MakeData(l, int8);
      Result<Candidate> ours = Ours(l, int8, data);
      if (!ours) {
        fmt::print(stderr, "host_layers: {}\n", ours.error().message);
        return 2;
      }
      Candidate theirs = OneDnn(l, int8, data);
      for (int i = 0; i < rounds; ++i) {
        Time(*ours);
        Time(theirs);
      }
      const double difference = Difference(int8, ours->result(), theirs.result());
      fmt::print("{} {:<6}{:>10.3f}{:>12.3f}{:>13.0f}{:>8.2f}   {:.2g}\n", l.name,
                 int8 ? "int8" : "fp32", ours->least, theirs.least,
                 l.operations() / ours->least * 1e-6, theirs.least / ours->least, difference);
      same = same && difference <= (int8 ? 0 : 1e-5);
    }
  }
  if (!same) fmt::print(stderr, "host_layers: the results differ\n");
  return same ? 0 : 1;
}

}  // namespace
}  // namespace tessera

int main(int count, char** words) { return tessera::Main(count, words); }
