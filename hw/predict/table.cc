// SPDX-License-Identifier: Apache-2.0
#include "hw/predict/table.h"

#include <algorithm>
#include <sstream>

#include "base/check.h"
#include "hw/predict/embedded.h"

namespace tessera::hw {
namespace {

// "NAME key value ...": the keys are those of a configuration file; "family"; "key", the netlist's.
SynthesisedConfig BeginRow(std::istringstream& words) {
  SynthesisedConfig row;
  std::string name, json;
  words >> name;
  for (std::string key, value; words >> key >> value;) {
    if (key == "family") {
      row.family = value;
    } else if (key != "key") {
      json += fmt::format("{}\"{}\": {}", json.empty() ? "" : ", ", key, value);
    }
  }
  auto config = isa::ParseConfig("{" + json + "}", name);
  TESSERA_CHECK(config, "hw/silicon_table.txt: {}", config.error().message);
  row.config = *std::move(config);
  return row;
}

std::vector<SynthesisedConfig> ReadTable(std::string_view text) {
  std::vector<SynthesisedConfig> rows;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string what, name;
    words >> what;
    if (what == "config") {
      rows.push_back(BeginRow(words));
      continue;
    }
    TESSERA_CHECK(!rows.empty(), "hw/silicon_table.txt: {}", line);
    SynthesisedConfig& row = rows.back();
    if (what == "total") {
      words >> row.lut >> row.ff >> row.dsp >> row.bram18;
      TESSERA_CHECK(!words.fail(), "hw/silicon_table.txt: {}", line);
    } else if (what == "ns") {
      words >> name;
      double ns = 0;
      for (std::string unit; words >> unit >> ns;) row.ns[name][unit] = ns;
    } else {
      words >> name;
      RowArea& area = row.areas[name];
      words >> area.lut >> area.ff;
      TESSERA_CHECK(what == "area" && !words.fail(), "hw/silicon_table.txt: {}", line);
    }
  }
  return rows;
}

}  // namespace

double LongestPath(const SynthesisedConfig& row) {
  double longest = 0;
  for (const auto& [unit, ns] : row.ns.at(row.family)) longest = std::max(longest, ns);
  return longest;
}

const std::vector<SynthesisedConfig>& SynthesisedConfigs() {
  static const std::vector<SynthesisedConfig> rows = ReadTable(EmbeddedFile("silicon_table.txt"));
  return rows;
}

}  // namespace tessera::hw
