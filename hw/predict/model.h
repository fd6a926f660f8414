// SPDX-License-Identifier: Apache-2.0
//
// The models of LUTs, flip-flops and the clock: which terms each module has, and the fit of their
// factors to synthesised configurations.
//
// Depends on: table.h, terms.h. Used by: silicon.cc.
#ifndef TESSERA_HW_PREDICT_MODEL_H_
#define TESSERA_HW_PREDICT_MODEL_H_

#include <string>
#include <vector>

#include "hw/predict/table.h"
#include "hw/predict/terms.h"

namespace tessera::hw {

// A sum of terms for each module adds up to one sum for the machine.
struct AreaModel {
  TermValues lut{}, ff{};
};
// A sum of terms for each unit: the longest path into it. The clock is the longest of all.
struct ClockModel {
  std::vector<TermValues> units;
};

double SumOf(const TermValues& factors, const TermValues& terms);
double LongestOf(const ClockModel& model, const TermValues& terms);

// Fitted to the rows of kBaseFamily. An error counts by its share of the whole machine's figure, so
// the fit looks for small relative errors of that. For another |family| each module gets a factor
// of its own, so that it has the right size over all configurations that are in the table for both
// families. The clock is fitted to the rows of |family|; those of kBaseFamily, with the delays of
// |family|, count little: they decide what the few others leave open. Then it gets one factor, so
// that it is right in the mean: a longest path is longer than the longest of modelled ones.
AreaModel FitArea(const std::vector<SynthesisedConfig>& rows, const std::string& family);
ClockModel FitClock(const std::vector<SynthesisedConfig>& rows, const std::string& family);

}  // namespace tessera::hw

#endif  // TESSERA_HW_PREDICT_MODEL_H_
