// SPDX-License-Identifier: Apache-2.0
//
// What a search may choose for a program of the accelerator beside the schedules of its layers:
// the network traces of the layers (compiler/schedule/network_step.h). Depends on: space.h,
// compiler/network. Used by: tasks.
#ifndef TESSERA_COMPILER_TUNE_NETWORK_SPACE_H_
#define TESSERA_COMPILER_TUNE_NETWORK_SPACE_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/network/residency.h"
#include "compiler/schedule/network_step.h"
#include "compiler/tune/space.h"
#include "isa/config.h"

namespace tessera::tune {

// The knobs of region 3 are "3.turns" (0, or the words of its step), "3.stay" (0 or 1), "3.room"
// (0 or the eighths) and "3.taps" (0 or the axes). Knobs with one value are left out.
class NetworkSpace : public Space {
 public:
  // The space around the network traces of |program|.
  //   errors  those of network::PlanProgram
  static Result<NetworkSpace> Make(const compiler::PlannedProgram& program,
                                   const isa::Config& config);

  std::vector<schedule::NetworkTrace> TracesOf(const Point& point) const;
  void Put(const Point& point, compiler::PlannedProgram* program) const override;

 private:
  enum class Kind : uint8_t { kTurns, kStay, kRoom, kTaps };
  struct RegionKnob {
    size_t region = 0;
    Kind kind = Kind::kStay;
  };

  std::vector<schedule::Choice> Domain(const std::vector<schedule::Choice>& picks) override;
  bool IsLegal(const Point& point) override;
  // The regions of the chain that |region| is in by |picks|; itself: none.
  network::Chain ChainOf(const std::vector<schedule::Choice>& picks, size_t region) const;

  isa::Config config_;
  compiler::PlannedProgram program_;
  std::vector<network::ResidencyPlan::Choices> choices_;  // by region
  std::vector<bool> packed_;        // by region: the host may pack its input with taps
  std::vector<RegionKnob> places_;  // by knob
};

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_NETWORK_SPACE_H_
