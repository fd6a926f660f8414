// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/accel/net.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "compiler/graph/fuse.h"
#include "compiler/ir/layout.h"
#include "compiler/network/layers.h"
#include "compiler/quantize/params.h"
#include "compiler/validate/validate.h"
#include "sim/func/func_device.h"

namespace tessera::test {

using graph::TensorId;

isa::Config NamedConfig(const std::string& name) {
  for (const isa::Config& c : isa::NamedConfigs()) {
    if (c.name == name) return c;
  }
  TESSERA_CHECK(false, "{}", name);
}

graph::Window Square(int64_t kernel, int64_t stride, int64_t dilation) {
  graph::Window w;
  w.kernel = {kernel, kernel};
  w.stride = {stride, stride};
  w.dilation = {dilation, dilation};
  const int64_t pad = (kernel - 1) * dilation / 2;
  w.pad_before = w.pad_after = {pad, pad};
  return w;
}

TensorId Net::Input(std::vector<int64_t> shape) {
  graph::GraphTensor t;
  t.name = fmt::format("t{}", graph_.tensors.size());
  t.shape = std::move(shape);
  t.quant = graph::Quant{{0.05}, {Zero()}, -1};
  const TensorId id = graph_.AddTensor(t);
  graph_.inputs.push_back(id);
  return id;
}

TensorId Net::Result(graph::Node node, std::vector<int64_t> shape) {
  graph::GraphTensor t;
  t.name = fmt::format("t{}", graph_.tensors.size());
  t.shape = std::move(shape);
  t.quant = graph::Quant{{0.05}, {node.requant ? node.requant->out_zero : Zero()}, -1};
  node.name = t.name;
  node.output = graph_.AddTensor(t);
  graph_.nodes.push_back(node);
  return node.output;
}

// Multipliers that scale a sum of |products| products of int8 values into range.
graph::Requant Net::Scale(int64_t channels, int64_t products, isa::Round round) {
  graph::Requant q;
  q.round = round;
  q.out_zero = Zero();
  if (rng_.Range(0, 1)) q.lo = q.out_zero;  // a ReLU
  int shift = -5;
  for (int64_t p = products; p > 1; p /= 4) --shift;
  for (int64_t c = 0; c < channels; ++c) {
    q.bias.push_back(static_cast<int32_t>(rng_.Range(-2000, 2000)));
    q.multiplier.push_back(
        static_cast<int32_t>(rng_.Range(int64_t{1} << 30, (int64_t{1} << 31) - 1)));
    q.shift.push_back(static_cast<int8_t>(std::max<int64_t>(shift + rng_.Range(-1, 1), -31)));
  }
  return q;
}

TensorId Net::Conv(TensorId x, int64_t outs, graph::Window window, int64_t groups,
                   isa::Round round) {
  const std::vector<int64_t> in = graph_.tensor(x).shape;
  graph::GraphTensor w;
  w.name = fmt::format("w{}", graph_.tensors.size());
  w.shape = {outs, in[1] / groups, window.kernel[0], window.kernel[1]};
  w.quant = graph::Quant{{0.01}, {0}, -1};
  w.data.emplace();
  for (int64_t k = 0; k < w.count(); ++k)
    w.data->push_back(static_cast<uint8_t>(rng_.Range(-127, 127)));
  graph::Node node;
  node.op = graph::Op::kConv;
  node.inputs = {x, graph_.AddTensor(w)};
  node.attributes = graph::ConvAttributes{window, groups};
  node.requant = Scale(outs, w.count() / outs, round);
  return Result(node, {in[0], outs, window.OutExtent(0, in[2]), window.OutExtent(1, in[3])});
}

TensorId Net::Dense(TensorId x, int64_t outs) {
  const std::vector<int64_t> in = graph_.tensor(x).shape;
  graph::GraphTensor w;
  w.name = fmt::format("w{}", graph_.tensors.size());
  w.shape = {outs, in[1]};
  w.quant = graph::Quant{{0.01}, {0}, -1};
  w.data.emplace();
  for (int64_t k = 0; k < w.count(); ++k)
    w.data->push_back(static_cast<uint8_t>(rng_.Range(-127, 127)));
  graph::Node node;
  node.op = graph::Op::kDense;
  node.inputs = {x, graph_.AddTensor(w)};
  node.requant = Scale(outs, in[1], isa::Round::kEven);
  return Result(node, {in[0], outs});
}

TensorId Net::Add(TensorId a, TensorId b, isa::Round round) {
  graph::Node node;
  node.op = graph::Op::kAdd;
  node.inputs = {a, b};
  node.requant = Scale(1, 1, round);
  node.requant->bias = {0};
  node.requant->shift = {static_cast<int8_t>(-rng_.Range(18, 20))};
  const bool first = rng_.Range(0, 1) != 0;  // operand with the larger scale
  node.requant->operands.resize(2);
  for (size_t k = 0; k < 2; ++k) {
    graph::OperandScale& in = node.requant->operands[k];
    in.zero = graph_.tensor(node.inputs[k]).quant->zero[0];
    if ((k == 0) == first) continue;
    in.multiplier = static_cast<int32_t>(rng_.Range(int64_t{1} << 30, (int64_t{1} << 31) - 1));
    in.shift = static_cast<int8_t>(-rng_.Range(1, 4));
  }
  return Result(node, graph_.tensor(a).shape);
}

TensorId Net::Sub(TensorId a, TensorId b) {
  const TensorId result = Add(a, b, isa::Round::kTflite);
  graph_.nodes.back().op = graph::Op::kSub;
  return result;
}

TensorId Net::Mul(TensorId a, TensorId b) {
  graph::Node node;
  node.op = graph::Op::kMul;
  node.inputs = {a, b};
  node.requant = Scale(1, 1, isa::Round::kEven);
  node.requant->bias = {0};
  return Result(node, graph_.tensor(a).shape);
}

TensorId Net::Prelu(TensorId x, isa::Round round) {
  graph::GraphTensor slopes;
  slopes.name = fmt::format("s{}", graph_.tensors.size());
  slopes.shape = {1, graph_.tensor(x).shape[1], 1, 1};
  slopes.quant = graph::Quant{{0.004 + 0.02 * rng_.Unit()}, {Zero()}, -1};
  slopes.data.emplace();
  for (int64_t c = 0; c < slopes.count(); ++c)
    slopes.data->push_back(static_cast<uint8_t>(37 * c));  // coprime to 256
  graph::Node node{.op = graph::Op::kPrelu, .inputs = {x}, .round = round};
  node.inputs.push_back(graph_.AddTensor(slopes));
  const TensorId result = Result(std::move(node), graph_.tensor(x).shape);
  graph_.tensor(result).quant->scale = {0.02 + 0.1 * rng_.Unit()};
  const Status attached = quantize::AttachRequant(graph_, graph_.nodes.back());
  TESSERA_CHECK(attached.has_value(), "{}", attached.error().message);
  return result;
}

TensorId Net::MaxPool(TensorId x, graph::Window window) {
  graph::Node node;
  node.op = graph::Op::kMaxPool;
  node.inputs = {x};
  node.attributes = graph::PoolAttributes{window};
  const std::vector<int64_t> in = graph_.tensor(x).shape;
  return Result(node, {in[0], in[1], window.OutExtent(0, in[2]), window.OutExtent(1, in[3])});
}

TensorId Net::AvgPool(TensorId x, graph::Window window) {
  graph::Node node;
  node.op = graph::Op::kAvgPool;
  node.inputs = {x};
  node.attributes = graph::PoolAttributes{window};
  node.requant = Scale(1, window.kernel[0] * window.kernel[1], isa::Round::kEven);
  node.requant->shift = {static_cast<int8_t>(-4)};
  const std::vector<int64_t> in = graph_.tensor(x).shape;
  return Result(node, {in[0], in[1], window.OutExtent(0, in[2]), window.OutExtent(1, in[3])});
}

TensorId Net::Rescale(TensorId x) {
  graph::Node node;
  node.op = graph::Op::kRescale;
  node.inputs = {x};
  node.requant = Scale(1, 1, isa::Round::kEven);
  node.requant->bias = {-graph_.tensor(x).quant->zero[0]};
  node.requant->shift = {0};
  return Result(node, graph_.tensor(x).shape);
}

TensorId Net::Transpose(TensorId x) {
  graph::GraphTensor t = graph_.tensor(x);
  const size_t rank = t.shape.size();
  t.name = fmt::format("t{}", graph_.tensors.size());
  std::swap(t.shape[rank - 2], t.shape[rank - 1]);
  graph::TransposeAttributes order;
  for (size_t d = 0; d < rank; ++d) order.perm.push_back(static_cast<int>(d));
  std::swap(order.perm[rank - 2], order.perm[rank - 1]);
  graph::Node node;
  node.op = graph::Op::kTranspose;
  node.name = t.name;
  node.inputs = {x};
  node.attributes = order;
  node.output = graph_.AddTensor(t);
  graph_.nodes.push_back(node);
  return node.output;
}

TensorId Net::Reshape(TensorId x, std::vector<int64_t> shape) {
  graph::Node node;
  node.op = graph::Op::kReshape;
  node.inputs = {x};
  return Result(node, std::move(shape));
}

namespace {

// The network with its regions, without a program.
Compiled Bound(const graph::Graph& graph) {
  using network::Activation;
  Compiled c;
  for (const graph::GraphTensor& t : graph.tensors)
    c.activations.push_back({t.name, t.shape, Activation::Kind::kInternal});
  for (TensorId id : graph.inputs)
    c.activations[static_cast<size_t>(id)].kind = Activation::Kind::kInput;
  for (TensorId id : graph.outputs)
    c.activations[static_cast<size_t>(id)].kind = Activation::Kind::kOutput;
  uint32_t layer = 0;
  for (const graph::Region& region : graph::Fuse(graph)) {
    c.te.push_back(te::BuildRegion(graph, region));
    lower::accel::AccelRegion r = network::BindRegion(c.te.back());
    r.layer = layer++;
    c.regions.push_back(std::move(r));
  }
  return c;
}

}  // namespace

Result<Compiled> CompileBySteps(graph::Graph& graph, const isa::Config& config) {
  Compiled c = Bound(graph);
  for (lower::accel::AccelRegion& region : c.regions) {
    TESSERA_ASSIGN(region.schedule, lower::accel::StepsOf(region, config));
  }
  TESSERA_ASSIGN(c.program, CompileAlone(c.activations, c.regions, config));
  return c;
}

Result<Compiled> Compile(graph::Graph& graph, const isa::Config& config, bool dump,
                         bool store_all) {
  Compiled c = Bound(graph);
  TESSERA_ASSIGN(c.program, CompileAlone(c.activations, c.regions, config,
                                         {.store_all = store_all, .dump = dump}));
  return c;
}

Result<ProgramAlone> CompileAlone(const std::vector<network::Activation>& activations,
                                  const std::vector<lower::accel::AccelRegion>& regions,
                                  const isa::Config& config, const AloneOptions& options) {
  TESSERA_ASSIGN(network::ProgramPlan plan, network::PlanProgram(activations, regions, config,
                                                                 {.store_all = options.store_all,
                                                                  .residency = options.residency}));
  TESSERA_TRY(network::PackConstants(regions, &plan));
  const network::MemoryPlan memory = plan.PlaceNeeds();
  TESSERA_ASSIGN(codegen::accel::AccelProgram emitted,
                 codegen::accel::EmitProgram(plan, activations, regions, config, memory.offsets,
                                             memory.bytes, options.dump));
  TESSERA_TRY(validate::CheckTranslation(plan, regions, config, memory.offsets, memory.bytes,
                                         emitted.image, {.all = true, .both_orders = true}));
  ProgramAlone program;
  static_cast<codegen::accel::AccelProgram&>(program) = std::move(emitted);
  for (size_t k = 0; k < plan.needs.size(); ++k) {
    const network::MemoryNeed& need = plan.needs[k];
    (need.made ? program.results : program.inputs)
        .push_back({need.activation, memory.offsets[k], need.packing});
  }
  for (const network::Resident& s : plan.residency.residents)
    program.residents.push_back(s.activation);
  program.traces = plan.traces;
  program.plan = plan;
  program.offsets = memory.offsets;
  program.arena_bytes = memory.bytes;
  return program;
}

Values RandomInputs(const graph::Graph& graph, Rng& rng) {
  Values values;
  for (TensorId id : graph.inputs) {
    std::vector<int8_t>& v = values[id];
    for (int64_t k = 0; k < graph.tensor(id).count(); ++k)
      v.push_back(static_cast<int8_t>(rng.Range(-128, 127)));
  }
  return values;
}

void Evaluate(const Compiled& c, Values& values) {
  for (const te::RegionTe& region : c.te) {
    te::Values v;
    for (const te::Binding& b : region.bindings) {
      std::vector<uint8_t> bytes = b.constant;
      if (b.activation >= 0) {
        const std::vector<int8_t>& x = values.at(b.activation);
        bytes.assign(x.begin(), x.end());
      }
      v[b.placeholder.get()] = ir::Array(b.placeholder.dtype(), bytes);
    }
    const Status status = te::Evaluate({region.output}, &v);
    TESSERA_CHECK(status.has_value(), "{}", status.error().message);
    const std::vector<uint8_t>& bytes = v.at(region.output.get()).bytes();
    values[region.output_id].assign(bytes.begin(), bytes.end());
  }
}

std::string CompareValues(const std::string& name, const std::vector<int8_t>& got,
                          const std::vector<int8_t>& want) {
  if (got.size() != want.size())
    return fmt::format("{}: {} values, expected {}\n", name, got.size(), want.size());
  int64_t wrong = 0, first = -1;
  for (size_t k = 0; k < got.size(); ++k) {
    if (got[k] == want[k]) continue;
    if (wrong++ == 0) first = static_cast<int64_t>(k);
  }
  if (wrong == 0) return "";
  return fmt::format("{}: {} of {} values differ, first at {}: {}, expected {}\n", name, wrong,
                     got.size(), first, got[static_cast<size_t>(first)],
                     want[static_cast<size_t>(first)]);
}

std::string RunAndCompare(const Compiled& c, const isa::Config& config, const Values& values,
                          uint64_t schedule_seed) {
  sim::FuncOptions func;
  func.schedule_seed = schedule_seed;
  auto made = sim::MakeFuncDevice(config, func);
  if (!made) return made.error().message;
  return RunAndCompareOn(**made, c, values);
}

std::string RunAndCompareOn(Device& device, const Compiled& c, const Values& values,
                            RunReport* told) {
  const isa::ProgramImage& image = c.program.image;
  Launch launch;
  launch.insn_count = static_cast<uint32_t>(image.insn_count());
  launch.insn_addr = device.Allocate(image.code.size()).value();
  if (!device.Write(launch.insn_addr, image.code)) return "code does not fit";
  for (size_t s = 0; s < image.segments.size(); ++s) {
    const isa::SegmentData& segment = image.segments[s];
    if (segment.size == 0 || s == static_cast<size_t>(isa::Segment::kInput)) continue;
    launch.segments[s] = {device.Allocate(segment.size).value(), segment.size};
    // Bytes that nothing writes are junk.
    std::vector<uint8_t> bytes(segment.size, 0xa5);
    std::copy(segment.data.begin(), segment.data.end(), bytes.begin());
    if (!device.Write(launch.segments[s].base, bytes)) return "a segment does not fit";
  }
  constexpr auto kArena = static_cast<size_t>(isa::Segment::kArena),
                 kInput = static_cast<size_t>(isa::Segment::kInput);
  const uint64_t arena = launch.segments[kArena].base;
  launch.segments[kInput] = {arena, image.segments[kInput].size};
  for (const ActivationPlace& p : c.program.inputs) {
    std::vector<uint8_t> bytes(static_cast<size_t>(p.packing.bytes()));
    schedule::accel::Pack(p.packing, values.at(p.activation), bytes);
    if (!device.Write(arena + static_cast<uint64_t>(p.offset), bytes)) return "input";
  }
  const auto report = device.Run(launch);
  if (!report) return report.error().message;
  if (told != nullptr) *told = *report;
  if (report->leftover_tokens) return "tokens are left over";
  std::string text;
  for (const ActivationPlace& p : c.program.results) {
    std::vector<uint8_t> bytes(static_cast<size_t>(p.packing.bytes()));
    if (!device.Read(arena + static_cast<uint64_t>(p.offset), bytes)) return "result";
    std::vector<int8_t> got(static_cast<size_t>(p.packing.elements()));
    schedule::accel::Unpack(p.packing, bytes, got);
    text += CompareValues(c.activations[static_cast<size_t>(p.activation)].name, got,
                          values.at(p.activation));
  }
  return text;
}

}  // namespace tessera::test
