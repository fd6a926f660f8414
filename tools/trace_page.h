// SPDX-License-Identifier: Apache-2.0
//
// TracePage: a run as one page of HTML that needs no network: timeline, layers, the cycles by
// cause, roofline. docs/timelines.md describes it; tools/page has its parts. Depends on:
// sim/trace/slices.h. Used by: trace.cc.
#ifndef TESSERA_TOOLS_TRACE_PAGE_H_
#define TESSERA_TOOLS_TRACE_PAGE_H_

#include <array>
#include <map>
#include <string>
#include <vector>

#include "runtime/executor/layer_cycles.h"
#include "sim/trace/occupancy.h"
#include "sim/trace/program_text.h"
#include "sim/trace/slices.h"
#include "tools/traced_network.h"

namespace tessera::tools {

// Sums over cycles, in at most as many bins as a page can draw. Bins widen as the run grows.
class CycleBins {
 public:
  explicit CycleBins(size_t rows) : rows_(rows) {}
  // Adds |rate| for each cycle of [begin, end) to row |row|.
  void Add(size_t row, uint64_t begin, uint64_t end, double rate);
  uint64_t width() const { return width_; }  // cycles
  const std::vector<double>& row(size_t row) const { return rows_[row]; }

  static constexpr size_t kMost = 4096;

 private:
  uint64_t width_ = 16;
  std::vector<std::vector<double>> rows_;
};

// The text at the top of the page.
struct PageTitle {
  std::string model, device, error;
  double mhz = 0;
};

class TracePage : public sim::SliceObserver {
 public:
  explicit TracePage(const TracedNetwork& network);

  // As ChromeTrace's Begin: programs follow each other.
  void Begin(const sim::ProgramText& program, const sim::Occupancy* occupancy);
  void OnTaken(const InsnTaken& taken) override;
  void OnSpan(const UnitSpan& span) override;
  void OnBus(const BusBeats& bus) override;
  // |run| null: the run failed after |cycle| cycles.
  void End(const ProgramRun* run, uint64_t cycle);

  std::string Html(const PageTitle& title) const;

 private:
  struct PageLayer {
    uint64_t cycles = 0, read = 0, written = 0;
    std::array<UnitCounters, isa::kUnits> units;
  };

  void OnSlice(const sim::InsnSlice& slice) override;
  void Count(uint64_t cycle, const std::vector<sim::TileCounts>& changes, uint32_t insn, int sign);
  size_t TextNumber(const std::string& text);
  std::string LayersJson() const;
  std::string UseJson() const;

  const TracedNetwork& network_;
  const sim::ProgramText* program_ = nullptr;
  const sim::Occupancy* occupancy_ = nullptr;
  uint64_t offset_ = 0, instructions_ = 0;
  std::vector<PageLayer> layers_;
  std::array<UnitCounters, isa::kUnits> units_;
  std::map<std::string, size_t> texts_;
  std::vector<const std::string*> text_list_;
  size_t text_bytes_ = 0;
  std::vector<int64_t> row_of_;  // by instruction of this run; -1: no row
  int64_t rows_ = 0;
  std::string insns_, tokens_, spans_;  // lists in JSON
  CycleBins activity_{isa::kUnits * 4}, bus_{kBusUsers};
  sim::TileCounts tiles_{};
  std::array<std::vector<std::pair<uint64_t, int64_t>>, isa::kMemories> use_;  // cycle, bytes
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TRACE_PAGE_H_
