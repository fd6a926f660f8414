// SPDX-License-Identifier: Apache-2.0
//
// Static timing estimate of a mapped netlist, before placement: one clock; paths begin at
// registers, memories and input ports (as if a register drove them) and end at the same and output
// ports.
//
// The levels of a path count its routed wires, less the last. Cells in one slice (a LUT before its
// flip-flop or carry chain, carry to carry) are joined by wires of no length.
//
// Depends on: netlist.h, delays.h. Used by: netlist_report.
#ifndef TESSERA_HW_NETLIST_TIMING_H_
#define TESSERA_HW_NETLIST_TIMING_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "hw/netlist/delays.h"
#include "hw/netlist/netlist.h"

namespace tessera::netlist {

// A place on a path: a wire, when its driver has set it, and how many cells read it.
struct PathStep {
  double at;
  int fan_out;
  std::string name;  // "in " and the instance for a wire without a name
};

struct TimedPath {
  double ns = 0;  // set-up included
  int levels = 0;
  std::string end;   // "signal.pin" where it ends
  std::string from;  // the unit where it begins
  std::string unit;  // the unit where it ends
  WireTerms terms;   // of all its wires
  std::vector<PathStep> steps;
};

// What wires with the sum |terms| take, in ns.
double Delay(const WireTerms& terms, const WireDelays& delays);

// The delays of |family|, or null.
const CellDelays* FindFamily(std::string_view family);

// A path as a sum: what its cells take, in ns, and what its wires cost by.
struct PathSum {
  double cells = 0;
  WireTerms terms;
};

// The longest path of one netlist, for several delays of the wires.
class LongestPath {
 public:
  // |delays| of the cells.
  //   errors  kInvalidArgument  a combinational loop
  static Result<LongestPath> Of(const Netlist& netlist, const CellDelays& delays);
  PathSum Find(const WireDelays& wire) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

// The worst path into each unit, worst first. A unit is the first instance on the way down from the
// top whose module is not in |open|; the cells of open modules themselves form the unit "".
//   errors  kInvalidArgument  a combinational loop
Result<std::vector<TimedPath>> WorstPaths(const Netlist& netlist, const CellDelays& delays,
                                          const std::set<std::string>& open);

// A line for each path, then the steps of the first |whole| paths that have a name.
std::string PrintPaths(const std::vector<TimedPath>& paths, int whole);

}  // namespace tessera::netlist

#endif  // TESSERA_HW_NETLIST_TIMING_H_
