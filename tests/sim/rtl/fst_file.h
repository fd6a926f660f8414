// SPDX-License-Identifier: Apache-2.0
//
// Reads signals of an .fst waveform, through the reader that Verilator brings. Used by:
// waveform_test.cc.
#ifndef TESSERA_TESTS_SIM_RTL_FST_FILE_H_
#define TESSERA_TESTS_SIM_RTL_FST_FILE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::sim {

// The value of each wanted signal, by name; a signal with unknown bits has none.
using SignalValues = std::map<std::string, uint64_t>;

// Calls |step| for every time at which a signal of |names| ("TOP.tsr_top.clk_i") changes, with
// their values before and after it, in order of time.
//   errors  kDataLoss  |path| is no waveform, or a signal is not in it or wider than 64 bits
Status ReadFst(
    const std::string& path, const std::vector<std::string>& names,
    const std::function<void(const SignalValues& before, const SignalValues& now)>& step);

}  // namespace tessera::sim

#endif  // TESSERA_TESTS_SIM_RTL_FST_FILE_H_
