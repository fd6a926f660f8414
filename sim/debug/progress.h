// SPDX-License-Identifier: Apache-2.0
//
// RunProgress: the progress of a run: which instructions units have taken and retired. Depends on:
// runtime/machine_view.h, sim/trace/program_text.h. Used by: session.h, state_text.h, tensors.h.
#ifndef TESSERA_SIM_DEBUG_PROGRESS_H_
#define TESSERA_SIM_DEBUG_PROGRESS_H_

#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "runtime/machine_view.h"
#include "sim/trace/program_text.h"

namespace tessera::sim {

// The decoded instructions of a program, with the facts that the debugger needs.
class ProgramFacts {
 public:
  // |image| must outlive this object.
  ProgramFacts(const isa::ProgramImage& image, const isa::Config& config);

  const ProgramText& text() const { return text_; }
  uint32_t count() const { return static_cast<uint32_t>(insns_.size()); }
  // Not set: the instruction does not decode. In profile tessera no unit takes FINISH.
  const std::optional<isa::Fetched>& At(uint32_t insn) const { return insns_[insn]; }
  // The first instruction of |unit|, from |from| on, that has |other| in its push mask (|push|) or
  // its pop mask (not |push|).
  std::optional<uint32_t> NextToken(isa::Unit unit, bool push, isa::Unit other,
                                    uint32_t from) const;
  // Whether an instruction pushes or pops a token on that pair.
  bool Uses(isa::Unit from, isa::Unit to) const {
    return NextToken(from, true, to, 0) || NextToken(to, false, from, 0);
  }
  // The number of instructions of |layer| that a unit executes.
  uint32_t InLayer(uint32_t layer) const;
  // The number and the text of an instruction, as "12  gemm uop_count=5".
  std::string Line(uint32_t insn) const;

 private:
  bool Counts(uint32_t insn) const { return insns_[insn] && !insns_[insn]->finish; }
  ProgramText text_;
  std::vector<std::optional<isa::Fetched>> insns_;
};

struct UnitProgress {
  std::deque<uint32_t> flight;  // taken and not retired, oldest first
  // The unit has retired this and all its earlier instructions.
  std::optional<uint32_t> last_retired;
};

class RunProgress : public MachineWatcher {
 public:
  void Begin(uint32_t program, const ProgramFacts& facts);  // before a run
  void OnBegin(const Launch& launch, MachineView& view) override;
  void OnEnd(const Error*) override {}
  void OnTaken(const InsnTaken& taken) override;
  void OnToken(const TokenMove& move) override;
  void OnRetired(const TraceEntry& entry) override;

  uint32_t program() const { return program_; }
  const ProgramFacts& facts() const { return *facts_; }
  bool running() const { return view_ != nullptr; }
  MachineView& view() const { return *view_; }
  const Launch& launch() const { return launch_; }
  void Forget() { view_ = nullptr; }  // the machine no longer exists

  uint64_t cycle() const { return cycle_; }
  // The instruction of the last event.
  std::optional<uint32_t> insn() const { return insn_; }
  // The layer of the last event whose instruction has a layer.
  std::optional<uint32_t> layer() const { return layer_; }
  const UnitProgress& Of(isa::Unit unit) const { return units_[static_cast<size_t>(unit)]; }
  bool Retired(uint32_t insn) const { return retired_[insn]; }
  bool Taken(uint32_t insn) const { return taken_[insn]; }
  uint32_t RetiredOf(uint32_t layer) const;
  const std::vector<TraceEntry>& trace() const { return trace_; }  // retired instructions, in order

 private:
  void At(uint32_t insn, uint64_t cycle);

  uint32_t program_ = 0;
  const ProgramFacts* facts_ = nullptr;
  Launch launch_;
  MachineView* view_ = nullptr;
  uint64_t cycle_ = 0;
  std::optional<uint32_t> insn_, layer_;
  std::array<UnitProgress, isa::kUnits> units_;
  std::vector<bool> taken_, retired_;
  std::vector<TraceEntry> trace_;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_PROGRESS_H_
