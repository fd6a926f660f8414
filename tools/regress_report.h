// SPDX-License-Identifier: Apache-2.0
//
// What `tessera regress` found, on one page and as JSON. Used by: regress.
#ifndef TESSERA_TOOLS_REGRESS_REPORT_H_
#define TESSERA_TOOLS_REGRESS_REPORT_H_

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/regress_coverage.h"
#include "tools/regress_items.h"

namespace tessera::tools {

// What of one suite ran.
struct SuiteTally {
  int64_t items = 0, differences = 0, refused = 0;
  int64_t left_out = 0;  // for other configurations, or not begun in the time
  int64_t instructions = 0;
  std::map<std::string, MachineTime> time;  // by machine with a clock
};

struct RegressFinding {
  RegressItem item;
  RegressEnd end;
};

struct RegressReport {
  RegressSetup setup;
  uint64_t seed = 1;
  int jobs = 1;
  double seconds = 0;
  std::string ended;    // why before all was done; "" if it was
  std::string without;  // what of it is missing here, and how to get it; "" if nothing is
  std::array<SuiteTally, kRegressSuites> suites;
  rig::CellCounts cells;  // what the instructions exercised
  std::set<isa::Profile> profiles;
  std::map<std::string, rig::TokenCounts> tokens;  // at most, by configuration and profile
  std::vector<TimedItem> times;                    // of all but random programs
  std::vector<TimedItem> before;                   // of an earlier run, to be compared with
  std::string before_name;                         // its file; "": there is none
  std::vector<RegressFinding> findings;            // differences and refused files

  std::optional<RtlCoverage> rtl;  // if it was asked for

  void Add(const RegressItem& item, const RegressEnd& end);
  bool Ok() const;  // nothing differs, every file could be read, the coverage is as it should be
};

std::string ReportText(const RegressReport& report);
nlohmann::ordered_json ReportJson(const RegressReport& report);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_REGRESS_REPORT_H_
