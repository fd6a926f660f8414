// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/board_cpu.h"

#include "base/check.h"
#include "compiler/target/host_level.h"

namespace tessera::target {

std::shared_ptr<const Target> Host(const isa::Cpu& cpu) {
  const HostLevel* level = FindHostLevel(cpu.level);
  TESSERA_CHECK(level != nullptr, "{}: level {}", cpu.name, cpu.level);
  Target target = *Host(*level);
  target.line_bytes = cpu.line_bytes;
  target.processors = cpu.cores;
  target.ops_a_cycle = cpu.ops_a_cycle;
  target.loads_a_cycle = cpu.loads_a_cycle;
  target.stores_a_cycle = cpu.stores_a_cycle;
  target.cycles_a_second = static_cast<double>(cpu.clock_mhz) * 1e6;
  const double memory_bytes_a_cycle =
      static_cast<double>(cpu.memory_mb_s) / static_cast<double>(cpu.clock_mhz);
  target.caches = {{cpu.l1_kib << 10, cpu.line_bytes, cpu.l2_bytes_a_cycle},
                   {cpu.l2_kib << 10, cpu.line_bytes, memory_bytes_a_cycle, false}};
  return std::make_shared<const Target>(std::move(target));
}

}  // namespace tessera::target
