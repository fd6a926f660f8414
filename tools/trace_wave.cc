// SPDX-License-Identifier: Apache-2.0
#include "tools/trace_wave.h"

#include <algorithm>
#include <charconv>

#include "base/file.h"
#include "sim/trace/program_text.h"

namespace tessera::tools {
namespace {

// A driver begins to count a run some cycles after the machine has: starting takes bus accesses.
constexpr uint64_t kEarly = 16;

constexpr const char* kForms = "layer:NAME, insn:NUMBER, cycle:NUMBER or failure";

Result<uint64_t> NumberOf(const std::string& text, const std::string& digits) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
    return Fail(Code::kInvalidArgument, "--from {}: '{}' is no number; give {}", text, digits,
                kForms);
  }
  return number;
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

class Nobody : public ProgramListener {
 public:
  RunObserver* Begin(uint32_t) override { return nullptr; }
  void End(const ProgramRun&) override {}
};

}  // namespace

Result<WaveFrom> ParseWaveFrom(const std::string& text, const TracedNetwork& network) {
  if (network.programs() != 1) {
    return Fail(Code::kInvalidArgument,
                "--wave records a network that is one program of the accelerator; this one has {}",
                network.programs());
  }
  WaveFrom from{.text = text, .layer = ""};
  if (text == "failure") {
    from.place = WaveFrom::WavePlace::kFailure;
  } else if (text.starts_with("cycle:")) {
    TESSERA_ASSIGN(from.number, NumberOf(text, text.substr(6)));
  } else if (text.starts_with("insn:")) {
    from.place = WaveFrom::WavePlace::kInsn;
    TESSERA_ASSIGN(from.number, NumberOf(text, text.substr(5)));
    const auto count = static_cast<uint64_t>(network.program(0).insn_count());
    if (from.number >= count) {
      return Fail(Code::kInvalidArgument, "--from {}: the program has instructions 0 to {}", text,
                  count - 1);
    }
  } else if (text.starts_with("layer:")) {
    from.place = WaveFrom::WavePlace::kLayer;
    const std::string name = text.substr(6);
    std::vector<std::string> alike, all;
    for (const TracedLayer& layer : network.layers()) {
      all.push_back(layer.name);
      if (layer.name == name) alike = {name};
      if (alike != std::vector{name} && layer.name.find(name) != std::string::npos)
        alike.push_back(layer.name);
    }
    if (alike.size() != 1) {
      return Fail(Code::kNotFound, "--from {}: {} layers are called so; there are {}", text,
                  alike.size(), fmt::join(alike.empty() ? all : alike, ", "));
    }
    from.layer = alike[0];
  } else {
    return Fail(Code::kInvalidArgument, "--from {}: give {}", text, kForms);
  }
  return from;
}

Result<uint64_t> RecordWave(const std::string& path, const WaveFrom& from, uint64_t cycles,
                            const TracedNetwork& network, ChosenDevice device,
                            const TakenCycles& taken, bool failed) {
  std::optional<uint64_t> begin;
  switch (from.place) {
    case WaveFrom::WavePlace::kCycle:
      if (from.number <= taken.last()) begin = from.number;
      break;
    case WaveFrom::WavePlace::kInsn:
      if (const auto at = taken.at().find(static_cast<uint32_t>(from.number));
          at != taken.at().end())
        begin = at->second;
      break;
    case WaveFrom::WavePlace::kLayer: {
      const sim::ProgramText text(network.program(0), network.config());
      for (const auto& [insn, cycle] : taken.at()) {
        const std::optional<uint32_t> layer = text.LayerOf(insn);
        if (layer && network.layers()[*layer].name == from.layer && (!begin || cycle < *begin))
          begin = cycle;
      }
      break;
    }
    case WaveFrom::WavePlace::kFailure:
      if (failed) begin = taken.last() - std::min(taken.last(), cycles / 2);
      break;
  }
  if (!begin) {
    return Fail(Code::kOutOfRange,
                "--from {}: the run did not come there; something happened last in cycle {}",
                from.text, taken.last());
  }
  const uint64_t first = *begin - std::min(*begin, kEarly), end = *begin + cycles;
  device.options.values["wave"] = path;
  device.options.values["wave-begin"] = std::to_string(first);
  device.options.values["wave-end"] = std::to_string(end);
  // The run ends with the window: its budget is spent then, or it fails as it did before.
  Nobody nobody;
  const Status ran = network.Run(device, nobody, end);
  if (!ran && !failed && ran.error().code != Code::kTimeout) return std::unexpected(ran.error());
  const size_t dot = path.rfind('.');
  TESSERA_TRY(WriteFile(path.substr(0, dot) + ".gtkw", std::string_view(GtkwText(path))));
  return first;
}

}  // namespace tessera::tools
