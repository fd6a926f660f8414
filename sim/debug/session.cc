// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/session.h"

#include <utility>

#include "base/text.h"
#include "sim/debug/names.h"
#include "sim/debug/state_text.h"

namespace tessera::sim {

DebugSession::DebugSession(const DebugTarget& target, DebugConsole& console)
    : target_(target), console_(console), breaks_(target_, facts_) {
  facts_.reserve(target.programs.size());
  for (const isa::ProgramImage* image : target.programs) facts_.emplace_back(*image, target.config);
}

std::optional<SessionMoment> DebugSession::Moment() const {
  if (!progress_.running()) return {};
  return SessionMoment{.program = progress_.program(),
                       .insn = progress_.insn(),
                       .layer = progress_.layer(),
                       .cycle = progress_.cycle(),
                       .retired = progress_.trace().size()};
}

void DebugSession::GoOn(const Goal& goal) {
  goal_ = goal;
  leave_ = true;
}

void DebugSession::Again(const Goal& goal) {
  GoOn(goal);
  if (!progress_.running()) return;
  restarts_ = true;
  if (!over_) progress_.view().Stop();
}

bool DebugSession::Prompt() {
  if (!std::exchange(restarts_, false) && !quits_) Loop();
  if (quits_) return false;
  breaks_.BeginRun();
  before_.assign(facts_.size(), {});
  cycles_ = 0;
  return true;
}

void DebugSession::BeginProgram(uint32_t program) { progress_.Begin(program, facts_[program]); }

void DebugSession::EndRun(const Status& ran) {
  progress_.Forget();
  over_ = false;
  if (quits_ || restarts_) return;
  if (!std::exchange(any_run_, false) && !ran) {  // the run failed before a machine was started
    said_no_ = true;
    console_.Print("the run failed: " + ran.error().message + "\n");
  }
}

void DebugSession::OnBegin(const Launch& launch, MachineView& view) {
  any_run_ = true;
  progress_.OnBegin(launch, view);
  if (quits_ || restarts_) view.Stop();
}

void DebugSession::OnTaken(const InsnTaken& taken) {
  if (quits_ || restarts_) return;
  progress_.OnTaken(taken);
  std::string why = breaks_.OnTaken(progress_.program(), taken);
  const bool here =
      goal_.until == Until::kInsn && goal_.place == InsnPlace{progress_.program(), taken.insn};
  const bool now = goal_.until == Until::kCycle && taken.cycle >= goal_.cycle;
  if (why.empty() && (here || now)) why = "goto";
  if (!why.empty())
    StopAt(fmt::format("{}: {} takes instruction {}", why, Text(taken.unit), taken.insn));
}

void DebugSession::OnToken(const TokenMove& move) {
  if (quits_ || restarts_) return;
  progress_.OnToken(move);
  std::string why = breaks_.OnToken(move);
  if (why.empty() && goal_.until == Until::kCycle && move.cycle >= goal_.cycle) why = "goto";
  if (why.empty()) return;
  StopAt(move.push ? fmt::format("{}: {} gives {} a token as instruction {} retires", why,
                                 Text(move.from), Text(move.to), move.insn)
                   : fmt::format("{}: {} pops a token of {} for instruction {}", why, Text(move.to),
                                 Text(move.from), move.insn));
}

void DebugSession::OnRetired(const TraceEntry& entry) {
  if (quits_ || restarts_) return;
  progress_.OnRetired(entry);
  std::string why = breaks_.OnRetired(progress_.program(), entry);
  if (why.empty()) {
    const auto layer = progress_.facts().text().LayerOf(entry.insn);
    switch (goal_.until) {
      case Until::kRetired:
        if ((!goal_.unit || *goal_.unit == entry.unit) && --goal_.count == 0) why = "step";
        break;
      case Until::kLayerEnd:
        if (layer == goal_.layer &&
            progress_.RetiredOf(goal_.layer) == progress_.facts().InLayer(goal_.layer))
          why = "end of layer " + target_.layers[goal_.layer];
        break;
      case Until::kCycle:
        if (entry.cycle >= goal_.cycle) why = "goto";
        break;
      case Until::kInsn:
      case Until::kBreak:
        break;
    }
  }
  if (!why.empty())
    StopAt(fmt::format("{}: {} has retired instruction {}", why, Text(entry.unit), entry.insn));
}

void DebugSession::OnEnd(const Error* error) {
  if (quits_ || restarts_ || !progress_.running()) return;
  over_ = true;
  before_[progress_.program()] = progress_.trace();
  if (error == nullptr && progress_.program() + 1 < facts_.size()) {
    over_ = false;
    cycles_ += progress_.cycle();
    progress_.Forget();
    return;
  }
  console_.Print(breaks_.NeverHit());
  if (error != nullptr) {
    said_no_ = true;
    console_.Print("the run failed: " + error->message + "\n");
  }
  if (error == nullptr && !target_.failed_on.empty()) {
    console_.Print(fmt::format("on {} the run does not fail; it failed on {}\n", target_.device,
                               target_.failed_on));
  }
  const std::string cycle =
      target_.clock ? fmt::format(", the last in cycle {}", progress_.cycle()) : "";
  console_.Print(fmt::format("the run is over: {} instructions of program {} have retired{}\n",
                             progress_.trace().size(), progress_.program(), cycle));
  Loop();
}

void DebugSession::StopAt(const std::string& why) {
  const std::string moment = MomentText(target_, progress_);
  console_.Print(fmt::format("{}{}\n{}\n", why, moment.empty() ? "" : " (" + moment + ")",
                             progress_.facts().Line(*progress_.insn())));
  Loop();
}

void DebugSession::Loop() {
  leave_ = false;
  while (!leave_) {
    const std::optional<std::string> line = console_.Read();
    if (!line) {
      static_cast<void>(Quit({}));
      return;
    }
    Do(*line);
  }
}

void DebugSession::Do(const std::string& line) {
  CommandWords words = SplitWords(line.substr(0, line.find('#')));
  if (words.empty() && console_.interactive() && line.empty()) words = SplitWords(last_);
  if (words.empty()) return;
  last_ = line.empty() ? last_ : line;
  Status done;
  if (const Result<const DebugCommand*> command = CommandNamed(words[0])) {
    words.erase(words.begin());
    done = (this->*(*command)->run)(words);
  } else {
    done = std::unexpected(command.error());
  }
  if (done) return;
  if (console_.interactive()) {
    console_.Print(Legible(done.error().message) + "\n");
    return;
  }
  status_ = Within(console_.place(), done.error());
  static_cast<void>(Quit({}));
}

}  // namespace tessera::sim
