// SPDX-License-Identifier: Apache-2.0
//
// DebugSession: a debugger that watches the run: where the run is to stop, it reads
// commands inside the call, while the machine stands still, and returns when the run is to go on.
// Depends on: breakpoints.h, console.h, runtime/machine_view.h. Used by: `tessera debug`.
//
//   DebugSession session(target, console);
//   while (session.Prompt()) {
//     // Per run of a program: session.BeginProgram(number), then the run, told to |session|.
//     session.EndRun(status of all runs);
//   }
#ifndef TESSERA_SIM_DEBUG_SESSION_H_
#define TESSERA_SIM_DEBUG_SESSION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/debug/breakpoints.h"
#include "sim/debug/console.h"

namespace tessera::sim {

// Where the machine stands.
struct SessionMoment {
  uint32_t program = 0;
  std::optional<uint32_t> insn, layer;  // that the last moment was about
  uint64_t cycle = 0;
  uint64_t retired = 0;  // instructions of the program
};

class DebugSession : public MachineWatcher {
 public:
  // Both outlive it.
  DebugSession(const DebugTarget& target, DebugConsole& console);

  // The first run begins without a command.
  void Start() { restarts_ = true; }
  // Commands before a run of all programs. False: the session is over.
  bool Prompt();
  void BeginProgram(uint32_t program);
  // What came of the run that Prompt asked for.
  void EndRun(const Status& ran);

  // The first wrong command of a script: "FILE:LINE: ..."; it ended the session.
  const Status& status() const { return status_; }
  // A run failed, a `diff` or `replay` found a difference.
  bool said_no() const { return said_no_; }
  // Nothing: nothing runs.
  std::optional<SessionMoment> Moment() const;

  // CommandWords that may follow |line|, each as the whole line: commands, layers, tensors, units.
  std::vector<std::string> Complete(const std::string& line) const;

  void OnBegin(const Launch& launch, MachineView& view) override;
  void OnTaken(const InsnTaken& taken) override;
  void OnToken(const TokenMove& move) override;
  void OnRetired(const TraceEntry& entry) override;
  void OnEnd(const Error* error) override;

 private:
  using CommandWords = std::vector<std::string>;
  struct DebugCommand {
    const char* name;
    const char* usage;
    const char* help;
    Status (DebugSession::*run)(const CommandWords& words);
  };
  static const std::vector<DebugCommand>& Commands();
  static Result<const DebugCommand*> CommandNamed(const std::string& word);

  // What a run that goes on stops at besides breakpoints.
  enum class Until : uint8_t { kBreak, kRetired, kInsn, kCycle, kLayerEnd };
  struct Goal {
    Until until = Until::kBreak;
    uint64_t count = 1;             // kRetired
    std::optional<isa::Unit> unit;  // kRetired: of this unit; nothing: of any
    InsnPlace place;                // kInsn
    uint64_t cycle = 0;             // kCycle
    uint32_t layer = 0;             // kLayerEnd
  };

  // commands.cc
  Status Help(const CommandWords& words);
  Status Break(const CommandWords& words);
  Status Delete(const CommandWords& words);
  Status Info(const CommandWords& words);
  Status List(const CommandWords& words);
  Status Layers(const CommandWords& words);
  Status Tensors(const CommandWords& words);
  Status Print(const CommandWords& words);
  Status Examine(const CommandWords& words);
  Status Diff(const CommandWords& words);
  Status Replay(const CommandWords& words);
  Status RecordAround(const CommandWords& words, uint64_t cycle);
  Status Run(const CommandWords& words);
  Status Continue(const CommandWords& words);
  Status Step(const CommandWords& words);
  Status Goto(const CommandWords& words);
  Status Finish(const CommandWords& words);
  Status Quit(const CommandWords& words);
  // The machine can be looked at.
  //   errors  kInvalidArgument  nothing runs
  Status Stands() const;
  // The run can go on.
  //   errors  kInvalidArgument  it is over
  Status CanGoOn() const;

  // session.cc
  void GoOn(const Goal& goal);   // leaves the loop
  void Again(const Goal& goal);  // from the start
  void Loop();                   // reads commands until the run is to go on
  void StopAt(const std::string& why);
  void Do(const std::string& line);

  const DebugTarget& target_;
  DebugConsole& console_;
  std::vector<ProgramFacts> facts_;
  Breakpoints breaks_;
  RunProgress progress_;
  std::vector<std::vector<TraceEntry>>
      before_;  // what programs of this run have retired, by program
  Goal goal_;
  bool leave_ = false;     // the loop
  bool over_ = false;      // the run: it is looked at a last time
  bool quits_ = false;     // the session ends
  bool restarts_ = false;  // the run is to begin again
  bool any_run_ = false;   // of this run something was told
  uint64_t cycles_ = 0;    // of the programs before
  std::string last_;       // command, which an empty line repeats
  Status status_;
  bool said_no_ = false;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_SESSION_H_
