// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/kernel.h"

#include <mutex>
#include <systemc>

#include "sim/cycle/ddr3_memory.h"
#include "sim/cycle/tlm_memory.h"

namespace tessera::sim::cycle {
namespace {

// SystemC keeps its current kernel in a global variable of the process.
std::mutex& KernelMutex() {
  static std::mutex mutex;
  return mutex;
}

// Makes |context| the current kernel of SystemC for the lifetime of the object.
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

constexpr uint64_t kAhead = 4096;

}  // namespace

// The process that steps a run in simulated time.
class CycleClock : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(CycleClock);
  // |ahead|: how many cycles the process may run ahead of simulated time. Without a memory in the
  // simulation nothing else reads the time, so any number is correct. With a memory it must be 0.
  CycleClock(const sc_core::sc_module_name& name, double clock_mhz, uint64_t ahead)
      : sc_core::sc_module(name), period_(1e6 / clock_mhz, sc_core::SC_PS), ahead_(ahead) {
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
  // Whether the run reached its end.
  bool over() const { return over_; }

 private:
  void Tick() {
    const uint64_t now = (sc_core::sc_time_stamp() - begin_).value() / period_.value();
    for (;;) {
      const Cycles next = run_->next();
      if (next >= budget_) return;
      if (next > now + ahead_) {
        const sc_core::sc_time at = begin_ + sc_core::sc_time::from_value(next * period_.value());
        next_trigger(at - sc_core::sc_time_stamp());
        return;
      }
      if (run_->Step()) continue;
      over_ = true;
      return;
    }
  }

  const sc_core::sc_time period_;
  const uint64_t ahead_;
  sc_core::sc_event start_;
  sc_core::sc_time begin_;
  CycleRun* run_ = nullptr;
  uint64_t budget_ = 0;
  bool over_ = false;
};

struct CycleKernel::Simulation {
  std::unique_ptr<sc_core::sc_simcontext> context = std::make_unique<sc_core::sc_simcontext>();
  std::unique_ptr<CycleClock> clock;
  std::unique_ptr<TlmMemory> bus;
  std::unique_ptr<Ddr3Memory> memory;
};

CycleKernel::CycleKernel(double clock_mhz, uint32_t bus_bytes, const Ddr3Parameters* ddr3)
    : simulation_(std::make_unique<Simulation>()) {
  const Entered entered(simulation_->context.get());
  Simulation& s = *simulation_;
  s.clock = std::make_unique<CycleClock>("clock", clock_mhz, ddr3 == nullptr ? kAhead : 0);
  if (ddr3 == nullptr) return;
  s.bus = std::make_unique<TlmMemory>("bus", bus_bytes);
  s.memory = std::make_unique<Ddr3Memory>("memory", *ddr3);
  s.bus->bus.bind(s.memory->port);
}

CycleKernel::~CycleKernel() {
  const Entered entered(simulation_->context.get());
  simulation_->clock.reset();
  simulation_->bus.reset();
  simulation_->memory.reset();
  simulation_->context.reset();
}

MemoryModel* CycleKernel::memory() { return simulation_->bus.get(); }

bool CycleKernel::Run(CycleRun& run, uint64_t budget) {
  const Entered entered(simulation_->context.get());
  simulation_->clock->Start(&run, budget);
  sc_core::sc_start();
  return simulation_->clock->over();
}

}  // namespace tessera::sim::cycle
