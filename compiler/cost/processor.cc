// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/processor.h"

#include <algorithm>
#include <cmath>

#include "compiler/cost/instructions.h"
#include "compiler/cost/operands.h"

namespace tessera::cost {
namespace {

using ir::LoopKind;
using target::Target;

bool InMemory(const Operand& operand) {
  return operand.scope == ir::Scope::kGlobal || operand.scope == ir::Scope::kLocal;
}

bool IsGrid(LoopKind kind) {
  return kind == LoopKind::kGridX || kind == LoopKind::kGridY || kind == LoopKind::kGridZ;
}
bool IsThread(LoopKind kind) {
  return kind == LoopKind::kThreadX || kind == LoopKind::kThreadY || kind == LoopKind::kThreadZ;
}

// The part of a body's work that one processor does, of the whole.
double ShareOf(const Body& body, double processors) {
  double groups = 1;
  for (const BodyLoop& loop : body.loops) {
    if (loop.kind == LoopKind::kParallel || IsGrid(loop.kind)) groups *= loop.iterations;
  }
  return std::ceil(groups / std::max(processors, 1.0)) / groups;
}

// Threads of a group that work on |body|.
double ThreadsOf(const Body& body) {
  double threads = 1;
  for (const BodyLoop& loop : body.loops) threads *= IsThread(loop.kind) ? loop.iterations : 1;
  return threads;
}

// What |body| exchanges with the memory behind |cache|, which replaces what was used longest ago.
// Loop |within| is the outermost one whose iterations may find what earlier ones brought.
//
// The iterations of a loop find an operand's lines of the iteration before, if all that one of them
// touches fits, or if no loop inside moves the operand. So the loops from |kept| on bring each line
// once; those outside bring it again. A cache that all processors share and that holds all data,
// and the |bytes_between| two runs, keeps it from one run to the next.
Traffic TrafficOf(const Body& body, const target::TargetCache& cache, size_t within,
                  double bytes_between) {
  const auto line = static_cast<double>(cache.line_bytes), room = static_cast<double>(cache.bytes);
  const size_t loops = body.loops.size();
  std::vector<double> touched(loops + 1);  // by all operands in the loops from d on
  for (size_t d = 0; d <= loops; ++d) {
    for (const Operand& operand : body.operands) touched[d] += body.Touched(operand, d, line);
  }
  Traffic traffic;
  if (!cache.each && touched[0] + bytes_between <= room) return traffic;
  for (const Operand& operand : body.operands) {
    if (!InMemory(operand)) continue;
    size_t kept = loops;
    bool moved = false;  // by a loop from |kept| on
    while (kept > within && (touched[kept] <= room || !moved)) {
      --kept;
      moved = moved || operand.Moves(kept);
    }
    const double bytes = body.Touched(operand, kept, line) * body.Iterations(0, kept);
    traffic.read += bytes;  // a line comes before a part of it is written
    if (operand.written) traffic.written += bytes;
  }
  return traffic;
}

class Estimate {
 public:
  Estimate(const Target& target, double processors, double bytes_between)
      : target_(target), processors_(processors), bytes_between_(bytes_between) {
    cost_.traffic.resize(target.caches.size());
  }

  void Add(const Body& body) {
    const Work work = WorkOf(body, target_);
    cost_.instructions += work.instructions;
    cost_.iterations += body.Iterations(0, body.call);
    const double share = ShareOf(body, processors_), lanes = LanesOf(body);
    const double wait = body.nest->stage->reduce_axes.empty() ? 0 : work.blocks * work.wait;
    const double busy =
        std::max({(work.arithmetic_cycles / target_.ops_a_cycle + work.call_cycles) / lanes,
                  work.instructions.loads / target_.loads_a_cycle / lanes,
                  work.instructions.stores / target_.stores_a_cycle / lanes,
                  wait / ThreadsOf(body)}) +
        work.spills * (1 / target_.loads_a_cycle + 1 / target_.stores_a_cycle) / lanes +
        work.instructions.loops / lanes;
    double cycles = busy * share;
    for (size_t c = 0; c < target_.caches.size(); ++c) {
      const target::TargetCache& cache = target_.caches[c];
      const Traffic traffic = TrafficOf(body, cache, Within(body, cache), bytes_between_);
      cost_.traffic[c].read += traffic.read;
      cost_.traffic[c].written += traffic.written;
      const double bytes = traffic.read + traffic.written;
      cycles += bytes / cache.bytes_a_cycle * (cache.each ? share : 1);
    }
    cost_.cycles += cycles;
  }

  ProcessorCost Take() { return std::move(cost_); }

 private:
  // Values that a processor works on at a time: a host's instructions count registers, a GPU's the
  // values of threads.
  double LanesOf(const Body& body) const {
    return target_.group_lanes > 0
               ? std::min<double>(ThreadsOf(body), static_cast<double>(target_.group_lanes))
               : 1;
  }
  // A cache that each processor has holds no data of two groups.
  static size_t Within(const Body& body, const target::TargetCache& cache) {
    size_t within = 0;
    for (size_t d = 0; cache.each && d < body.loops.size(); ++d) {
      if (IsGrid(body.loops[d].kind)) within = d + 1;
    }
    return within;
  }

  const Target& target_;
  double processors_, bytes_between_;
  ProcessorCost cost_;
};

}  // namespace

Instructions& Instructions::operator+=(const Instructions& other) {
  arithmetic += other.arithmetic;
  intrinsics += other.intrinsics;
  loads += other.loads;
  stores += other.stores;
  loops += other.loops;
  return *this;
}

Result<ProcessorCost> CostOnProcessor(const schedule::Schedule& schedule, const ProcessorUse& use) {
  const Target& target = schedule.target();
  if (target.caches.empty()) {
    return Fail(Code::kInvalidArgument,
                "target {}: it has no figures of caches, from which a cost is estimated",
                target.name);
  }
  TESSERA_ASSIGN(const lower::Bounds bounds, lower::InferBounds(schedule));
  const Nests nests = NestsOf(schedule, bounds);
  const bool gpu = target.group_lanes > 0;
  Estimate estimate(target, static_cast<double>(gpu ? target.processors : use.threads),
                    use.bytes_between);
  for (const Nest& nest : nests.all) estimate.Add(BodyOf(nests, nest, schedule, bounds));
  return estimate.Take();
}

}  // namespace tessera::cost
