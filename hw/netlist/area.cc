// SPDX-License-Identifier: Apache-2.0
#include "hw/netlist/area.h"

#include <algorithm>
#include <regex>
#include <set>

namespace tessera::netlist {
namespace {

// The LUT beside a carry cell drives its input S; a signal from a register or another carry passes
// through that LUT.
int Routes(const MappedCell& cell, const std::vector<bool>& from_lut) {
  if (cell.row->kind != CellKind::kCarry) return 0;
  int routes = 0;
  for (const CellPort& port : cell.ports) {
    if (port.name != "S") continue;
    routes += static_cast<int>(std::ranges::count_if(
        port.nets, [&](int net) { return net != kConstantNet && !from_lut[net]; }));
  }
  return routes;
}

std::string Merged(const std::string& path) {
  static const std::regex index(R"(\[\d+\])");
  return std::regex_replace(path, index, "[*]");
}

}  // namespace

void CellArea::Add(const CellArea& other) {
  lut += other.lut;
  route += other.route;
  ff += other.ff;
  dsp += other.dsp;
  bram18 += other.bram18;
}

std::map<std::string, InstanceArea> AreaByInstance(const Netlist& netlist) {
  std::vector<bool> from_lut(netlist.names.size());
  for (const MappedCell& cell : netlist.cells) {
    if (cell.row->kind != CellKind::kLut) continue;
    for (const CellPort& port : cell.ports) {
      for (const int net : port.nets) {
        if (port.output && net != kConstantNet) from_lut[net] = true;
      }
    }
  }
  std::map<std::string, CellArea> own;  // by path, children not included
  const std::vector<std::string> places = InstancesOfCells(netlist);
  for (size_t c = 0; c < netlist.cells.size(); ++c) {
    const MappedCell& cell = netlist.cells[c];
    own[places[c]].Add(
        {cell.row->lut, Routes(cell, from_lut), cell.row->ff, cell.row->dsp, cell.row->bram18});
  }
  std::map<std::string, InstanceArea> areas;
  for (const auto& [path, module] : netlist.instances) {
    InstanceArea& area = areas[Merged(path)];
    area.module = module;
    ++area.instances;
  }
  for (const auto& [path, area] : own) {
    for (std::string at = path;;
         at.resize(at.rfind('.') == std::string::npos ? 0 : at.rfind('.'))) {
      if (netlist.instances.contains(at)) areas[Merged(at)].area.Add(area);
      if (at.empty()) break;
    }
  }
  return areas;
}

std::string PrintArea(const std::map<std::string, InstanceArea>& areas, int depth) {
  std::string text =
      fmt::format("{:<58}{:>8}{:>7}{:>7}{:>5}{:>8}\n", "", "LUT", "route", "FF", "DSP", "BRAM36");
  for (const auto& [path, at] : areas) {
    // The level is the number of enclosing instances; generate blocks do not count.
    int level = path.empty() ? 0 : 1;
    for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
      level += areas.contains(path.substr(0, dot));
    }
    if (level > depth) continue;
    std::string name(2 * level, ' ');
    name += at.module;
    if (at.instances > 1) name += fmt::format(" x {}", at.instances);
    if (!path.empty()) name += fmt::format(" {}", path.substr(path.rfind('.') + 1));
    text += fmt::format("{:<58}{:>8}{:>7}{:>7}{:>5}{:>8}\n", name, at.area.lut, at.area.route,
                        at.area.ff, at.area.dsp, at.area.bram18 / 2.0);
  }
  return text;
}

}  // namespace tessera::netlist
