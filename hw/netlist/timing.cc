// SPDX-License-Identifier: Apache-2.0
#include "hw/netlist/timing.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "hw/netlist/arcs.h"

namespace tessera::netlist {
namespace {

// The latest time at which a wire settles, and the wire before it on that path.
struct Arrival {
  double at = 0;
  int from = -1;
  int levels = 0;
  WireTerms terms;  // of its wires
  enum : uint8_t { kUnknown, kOpen, kDone } state = kUnknown;
};

class Arrivals {
 public:
  Arrivals(const Netlist& netlist, const TimingGraph& graph, const CellDelays& delays)
      : netlist_(netlist), graph_(graph), delays_(delays), arrivals_(graph.arcs.size()) {}

  Status Run() {
    for (size_t net = 0; net < arrivals_.size(); ++net) TESSERA_TRY(Visit(static_cast<int>(net)));
    return {};
  }
  const Arrival& operator[](int net) const { return arrivals_[net]; }
  double Wire(int net) const {
    return Delay(graph_.terms[net], delays_.wire) +
           (graph_.fan_out[net] > 500 ? delays_.wire_spread : 0);
  }

 private:
  // Depth first without recursion: chains are thousands of cells long.
  Status Visit(int first) {
    std::vector<int> stack = {first};
    while (!stack.empty()) {
      const int net = stack.back();
      Arrival& arrival = arrivals_[net];
      if (arrival.state == Arrival::kDone) {
        stack.pop_back();
        continue;
      }
      arrival.state = Arrival::kOpen;
      bool waits = false;
      for (const TimingArc& arc : graph_.arcs[net]) {
        const Arrival& before = arrivals_[arc.from];
        if (before.state == Arrival::kDone) continue;
        if (before.state == Arrival::kOpen) return Loop(arc.from);
        waits = true;
        stack.push_back(arc.from);
      }
      if (!waits) {
        Settle(net);
        stack.pop_back();
      }
    }
    return {};
  }
  Status Loop(int net) const {
    return Fail(Code::kInvalidArgument, "a combinational loop through {}",
                netlist_.names[net].empty() ? fmt::format("net {}", net) : netlist_.names[net]);
  }
  void Settle(int net) {
    Arrival& arrival = arrivals_[net];
    arrival.at = std::max(0.0, graph_.begins[net]);
    for (const TimingArc& arc : graph_.arcs[net]) {
      const Arrival& before = arrivals_[arc.from];
      const double at = before.at + (arc.in_slice ? 0 : Wire(arc.from)) + arc.delay;
      if (at <= arrival.at) continue;
      arrival.at = at;
      arrival.from = arc.from;
      arrival.levels = before.levels + !arc.in_slice;
      arrival.terms = before.terms;
      if (!arc.in_slice) arrival.terms += graph_.terms[arc.from];
    }
    arrival.state = Arrival::kDone;
  }

  const Netlist& netlist_;
  const TimingGraph& graph_;
  const CellDelays& delays_;
  std::vector<Arrival> arrivals_;
};

// The outermost instance on |path| whose module is not open; "" if all are open.
std::string UnitOf(const Netlist& netlist, const std::string& path,
                   const std::set<std::string>& open) {
  for (size_t dot = path.find('.');; dot = path.find('.', dot + 1)) {
    const std::string outer = path.substr(0, dot);
    const auto instance = netlist.instances.find(outer);
    if (!outer.empty() && instance != netlist.instances.end() && !open.contains(instance->second)) {
      return outer;
    }
    if (dot == std::string::npos) return "";
  }
}

}  // namespace

WireTerms& WireTerms::operator+=(const WireTerms& other) {
  wires += other.wires;
  doublings += other.doublings;
  span += other.span;
  columns += other.columns;
  return *this;
}

double Delay(const WireTerms& terms, const WireDelays& delays) {
  return terms.wires * delays.wires + terms.doublings * delays.doublings +
         terms.span * delays.span + terms.columns * delays.columns;
}

const CellDelays* FindFamily(std::string_view family) {
  const auto* found = std::ranges::find(kFamilies, family, &CellDelays::family);
  return found == std::end(kFamilies) ? nullptr : found;
}

Result<std::vector<TimedPath>> WorstPaths(const Netlist& netlist, const CellDelays& delays,
                                          const std::set<std::string>& open) {
  const std::vector<std::string> instances = InstancesOfCells(netlist);
  const TimingGraph graph = MakeTimingGraph(netlist, instances, delays);
  Arrivals arrivals(netlist, graph, delays);
  TESSERA_TRY(arrivals.Run());
  std::vector<std::string> units;
  for (const std::string& path : instances) units.push_back(UnitOf(netlist, path, open));
  const auto unit_of = [&](int cell) { return cell < 0 ? std::string("port") : units[cell]; };
  const auto total = [&](const TimingEnd& end) {
    return arrivals[end.net].at + (end.in_slice ? 0 : arrivals.Wire(end.net)) + end.setup;
  };
  std::map<std::string, const TimingEnd*> worst;
  for (const TimingEnd& end : graph.ends) {
    if (graph.begins[end.net] < 0 && graph.arcs[end.net].empty()) continue;  // nothing drives it
    const TimingEnd*& so_far = worst[unit_of(end.cell)];
    if (so_far == nullptr || total(end) > total(*so_far)) so_far = &end;
  }
  std::vector<TimedPath> paths;
  for (const auto& [unit, end] : worst) {
    TimedPath path{.ns = total(*end), .levels = arrivals[end->net].levels, .unit = unit};
    path.terms = arrivals[end->net].terms;
    if (!end->in_slice) path.terms += graph.terms[end->net];
    path.end = end->pin;
    if (end->cell >= 0) {
      // A flip-flop has the name of its output, another cell its own name. A cell without such a
      // name is called by its type and unit.
      const MappedCell& cell = netlist.cells[end->cell];
      std::string name = cell.row->kind == CellKind::kFlop ? "" : cell.name;
      for (const CellPort& port : cell.ports) {
        for (const int net : port.nets) {
          if (name.empty() && port.output && net != kConstantNet) name = netlist.names[net];
        }
      }
      if (name.empty() || name.starts_with("$")) name = std::string(cell.row->type) + " in " + unit;
      path.end = name + "." + end->pin;
    }
    int net = end->net;
    for (int at = net; at >= 0; at = arrivals[at].from) {
      std::string name = netlist.names[at];
      if (name.empty() && graph.driver[at] >= 0) {
        const std::string& place = instances[graph.driver[at]];
        name = "in " + (place.empty() ? netlist.top : place);
      }
      path.steps.push_back({arrivals[at].at, graph.fan_out[at], std::move(name)});
      net = at;
    }
    std::ranges::reverse(path.steps);
    path.from = unit_of(graph.driver[net]);
    paths.push_back(std::move(path));
  }
  std::ranges::stable_sort(paths, std::greater<>(), &TimedPath::ns);
  return paths;
}

struct LongestPath::Impl {
  Netlist names;  // without cells: for messages
  CellDelays delays;
  TimingGraph graph;
};

Result<LongestPath> LongestPath::Of(const Netlist& netlist, const CellDelays& delays) {
  LongestPath path;
  path.impl_ = std::make_shared<Impl>(
      Impl{.names = {.top = netlist.top, .names = netlist.names},
           .delays = delays,
           .graph = MakeTimingGraph(netlist, InstancesOfCells(netlist), delays)});
  Arrivals arrivals(path.impl_->names, path.impl_->graph, delays);
  TESSERA_TRY(arrivals.Run());
  return path;
}

PathSum LongestPath::Find(const WireDelays& wire) const {
  CellDelays delays = impl_->delays;
  delays.wire = wire;
  const TimingGraph& graph = impl_->graph;
  Arrivals arrivals(impl_->names, graph, delays);
  TESSERA_CHECK(arrivals.Run());
  PathSum longest;
  double longest_ns = 0;
  for (const TimingEnd& end : graph.ends) {
    if (graph.begins[end.net] < 0 && graph.arcs[end.net].empty()) continue;
    const double ns =
        arrivals[end.net].at + (end.in_slice ? 0 : arrivals.Wire(end.net)) + end.setup;
    if (ns <= longest_ns) continue;
    longest_ns = ns;
    longest.terms = arrivals[end.net].terms;
    if (!end.in_slice) longest.terms += graph.terms[end.net];
    longest.cells = ns - Delay(longest.terms, wire);
  }
  return longest;
}

std::string PrintPaths(const std::vector<TimedPath>& paths, int whole) {
  std::string text = fmt::format("{:<36}{:>7}{:>8}{:>9}  {}\n", "worst path into", "ns", "levels",
                                 "fan-out", "from -> to");
  for (const TimedPath& path : paths) {
    int fan_out = 0;
    for (const PathStep& step : path.steps) fan_out = std::max(fan_out, step.fan_out);
    text += fmt::format("{:<36}{:>7.2f}{:>8}{:>9}  {} -> {}\n",
                        path.unit.empty() ? "(between)" : path.unit, path.ns, path.levels, fan_out,
                        path.steps.front().name, path.end);
  }
  for (const TimedPath& path : paths) {
    if (whole-- <= 0) break;
    text += fmt::format("path into {} from {}: ns, fan-out, signal\n", path.unit, path.from);
    for (const PathStep& step : path.steps) {
      text += fmt::format("{:>9.2f}{:>6}  {}\n", step.at, step.fan_out, step.name);
    }
    text += fmt::format("{:>9.2f}{:>6}  {}\n", path.ns, "", path.end);
  }
  return text;
}

}  // namespace tessera::netlist
