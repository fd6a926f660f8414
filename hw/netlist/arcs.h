// SPDX-License-Identifier: Apache-2.0
//
// The timing graph of a netlist: where paths begin, which wires pass them on, where they end.
//
// Depends on: netlist.h, delays.h, spans.h. Used by: timing.cc.
#ifndef TESSERA_HW_NETLIST_ARCS_H_
#define TESSERA_HW_NETLIST_ARCS_H_

#include <string>
#include <vector>

#include "hw/netlist/delays.h"
#include "hw/netlist/netlist.h"

namespace tessera::netlist {

struct TimingArc {
  int from;
  double delay;
  bool in_slice;  // the wire |from| has no length here
};

struct TimingEnd {
  int net;
  double setup;
  bool in_slice;
  int cell;  // -1: a port of the module
  std::string pin;
};

struct TimingGraph {
  std::vector<std::vector<TimingArc>> arcs;  // by the wire they drive
  std::vector<double> begins;    // by wire: clock to out; < 0: nothing clocked drives it
  std::vector<int> driver;       // by wire: a cell, or -1
  std::vector<int> fan_out;      // by wire: pins
  std::vector<WireTerms> terms;  // by wire
  std::vector<TimingEnd> ends;
};

// |instances|: InstancesOfCells(netlist).
TimingGraph MakeTimingGraph(const Netlist& netlist, const std::vector<std::string>& instances,
                            const CellDelays& delays);

}  // namespace tessera::netlist

#endif  // TESSERA_HW_NETLIST_ARCS_H_
