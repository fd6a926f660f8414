// SPDX-License-Identifier: Apache-2.0
//
// The synthesised configurations of hw/silicon_table.txt, which is inside the program.
//
// Depends on: isa, embedded.h. Used by: model.h, silicon.cc.
#ifndef TESSERA_HW_PREDICT_TABLE_H_
#define TESSERA_HW_PREDICT_TABLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/config.h"

namespace tessera::hw {

// The family with the most rows. The netlists of others differ little.
inline constexpr const char* kBaseFamily = "xc7";

// Of an instance of the machine, without what lies in instances that have a row themselves.
struct RowArea {
  double lut = 0;  // with route-throughs
  double ff = 0;
};

struct SynthesisedConfig {
  isa::Config config;
  std::string family;
  double lut = 0, ff = 0;  // of the whole machine
  int64_t dsp = 0, bram18 = 0;
  std::map<std::string, RowArea> areas;  // by instance, "u_units.u_store"; "-": the top
  // By family, then by unit: the longest path into it, in ns. A netlist of kBaseFamily is timed
  // with the delays of the other families too.
  std::map<std::string, std::map<std::string, double>> ns;
};

// The longest path with the delays of the row's own family.
double LongestPath(const SynthesisedConfig& row);

// In the order of the table.
const std::vector<SynthesisedConfig>& SynthesisedConfigs();

}  // namespace tessera::hw

#endif  // TESSERA_HW_PREDICT_TABLE_H_
