// SPDX-License-Identifier: Apache-2.0
#include "base/phase_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace tessera {
namespace {

double Seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

PhaseClock::Phase::Phase(PhaseClock* clock, std::string_view name) : clock_(clock) {
  if (clock_ == nullptr) return;
  clock_->Charge();
  outer_ = clock_->current_;
  const auto known = std::ranges::find(clock_->phases_, name, &PhaseTime::name);
  clock_->current_ = static_cast<size_t>(known - clock_->phases_.begin());
  if (known == clock_->phases_.end()) clock_->phases_.push_back({.name = std::string(name)});
}

PhaseClock::Phase::~Phase() {
  if (clock_ == nullptr) return;
  clock_->Charge();
  clock_->current_ = outer_;
}

void PhaseClock::Charge() {
  const double wall = Seconds(CLOCK_MONOTONIC), cpu = Seconds(CLOCK_PROCESS_CPUTIME_ID);
  if (current_ != kNone) {
    phases_[current_].wall += wall - wall_;
    phases_[current_].cpu += cpu - cpu_;
  }
  wall_ = wall;
  cpu_ = cpu;
}

std::string PhaseClock::Text() const {
  PhaseTime sum{.name = "sum"};
  std::string text = fmt::format("{:<36}{:>10}{:>12}\n", "phase", "seconds", "processor");
  const auto line = [&](const PhaseTime& phase) {
    text += fmt::format("{:<36}{:>10.3f}{:>12.3f}\n", phase.name, phase.wall, phase.cpu);
  };
  for (const PhaseTime& phase : phases_) {
    line(phase);
    sum.wall += phase.wall;
    sum.cpu += phase.cpu;
  }
  line(sum);
  return text;
}

}  // namespace tessera
