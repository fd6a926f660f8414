// SPDX-License-Identifier: Apache-2.0
//
// Follower: the checker's run through a program. It takes one instruction at a time, in token
// order; it keeps vector clocks, shadows and known micro-ops, and reports its findings. Depends on:
// shadow.h, walk.h, isa/semantics/units.h. Used by: check.cc.
#ifndef TESSERA_ISA_CHECK_FOLLOW_H_
#define TESSERA_ISA_CHECK_FOLLOW_H_

#include <array>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "isa/check/check.h"
#include "isa/check/shadow.h"
#include "isa/check/walk.h"
#include "isa/semantics/units.h"

namespace tessera::isa {

class Follower {
 public:
  // |program| is the decoded image, with FINISH last and once.
  Follower(const ProgramImage& image, const Config& config, const CheckOptions& options,
           const Fetcher& fetcher, const InsnStream& program, CheckReport& report);

  // Runs until FINISH, until no unit can go on, or until the report is full.
  void Run();

 private:
  struct InFlight {
    uint32_t insn = 0;
    VectorClock clock{};
  };

  void PlanSegments();
  void Begin(int unit);
  void End(int unit);
  void CheckClamp(const Issued& issued);
  void CheckAccesses(const Issued& issued, int unit, const VectorClock& clock);
  bool ReadUops(const Issued& issued, const InsnNest& nest, std::vector<Uop>& uops);
  void LoadUops(const InsnNest& nest);
  void LoadUop(int64_t tile, int64_t segment, int64_t offset);
  void CheckTouch(const Touch& touch, const Issued& issued, int unit, const VectorClock& clock);
  void ReportRace(const Touch& touch, const Issued& issued, int other, uint32_t number);
  void ReportBounds(uint32_t number, std::string_view what);
  void ReportDeadlock(std::optional<uint32_t> waiting);
  void ReportLeftover();
  bool Full() const { return report_.diagnostics.size() >= options_.max_diagnostics; }
  void Add(Finding finding, std::vector<uint32_t> insns, std::string text, bool warning = false);

  const ProgramImage& image_;
  const Config& config_;
  const CheckOptions& options_;
  const Fetcher& fetcher_;
  const InsnStream& program_;
  CheckReport& report_;

  Units units_;
  std::array<VectorClock, kUnits> clock_{};          // after each unit's last instruction
  std::array<std::vector<uint32_t>, kUnits> insns_;  // numbers, in each unit's order
  std::array<std::array<std::deque<VectorClock>, kUnits>, kUnits>
      tokens_;                             // [from][to]: clocks of the pushers
  std::array<int64_t, kSpaces> limits_{};  // addresses of each space
  std::array<Shadow, kSpaces> shadow_;
  std::array<bool, kSegments> stored_{};                 // a STORE writes the segment
  std::vector<bool> sound_;                              // CheckFields passes the instruction
  std::vector<std::optional<uint64_t>> uops_;            // contents of UOP, where known
  std::vector<bool> uop_loaded_;                         // something wrote the tile
  std::set<std::tuple<uint32_t, uint32_t, int>> races_;  // reported: instructions and space
  uint32_t unwritten_reported_ = ~0u;                    // last instruction with such a report
  uint32_t bounds_reported_ = ~0u;
  uint64_t steps_ = 0;
};

}  // namespace tessera::isa

#endif  // TESSERA_ISA_CHECK_FOLLOW_H_
