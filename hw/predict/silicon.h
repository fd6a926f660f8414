// SPDX-License-Identifier: Apache-2.0
//
// Area and clock of a configuration without synthesis.
//
// RAM blocks and multipliers follow from the configuration exactly. LUTs, flip-flops and the clock
// are models, fitted to the synthesised configurations of hw/silicon_table.txt, which is inside
// the program: for each module of the machine a sum of a few terms, for each unit the longest path
// into it. docs/rationale/silicon.md says which terms, and what such a model cannot know.
//
// Depends on: isa. Used by: programs that choose a configuration.
#ifndef TESSERA_HW_PREDICT_SILICON_H_
#define TESSERA_HW_PREDICT_SILICON_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "isa/config.h"

namespace tessera::hw {

// What a machine takes, the top of hw/rtl without what is around it.
struct Silicon {
  double lut = 0;  // with route-throughs, as hw/scripts/area.sh adds them
  double ff = 0;
  int64_t dsp = 0;     // DSP48
  int64_t bram18 = 0;  // halves of a BRAM36
  double ns = 0;       // of the longest path, as hw/scripts/timing.sh estimates it
};

// |family|: "xc7" or "xcup". The first call fits the models (milliseconds), later ones take
// microseconds. Pure, and safe from several threads.
//   errors  kOutOfRange   |config| is not legal (isa::ValidateConfig)
//           kUnsupported  a family without synthesised configurations
Result<Silicon> PredictSilicon(const isa::Config& config, std::string_view family);

// How far predictions are off for a configuration that the fit has not seen: each configuration of
// the table is left out once. Shares: 0.03 is 3 %.
struct SiliconError {
  double median = 0, worst = 0;
};
struct SiliconErrors {
  SiliconError lut, ff, dsp, bram18, ns;
  int configurations = 0;
};

// Computed once for each family.
//   errors  kUnsupported  as PredictSilicon
Result<SiliconErrors> PredictionErrors(std::string_view family);

// What |config| has outside the range of the synthesised configurations, as words ("block 64, they
// have 4 to 32"); empty if nothing. The errors above do not hold there.
std::vector<std::string> OutsideOfTable(const isa::Config& config);

}  // namespace tessera::hw

#endif  // TESSERA_HW_PREDICT_SILICON_H_
