// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/place_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/bits.h"
#include "compiler/network/channel_weights.h"
#include "compiler/network/place.h"
#include "compiler/network/shared_places.h"
#include "compiler/schedule/accel/plan.h"

namespace tessera::network {
namespace {

using graph::Region;
using graph::TensorId;

// ", of which A and B": the positive times of |parts|, each with its words. Empty if there is none.
std::string OfWhich(const std::vector<std::pair<double, const char*>>& parts) {
  std::string text;
  for (const auto& [seconds, what] : parts) {
    if (seconds > 0)
      text +=
          fmt::format("{} {} {}", text.empty() ? ", of which" : " and", TimeText(seconds), what);
  }
  return text;
}

// The bytes of each tensor, |bytes| as a whole, that are on chip at one time if the layers that
// make and read it take turns (network/residency.h): the rows of the reader's window and of its
// next step, in one block of channels if one of the layers has each channel by itself. A tensor
// whose one reader has no window is there as a whole.
std::vector<double> BytesInTurns(const graph::Graph& graph, std::vector<double> bytes,
                                 const isa::Config& config) {
  std::vector<int> reads(bytes.size());
  for (const graph::Node& node : graph.nodes) {
    for (const TensorId id : node.inputs) ++reads[static_cast<size_t>(id)];
  }
  for (const graph::Node& node : graph.nodes) {
    const auto window = graph::WindowOf(node);
    if (!window) continue;
    const TensorId id = node.inputs[0];
    const graph::Shape& shape = graph.tensor(id).shape;
    if (reads[static_cast<size_t>(id)] != 1 || shape.size() != 4) continue;
    const int64_t rows = window->Reach(0) + window->stride[0];
    double& all = bytes[static_cast<size_t>(id)];
    if (rows < shape[2]) all *= static_cast<double>(rows) / static_cast<double>(shape[2]);
    const auto maker = graph.ProducerOf(id);
    if (IsDepthwise(graph, node) || (maker && IsDepthwise(graph, graph.nodes[*maker])))
      all /= static_cast<double>(CeilDiv(shape[1], int64_t{config.block_in}));
  }
  return bytes;
}

}  // namespace

std::string TimeText(double seconds) {
  const double us = seconds * 1e6;
  if (us < 9.95) return fmt::format("{:.1f} us", us);
  if (us < 999.5) return fmt::format("{:.0f} us", us);
  return fmt::format("{:.1f} ms", us / 1e3);
}

double PartTimes::OnHost() const {
  return host + std::max(-cycles, 0.0) + std::max(-start, 0.0) + std::max(-carry, 0.0);
}
double PartTimes::OnAccelerator() const {
  return std::max(cycles, 0.0) + std::max(start, 0.0) + std::max(carry, 0.0);
}

PlaceCosts::PlaceCosts(const Layers& layers, PlacedFuse fuse)
    : layers_(layers),
      graph_(layers.graph()),
      fuse_(std::move(fuse)),
      nodes_(graph::Fuse(graph_, false)),
      in_place_(InSharedPlace(graph_, layers.config())),
      packed_(nodes_.size()) {
  for (const Region& node : nodes_) free_.push_back(IsView(graph_, node, layers.config()));
  const auto inp = static_cast<double>(layers.config().Depth(isa::Memory::kInp) *
                                       layers.config().inp_tile_bytes());
  for (const graph::GraphTensor& t : graph_.tensors) {
    const bool has_place = t.shape.size() <= 4;
    bytes_.push_back(
        has_place ? static_cast<double>(schedule::accel::PackingOf(
                                            schedule::accel::ToShape4(t.shape), layers.config())
                                            .bytes())
                  : 0);
    may_stay_.push_back(has_place && bytes_.back() <= inp);
  }
  // Turns leave half of INP to what else the layers read.
  const std::vector<double> in_turns = BytesInTurns(graph_, bytes_, layers.config());
  for (size_t t = 0; t < may_stay_.size(); ++t) {
    if (bytes_[t] > inp && in_turns[t] <= inp / 2) may_stay_[t] = true;
  }
}

const std::vector<TensorId>& PlaceCosts::PackedFor(size_t n) const {
  if (!packed_[n]) packed_[n] = layers_.PackedByHost(nodes_[n]);
  return *packed_[n];
}

std::vector<int> PlaceCosts::TurnsOf(const Devices& on) const {
  std::vector<std::vector<TensorId>> packed(on.size());
  for (size_t n = 0; n < on.size(); ++n) {
    if (on[n] == kAccelerator) packed[n] = PackedFor(n);
  }
  return Turns(graph_, nodes_, on, packed);
}

// Who makes and reads each tensor of a placed network.
class PlaceCosts::Uses {
 public:
  Uses(const PlaceCosts& costs, const graph::Graph& graph, const Devices& on,
       const std::vector<int>& turns)
      : costs_(costs), uses_(graph.tensors.size()) {
    for (size_t n = 0; n < on.size(); ++n) {
      if (on[n] == kAccelerator) Of(graph.nodes[n].output).made_in = turns[n];
      Of(graph.nodes[n].output).on_gpu = IsGpu(on[n]);
    }
    for (const TensorId id : graph.outputs) Of(id).by_host = true;
    for (size_t n = 0; n < on.size(); ++n) {
      for (const TensorId id : costs.nodes()[n].inputs) Read(id, n, on[n], turns[n]);
    }
  }

  // Where |id| is for readers on the accelerator in |turn|.
  Lies For(TensorId id, int turn) const {
    if (!Of(id).made_in) return Lies::kOnHost;
    return costs_.MayStay(id) && Of(id).made_in == turn ? Lies::kOnChip : Lies::kInMemory;
  }
  // Whether |id|, which the accelerator makes, goes to device memory.
  bool Stored(TensorId id) const {
    return !costs_.MayStay(id) || Of(id).by_host || Of(id).by_gpu || Of(id).later;
  }
  // Seconds in which |id| is brought to the GPU, or from there to the host.
  double Linked(TensorId id) const {
    const Use& of = Of(id);
    const bool leaves = of.by_host || of.packed || of.read || of.taps > 0;
    return (of.on_gpu ? leaves : of.by_gpu) ? costs_.LinkSeconds(id) : 0;
  }
  // Seconds in which the host packs and unpacks |id|.
  double Carried(TensorId id) const {
    const Use& of = Of(id);
    const bool made = of.made_in.has_value();
    const int times = (made && (of.by_host || of.by_gpu || of.packed) ? 1 : 0) +
                      (of.packed ? 1 : 0) + (!made && of.read ? 1 : 0);
    return times * costs_.CarrySeconds(id) + of.taps;
  }

 private:
  struct Use {
    std::optional<int> made_in;  // the turn in which the accelerator makes it
    bool read = false;           // by the accelerator
    bool later = false;          // in another turn than it is made
    bool on_gpu = false;         // the GPU makes it
    bool by_host = false;        // the host reads it, or the user
    bool by_gpu = false;         // the GPU reads it
    bool packed = false;         // the host packs it in a layout of its own
    double taps = 0;             // seconds in which the host packs it as taps
  };
  Use& Of(TensorId id) { return uses_[static_cast<size_t>(id)]; }
  const Use& Of(TensorId id) const { return uses_[static_cast<size_t>(id)]; }

  void Read(TensorId id, size_t node, uint32_t on, int turn) {
    Use& of = Of(id);
    if (on != kAccelerator) {
      (IsGpu(on) ? of.by_gpu : of.by_host) = true;
    } else if (std::ranges::count(costs_.PackedFor(node), id) > 0) {
      of.packed = of.later = true;
    } else if (const auto taps = costs_.TapsSeconds(node, id); taps && !of.made_in) {
      of.taps += *taps;
    } else {
      of.read = true;
      of.later = of.later || of.made_in != turn;
    }
  }

  const PlaceCosts& costs_;
  std::vector<Use> uses_;
};

std::vector<std::optional<double>> PlaceCosts::SecondsOf(const Devices& on,
                                                         const std::vector<Region>& layers) const {
  const std::vector<int> turns = TurnsOf(on);
  return SecondsOf(on, layers, turns, Uses(*this, graph_, on, turns));
}

std::vector<std::optional<double>> PlaceCosts::SecondsOf(const Devices& on,
                                                         const std::vector<Region>& layers,
                                                         const std::vector<int>& turns,
                                                         const Uses& uses) const {
  std::vector<std::optional<double>> seconds;
  for (const Region& layer : layers) {
    const auto lies = [&](TensorId id) {
      return id != layer.output ? uses.For(id, turns[layer.nodes.back()])
             : uses.Stored(id)  ? Lies::kInMemory
                                : Lies::kOnChip;
    };
    const uint32_t device = on[layer.nodes[0]];
    seconds.push_back(device == kAccelerator ? AcceleratorSeconds(layer, lies)
                      : IsGpu(device)        ? GpuSeconds(layer)
                                             : HostSeconds(layer));
  }
  return seconds;
}

NetworkTimes PlaceCosts::Times(const Devices& on) const {
  const std::vector<int> turns = TurnsOf(on);
  const Uses uses(*this, graph_, on, turns);
  NetworkTimes times;
  const std::vector<Region> layers = fuse_(on);
  const std::vector<std::optional<double>> seconds = SecondsOf(on, layers, turns, uses);
  // By tensor: seconds of the layer that makes it, and where.
  std::vector<double> made_in(graph_.tensors.size());
  Devices made_on(graph_.tensors.size());
  for (size_t r = 0; r < layers.size(); ++r) {
    const uint32_t device = on[layers[r].nodes[0]];
    for (const size_t n : layers[r].nodes) {
      made_in[static_cast<size_t>(graph_.nodes[n].output)] = seconds[r].value_or(0);
      made_on[static_cast<size_t>(graph_.nodes[n].output)] = device;
    }
    if (!seconds[r]) ++times.unknown;
    (device == kAccelerator ? times.accelerator
     : IsGpu(device)        ? times.gpu
                            : times.host) += seconds[r].value_or(0);
  }
  for (const graph::SharedLayer& shared : graph_.shared) {
    const auto one = static_cast<size_t>(shared.accelerator),
               other = static_cast<size_t>(shared.host);
    if (made_on[one] == kAccelerator && made_on[other] == kHost)
      times.together += std::min(made_in[one], made_in[other]);
  }
  std::set<int> started;
  for (size_t n = 0; n < on.size(); ++n) {
    if (on[n] == kAccelerator && !free_[n]) started.insert(turns[n]);
  }
  times.start = static_cast<double>(started.size()) * StartSeconds();
  for (size_t t = 0; t < bytes_.size(); ++t) {
    times.carry += uses.Carried(static_cast<TensorId>(t));
    times.link += uses.Linked(static_cast<TensorId>(t));
  }
  return times;
}

std::optional<PartTimes> PlaceCosts::TimesOf(const Devices& placed, const NetworkTimes& times,
                                             const std::vector<size_t>& part, uint32_t from,
                                             uint32_t to) const {
  const auto times_on = [&](uint32_t device) {
    Devices on = placed;
    for (const size_t n : part) on[n] = device;
    return on == placed ? times : Times(on);
  };
  const NetworkTimes now = times_on(from), then = times_on(to);
  if (then.unknown > now.unknown) return std::nullopt;
  const auto of = [](const NetworkTimes& all, uint32_t device) {
    return device == kAccelerator ? all.accelerator : IsGpu(device) ? all.by_gpu() : all.host;
  };
  return PartTimes{.host = of(then, to) - of(now, to),
                   .cycles = of(now, from) - of(then, from),
                   .start = now.start - then.start,
                   .carry = now.carry - then.carry};
}

std::optional<double> PlaceCosts::HostSeconds(const Region& layer) const {
  if (ViewedBy(graph_, layer) || in_place_[layer.nodes[0]]) return 0;
  return layers_.HostSeconds(layer);
}

std::optional<double> PlaceCosts::GpuSeconds(const Region& layer) const {
  if (ViewedBy(graph_, layer)) return 0;
  return layers_.GpuSeconds(layer);
}

std::optional<double> PlaceCosts::AcceleratorSeconds(
    const Region& layer, const std::function<Lies(TensorId)>& lies) const {
  if (layer.nodes.size() == 1 && free_[layer.nodes[0]]) return 0;
  std::optional<AcceleratorTime> time = layers_.AcceleratorSeconds(layer);
  if (!time) return std::nullopt;
  const std::optional<TapsOnHost> taps = layers_.TapsOf(layer);
  if (taps && lies(taps->input) == Lies::kOnHost) time = taps->time;
  double all = 0, there = 0;
  const auto add = [&](TensorId id) {
    const double bytes = bytes_[static_cast<size_t>(id)];
    all += bytes;
    if (lies(id) != Lies::kOnChip) there += bytes;
  };
  for (const TensorId id : layer.inputs) add(id);
  add(layer.output);
  return time->on_chip + (time->from_memory - time->on_chip) * there / all;
}

std::optional<double> PlaceCosts::LeastSeconds(const Region& layer) const {
  const auto nowhere = [](TensorId) { return Lies::kOnChip; };
  std::optional<double> least = AcceleratorSeconds(layer, nowhere);
  if (const auto taps = layers_.TapsOf(layer); least && taps)
    least = std::min(*least, taps->time.on_chip);
  return least;
}

double PlaceCosts::StartSeconds() const {
  return static_cast<double>(layers_.config().cpu.start_us) / 1e6;
}

double PlaceCosts::PackSeconds(double bytes) const {
  return bytes / (static_cast<double>(layers_.config().cpu.pack_mb_s) * 1e6);
}

double PlaceCosts::CarrySeconds(TensorId id) const {
  return PackSeconds(bytes_[static_cast<size_t>(id)]);
}

double PlaceCosts::LinkSeconds(TensorId id) const {
  const graph::GraphTensor& t = graph_.tensor(id);
  const isa::Gpu& gpu = layers_.config().gpu;
  return static_cast<double>(t.count() * SizeOf(t.dtype)) /
             (static_cast<double>(gpu.link_mb_s) * 1e6) +
         static_cast<double>(gpu.transfer_us) / 1e6;
}

std::optional<double> PlaceCosts::TapsSeconds(size_t n, TensorId id) const {
  const std::optional<TapsOnHost> taps = layers_.TapsOf(nodes_[n]);
  return taps && taps->input == id ? std::optional(PackSeconds(taps->bytes)) : std::nullopt;
}

std::string TimesText(const PartTimes& times, size_t operators, const std::string& cpu) {
  const std::string with = operators < 2 ? ""
                                         : fmt::format("with {} other operator{} ", operators - 1,
                                                       operators == 2 ? "" : "s");
  return fmt::format(
      "{}{} on {}{}, {} on the accelerator{}", with, TimeText(times.OnHost()), cpu,
      OfWhich({{-times.start, "are starts of the accelerator"}, {-times.carry, "carry tensors"}}),
      TimeText(times.OnAccelerator()),
      OfWhich({{times.start, "start it"}, {times.carry, "carry tensors"}}));
}

}  // namespace tessera::network
