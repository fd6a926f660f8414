// SPDX-License-Identifier: Apache-2.0
#include "hw/netlist/spans.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace tessera::netlist {
namespace {

// The instances as a tree.
class Tree {
 public:
  explicit Tree(const Netlist& netlist) {
    for (const auto& [path, module] : netlist.instances) Add(netlist, path);
  }
  int At(const std::string& path) const { return number_.at(path); }
  // The innermost instance around both.
  int Around(int a, int b) const {
    while (a != b) (depth_[a] >= depth_[b] ? a : b) = parent_[depth_[a] >= depth_[b] ? a : b];
    return a;
  }
  int Parent(int instance) const { return parent_[instance]; }
  size_t size() const { return parent_.size(); }

 private:
  int Add(const Netlist& netlist, const std::string& path) {
    const auto found = number_.find(path);
    if (found != number_.end()) return found->second;
    const int parent = path.empty() ? -1 : Add(netlist, OuterInstance(netlist, path));
    const int number = static_cast<int>(parent_.size());
    number_[path] = number;
    parent_.push_back(parent);
    depth_.push_back(parent < 0 ? 0 : depth_[parent] + 1);
    return number;
  }

  std::unordered_map<std::string, int> number_;
  std::vector<int> parent_, depth_;
};

struct Content {
  double luts = 0, flops = 0, rams = 0, dsps = 0;

  double Side(const CellDelays& delays) const {
    return std::sqrt(
        std::max({luts, flops, rams * delays.luts_per_ram, dsps * delays.luts_per_dsp}));
  }
};

}  // namespace

std::vector<WireTerms> TermsOfWires(const Netlist& netlist,
                                    const std::vector<std::string>& instances,
                                    const CellDelays& delays) {
  const Tree tree(netlist);
  std::vector<Content> contents(tree.size());
  struct Ends {
    int around = -1, readers = 0;
    bool column = false;
  };
  std::vector<Ends> ends(netlist.names.size());
  const auto join = [&](int net, int instance, bool reads, bool column) {
    Ends& wire = ends[net];
    wire.around = wire.around < 0 ? instance : tree.Around(wire.around, instance);
    wire.readers += reads;
    wire.column |= column;
  };
  for (size_t c = 0; c < netlist.cells.size(); ++c) {
    const MappedCell& cell = netlist.cells[c];
    const int instance = tree.At(instances[c]);
    for (int at = instance; at >= 0; at = tree.Parent(at)) {
      contents[at].luts += cell.row->lut;
      contents[at].flops += cell.row->ff;
      contents[at].rams += cell.row->bram18;
      contents[at].dsps += cell.row->dsp;
    }
    const bool column = cell.row->bram18 > 0 || cell.row->dsp > 0;
    for (const CellPort& port : cell.ports) {
      for (const int net : port.nets) {
        if (net != kConstantNet) join(net, instance, !port.output, column);
      }
    }
  }
  for (const CellPort& port : netlist.ports) {
    for (const int net : port.nets) {
      if (net != kConstantNet) join(net, tree.At(""), port.output, false);
    }
  }
  std::vector<WireTerms> terms(ends.size());
  for (size_t net = 0; net < ends.size(); ++net) {
    const Ends& wire = ends[net];
    const double span = wire.around < 0 ? 0 : contents[wire.around].Side(delays);
    terms[net] = {.wires = 1,
                  .doublings = std::log2(std::max(1, wire.readers)),
                  .span = span,
                  .columns = wire.column ? span : 0};
  }
  return terms;
}

}  // namespace tessera::netlist
