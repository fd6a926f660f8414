// SPDX-License-Identifier: Apache-2.0
//
// The commands of a debugging session.
#include <algorithm>

#include "sim/debug/memory_text.h"
#include "sim/debug/names.h"
#include "sim/debug/session.h"
#include "sim/debug/state_text.h"
#include "sim/trace/compare.h"

namespace tessera::sim {
namespace {

// Single letters that begin several commands, and the command that each means.
constexpr std::pair<std::string_view, std::string_view> kLetters[] = {
    {"b", "break"}, {"c", "continue"}, {"d", "delete"}, {"f", "finish"}, {"i", "info"},
    {"l", "list"},  {"p", "print"},    {"q", "quit"},   {"r", "run"},    {"s", "step"}};

Status TakesNothing(const std::vector<std::string>& words, std::string_view name) {
  if (words.empty()) return {};
  return Fail(Code::kInvalidArgument, "{} takes nothing; '{}' is too much", name, words[0]);
}

}  // namespace

const std::vector<DebugSession::DebugCommand>& DebugSession::Commands() {
  using S = DebugSession;
  static const std::vector<DebugCommand> commands = {
      {"break", "break insn [PROGRAM:]N", "stop before a unit takes instruction N", &S::Break},
      {"", "break layer NAME", "stop before the layer's first instruction", nullptr},
      {"", "break write TENSOR", "stop after the first STORE that touches the tensor", nullptr},
      {"", "break token FROM->TO [push|pop]", "stop when a token moves from unit to unit", nullptr},
      {"", "break cycle N", "stop in cycle N, on a device with a clock", nullptr},
      {"delete", "delete [N]", "remove breakpoint N, or all", &S::Delete},
      {"run", "run", "begin the run, or begin it again", &S::Run},
      {"continue", "continue", "go on to the next breakpoint", &S::Continue},
      {"step", "step [N | UNIT]", "until N instructions (1) have retired, or one of UNIT",
       &S::Step},
      {"goto", "goto insn [PROGRAM:]N", "until the instruction is taken; from the start if it was",
       &S::Goto},
      {"", "goto cycle N", "until cycle N; from the start if it is past", nullptr},
      {"finish", "finish", "until the layer's last instruction has retired", &S::Finish},
      {"info", "info [breaks]", "where the run is: instruction, units, queues, tokens; breakpoints",
       &S::Info},
      {"list", "list [N]", "instructions around N or here: * retired, > taken", &S::List},
      {"layers", "layers", "the layers and how far each is", &S::Layers},
      {"tensors", "tensors", "the tensors that are in device memory", &S::Tensors},
      {"print", "print scratchpad NAME [FIRST[:COUNT]]", "tiles of a scratchpad", &S::Print},
      {"", "print tensor NAME [RANGE,..]", "elements; a RANGE is FIRST, FIRST:COUNT or :", nullptr},
      {"x", "x ADDRESS [COUNT]", "bytes of device memory; ADDRESS may be SEGMENT+OFFSET",
       &S::Examine},
      {"diff", "diff tensor NAME", "compare with what the host computes", &S::Diff},
      {"replay", "replay DEVICE [FILE.fst [CYCLES]]",
       "run on DEVICE (rtl) to here, compare what retired; its waves", &S::Replay},
      {"help", "help", "this", &S::Help},
      {"quit", "quit", "end the session", &S::Quit}};
  return commands;
}

Result<const DebugSession::DebugCommand*> DebugSession::CommandNamed(const std::string& word) {
  std::string name = word;
  for (const auto& [letter, meant] : kLetters) {
    if (word == letter) name = meant;
  }
  std::vector<const DebugCommand*> found;
  std::string all;
  for (const DebugCommand& command : Commands()) {
    const std::string_view whole = command.name;
    if (whole.empty()) continue;
    if (whole == name) return &command;
    if (whole.starts_with(name)) found.push_back(&command);
    all += fmt::format("{}{}", all.empty() ? "" : ", ", whole);
  }
  if (found.size() == 1) return found[0];
  return Fail(Code::kInvalidArgument, "'{}' is no command; there are {}", word, all);
}

Status DebugSession::Stands() const {
  if (progress_.running()) return {};
  return Fail(Code::kInvalidArgument, "nothing runs; `run` or `step` begins");
}

Status DebugSession::CanGoOn() const {
  if (!over_) return {};
  return Fail(Code::kInvalidArgument, "the run is over; `run` begins it again");
}

Status DebugSession::Help(const CommandWords&) {
  std::string text;
  for (const DebugCommand& c : Commands()) text += fmt::format("  {:40} {}\n", c.usage, c.help);
  console_.Print(text +
                 "A command, a layer and a tensor may be named by a part that only one has. "
                 "An empty line repeats.\n");
  return {};
}

Status DebugSession::Break(const CommandWords& words) {
  TESSERA_ASSIGN(const Breakpoint* point, breaks_.Add(words));
  console_.Print(fmt::format("breakpoint {}: {}\n", point->number, point->text));
  return {};
}

Status DebugSession::Delete(const CommandWords& words) {
  if (words.empty()) {
    breaks_.Clear();
    return {};
  }
  TESSERA_ASSIGN(const uint64_t number, NumberOf("breakpoint", words[0]));
  return breaks_.Delete(static_cast<int>(std::min<uint64_t>(number, INT32_MAX)));
}

Status DebugSession::Info(const CommandWords& words) {
  if (!words.empty() && std::string_view("breaks").starts_with(words[0])) {
    std::string text;
    for (const Breakpoint& b : breaks_.list())
      text +=
          fmt::format("breakpoint {}: {}, hit {} times in this run\n", b.number, b.text, b.hits);
    console_.Print(text.empty() ? "no breakpoints\n" : text);
    return {};
  }
  TESSERA_TRY(TakesNothing(words, "info"));
  TESSERA_TRY(Stands());
  console_.Print(StateText(target_, progress_));
  return {};
}

Status DebugSession::List(const CommandWords& words) {
  TESSERA_TRY(Stands());
  uint32_t centre = progress_.insn().value_or(0);
  if (!words.empty()) {
    TESSERA_ASSIGN(const uint64_t number, NumberOf("instruction", words[0]));
    if (number >= progress_.facts().count()) {
      return Fail(Code::kOutOfRange, "instruction {}: program {} has instructions 0 to {}", number,
                  progress_.program(), progress_.facts().count() - 1);
    }
    centre = static_cast<uint32_t>(number);
  }
  console_.Print(ListText(target_, progress_, centre));
  return {};
}

Status DebugSession::Layers(const CommandWords& words) {
  TESSERA_TRY(TakesNothing(words, "layers"));
  console_.Print(LayersText(target_, facts_, progress_.running() ? &progress_ : nullptr));
  return {};
}

Status DebugSession::Tensors(const CommandWords& words) {
  TESSERA_TRY(TakesNothing(words, "tensors"));
  console_.Print(TensorsText(target_));
  return {};
}

Status DebugSession::Print(const CommandWords& words) {
  const bool tensor = words.size() >= 2 && words[0] == "tensor";
  if (words.size() < 2 || words.size() > 3 || (!tensor && words[0] != "scratchpad")) {
    return Fail(Code::kInvalidArgument,
                "give print scratchpad NAME [FIRST[:COUNT]] or print tensor NAME [RANGE,..]");
  }
  TESSERA_TRY(Stands());
  const std::string range = words.size() == 3 ? words[2] : "";
  if (!tensor) {
    const isa::Profile profile = progress_.launch().profile;
    TESSERA_ASSIGN(const isa::Memory memory, ScratchpadNamed(words[1], profile));
    TESSERA_ASSIGN(const std::string text,
                   ScratchpadText(progress_.view(), memory, range, target_.config, profile));
    console_.Print(text);
    return {};
  }
  TESSERA_ASSIGN(const DebugTensor* found, FindTensor(target_, words[1]));
  const std::string& name = target_.layers[found->layer];
  CommandWords ranges;
  for (size_t at = 0; !range.empty() && at <= range.size();) {
    const size_t end = std::min(range.find(',', at), range.size());
    ranges.push_back(range.substr(at, end - at));
    at = end + 1;
  }
  TESSERA_ASSIGN(const std::string text, TensorText(name, ValueOf(*found, progress_), ranges));
  console_.Print(fmt::format("{}: {} {}, {}\n", name, Text(found->info.dtype),
                             ShapeText(found->info.shape),
                             StateOf(target_, *found, progress_.program(), progress_).text) +
                 text);
  return {};
}

Status DebugSession::Examine(const CommandWords& words) {
  if (words.empty() || words.size() > 2)
    return Fail(Code::kInvalidArgument, "give x ADDRESS [COUNT]");
  TESSERA_TRY(Stands());
  uint64_t count = 64;
  if (words.size() == 2) {
    TESSERA_ASSIGN(count, NumberOf("count", words[1]));
  }
  TESSERA_ASSIGN(const std::string text,
                 DeviceMemoryText(progress_.view(), progress_.launch(), words[0], count));
  console_.Print(text);
  return {};
}

Status DebugSession::Diff(const CommandWords& words) {
  if (words.size() != 2 || words[0] != "tensor")
    return Fail(Code::kInvalidArgument, "give diff tensor NAME");
  TESSERA_TRY(Stands());
  TESSERA_ASSIGN(const DebugTensor* tensor, FindTensor(target_, words[1]));
  if (!target_.host_value)
    return Fail(Code::kNotFound, "there is no host path to compare with: this is a program only");
  const std::string& name = target_.layers[tensor->layer];
  const TensorState state = StateOf(target_, *tensor, progress_.program(), progress_);
  if (!state.complete) {
    console_.Print(fmt::format("tensor {} is {}\n", name, state.text));
    return {};
  }
  TESSERA_ASSIGN(const HostTensor host, target_.host_value(tensor->layer));
  const TensorDiff diff = DiffTensors(ValueOf(*tensor, progress_), host, target_.device);
  said_no_ = said_no_ || !diff.equal;
  console_.Print(fmt::format("tensor {}: {}\n", name, diff.text));
  return {};
}

Status DebugSession::Run(const CommandWords& words) {
  TESSERA_TRY(TakesNothing(words, "run"));
  Again({});
  return {};
}

Status DebugSession::Continue(const CommandWords& words) {
  TESSERA_TRY(TakesNothing(words, "continue"));
  TESSERA_TRY(CanGoOn());
  GoOn({});
  return {};
}

Status DebugSession::Step(const CommandWords& words) {
  TESSERA_TRY(CanGoOn());
  Goal goal{.until = Until::kRetired, .unit = {}, .place = {}};
  if (words.size() == 1 && isa::EnumFromText("Unit", words[0])) {
    goal.unit = static_cast<isa::Unit>(*isa::EnumFromText("Unit", words[0]));
  } else if (words.size() == 1) {
    TESSERA_ASSIGN(goal.count, NumberOf("step [N | load | gemm | vector | store]", words[0]));
    if (goal.count == 0) return Fail(Code::kInvalidArgument, "step 0: a step is 1 at least");
  } else if (!words.empty()) {
    return Fail(Code::kInvalidArgument, "give step [N | UNIT]");
  }
  GoOn(goal);
  return {};
}

Status DebugSession::Goto(const CommandWords& words) {
  if (words.size() != 2 || (words[0] != "insn" && words[0] != "cycle"))
    return Fail(Code::kInvalidArgument, "give goto insn [PROGRAM:]N or goto cycle N");
  Goal goal{.unit = {}, .place = {}};
  bool behind = false;
  const bool stands = progress_.running();
  if (words[0] == "insn") {
    goal.until = Until::kInsn;
    TESSERA_ASSIGN(goal.place, breaks_.PlaceOf(words[1], stands ? progress_.program() : 0));
    behind =
        stands && (goal.place.program < progress_.program() ||
                   (goal.place.program == progress_.program() && progress_.Taken(goal.place.insn)));
  } else {
    if (!target_.clock) {
      return Fail(Code::kInvalidArgument, "--device {} has no clock; --device cycle has",
                  target_.device);
    }
    goal.until = Until::kCycle;
    TESSERA_ASSIGN(goal.cycle, NumberOf("cycle", words[1]));
    behind = stands && goal.cycle <= progress_.cycle();
  }
  if (behind || over_) {
    Again(goal);
  } else {
    GoOn(goal);
  }
  return {};
}

Status DebugSession::Finish(const CommandWords& words) {
  TESSERA_TRY(TakesNothing(words, "finish"));
  TESSERA_TRY(Stands());
  TESSERA_TRY(CanGoOn());
  if (!progress_.layer())
    return Fail(Code::kNotFound, "no instruction of a layer was taken yet; `layers` lists them");
  const uint32_t layer = *progress_.layer();
  if (progress_.RetiredOf(layer) == progress_.facts().InLayer(layer)) {
    return Fail(Code::kInvalidArgument, "layer {} is at its end already", target_.layers[layer]);
  }
  GoOn({.until = Until::kLayerEnd, .unit = {}, .place = {}, .layer = layer});
  return {};
}

Status DebugSession::Quit(const CommandWords&) {
  quits_ = leave_ = true;
  if (progress_.running() && !over_) progress_.view().Stop();
  return {};
}

}  // namespace tessera::sim
