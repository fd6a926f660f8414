// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/kernel.h"

#include <mutex>
#include <systemc>

namespace tessera::sim::cycle {
namespace {

// SystemC keeps its kernel in a variable of the process.
std::mutex& KernelMutex() {
  static std::mutex mutex;
  return mutex;
}

// While it lives, the kernel is |context|.
class Entered {
 public:
  explicit Entered(sc_core::sc_simcontext* context)
      : lock_(KernelMutex()), before_(sc_core::sc_curr_simcontext) {
    sc_core::sc_curr_simcontext = context;
  }
  ~Entered() { sc_core::sc_curr_simcontext = before_; }

 private:
  std::scoped_lock<std::mutex> lock_;
  sc_core::sc_simcontext* before_;
};

// The clock of a machine: a cycle is a nanosecond.
class CycleClock : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(CycleClock);
  explicit CycleClock(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_METHOD(Tick);
    sensitive << start_;
    dont_initialize();
  }

  void Start(CycleRun* run, uint64_t budget) {
    run_ = run;
    budget_ = budget;
    over_ = false;
    begin_ = sc_core::sc_time_stamp();
    start_.notify(sc_core::SC_ZERO_TIME);
  }
  // Whether the run came to its end.
  bool over() const { return over_; }

 private:
  // Cycles that are asked for before the kernel is: nothing else is in it to look at the time.
  static constexpr uint64_t kAhead = 4096;

  void Tick() {
    const uint64_t now =
        (sc_core::sc_time_stamp() - begin_).value() / sc_core::sc_time(1, sc_core::SC_NS).value();
    for (;;) {
      const Cycles next = run_->next();
      if (next >= budget_) return;
      if (next > now + kAhead) {
        next_trigger(begin_ + sc_core::sc_time(static_cast<double>(next), sc_core::SC_NS) -
                     sc_core::sc_time_stamp());
        return;
      }
      if (run_->Step()) continue;
      over_ = true;
      return;
    }
  }

  sc_core::sc_event start_;
  sc_core::sc_time begin_;
  CycleRun* run_ = nullptr;
  uint64_t budget_ = 0;
  bool over_ = false;
};

}  // namespace

struct CycleKernel::Simulation {
  std::unique_ptr<sc_core::sc_simcontext> context = std::make_unique<sc_core::sc_simcontext>();
  std::unique_ptr<CycleClock> clock;
};

CycleKernel::CycleKernel() : simulation_(std::make_unique<Simulation>()) {
  const Entered entered(simulation_->context.get());
  simulation_->clock = std::make_unique<CycleClock>("clock");
}

CycleKernel::~CycleKernel() {
  const Entered entered(simulation_->context.get());
  simulation_->clock.reset();
  simulation_->context.reset();
}

bool CycleKernel::Run(CycleRun& run, uint64_t budget) {
  const Entered entered(simulation_->context.get());
  simulation_->clock->Start(&run, budget);
  sc_core::sc_start();
  return simulation_->clock->over();
}

}  // namespace tessera::sim::cycle

// SystemC's library wants one; this program has another main.
int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }
