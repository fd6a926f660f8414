// SPDX-License-Identifier: Apache-2.0
//
// What is known of a machine: its area and clock, what networks take on it, and from which stage of
// the search each figure comes. Depends on: isa, hw/predict. Used by: explore, tools, bench.
#ifndef TESSERA_EXPLORE_MACHINE_H_
#define TESSERA_EXPLORE_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "explore/front.h"
#include "hw/predict/parts.h"
#include "hw/predict/silicon.h"
#include "isa/config.h"

namespace tessera::explore {

// kPredict: the compiler's estimate of generated schedules. kRun: the exact cycles of the networks'
// programs on the cycle model. kTune: the same with schedules that a search found. kProve: the RTL
// gave the same results in the same cycles as kRun.
enum class Stage : uint8_t { kPredict, kRun, kTune, kProve };
std::string_view StageText(Stage stage);  // "predict"

// Of one inference of one network.
struct NetworkCost {
  double cycles = 0;                                       // of the accelerator
  double predicted = 0;                                    // the estimate of |cycles|
  double accelerator = 0, host = 0, start = 0, carry = 0;  // seconds, as network::NetworkTimes
  // Cycles that units work. kPredict knows none; kRun sums the programs.
  double gemm = 0, vector = 0, bus = 0;
  double bytes = 0;  // between the accelerator and device memory; kRun
  double total() const { return accelerator + host + start + carry; }
};

// One stage's answer about one machine.
struct MachineCost {
  std::vector<NetworkCost> networks;  // in the order of the search
  std::string cause;                  // why there is none; "": there is
  double seconds = 0;                 // of the processor, that the stage took
  double total() const;               // seconds of one inference of each network
};

// What a search makes small.
enum class Goal : uint8_t { kMs, kLut, kFf, kDsp, kBram, kEnergyProxy };
// "ms", "lut", "ff", "dsp", "bram" (of 18 kbit), "energy-proxy".
std::string_view GoalText(Goal goal);
// Reads "ms,lut".
//   errors  kInvalidArgument  no goal, an unknown or a repeated one; lists the words
Result<std::vector<Goal>> ParseGoals(const std::string& words);

// |area| as LUTs, for energy-proxy: a DSP counts as 100 LUTs and a block RAM of 18 kbit as 200.
double AreaInLuts(const hw::Silicon& area);

// The value of each goal. Milliseconds are the sum over the networks. energy-proxy is what switches
// times how long: thousands of LUTs times milliseconds of the accelerator; it is not in joules.
Values ValuesOf(const std::vector<Goal>& goals, const hw::Silicon& area, const MachineCost& cost);

// A resource that a machine has too much of.
struct Misfit {
  std::string_view resource;  // "LUT"; "": the machine fits
  double used = 0, has = 0;
};
// The one that |area| exceeds most.
Misfit MisfitOf(const hw::Silicon& area, const hw::Part& part);
// "BRAM18: 412 of 280, 47 % too many".
std::string MisfitText(const Misfit& misfit);

// The MHz at which a machine of |area| runs where |wanted| are wanted: as many as its longest path
// allows, rounded down, and no more than |wanted|. At least 1.
int64_t ClockOf(const hw::Silicon& area, int64_t wanted);

}  // namespace tessera::explore

#endif  // TESSERA_EXPLORE_MACHINE_H_
