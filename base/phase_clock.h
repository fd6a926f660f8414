// SPDX-License-Identifier: Apache-2.0
//
// PhaseClock: the time that a command spends in each phase. Depends on nothing. Used by:
// compiler/driver, tools.
#ifndef TESSERA_BASE_PHASE_CLOCK_H_
#define TESSERA_BASE_PHASE_CLOCK_H_

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// The time of a phase leaves out the time of phases inside it. Phases of one name share one line.
class PhaseClock {
 public:
  struct PhaseTime {
    std::string name;
    double wall = 0, cpu = 0;  // seconds; |cpu|: all threads of the process
  };

  // A phase, from construction to destruction. Measures nothing if |clock| is null.
  class Phase {
   public:
    Phase(PhaseClock* clock, std::string_view name);
    ~Phase();
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

   private:
    PhaseClock* clock_;
    size_t outer_ = 0;
  };

  // In the order of first entry; complete once every phase has ended.
  const std::vector<PhaseTime>& phases() const { return phases_; }

  // One line for each phase and one for the sum: seconds of wall and of processor time.
  std::string Text() const;

 private:
  static constexpr size_t kNone = ~size_t{0};
  void Charge();  // adds the time since the last charge to the current phase

  std::vector<PhaseTime> phases_;
  size_t current_ = kNone;
  double wall_ = 0, cpu_ = 0;  // at the last charge
};

}  // namespace tessera

#endif  // TESSERA_BASE_PHASE_CLOCK_H_
