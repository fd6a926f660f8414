// SPDX-License-Identifier: Apache-2.0
//
// The resources that a mapped netlist uses on its part, instance by instance.
//
// Depends on: netlist.h. Used by: netlist_report.
#ifndef TESSERA_HW_NETLIST_AREA_H_
#define TESSERA_HW_NETLIST_AREA_H_

#include <map>
#include <set>
#include <string>

#include "hw/netlist/netlist.h"

namespace tessera::netlist {

struct CellArea {
  int lut = 0;  // logic, LUT RAM and shift registers
  // Carry inputs that no LUT drives: a vendor's tool spends a LUT on each to reach the carry.
  int route = 0;
  int ff = 0;
  int dsp = 0;
  int bram18 = 0;  // halves of a BRAM36

  void Add(const CellArea& other);
  void Subtract(const CellArea& other);
};

// Areas by instance path, children included. The instances of an array ("g_lane[3].") are summed
// under "g_lane[*]." and counted.
struct InstanceArea {
  std::string module;
  int instances = 0;
  CellArea area;
};
std::map<std::string, InstanceArea> AreaByInstance(const Netlist& netlist);

// The same without the children, but for those more than |depth| units below the top: these count
// for the innermost instance that is left. So the areas add up to that of the top. Instances of
// modules in |open| are no units.
std::map<std::string, InstanceArea> OwnAreas(const std::map<std::string, InstanceArea>& areas,
                                             int depth, const std::set<std::string>& open);

// The map as a table: instances down to |depth| levels below the top, each indented below its
// parent.
std::string PrintArea(const std::map<std::string, InstanceArea>& areas, int depth);

}  // namespace tessera::netlist

#endif  // TESSERA_HW_NETLIST_AREA_H_
