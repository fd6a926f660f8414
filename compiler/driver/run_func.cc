// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/run_func.h"

#include "base/bits.h"
#include "base/check.h"
#include "compiler/codegen/accel/emit_func.h"
#include "compiler/ir/layout.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/params.h"
#include "isa/check/check.h"

namespace tessera::compiler {
namespace {

constexpr int64_t kAlign = 64;

// The segments of |image| in the memory of |device|; those of parameters are all of |arena|.
Result<Launch> Load(const isa::ProgramImage& image, Device& device, uint64_t arena,
                    uint64_t arena_bytes) {
  Launch launch;
  launch.insn_count = static_cast<uint32_t>(image.insn_count());
  TESSERA_ASSIGN(launch.insn_addr, device.Allocate(image.code.size()));
  TESSERA_TRY(device.Write(launch.insn_addr, image.code));
  for (size_t s = 0; s < image.segments.size(); ++s) {
    const isa::SegmentData& segment = image.segments[s];
    if (segment.size == 0) continue;
    if (s == static_cast<size_t>(isa::Segment::kArena) ||
        s == static_cast<size_t>(isa::Segment::kInput)) {
      launch.segments[s] = {arena, arena_bytes};
      continue;
    }
    TESSERA_ASSIGN(const uint64_t base, device.Allocate(segment.size));
    launch.segments[s] = {base, segment.size};
    TESSERA_TRY(device.Write(base, segment.data));
  }
  return launch;
}

}  // namespace

Result<ScheduledRun> RunScheduled(const schedule::Schedule& schedule, Device& device,
                                  const std::vector<std::vector<uint8_t>>& inputs) {
  TESSERA_CHECK(schedule.outputs().size() == 1);
  const std::string& name = schedule.outputs()[0].name();
  TESSERA_ASSIGN(const ir::Func func, lower::Lower(schedule, name, {.guards = false}));
  // Inputs, then the output: one behind the other.
  std::vector<codegen::accel::BufferAddress> places;
  std::vector<ir::Buffer> buffers;
  int64_t bytes = 0;
  for (const ir::Buffer& b : func.params) {
    const bool output = b->name == name;
    places.push_back({true, bytes, output ? isa::Segment::kArena : isa::Segment::kInput});
    buffers.push_back(schedule::ParamBuffer(schedule, b->name));
    bytes += RoundUp(ir::SizeInBytes(*b), kAlign);
  }
  if (inputs.size() + 1 != places.size()) {
    return Fail(Code::kInvalidArgument, "{} has {} inputs, {} are given", name, places.size() - 1,
                inputs.size());
  }
  TESSERA_ASSIGN(const isa::ProgramImage image,
                 codegen::accel::EmitFunc(func, places, device.config()));
  TESSERA_TRY(isa::RequireChecked(image, device.config()));
  TESSERA_ASSIGN(const uint64_t arena, device.Allocate(static_cast<uint64_t>(bytes)));
  TESSERA_ASSIGN(const Launch launch, Load(image, device, arena, static_cast<uint64_t>(bytes)));
  const auto at = [&](size_t k) { return arena + static_cast<uint64_t>(places[k].base); };
  for (size_t k = 0; k < inputs.size(); ++k) {
    int64_t wanted = SizeOf(buffers[k]->dtype);
    for (const int64_t n : buffers[k]->shape) wanted *= n;
    if (std::ssize(inputs[k]) != wanted) {
      return Fail(Code::kInvalidArgument, "{} has {} bytes, {} are given", buffers[k]->name, wanted,
                  inputs[k].size());
    }
    TESSERA_TRY(device.Write(at(k), ir::PackLayout(*buffers[k], inputs[k])));
  }
  ScheduledRun run;
  TESSERA_ASSIGN(run.report, device.Run(launch));
  std::vector<uint8_t> packed(static_cast<size_t>(ir::SizeInBytes(*func.params.back())));
  TESSERA_TRY(device.Read(at(places.size() - 1), packed));
  run.output = ir::UnpackLayout(*buffers.back(), packed);
  return run;
}

}  // namespace tessera::compiler
