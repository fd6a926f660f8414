// SPDX-License-Identifier: Apache-2.0
//
// trace --wave: a window of the RTL's signals around a layer, an instruction, a cycle or a failure,
// and a list of signals by group for GTKWave. Depends on: sim/rtl's options of device rtl. Used by:
// trace.cc.
#ifndef TESSERA_TOOLS_TRACE_WAVE_H_
#define TESSERA_TOOLS_TRACE_WAVE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/traced_network.h"

namespace tessera::tools {

// Where the window begins, as --from says it: "layer:conv3", "insn:12", "cycle:1000", "failure".
// Of a network of several programs, instructions and cycles are "insn:PROGRAM:12" and so on.
struct WaveFrom {
  enum class WavePlace : uint8_t { kLayer, kInsn, kCycle, kFailure };
  WavePlace place = WavePlace::kCycle;
  std::string text;
  uint32_t program = 0;  // kInsn, kCycle
  uint64_t number = 0;   // kInsn, kCycle
  std::string layer;     // kLayer: its whole name
};

// |text| for a run of |network|; a layer may be named by a part that only one has.
//   errors  kInvalidArgument  another form; a program or an instruction that is not there; several
//                             programs, and none is named
//           kNotFound         no layer, or more than one, is called so; the message lists layers
Result<WaveFrom> ParseWaveFrom(const std::string& text, const TracedNetwork& network);

//   errors  kInvalidArgument  |device| has no signals, or |path| is no FILE.fst
Status RequireWave(const ChosenDevice& device, const std::string& path);

// Notes when the instructions of the runs of an inference are taken.
class TakenCycles : public RunObserver {
 public:
  struct TakenRun {
    uint32_t program = 0;
    std::map<uint32_t, uint64_t> at;  // by instruction
    std::vector<TraceEntry> retired;  // in order
    uint64_t last = 0;                // that something was told of
  };
  void Begin(uint32_t program) { runs_.push_back({.program = program, .at = {}, .retired = {}}); }
  void OnTaken(const InsnTaken& taken) override {
    runs_.back().at[taken.insn] = runs_.back().last = taken.cycle;
  }
  void OnRetired(const TraceEntry& entry) override {
    runs_.back().retired.push_back(entry);
    runs_.back().last = entry.cycle;
  }
  const std::vector<TakenRun>& runs() const { return runs_; }

 private:
  std::vector<TakenRun> runs_;  // in order
};

// Runs |network| again, on a machine that can write waveforms (verilated once, a minute or two),
// until |cycles| cycles from |from| on are in |path|, and writes |path| with .gtkw for .fst: groups
// of signals for GTKWave. The window may begin some cycles early. |taken|: of the first run;
// |failed|: it failed. "failure" of a run that did not is the first instruction that changed
// something else than func says. Gives the first cycle.
//   errors  kOutOfRange  |from| was not reached, or nothing failed; and those of the device
Result<uint64_t> RecordWave(const std::string& path, const WaveFrom& from, uint64_t cycles,
                            const TracedNetwork& network, ChosenDevice device,
                            const TakenCycles& taken, bool failed);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TRACE_WAVE_H_
