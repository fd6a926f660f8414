// SPDX-License-Identifier: Apache-2.0
//
// netlist_report area NETLIST [DEPTH]    what a mapped netlist takes, instance by instance
// netlist_report total NETLIST           LUT, route-throughs, FF, DSP, BRAM36 in one line
// Exit status: 0, or 2 for bad use and files that are refused.
#include <cstdio>
#include <string>
#include <vector>

#include "base/file.h"
#include "hw/netlist/area.h"

namespace {

constexpr const char* kUsage =
    "usage: netlist_report area NETLIST.json [DEPTH]\n       netlist_report total NETLIST.json\n";

int BadUse(const std::string& message) {
  std::fprintf(stderr, "netlist_report: %s\n%s", message.c_str(), kUsage);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tessera;
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 2) return BadUse("say what to report, and of which file");
  const auto bytes = ReadFile(args[1]);
  if (!bytes) return BadUse(bytes.error().message);
  const auto netlist =
      netlist::ReadNetlist({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (!netlist) return BadUse(args[1] + ": " + netlist.error().message);
  const auto areas = netlist::AreaByInstance(*netlist);
  if (args[0] == "total" && args.size() == 2) {
    const netlist::CellArea& all = areas.at("").area;
    std::fputs(
        fmt::format("{} {} {} {} {}\n", all.lut, all.route, all.ff, all.dsp, all.bram18 / 2.0)
            .c_str(),
        stdout);
    return 0;
  }
  if (args[0] == "area" && args.size() <= 3) {
    const int depth = args.size() == 3 ? std::atoi(args[2].c_str()) : 3;
    std::fputs(netlist::PrintArea(areas, depth).c_str(), stdout);
    return 0;
  }
  return BadUse("unknown report '" + args[0] + "'");
}
