// SPDX-License-Identifier: Apache-2.0
//
// Keys of tasks: hashes of text in which tensors have numbers instead of names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/hash.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/trace_file.h"
#include "compiler/target/host_level.h"
#include "compiler/te/te.h"
#include "compiler/tune/task.h"
#include "compiler/tune/timed_layer.h"
#include "isa/version.h"
#include "runtime/host/cpu_level.h"

namespace tessera::tune {
namespace {

uint64_t HashOfText(const std::string& text) {
  return Crc64({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// Whether a name may contain |c|.
bool InName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// |text| with |names| replaced by "%0", "%1", .. The names of stages that steps make begin with the
// name of their tensor: "conv.sum.i" becomes "%3.i".
std::string WithNumbers(const std::string& text, const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, size_t>> longest;
  for (size_t k = 0; k < names.size(); ++k) longest.emplace_back(names[k], k);
  std::ranges::stable_sort(
      longest, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  std::string made;
  for (size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || !InName(text[at - 1]);
    const auto found = std::ranges::find_if(longest, [&](const auto& name) {
      const size_t end = at + name.first.size();
      return begins && text.compare(at, name.first.size(), name.first) == 0 &&
             (end >= text.size() || !InName(text[end]));
    });
    if (found == longest.end()) {
      made += text[at++];
    } else {
      made += fmt::format("%{}", found->second);
      at += found->first.size();
    }
  }
  return made;
}

// The version of the language of schedules.
uint64_t StepsVersion() {
  std::string all;
  for (const std::string& usage : schedule::StepUsages()) all += usage + "\n";
  for (const std::string& usage : schedule::NetworkStepUsages()) all += usage + "\n";
  return HashOfText(all);
}

uint64_t StepsHash() {
  static const uint64_t hash = StepsVersion();
  return hash;
}

// The schedule around which a space is made: |trace| without the values of its decisions.
std::string Around(schedule::Trace trace) {
  for (schedule::Step& step : trace) {
    if (auto* decide = std::get_if<schedule::DecideStep>(&step)) decide->value = schedule::Choice();
  }
  return schedule::Print(trace);
}

// The names of tensors in |output| and |sketches|, each once.
std::vector<std::string> NamesIn(const te::Tensor& output,
                                 const std::vector<schedule::Sketch>& sketches) {
  std::vector<std::string> names;
  const auto add = [&](const te::Tensor& of) {
    for (const te::Tensor& t : te::TopologicalOrder({of})) {
      if (std::ranges::count(names, t.name()) == 0) names.push_back(t.name());
    }
  };
  add(output);
  for (const schedule::Sketch& sketch : sketches) add(sketch.output);
  return names;
}

// The schedules around which a space is made.
std::string Around(const std::vector<schedule::Sketch>& sketches) {
  if (sketches.size() == 1) return Around(sketches[0].trace);
  std::string all;
  for (const schedule::Sketch& sketch : sketches)
    all += fmt::format("sketch {}\n{}", sketch.name, Around(sketch.trace));
  return all;
}

// |output| with all values in its expressions equal: zero points, say, which differ from layer to
// layer and cost nothing. Indices, which are of int64, stay.
te::Tensor WithoutValues(const te::Tensor& output) {
  return te::WithBodies(output, [](const te::Tensor& stage) {
    return ir::Rewrite(stage->body, [](const ir::Expr& e) {
      if (e->kind != ir::ExprKind::kImm || e.dtype() == DType::kInt64) return e;
      return IsFloat(e.dtype()) ? ir::ImmFloat(e.dtype(), 1) : ir::Imm(e.dtype(), 1);
    });
  });
}

// What is known of |level|, from which schedules and code follow.
std::string FiguresOf(const target::HostLevel& level) {
  const auto& [fma, directed, half, pairs, tiles, quads, neon_pairs, neon_quads, mixed] =
      level.units;
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", level.name, level.vector_registers,
                     level.vector_bytes, fma, directed, half, pairs, tiles, quads, neon_pairs,
                     neon_quads, mixed);
}

}  // namespace

bool TaskKey::operator==(const TaskKey& o) const {
  return layer == o.layer && space == o.space && target == o.target &&
         config_hash == o.config_hash && isa == o.isa && steps == o.steps &&
         processor == o.processor;
}

TaskKey KeyOf(const lower::accel::AccelRegion& region, const schedule::Trace& trace,
              const isa::Config& config) {
  std::vector<std::string> names;
  for (const te::Tensor& t : te::TopologicalOrder({region.output})) names.push_back(t.name());
  return {.layer = HashOfText(WithNumbers(te::Print({region.output}), names)),
          .space = HashOfText(WithNumbers(Around(trace), names)),
          .target = schedule::kAcceleratorTrace,
          .config = config.name,
          .config_hash = config.Hash(),
          .isa = isa::kIsaHash,
          .steps = StepsHash()};
}

TaskKey KeyOf(const compiler::PlannedHostLayer& planned) {
  const te::RegionTe& region = planned.layer.region;
  const std::vector<schedule::Sketch> sketches = SketchesOf(planned);
  const std::vector<std::string> names = NamesIn(region.output, sketches);
  static const std::string kProcessor = ProcessorName();
  return {.layer = HashOfText(WithNumbers(te::Print({WithoutValues(region.output)}), names)),
          .space = HashOfText(WithNumbers(Around(sketches), names)),
          .target = schedule::kHostTrace,
          .config = planned.layer.level->name,
          .config_hash = HashOfText(FiguresOf(*planned.layer.level)),
          .steps = StepsHash(),
          .processor = kProcessor};
}

TaskKey KeyOf(const compiler::PlannedGpuLayer& planned) {
  const te::Tensor& output = planned.layer.region.output;
  const std::vector<schedule::Sketch> sketches = SketchesOf(planned);
  const std::vector<std::string> names = NamesIn(output, sketches);
  const std::string kind = compiler::GpuName(planned.layer.kind);
  const auto device = GpuDeviceName(planned.layer.kind);
  return {.layer = HashOfText(WithNumbers(te::Print({WithoutValues(output)}), names)),
          .space = HashOfText(WithNumbers(Around(sketches), names)),
          .target = kind,
          .config = kind,
          .config_hash = HashOfText(kind),  // the space has the figures that matter
          .steps = StepsHash(),
          .processor = device.value_or("")};
}

TaskKey KeyOf(const compiler::PlannedProgram& program, const isa::Config& config) {
  // The layers, and which of them exchange which activations.
  std::string all;
  TaskKey key;
  for (size_t r = 0; r < program.regions.size(); ++r) {
    const lower::accel::AccelRegion& region = program.regions[r];
    key = KeyOf(region, {}, config);
    std::vector<int> read;
    for (const te::Tensor& t : te::TopologicalOrder({region.output})) {
      const auto bound = region.activations.find(t.get());
      if (bound != region.activations.end() && t->placeholder) read.push_back(bound->second);
    }
    all += fmt::format("{:x} {} {}\n", key.layer, region.result, fmt::join(read, " "));
  }
  key.layer = key.space = HashOfText(all);
  key.target = schedule::kNetworkTrace;
  return key;
}

}  // namespace tessera::tune
