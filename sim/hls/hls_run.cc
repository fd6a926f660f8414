// SPDX-License-Identifier: Apache-2.0
#include "sim/hls/hls_run.h"

#include <algorithm>
#include <type_traits>

#include "base/check.h"
#include "isa/semantics/diagnosis.h"
#include "isa/semantics/units.h"
#include "shim/tsr_probe.h"
#include "sim/trace/digest.h"

namespace tessera::sim {
namespace {

static_assert(std::extent_v<decltype(tsr_memory_map::segment_base)> == isa::kSegments);
static_assert(kHlsUnits == isa::kUnits);

std::string TopName(int top) {
  return top == kHlsFetch ? "fetch" : std::string(isa::Text(static_cast<isa::Unit>(top - 1)));
}

}  // namespace

// Observes the instructions of one unit, for the budget and the trace.
class HlsRun::UnitProbe : public hls_shim::probe {
 public:
  UnitProbe(HlsRun& run, int unit) : run_(run), unit_(static_cast<isa::Unit>(unit)) {
    wants_changes = run.observer_ != nullptr;
  }

  void start(uint32_t number) override {
    fetched_ = {};
    const isa::Stop stop = run_.Decode(number, &fetched_);
    TESSERA_CHECK(!stop, "{} has instruction {}, which fetch must refuse: {}", isa::Text(unit_),
                  number, stop.detail);
    if (Status status = run_.Spend(unit_, number, fetched_); !status) {
      run_.stopped_ = status.error();
      run_.fibers_->stop();
      throw hls_shim::standstill("the budget is spent");
    }
  }

  void change(int space, uint64_t address, const void* before, const void* after,
              int bytes) override {
    writes_(static_cast<isa::ByteSpace>(space), address, before, after, bytes);
  }

  void retire(uint32_t number) override {
    const uint64_t digest = writes_.Take();
    if (run_.observer_ == nullptr || fetched_.finish) return;
    run_.observer_->OnRetired({.insn = number, .unit = unit_, .digest = digest});
  }

 private:
  HlsRun& run_;
  isa::Unit unit_;
  isa::Fetched fetched_;
  DigestWrites writes_;
};

HlsRun::HlsRun(const isa::Config& config, const Launch& launch, const isa::Fetcher& fetcher,
               std::span<uint8_t> memory, HlsTwin& twin, RunObserver* observer)
    : config_(config),
      launch_(launch),
      fetcher_(fetcher),
      memory_(memory),
      twin_(twin),
      observer_(observer) {
  run_.memory = memory.data();
  run_.insn_addr = launch.insn_addr;
  run_.insn_count = launch.insn_count;
  run_.vta = launch.profile == isa::Profile::kVta;
  run_.map.bytes = memory.size();
  for (int s = 0; s < isa::kSegments; ++s) {
    run_.map.segment_base[s] = launch.segments[s].base;
    run_.map.segment_size[s] = launch.segments[s].size;
  }
  MakeQueues();
}

// A FIFO of the block design is deep enough for both profiles, plus one place for the end mark.
void HlsRun::MakeQueues() {
  using isa::Profile;
  const auto depth = [](int64_t tessera, int64_t vta) {
    return static_cast<size_t>(std::max(tessera, vta) + 1);
  };
  const size_t commands =
      depth(config_.QueueDepth(Profile::kTessera), config_.QueueDepth(Profile::kVta));
  const size_t tokens =
      depth(config_.TokenDepth(Profile::kTessera), config_.TokenDepth(Profile::kVta));
  for (int to = 0; to < kHlsUnits; ++to) {
    const std::string name = TopName(1 + to);
    queues_.commands[to] = std::make_unique<tsr_commands>("the queue of " + name, commands);
    queues_.command_places[to] =
        std::make_unique<tsr_marks>("the places of the queue of " + name, commands);
    for (int from = 0; from < kHlsUnits; ++from) {
      if (from == to) continue;
      const std::string edge = TopName(1 + from) + ">" + name;
      queues_.tokens[from][to] = std::make_unique<tsr_marks>("the tokens " + edge, tokens);
      queues_.token_places[from][to] =
          std::make_unique<tsr_marks>("the places of the tokens " + edge, tokens);
    }
  }
}

int64_t HlsRun::LeftInQueues() const {
  int64_t left = 0;
  for (int to = 0; to < kHlsUnits; ++to) {
    left += queues_.commands[to]->size() + queues_.command_places[to]->size();
    for (int from = 0; from < kHlsUnits; ++from) {
      if (from == to) continue;
      left += queues_.tokens[from][to]->size() + queues_.token_places[from][to]->size();
    }
  }
  return left;
}

isa::Stop HlsRun::Decode(uint32_t number, isa::Fetched* fetched) const {
  const int64_t bytes = fetcher_.insn_bytes();
  return fetcher_.Fetch(memory_.subspan(launch_.insn_addr + number * bytes, bytes), fetched);
}

Status HlsRun::Spend(isa::Unit unit, uint32_t number, const isa::Fetched& fetched) {
  const uint64_t cost = 1 + static_cast<uint64_t>(isa::Steps(fetched.insn));
  if (cost > launch_.budget - spent_) {
    return Fail(
        Code::kTimeout,
        "{}: instruction {} ({}) takes {} steps, {} of the budget of {} are left; give more",
        isa::Text(unit), number, isa::Describe(fetched.insn), cost, launch_.budget - spent_,
        launch_.budget);
  }
  spent_ += cost;
  return {};
}

void HlsRun::RunTop(int top) {
  std::unique_ptr<UnitProbe> probe;
  if (top != kHlsFetch) probe = std::make_unique<UnitProbe>(*this, top - 1);
  hls_shim::current_probe() = probe.get();
  twin_.RunTop(top, run_, queues_, &reports_[static_cast<size_t>(top)]);
  ended_[static_cast<size_t>(top)] = true;
}

// The error that |top| reported, with the text of its instruction.
Error HlsRun::UnitError(int top) const {
  const tsr_report& report = reports_[static_cast<size_t>(top)];
  const uint32_t number = static_cast<uint32_t>(report.number);
  const auto error = static_cast<isa::MachineError>(static_cast<uint64_t>(report.error));
  isa::Fetched fetched;
  const std::string text =
      Decode(number, &fetched).error == isa::MachineError::kNone && top != kHlsFetch
          ? " (" + isa::Describe(fetched.insn) + ")"
          : "";
  std::string_view meaning;
  for (const isa::EnumValue& e : isa::kEnumValues) {
    if (e.type == "MachineError" && e.value == static_cast<int>(error)) meaning = e.meaning;
  }
  std::string reason(meaning);
  std::optional<uint64_t> refused;
  if (error == isa::MachineError::kBus && !text.empty()) {
    const auto bases = isa::BasesOf(launch_.segments);
    reason += ": " + isa::SegmentBytes(fetched.insn, config_, bases);
    refused = isa::FirstBeatOutside(fetched.insn, config_, bases, memory_.size());
  }
  return isa::StoppedAt(TopName(top), fmt::format("instruction {}{}", number, text), error, reason,
                        refused);
}

// The error of a deadlock. The tops move tokens by the rules of the instruction set, so isa::Units
// stops in the same state and names the cause.
Error HlsRun::Deadlock(const std::string& standing) const {
  isa::Units units(config_, launch_.profile);
  std::optional<isa::Issued> waiting;
  uint32_t next = 0;
  bool finish = false, moved = true;
  while (moved) {
    moved = false;
    while (waiting ? units.HasRoom(waiting->fetched.unit) : !finish && next < launch_.insn_count) {
      moved = true;
      if (!waiting) {
        waiting = isa::Issued{.number = next};
        TESSERA_CHECK(!Decode(next, &waiting->fetched), "instruction {} has no meaning", next);
        ++next;
        finish = waiting->fetched.finish;
        if (finish && launch_.profile == isa::Profile::kTessera) waiting.reset();
        continue;
      }
      units.Enqueue(std::move(*waiting));
      waiting.reset();
    }
    for (int unit = 0; unit < isa::kUnits; ++unit) {
      while (units.CanRetire(unit) || units.CanStart(unit)) {
        moved = true;
        if (units.CanRetire(unit)) {
          units.Retire(unit);
        } else {
          units.Start(unit);
        }
      }
    }
  }
  TESSERA_CHECK(waiting || !units.Empty(), "the tops stand and the rules of tokens do not: {}",
                standing);
  const auto read = [this](uint32_t number, std::span<uint8_t> bytes) {
    std::ranges::copy(memory_.subspan(launch_.insn_addr + number * bytes.size(), bytes.size()),
                      bytes.begin());
    return true;
  };
  const isa::InsnStream stream(fetcher_, config_, launch_.insn_count, read);
  isa::MachineStanding at{.units = units.Standing()};
  if (waiting) at.fetch = waiting->number;
  return {Code::kDeadlock,
          fmt::format("deadlock: {}; tops: {}", isa::Diagnose(stream, at).Line(), standing)};
}

Result<RunReport> HlsRun::Outcome(const std::string& standing) {
  if (stopped_) return std::unexpected(*stopped_);
  int first = -1;
  for (int top = 0; top < kHlsTops; ++top) {
    const tsr_report& report = reports_[static_cast<size_t>(top)];
    if (!ended_[static_cast<size_t>(top)] || report.error == 0) continue;
    if (first < 0 || report.number < reports_[static_cast<size_t>(first)].number) first = top;
  }
  if (first >= 0) return std::unexpected(UnitError(first));
  if (!standing.empty()) return std::unexpected(Deadlock(standing));
  RunReport report;
  report.instructions = reports_[kHlsFetch].count;
  uint64_t done = launch_.profile == isa::Profile::kTessera ? 1 : 0;  // no unit takes FINISH
  for (int top = 1; top < kHlsTops; ++top) {
    done += reports_[static_cast<size_t>(top)].count;
    if (reports_[static_cast<size_t>(top)].left != 0) report.leftover_tokens = true;
  }
  TESSERA_CHECK(done == report.instructions, "{} instructions went out, {} were done",
                report.instructions, done);
  TESSERA_CHECK(LeftInQueues() == 0, "{} elements are left in the queues", LeftInQueues());
  return report;
}

Result<RunReport> HlsRun::Run() {
  std::vector<hls_shim::named_top> tops;
  for (int top = 0; top < kHlsTops; ++top)
    tops.push_back({TopName(top), [this, top] { RunTop(top); }});
  hls_shim::top_fibers fibers(std::move(tops));
  fibers_ = &fibers;
  fibers.run();
  fibers_ = nullptr;
  return Outcome(fibers.standing());
}

}  // namespace tessera::sim
