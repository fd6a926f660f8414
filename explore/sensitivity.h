// SPDX-License-Identifier: Apache-2.0
//
// What a machine gains and costs if one of its figures is half or twice as large, and what limits
// it. Depends on: explore/search.h. Used by: tools, tests.
#ifndef TESSERA_EXPLORE_SENSITIVITY_H_
#define TESSERA_EXPLORE_SENSITIVITY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "explore/search.h"

namespace tessera::explore {

// A machine beside one of the front. Shares are of the front's machine: 0.1 is 10 % more. Both
// times are of stage predict.
struct Sensitivity {
  int64_t machine = 0;  // of the front
  isa::ConfigKey key{};
  int64_t from = 0, to = 0;  // values of the key
  hw::Silicon area;          // of the other machine
  double ms = 0, lut = 0;
  double saved = 0;  // cycles of the accelerator, all networks together, that one LUT more saves
  bool fits = true;
  std::string cause;  // why the other machine has no time; "": it has
};

// Halves and doubles each figure of a configuration that matters, at each of |machines|.
// Illegal machines are left out.
//   errors  kUnavailable  the system makes no process
Result<std::vector<Sensitivity>> SensitivitiesOf(const Explored& explored,
                                                 const std::vector<int64_t>& machines,
                                                 MachineSearch* search);

// What takes most of a machine's time.
enum class Limit : uint8_t { kArray, kVector, kBus, kHost, kTransfers, kStarts, kWaits };
// "the array".
std::string_view LimitText(Limit limit);
// Of |cost|, an answer of stage run. The unit that works in most of the accelerator's cycles limits
// them, if it works in more than half of them; otherwise units wait for one another.
Limit LimitOf(const NetworkCost& cost);

// A paragraph: what limits the networks on the fastest machine of the front, what its neighbours in
// |sensitivities| say about it, and which resource of the part is used most. "": no front.
std::string LimitsInWords(const Explored& explored, const std::vector<ExploredNetwork>& networks,
                          const std::vector<Sensitivity>& sensitivities);

}  // namespace tessera::explore

#endif  // TESSERA_EXPLORE_SENSITIVITY_H_
