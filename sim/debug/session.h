// SPDX-License-Identifier: Apache-2.0
//
// DebugSession: a debugger that watches a run. At a stop it reads commands inside the observer's
// call, while the machine does not move, and returns to continue the run. Depends on:
// breakpoints.h, console.h, runtime/machine_view.h. Used by: `tessera debug`.
//
//   DebugSession session(target, console);
//   while (session.Prompt()) {
//     // For each program: session.BeginProgram(number), then a run that |session| watches.
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

// The state of the run at its last event.
struct SessionMoment {
  uint32_t program = 0;
  std::optional<uint32_t> insn, layer;  // of the last event
  uint64_t cycle = 0;
  uint64_t retired = 0;  // retired instructions of the program
};

class DebugSession : public MachineWatcher {
 public:
  // |target| and |console| must outlive the session.
  DebugSession(const DebugTarget& target, DebugConsole& console);

  // Begins the first run without a command.
  void Start() { restarts_ = true; }
  // Reads commands before a run of all programs. Returns false when the session is over.
  bool Prompt();
  void BeginProgram(uint32_t program);
  // Reports the result of the run that Prompt asked for.
  void EndRun(const Status& ran);

  // The first wrong command of a script, as "FILE:LINE: ...". It ended the session.
  const Status& status() const { return status_; }
  // Whether a run failed or a `diff` or `replay` found a difference.
  bool said_no() const { return said_no_; }
  // Not set if no program runs.
  std::optional<SessionMoment> Moment() const;

  // Completions of |line|, each as a whole line: commands, layers, tensors, units.
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

  // The event that ends a continued run, besides breakpoints.
  enum class Until : uint8_t { kBreak, kRetired, kInsn, kCycle, kLayerEnd };
  struct Goal {
    Until until = Until::kBreak;
    uint64_t count = 1;             // kRetired
    std::optional<isa::Unit> unit;  // kRetired: only of this unit; not set: of any
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
  // Fails if there is no machine to look at.
  //   errors  kInvalidArgument  no program runs
  Status Stands() const;
  // Fails if the run cannot continue.
  //   errors  kInvalidArgument  the run is over
  Status CanGoOn() const;

  // session.cc
  void GoOn(const Goal& goal);   // continues the run
  void Again(const Goal& goal);  // restarts the run
  void Loop();                   // reads commands until the run continues
  void StopAt(const std::string& why);
  void Do(const std::string& line);

  const DebugTarget& target_;
  DebugConsole& console_;
  std::vector<ProgramFacts> facts_;
  Breakpoints breaks_;
  RunProgress progress_;
  // What the earlier programs of this run have retired, by program.
  std::vector<std::vector<TraceEntry>> before_;
  Goal goal_;
  bool leave_ = false;     // Loop() returns after this command
  bool over_ = false;      // the run is over; the user can still look at the machine
  bool quits_ = false;     // the session ends
  bool restarts_ = false;  // the run restarts
  bool any_run_ = false;   // a machine was started in this run
  uint64_t cycles_ = 0;    // cycles of the earlier programs
  std::string last_;       // the last command; an empty line repeats it
  Status status_;
  bool said_no_ = false;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_SESSION_H_
