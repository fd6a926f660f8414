// SPDX-License-Identifier: Apache-2.0
#include "tools/trace_wave.h"

#include <algorithm>

#include "base/file.h"
#include "base/number.h"
#include "sim/debug/names.h"
#include "sim/trace/compare.h"
#include "sim/trace/program_text.h"

namespace tessera::tools {
namespace {

// A driver starts to count a run some cycles after the machine does, because a start takes bus
// accesses.
constexpr uint64_t kEarly = 16;

// A run certainly ends within so many cycles after the last event.
constexpr uint64_t kLate = 4096;

constexpr const char* kForms =
    "layer:NAME, insn:NUMBER, cycle:NUMBER or failure (insn:PROGRAM:NUMBER and "
    "cycle:PROGRAM:NUMBER "
    "of several programs)";

Result<uint64_t> NumberOf(const std::string& text, const std::string& digits) {
  if (const auto number = NumberIn<uint64_t>(digits)) return *number;
  return Fail(Code::kInvalidArgument, "--from {}: '{}' is no number; give {}", text, digits,
              kForms);
}

// Reads "[PROGRAM:]NUMBER" into |from|.
Status ParsePlace(const std::string& place, const TracedNetwork& network, WaveFrom& from) {
  const size_t colon = place.find(':');
  if (colon != std::string::npos) {
    TESSERA_ASSIGN(const uint64_t program, NumberOf(from.text, place.substr(0, colon)));
    if (program >= network.programs()) {
      return Fail(Code::kInvalidArgument, "--from {}: the network has programs 0 to {}", from.text,
                  network.programs() - 1);
    }
    from.program = static_cast<uint32_t>(program);
  } else if (network.programs() > 1) {
    return Fail(Code::kInvalidArgument,
                "--from {}: the network has programs 0 to {}; say of which, for example {}:0:{}",
                from.text, network.programs() - 1, from.text.substr(0, from.text.find(':')), place);
  }
  TESSERA_ASSIGN(from.number, NumberOf(from.text, place.substr(colon + 1)));
  return {};
}

// Signals of tsr_top, by group.
struct WaveGroup {
  const char* name;
  std::vector<const char*> signals;
};
const std::vector<WaveGroup>& Groups() {
  static const std::vector<WaveGroup> groups = {
      {"run", {"clk_i", "rst_ni", "busy_o", "irq_o", "trace_cycles_o[63:0]"}},
      {"instructions (units: LOAD, GEMM, VECTOR, STORE from the low bit)",
       {"trace_moves_o[35:0]", "trace_taken_num_o[127:0]", "trace_valid_o[3:0]",
        "trace_num_o[127:0]"}},
      {"units",
       {"trace_stand_o[47:0]", "u_units.cmd_valid_i[3:0]", "u_units.cmd_ready_o[3:0]",
        "u_units.retire_o[3:0]", "u_units.busy_o[3:0]", "u_units.memory_o[3:0]",
        "u_units.hazard_o[3:0]"}},
      {"reads",
       {"m_axi_arvalid_o", "m_axi_arready_i", "m_axi_araddr_o[39:0]", "m_axi_rvalid_i",
        "m_axi_rready_o", "m_axi_rlast_i"}},
      {"writes",
       {"m_axi_awvalid_o", "m_axi_awready_i", "m_axi_awaddr_o[39:0]", "m_axi_wvalid_o",
        "m_axi_wready_i", "m_axi_bvalid_i", "m_axi_bready_o"}}};
  return groups;
}

std::string GtkwText(const std::string& path) {
  std::string text = fmt::format("[dumpfile] \"{}\"\n", path);
  for (const WaveGroup& group : Groups()) {
    text += fmt::format("@200\n-{}\n", group.name);
    for (const std::string signal : group.signals)
      text += fmt::format("@{}\nTOP.tsr_top.{}\n", signal.ends_with("]") ? "22" : "28", signal);
  }
  return text;
}

// The cycle in which |run| takes the first instruction of GEMM or VECTOR of |layer|, or the first
// instruction if there is none. Loads of the layer may come long before, while another computes.
std::optional<uint64_t> LayerBegin(const TakenCycles::TakenRun& run, const std::string& layer,
                                   const TracedNetwork& network) {
  const sim::ProgramText text(network.program(run.program), network.config());
  std::optional<uint64_t> first, computes;
  for (const auto& [insn, cycle] : run.at) {
    const std::optional<uint32_t> of = text.LayerOf(insn);
    if (!of || network.layers()[*of].name != layer) continue;
    if (!first || cycle < *first) first = cycle;
    const std::optional<isa::Fetched> decoded = text.Decode(insn);
    const bool works = decoded && !decoded->finish &&
                       (decoded->unit == isa::Unit::kGemm || decoded->unit == isa::Unit::kVector);
    if (works && (!computes || cycle < *computes)) computes = cycle;
  }
  return computes ? computes : first;
}

// The cycle of |run| at which the window begins, if the run came so far.
std::optional<uint64_t> BeginIn(const TakenCycles::TakenRun& run, const WaveFrom& from,
                                const TracedNetwork& network) {
  std::optional<uint64_t> begin;
  switch (from.place) {
    case WaveFrom::WavePlace::kCycle:
      if (run.program == from.program && from.number <= run.last) begin = from.number;
      break;
    case WaveFrom::WavePlace::kInsn:
      if (const auto at = run.at.find(static_cast<uint32_t>(from.number));
          run.program == from.program && at != run.at.end())
        begin = at->second;
      break;
    case WaveFrom::WavePlace::kLayer:
      begin = LayerBegin(run, from.layer, network);
      break;
    case WaveFrom::WavePlace::kFailure:
      break;
  }
  return begin;
}

// Keeps retired instructions, for a comparison.
class RetiredRuns : public ProgramListener {
 public:
  RunObserver* Begin(uint32_t program) override {
    runs_.Begin(program);
    return &runs_;
  }
  void End(const ProgramRun&) override {}
  const std::vector<TakenCycles::TakenRun>& runs() const { return runs_.runs(); }

 private:
  TakenCycles runs_;
};

// The first instruction of |runs| whose changes differ from those on func: its run, and the cycle
// in which it was taken. Nothing if no instruction differs.
struct WrongResult {
  size_t run = 0;
  uint64_t taken = 0;
};
Result<std::optional<WrongResult>> FirstWrong(const TracedNetwork& network,
                                              const std::string& device,
                                              const std::vector<TakenCycles::TakenRun>& runs) {
  TESSERA_ASSIGN(const ChosenDevice func, ChooseDevice("func"));
  RetiredRuns right;
  TESSERA_TRY(network.Run(func, right, Launch().budget));
  for (size_t r = 0; r < runs.size() && r < right.runs().size(); ++r) {
    const uint32_t program = runs[r].program;
    const auto wrong =
        sim::CompareTraces(runs[r].retired, right.runs()[r].retired, network.program(program),
                           network.config(), device, "func");
    if (wrong.empty() || !wrong[0].a) continue;
    const auto taken = runs[r].at.find(wrong[0].a->insn);
    return WrongResult{r, taken == runs[r].at.end() ? wrong[0].a->cycle : taken->second};
  }
  return std::optional<WrongResult>();
}

class Nobody : public ProgramListener {
 public:
  RunObserver* Begin(uint32_t) override { return nullptr; }
  void End(const ProgramRun&) override {}
};

}  // namespace

Status RequireWave(const ChosenDevice& device, const std::string& path) {
  if (device.name == "rtl" && path.ends_with(".fst")) return {};
  return Fail(Code::kInvalidArgument,
              "--wave {}: a waveform is of --device rtl, and its name ends in .fst", path);
}

Result<WaveFrom> ParseWaveFrom(const std::string& text, const TracedNetwork& network) {
  WaveFrom from{.text = text, .layer = ""};
  if (text == "failure") {
    from.place = WaveFrom::WavePlace::kFailure;
  } else if (text.starts_with("cycle:")) {
    TESSERA_TRY(ParsePlace(text.substr(6), network, from));
  } else if (text.starts_with("insn:")) {
    from.place = WaveFrom::WavePlace::kInsn;
    TESSERA_TRY(ParsePlace(text.substr(5), network, from));
    const auto count = static_cast<uint64_t>(network.program(from.program).insn_count());
    if (from.number >= count) {
      return Fail(Code::kInvalidArgument, "--from {}: the program has instructions 0 to {}", text,
                  count - 1);
    }
  } else if (text.starts_with("layer:")) {
    from.place = WaveFrom::WavePlace::kLayer;
    std::vector<std::string> names;
    for (const TracedLayer& layer : network.layers()) names.push_back(layer.name);
    const Result<size_t> layer = sim::FindNamed("layer", text.substr(6), names);
    if (!layer) return Within("--from " + text, layer.error());
    from.layer = names[*layer];
  } else {
    return Fail(Code::kInvalidArgument, "--from {}: give {}", text, kForms);
  }
  return from;
}

Result<uint64_t> RecordWave(const std::string& path, const WaveFrom& from, uint64_t cycles,
                            const TracedNetwork& network, ChosenDevice device,
                            const TakenCycles& taken, bool failed) {
  std::optional<uint64_t> begin;
  uint64_t before = 0;  // cycles of the longest earlier run
  size_t run = 0;
  const std::vector<TakenCycles::TakenRun>& runs = taken.runs();
  if (from.place == WaveFrom::WavePlace::kFailure) {
    if (failed && !runs.empty()) {
      run = runs.size() - 1;
      begin = runs[run].last - std::min(runs[run].last, cycles / 2);
    } else if (!failed) {
      TESSERA_ASSIGN(const std::optional<WrongResult> wrong,
                     FirstWrong(network, device.name, runs));
      if (!wrong) {
        return Fail(Code::kOutOfRange,
                    "--from failure: the run did not come there: nothing failed, and each "
                    "instruction did what it does on func");
      }
      run = wrong->run;
      begin = wrong->taken - std::min(wrong->taken, cycles / 2);
    }
  } else {
    for (run = 0; run < runs.size(); ++run) {
      begin = BeginIn(runs[run], from, network);
      if (begin) break;
    }
  }
  if (!begin) {
    return Fail(Code::kOutOfRange,
                "--from {}: the run did not come there; something happened last in cycle {} of "
                "program {}",
                from.text, runs.empty() ? 0 : runs.back().last,
                runs.empty() ? 0 : runs.back().program);
  }
  for (size_t earlier = 0; earlier < run; ++earlier)
    before = std::max(before, runs[earlier].last + kLate);
  const uint64_t first = *begin - std::min(*begin, kEarly), end = *begin + cycles;
  device.options.values["wave"] = path;
  device.options.values["wave-run"] = std::to_string(run + 1);
  device.options.values["wave-begin"] = std::to_string(first);
  device.options.values["wave-end"] = std::to_string(end);
  // Ends the run with the window where possible: the budget is then spent, or the run fails again.
  Nobody nobody;
  const Status ran = network.Run(device, nobody, std::max(end, before));
  if (!ran && !failed && ran.error().code != Code::kTimeout) return std::unexpected(ran.error());
  const size_t dot = path.rfind('.');
  TESSERA_TRY(WriteFile(path.substr(0, dot) + ".gtkw", std::string_view(GtkwText(path))));
  return first;
}

}  // namespace tessera::tools
