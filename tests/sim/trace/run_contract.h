// SPDX-License-Identifier: Apache-2.0
//
// RunContract: an observer that checks a device against runtime/observer.h. The expected events
// come from the program's own fields (isa/semantics/fetch.h) and the run's report, not from the
// device. Used by: tests of devices that report their runs.
#ifndef TESSERA_TESTS_SIM_TRACE_RUN_CONTRACT_H_
#define TESSERA_TESTS_SIM_TRACE_RUN_CONTRACT_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <vector>

#include "isa/semantics/fetch.h"
#include "runtime/device.h"

namespace tessera::test {

class RunContract : public RunObserver {
 public:
  RunContract(const isa::ProgramImage& image, const isa::Config& config) {
    const auto fetcher = isa::Fetcher::Make(image.profile, config);
    EXPECT_TRUE(fetcher);
    const auto bytes = static_cast<size_t>(image.insn_bytes());
    for (int64_t i = 0; fetcher && i < image.insn_count(); ++i) {
      isa::Fetched fetched;
      const auto word = std::span(image.code).subspan(static_cast<size_t>(i) * bytes, bytes);
      EXPECT_FALSE(fetcher->Fetch(word, &fetched));
      program_.push_back(fetched);
      if (!fetched.finish) insns_[U(fetched.unit)].push_back(static_cast<uint32_t>(i));
    }
  }

  void OnTaken(const InsnTaken& taken) override {
    Step(taken.cycle);
    const size_t u = U(taken.unit);
    ASSERT_LT(taken_[u].size(), insns_[u].size());
    EXPECT_EQ(taken.insn, insns_[u][taken_[u].size()]) << "not the next of the queue";
    taken_[u].push_back(taken.cycle);
  }

  void OnRetired(const TraceEntry& entry) override {
    Step(entry.cycle);
    const size_t u = U(entry.unit), n = retired_[u]++;
    ASSERT_LT(n, taken_[u].size()) << "retired and not taken";
    EXPECT_EQ(entry.insn, insns_[u][n]);
    EXPECT_GT(entry.cycle, taken_[u][n]);
  }

  void OnSpan(const UnitSpan& span) override {
    Over(span.end);
    const size_t u = U(span.unit);
    EXPECT_EQ(span.begin, spent_to_[u]) << "a gap, or cycles told twice";
    EXPECT_LT(span.begin, span.end);
    spent_to_[u] = span.end;
    const uint64_t cycles = span.end - span.begin;
    UnitCounters& sum = sums_[u];
    switch (span.activity) {
      case Activity::kBusy:
        sum.busy += cycles;
        break;
      case Activity::kMemory:
        sum.memory_wait += cycles;
        break;
      case Activity::kHazard:
        sum.hazard += cycles;
        break;
      case Activity::kToken:
        sum.token_wait += cycles;
        EXPECT_NE(span.missing | span.full, 0) << "waits for nobody";
        break;
      case Activity::kIdle:
        sum.idle += cycles;
        break;
    }
    if (span.activity != Activity::kToken) {
      EXPECT_EQ(span.missing | span.full, 0);
    }
    EXPECT_EQ((span.missing | span.full) >> U(span.unit) & 1, 0) << "waits for itself";
  }

  void OnToken(const TokenMove& move) override {
    Step(move.cycle);
    const size_t from = U(move.from), to = U(move.to);
    ASSERT_LT(move.insn, program_.size());
    const isa::Fetched& insn = program_[move.insn];
    EXPECT_EQ(U(insn.unit), move.push ? from : to);
    EXPECT_EQ((move.push ? insn.push >> to : insn.pop >> from) & 1, 1) << "no such token";
    std::deque<uint64_t>& pushed = pushed_[from][to];
    if (move.push) {
      pushed.push_back(move.cycle);
      ++pushes_;
      return;
    }
    ++pops_;
    ASSERT_FALSE(pushed.empty()) << "popped before it was pushed";
    EXPECT_LE(pushed.front(), move.cycle);
    pushed.pop_front();
  }

  void OnBus(const BusBeats& bus) override {
    Over(bus.end);
    const auto user = static_cast<size_t>(bus.user);
    EXPECT_GE(bus.begin, bus_to_[user]) << "two beats in a cycle";
    EXPECT_GE(bus.end - bus.begin, bus.beats);
    EXPECT_GT(bus.beats, 0u);
    bus_to_[user] = bus.end;
    beats[user] += bus.beats;
  }

  // Expects that the reported events are those of the run.
  void Expect(const RunReport& report, uint64_t bus_bytes) const {
    size_t pushes = 0, pops = 0;
    for (const isa::Fetched& insn : program_) {
      pushes += static_cast<size_t>(std::popcount(insn.push));
      pops += static_cast<size_t>(std::popcount(insn.pop));
    }
    EXPECT_EQ(pushes_, pushes);
    EXPECT_EQ(pops_, pops);
    for (size_t u = 0; u < isa::kUnits; ++u) {
      EXPECT_EQ(taken_[u].size(), insns_[u].size()) << "unit " << u;
      EXPECT_EQ(retired_[u], insns_[u].size()) << "unit " << u;
      EXPECT_EQ(spent_to_[u], report.cycles) << "unit " << u;
      EXPECT_EQ(sums_[u], report.units[u]) << "unit " << u;
    }
    EXPECT_LE(last_, report.cycles);
    EXPECT_LT(over_, report.cycles);
    EXPECT_EQ((beats[0] + beats[1]) * bus_bytes, report.bytes_read);
    EXPECT_GE(beats[2] * bus_bytes, report.bytes_written);
  }

  std::array<uint64_t, kBusUsers> beats{};

 private:
  static size_t U(isa::Unit unit) { return static_cast<size_t>(unit); }

  void Step(uint64_t cycle) {
    EXPECT_GE(cycle, last_) << "moments come in order";
    EXPECT_GE(cycle, over_) << "a stretch was told before its last cycle";
    last_ = cycle;
  }
  void Over(uint64_t end) { over_ = std::max(over_, end - 1); }

  std::vector<isa::Fetched> program_;
  std::array<std::vector<uint32_t>, isa::kUnits> insns_;  // in each queue, in order
  std::array<std::vector<uint64_t>, isa::kUnits> taken_;  // cycles of the takings
  std::array<size_t, isa::kUnits> retired_{};
  std::array<uint64_t, isa::kUnits> spent_to_{};
  std::array<UnitCounters, isa::kUnits> sums_;
  std::array<std::array<std::deque<uint64_t>, isa::kUnits>, isa::kUnits> pushed_;
  std::array<uint64_t, kBusUsers> bus_to_{};
  size_t pushes_ = 0, pops_ = 0;
  uint64_t last_ = 0;  // cycle of the last moment
  uint64_t over_ = 0;  // a stretch was reported in this cycle or later
};

}  // namespace tessera::test

#endif  // TESSERA_TESTS_SIM_TRACE_RUN_CONTRACT_H_
