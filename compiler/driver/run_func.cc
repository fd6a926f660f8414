// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/run_func.h"

#include <map>
#include <string>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/codegen/accel/emit/emit_func.h"
#include "compiler/codegen/accel/emit/records.h"
#include "compiler/ir/layout.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/params.h"
#include "isa/check/check.h"

namespace tessera::compiler {
namespace {

constexpr int64_t kAlign = 64;

// Loads the segments of |image| into |memory|; segments of parameters are all of |arena|.
Result<Launch> Load(const isa::ProgramImage& image, DeviceRanges& memory, uint64_t arena,
                    uint64_t arena_bytes) {
  Launch launch;
  launch.insn_count = static_cast<uint32_t>(image.insn_count());
  TESSERA_ASSIGN(launch.insn_addr, memory.Place(image.code.size(), image.code));
  for (size_t s = 0; s < image.segments.size(); ++s) {
    const isa::SegmentData& segment = image.segments[s];
    if (segment.size == 0) continue;
    if (s == static_cast<size_t>(isa::Segment::kArena) ||
        s == static_cast<size_t>(isa::Segment::kInput)) {
      launch.segments[s] = {arena, arena_bytes};
      continue;
    }
    TESSERA_ASSIGN(const uint64_t base, memory.Place(segment.size, segment.data));
    launch.segments[s] = {base, segment.size};
  }
  return launch;
}

// Row-major bytes of every parameter: |inputs|, and the stages that |schedule| prepares from them.
Result<std::map<std::string, std::vector<uint8_t>>> ParamValues(
    const schedule::Schedule& schedule, const std::vector<std::vector<uint8_t>>& inputs) {
  std::map<std::string, std::vector<uint8_t>> values;
  for (const te::Tensor& t : te::TopologicalOrder(schedule.outputs())) {
    if (!t->placeholder) continue;
    const size_t k = values.size();
    int64_t wanted = SizeOf(t.dtype());
    for (const int64_t n : t.shape()) wanted *= n;
    if (k >= inputs.size() || std::ssize(inputs[k]) != wanted) {
      return Fail(Code::kInvalidArgument, "{} has {} bytes, {} are given", t.name(), wanted,
                  k < inputs.size() ? inputs[k].size() : 0);
    }
    values[t.name()] = inputs[k];
  }
  if (values.size() != inputs.size()) {
    return Fail(Code::kInvalidArgument, "{} has {} inputs, {} are given",
                schedule.outputs()[0].name(), values.size(), inputs.size());
  }
  TESSERA_TRY(schedule::Prepare(schedule, &values));
  return values;
}

}  // namespace

Result<ScheduledRun> RunScheduled(const schedule::Schedule& schedule, Device& device,
                                  const std::vector<std::vector<uint8_t>>& inputs) {
  TESSERA_CHECK(schedule.outputs().size() == 1);
  const std::string& name = schedule.outputs()[0].name();
  TESSERA_ASSIGN(const ir::Func func, lower::Lower(schedule, name, {.guards = false}));
  // The inputs, then the output, one after the other.
  std::vector<codegen::accel::BufferAddress> places;
  int64_t bytes = 0;
  for (const ir::Buffer& b : func.params) {
    const bool output = b->name == name;
    places.push_back({true, bytes, output ? isa::Segment::kArena : isa::Segment::kInput});
    bytes += RoundUp(ir::SizeInBytes(*b), kAlign);
  }
  TESSERA_ASSIGN(const auto values, ParamValues(schedule, inputs));
  TESSERA_ASSIGN(const isa::ProgramImage image,
                 codegen::accel::EmitFunc(func, places, device.config()));
  TESSERA_TRY(isa::RequireChecked(image, device.config()));
  DeviceRanges memory(device);
  TESSERA_ASSIGN(const uint64_t arena, memory.Place(static_cast<uint64_t>(bytes)));
  TESSERA_ASSIGN(const Launch launch, Load(image, memory, arena, static_cast<uint64_t>(bytes)));
  const auto at = [&](size_t k) { return arena + static_cast<uint64_t>(places[k].base); };
  for (size_t k = 0; k + 1 < places.size(); ++k) {
    const ir::Buffer& b = func.params[k];
    TESSERA_ASSIGN(
        const std::vector<uint8_t> packed,
        codegen::accel::MachineBytes(
            func.body, b,
            ir::PackLayout(*schedule::ParamBuffer(schedule, b->name), values.at(b->name)),
            device.config()));
    TESSERA_TRY(device.Write(at(k), packed));
  }
  ScheduledRun run;
  TESSERA_ASSIGN(run.report, device.Run(launch));
  std::vector<uint8_t> packed(static_cast<size_t>(ir::SizeInBytes(*func.params.back())));
  TESSERA_TRY(device.Read(at(places.size() - 1), packed));
  run.output = ir::UnpackLayout(*schedule::ParamBuffer(schedule, name), packed);
  return run;
}

}  // namespace tessera::compiler
