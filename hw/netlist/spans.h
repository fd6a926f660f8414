// SPDX-License-Identifier: Apache-2.0
//
// How far the wires of a netlist go, before it is placed.
//
// A placer keeps the cells of an instance together. So a wire inside a small instance is short, and
// a wire between two units may cross both. The span of a wire is the side of the square, counted in
// LUTs of the part, that the smallest instance around its driver and its readers needs: for its
// LUTs, its flip-flops (one a LUT), its RAM blocks and its multipliers, whichever takes most. RAM
// blocks and multipliers lie in lines of their own, so many of them take a large square.
//
// Depends on: netlist.h, delays.h. Used by: arcs.cc.
#ifndef TESSERA_HW_NETLIST_SPANS_H_
#define TESSERA_HW_NETLIST_SPANS_H_

#include <string>
#include <vector>

#include "hw/netlist/delays.h"
#include "hw/netlist/netlist.h"

namespace tessera::netlist {

// By net: what its wire costs by; |instances| is InstancesOfCells(netlist). A wire without a reader
// has one reader here. A port of the module belongs to the top.
std::vector<WireTerms> TermsOfWires(const Netlist& netlist,
                                    const std::vector<std::string>& instances,
                                    const CellDelays& delays);

}  // namespace tessera::netlist

#endif  // TESSERA_HW_NETLIST_SPANS_H_
