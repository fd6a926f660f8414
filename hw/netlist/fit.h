// SPDX-License-Identifier: Apache-2.0
//
// Fits the delays of a family's wires to designs that a router has placed and routed.
//
// The estimate of a design is its longest path. Its wires add up to four terms (WireTerms), so the
// estimate is linear in the four delays as long as the path stays the longest. The fit minimises
// the sum of the squared relative errors: it solves for the delays, none below 0, finds the paths
// that are the longest with them, adds these to the paths that it knows, and solves again.
//
// Depends on: timing.h. Used by: netlist_report.
#ifndef TESSERA_HW_NETLIST_FIT_H_
#define TESSERA_HW_NETLIST_FIT_H_

#include <string>
#include <vector>

#include "hw/netlist/timing.h"

namespace tessera::netlist {

struct RoutedDesign {
  std::string name;
  double ns = 0;  // its longest path as routed
  LongestPath estimate;
};

struct WireFit {
  WireDelays wire;
  // By design: the estimate in ns, with these delays; with those fitted to all other designs.
  std::vector<double> seen, unseen;
};

// |designs|: more than four, so that each can be left out.
//   errors  kInvalidArgument  four designs or fewer
Result<WireFit> FitWires(const std::vector<RoutedDesign>& designs, const WireDelays& start);

// A line for each design with both errors, then the median and the largest of each, and the delays.
std::string PrintFit(const std::vector<RoutedDesign>& designs, const WireFit& fit);

}  // namespace tessera::netlist

#endif  // TESSERA_HW_NETLIST_FIT_H_
