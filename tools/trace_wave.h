// SPDX-License-Identifier: Apache-2.0
//
// trace --wave: a window of the RTL's signals around a layer, an instruction, a cycle or a failure,
// and a list of signals by group for GTKWave. Depends on: traced_network.h, sim/trace, the options
// of device rtl. Used by: trace.cc, debug.cc.
#ifndef TESSERA_TOOLS_TRACE_WAVE_H_
#define TESSERA_TOOLS_TRACE_WAVE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/traced_network.h"

namespace tessera::tools {

// Where the window begins, in the words of --from: "layer:conv3", "insn:12", "cycle:1000",
// "failure". In a network of several programs instructions and cycles are "insn:PROGRAM:12" etc.
struct WaveFrom {
  enum class WavePlace : uint8_t { kLayer, kInsn, kCycle, kFailure };
  WavePlace place = WavePlace::kCycle;
  std::string text;
  uint32_t program = 0;  // kInsn, kCycle
  uint64_t number = 0;   // kInsn, kCycle
  std::string layer;     // kLayer: the full name
};

// Reads |text| for a run of |network|; a part of a layer's name is enough if only one layer has it.
//   errors  kInvalidArgument  another form; no such program or instruction; several programs, and
//                             |text| names none
//           kNotFound         no such layer, or more than one; the message lists layers
Result<WaveFrom> ParseWaveFrom(const std::string& text, const TracedNetwork& network);

//   errors  kInvalidArgument  |device| has no signals, or |path| is not FILE.fst
Status RequireWave(const ChosenDevice& device, const std::string& path);

// Notes the cycles in which the instructions of an inference's runs are taken.
class TakenCycles : public RunObserver {
 public:
  struct TakenRun {
    uint32_t program = 0;
    std::map<uint32_t, uint64_t> at;  // by instruction
    std::vector<TraceEntry> retired;  // in order
    uint64_t last = 0;                // cycle of the last event
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
// until |path| has |cycles| cycles from |from| on. Also writes |path| with .gtkw for .fst: groups
// of signals for GTKWave. The window may begin some cycles early. |taken|: of the first run;
// |failed|: whether that run failed. If it did not, "failure" means the first instruction whose
// changes differ from those on func. Returns the first cycle.
//   errors  kOutOfRange  the run did not reach |from|, or nothing failed; those of the device
Result<uint64_t> RecordWave(const std::string& path, const WaveFrom& from, uint64_t cycles,
                            const TracedNetwork& network, ChosenDevice device,
                            const TakenCycles& taken, bool failed);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TRACE_WAVE_H_
