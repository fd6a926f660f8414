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

// The path of the instance around |path| among |areas|.
std::string Outer(const std::map<std::string, InstanceArea>& areas, std::string path) {
  do {
    path.resize(path.rfind('.') == std::string::npos ? 0 : path.rfind('.'));
  } while (!areas.contains(path));
  return path;
}

}  // namespace

void CellArea::Add(const CellArea& other) {
  lut += other.lut;
  route += other.route;
  ff += other.ff;
  dsp += other.dsp;
  bram18 += other.bram18;
}

void CellArea::Subtract(const CellArea& other) {
  lut -= other.lut;
  route -= other.route;
  ff -= other.ff;
  dsp -= other.dsp;
  bram18 -= other.bram18;
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

std::map<std::string, InstanceArea> OwnAreas(const std::map<std::string, InstanceArea>& areas,
                                             int depth, const std::set<std::string>& open) {
  std::map<std::string, InstanceArea> own;
  for (const auto& [path, area] : areas) {
    int units = 0;
    for (std::string at = path; !at.empty(); at = Outer(areas, at)) {
      units += open.contains(areas.at(at).module) ? 0 : 1;
    }
    if (units <= depth) own[path] = area;
  }
  for (const auto& [path, area] : own) {
    if (!path.empty()) own[Outer(areas, path)].area.Subtract(areas.at(path).area);
  }
  return own;
}

std::string PrintArea(const std::map<std::string, InstanceArea>& areas, int depth) {
  std::string text =
      fmt::format("{:<58}{:>8}{:>7}{:>7}{:>5}{:>8}\n", "", "LUT", "route", "FF", "DSP", "BRAM36");
  for (const auto& [path, at] : areas) {
    // The level is the number of enclosing instances; generate blocks do not count.
    int level = 0;
    for (std::string up = path; !up.empty(); up = Outer(areas, up)) ++level;
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
