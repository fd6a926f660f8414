// SPDX-License-Identifier: Apache-2.0
//
// Prints docs/targets.md: the features of each target, from its Target.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <string>

#include "compiler/target/accelerator.h"
#include "compiler/target/cuda.h"

namespace tessera::target {
namespace {

// |n|, or an empty cell for 0.
std::string Cell(double n) { return n == 0 ? "" : fmt::format("{:g}", n); }
std::string Cell(int64_t n) { return n == 0 ? "" : fmt::format("{}", n); }

std::string Memories(const Target& target) {
  std::string out =
      "| memory | bytes | banks | `double_buffer` | kept between layers | bytes a cycle | start "
      "cycles |\n|---|---:|---:|---|---|---:|---:|\n";
  for (const TargetMemory& m : target.memories) {
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", ir::ScopeName(m.scope),
                       Cell(m.bytes), m.banks > 1 ? Cell(m.banks) : "", m.rotates ? "yes" : "",
                       m.keeps ? "yes" : "", Cell(m.bytes_a_cycle), Cell(m.start_cycles));
  }
  return out;
}

// The kinds of loops, and the known figures.
std::string Figures(const Target& target) {
  std::vector<std::string> kinds;
  for (const ir::LoopKind kind : target.loops) {
    const std::string name = ir::LoopKindName(kind);
    kinds.push_back(name.empty() ? "serial" : "`" + name + "`");
  }
  std::string out = fmt::format("Loops: {}.", fmt::join(kinds, ", "));
  const struct {
    int64_t value;
    const char* text;
  } kFigures[] = {
      {target.max_threads, "at most {} threads a group"},
      {target.Takes(ir::LoopKind::kVector) ? target.max_lanes : 0, "vectors of at most {} lanes"},
      {target.line_bytes, "`prefetch` of cache lines of {} bytes"},
      {target.lines_ahead, "{} of them on their way at a time"},
      {target.least_shared_work, "a second processor from {} innermost iterations on"},
      {target.processors, "work for {} processors"},
      {target.group_threads, "groups of {} threads or more"},
      {target.vector_registers, "{} vector registers"},
      {target.vector_bytes, "of {} bytes each"},
      {target.group_lanes, "{} lanes a processor"}};
  std::vector<std::string> known;
  for (const auto& figure : kFigures) {
    if (figure.value != 0) known.push_back(fmt::format(fmt::runtime(figure.text), figure.value));
  }
  if (target.ops_a_cycle != 0)
    known.push_back(fmt::format("{:g} operations, {:g} loads and {:g} stores a cycle",
                                target.ops_a_cycle, target.loads_a_cycle, target.stores_a_cycle));
  if (target.fma) known.push_back("f32 multiplied and added in one operation");
  for (const target::TargetCache& cache : target.caches) {
    known.push_back(fmt::format(
        "a cache of {} KiB{}, which takes {:g} bytes a cycle from behind it", cache.bytes >> 10,
        cache.each ? "" : " for all processors", cache.bytes_a_cycle));
  }
  if (target.cycles_a_second != 0)
    known.push_back(fmt::format("{:g} GHz", target.cycles_a_second / 1e9));
  if (!known.empty()) out += fmt::format(" Figures: {}.", fmt::join(known, ", "));
  return out + "\n";
}

std::string Describe(const TensorIntrin& intrin) {
  std::string out = fmt::format("### {}\n\n", intrin.name);
  for (const te::Tensor& t : te::TopologicalOrder({intrin.behaviour})) {
    const std::string text = te::Print({t});
    // Print only the stage's own line; the stages that it reads have theirs.
    out += "    " + text.substr(text.rfind('\n', text.size() - 2) + 1);
  }
  std::vector<std::string> facts;
  for (const TileScopes& place : intrin.scopes) {
    std::vector<std::string> names;
    for (const ir::Scope scope : place.scopes) names.emplace_back(ir::ScopeName(scope));
    facts.push_back(fmt::format("`{}` in {}", place.tensor, fmt::join(names, " or ")));
  }
  if (!intrin.updates.empty())
    facts.push_back(fmt::format("`{}` is the result's own tile (`in_place`)", intrin.updates));
  if (intrin.FlagsStart()) facts.push_back("a reduction needs no zeros in front of it");
  std::vector<std::string> fewer;
  if (intrin.partial) fewer.push_back("the innermost axis");
  for (const AxisCount& axis : intrin.counts) fewer.push_back("`" + axis.axis + "`");
  if (!fewer.empty())
    facts.push_back(fmt::format("takes fewer along {} too", fmt::join(fewer, ", ")));
  if (intrin.cycles != 0)
    facts.push_back(fmt::format("{:g} cycle{}", intrin.cycles, intrin.cycles == 1 ? "" : "s"));
  if (intrin.latency != 0)
    facts.push_back(fmt::format("{:g} until its result is there", intrin.latency));
  if (!facts.empty()) out += fmt::format("\n{}.\n", fmt::join(facts, "; "));
  std::vector<std::string> limits;
  for (const ParamCondition& condition : intrin.conditions) limits.push_back(condition.text);
  if (!limits.empty()) out += fmt::format("\nRefused where {}.\n", fmt::join(limits, "; where "));
  return out + "\n";
}

std::string Describe(const char* title, const char* says, const Target& target) {
  std::string out =
      fmt::format("## {}\n\n{}\n\n{}\n{}\n", title, says, Memories(target), Figures(target));
  for (const TensorIntrin& intrin : target.intrinsics) out += Describe(intrin);
  return out;
}

Result<std::string> Document() {
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig("default"));
  return "# Targets: what a schedule may ask for\n\n"
         "This page is printed by `targets_doc` (tools/docs/targets_doc.cc) from what "
         "`compiler/target` says; run `cmake --build build\n-t regenerate`. The steps that ask are "
         "in [steps](steps.md): `set_scope`, `cache_read` and `cache_write` name a memory, "
         "`bind`,\n`vectorize`, `unroll`, `parallel` and `vthread` a kind of loop, `tensorize` an "
         "intrinsic. A step that asks for what a target does\nnot have is refused with what it "
         "has.\n\nAn intrinsic is its behaviour as a tensor expression, for one tile: `tensorize` "
         "looks for it in the loops of a stage. Names in it\nthat are no axes are numbers that the "
         "stage may choose; `acc = acc ...` means that the tile is changed in place. An empty "
         "cell\n"
         "is not limited, not known, or does not apply.\n\n" +
         Describe("accelerator, configuration default",
                  "Schedules that begin with `accelerator` in a file. The sizes are those of the "
                  "configuration; `tessera config` lists the others.",
                  *Accelerator(config)) +
         Describe("host",
                  "Processors through LLVM: `host` in a file. An intrinsic is for the levels of "
                  "processors that have it.",
                  *Host()) +
         Describe("gpu", "Any GPU through OpenCL C: `opencl` in a file.", *Gpu()) +
         Describe(
             "cuda",
             "NVIDIA's from sm_80 on, through PTX: `cuda` in a file. Memory `acc` is shared out "
             "among the registers of a warp.",
             *Cuda());
}

}  // namespace
}  // namespace tessera::target

int main() {
  const tessera::Result<std::string> document = tessera::target::Document();
  if (!document) {
    std::fprintf(stderr, "targets_doc: %s\n", document.error().message.c_str());
    return 1;
  }
  // End the text with one newline.
  std::string text = *document;
  text.resize(text.find_last_not_of('\n') + 1);
  text += "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}
