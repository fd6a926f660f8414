// SPDX-License-Identifier: Apache-2.0
//
// netlist_report area NETLIST [DEPTH]    resources of a mapped netlist, instance by instance
// netlist_report total NETLIST           LUT, route-throughs, FF, DSP, BRAM36 in one line
// netlist_report rows NETLIST DEPTH FAMILY[,FAMILY...]    the rows of hw/silicon_table.txt: the
//     whole area, the worst path into each unit, the area of each instance down to DEPTH units
//     without its children
// netlist_report timing NETLIST FAMILY [OPEN[,OPEN...] [PATHS]]
//     the worst path into each unit, and the steps of the first PATHS; OPEN: modules that are not
//     units themselves: the instances inside them are
// netlist_report worst NETLIST FAMILY    the worst path of all in ns
// netlist_report key DESIGN              what tells this design from others, before it is mapped
// netlist_report fit LIST FAMILY         the family's wires fitted to routed designs: LIST has a
//     line for each of them: its name, the MHz as routed, the file of the netlist. The last line is
//     for programs: "error", designs, then in per cent of the routed clock the median and the
//     largest error, of designs in the fit, then of each with delays that are fitted to the others
// Exit status: 0, or 2 for bad use and for files that cannot be used.
#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "hw/netlist/area.h"
#include "hw/netlist/design_key.h"
#include "hw/netlist/fit.h"
#include "hw/netlist/timing.h"

namespace {

constexpr const char* kUsage =
    "usage: netlist_report area NETLIST.json [DEPTH]\n"
    "       netlist_report total NETLIST.json\n"
    "       netlist_report rows NETLIST.json DEPTH FAMILY,...\n"
    "       netlist_report timing NETLIST.json FAMILY [OPEN,... [PATHS]]\n"
    "       netlist_report worst NETLIST.json FAMILY\n"
    "       netlist_report key DESIGN.json\n"
    "       netlist_report fit LIST FAMILY\n";

// Modules that only join units are not units themselves.
const std::set<std::string> kOpen = {"tsr_top", "tsr_units", "tsr_compute", "tsr_load_path"};

int BadUse(const std::string& message) {
  std::fprintf(stderr, "netlist_report: %s\n%s", message.c_str(), kUsage);
  return 2;
}

std::string NoFamily(const std::string& family) {
  return "no delays for family " + family + " (there are xc7, xcup, ecp5)";
}

tessera::Result<tessera::netlist::Netlist> Read(const std::string& file) {
  using namespace tessera;
  TESSERA_ASSIGN(const auto bytes, ReadFile(file));
  auto netlist = netlist::ReadNetlist({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!netlist) return Fail(netlist.error().code, "{}: {}", file, netlist.error().message);
  return netlist;
}

int Key(const std::string& file) {
  using namespace tessera;
  const auto bytes = ReadFile(file);
  if (!bytes) return BadUse(bytes.error().message);
  const auto key =
      netlist::DesignKey({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (!key) return BadUse(file + ": " + key.error().message);
  std::fputs(fmt::format("{:016x}\n", *key).c_str(), stdout);
  return 0;
}

int Fit(const std::vector<std::string>& args) {
  using namespace tessera;
  const netlist::CellDelays* delays = netlist::FindFamily(args[2]);
  if (delays == nullptr) return BadUse(NoFamily(args[2]));
  const auto list = ReadFile(args[1]);
  if (!list) return BadUse(list.error().message);
  std::istringstream lines(std::string(list->begin(), list->end()));
  std::vector<netlist::RoutedDesign> designs;
  double mhz = 0;
  for (std::string name, file; lines >> name >> mhz >> file;) {
    const auto netlist = Read(file);
    if (!netlist) return BadUse(netlist.error().message);
    auto estimate = netlist::LongestPath::Of(*netlist, *delays);
    if (!estimate) return BadUse(file + ": " + estimate.error().message);
    if (!(mhz > 0)) return BadUse(fmt::format("{}: {} MHz is no clock of {}", args[1], mhz, name));
    designs.push_back({name, 1000 / mhz, *std::move(estimate)});
  }
  if (!lines.eof()) return BadUse(args[1] + " has a line that is not NAME MHZ NETLIST");
  const auto fit = netlist::FitWires(designs, delays->wire);
  if (!fit) return BadUse(args[1] + ": " + fit.error().message);
  std::fputs(netlist::PrintFit(designs, *fit).c_str(), stdout);
  return 0;
}

int Timing(const tessera::netlist::Netlist& netlist, const std::vector<std::string>& args) {
  using namespace tessera;
  const netlist::CellDelays* delays = netlist::FindFamily(args[2]);
  if (delays == nullptr) return BadUse(NoFamily(args[2]));
  std::set<std::string> open;
  std::istringstream list(args.size() > 3 ? args[3] : "");
  for (std::string module; std::getline(list, module, ',');) open.insert(module);
  const auto paths = netlist::WorstPaths(netlist, *delays, open);
  if (!paths) return BadUse(args[1] + ": " + paths.error().message);
  std::string text = fmt::format("{:.2f}\n", paths->empty() ? 0.0 : paths->front().ns);
  if (args[0] == "timing") {
    text = fmt::format("delays: {}\n", delays->source);
    text += netlist::PrintPaths(*paths, args.size() > 4 ? std::atoi(args[4].c_str()) : 1);
  }
  std::fputs(text.c_str(), stdout);
  return 0;
}

int Rows(const tessera::netlist::Netlist& netlist, const std::vector<std::string>& args) {
  using namespace tessera;
  const auto areas = netlist::AreaByInstance(netlist);
  const netlist::CellArea& all = areas.at("").area;
  std::string text =
      fmt::format("total {} {} {} {}\n", all.lut + all.route, all.ff, all.dsp, all.bram18);
  std::istringstream families(args[3]);
  for (std::string family; std::getline(families, family, ',');) {
    const netlist::CellDelays* delays = netlist::FindFamily(family);
    if (delays == nullptr) return BadUse(NoFamily(family));
    const auto paths = netlist::WorstPaths(netlist, *delays, kOpen);
    if (!paths) return BadUse(args[1] + ": " + paths.error().message);
    text += "ns " + family;
    for (const netlist::TimedPath& path : *paths) {
      text += fmt::format(" {} {:.2f}", path.unit.empty() ? "-" : path.unit, path.ns);
    }
    text += "\n";
  }
  for (const auto& [path, at] : netlist::OwnAreas(areas, std::atoi(args[2].c_str()), kOpen)) {
    const int lut = at.area.lut + at.area.route;
    if (lut == 0 && at.area.ff == 0) continue;
    text += fmt::format("area {} {} {}\n", path.empty() ? "-" : path, lut, at.area.ff);
  }
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tessera;
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 2) return BadUse("say what to report, and of which file");
  if (args[0] == "fit" && args.size() == 3) return Fit(args);
  if (args[0] == "key" && args.size() == 2) return Key(args[1]);
  const auto netlist = Read(args[1]);
  if (!netlist) return BadUse(netlist.error().message);
  if (args.size() >= 3 && (args[0] == "timing" || args[0] == "worst"))
    return Timing(*netlist, args);
  if (args.size() == 4 && args[0] == "rows") return Rows(*netlist, args);
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
