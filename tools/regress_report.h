// SPDX-License-Identifier: Apache-2.0
//
// The results of `tessera regress`, on one page and as JSON. Used by: regress.
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

// What ran in one suite.
struct SuiteTally {
  int64_t items = 0, differences = 0, refused = 0;
  int64_t left_out = 0;  // for other configurations, or not started in time
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
  std::string ended;    // why it ended before all was done; "" if all was done
  std::string without;  // what is missing here, and how to get it; "" if nothing is
  std::array<SuiteTally, kRegressSuites> suites;
  rig::CellCounts cells;  // what the instructions exercised
  std::set<isa::Profile> profiles;
  std::map<std::string, rig::TokenCounts> tokens;  // the most, by configuration and profile
  std::vector<TimedItem> times;                    // of all items but random programs
  std::vector<TimedItem> before;                   // of an earlier run, to compare with
  std::string before_name;                         // the file of that run; "": none
  std::vector<RegressFinding> findings;            // differences and refused files

  std::optional<RtlCoverage> rtl;  // if the user asked for it

  void Add(const RegressItem& item, const RegressEnd& end);
  bool Ok() const;  // nothing differs, every file could be read, the coverage is complete
};

std::string ReportText(const RegressReport& report);
nlohmann::ordered_json ReportJson(const RegressReport& report);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_REGRESS_REPORT_H_
