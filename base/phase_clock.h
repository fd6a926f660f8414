// SPDX-License-Identifier: Apache-2.0
//
// PhaseClock: where a command's time goes, by phase. Depends on nothing. Used by: compiler/driver,
// tools.
#ifndef TESSERA_BASE_PHASE_CLOCK_H_
#define TESSERA_BASE_PHASE_CLOCK_H_

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// A phase's time is what passes within it and not within phases inside it; phases of one name are
// one line.
class PhaseClock {
 public:
  struct PhaseTime {
    std::string name;
    double wall = 0, cpu = 0;  // seconds; |cpu|: of all threads of the process
  };

  // A phase, from construction to destruction. |clock|: null: nothing is measured.
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

  // In order of first entry; whole once every phase has ended.
  const std::vector<PhaseTime>& phases() const { return phases_; }

  // A line a phase, and their sum: seconds of wall and of processor time.
  std::string Text() const;

 private:
  static constexpr size_t kNone = ~size_t{0};
  void Charge();  // what passed since the last charge, to the current phase

  std::vector<PhaseTime> phases_;
  size_t current_ = kNone;
  double wall_ = 0, cpu_ = 0;  // at the last charge
};

}  // namespace tessera

#endif  // TESSERA_BASE_PHASE_CLOCK_H_
