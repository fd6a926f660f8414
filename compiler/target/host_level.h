// SPDX-License-Identifier: Apache-2.0
//
// The levels that host code is made for, by the names of runtime/host/cpu_level.h: what a processor
// of each has. Depends on: value_builder.h. Used by: host*.cc, codegen/llvm, the compile driver.
#ifndef TESSERA_COMPILER_TARGET_HOST_LEVEL_H_
#define TESSERA_COMPILER_TARGET_HOST_LEVEL_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "compiler/ir/ir.h"
#include "compiler/target/target.h"
#include "compiler/target/value_builder.h"

namespace tessera::target {

struct HostLevel {
  const char* name;
  CpuUnits units;
  int64_t vector_registers, vector_bytes;
  // The unit without which code for the level before it in the table is the same; null: more than
  // one differs.
  bool CpuUnits::*extra = nullptr;
};

// From "x86-64-v2" on.
std::span<const HostLevel> HostLevels();
const HostLevel* FindHostLevel(std::string_view name);  // null: none

// Host() with the registers of |level| and what its intrinsics cost there.
std::shared_ptr<const Target> Host(const HostLevel& level);

// Of |names|, the level with the most bytes of registers, whose figures a schedule for all of them
// is made by; null: none of them is a level.
const HostLevel* WidestLevel(std::span<const std::string> names);

// The first of |names|, best first, but for levels whose extra unit |funcs| do not use: the same
// code then runs on more processors. At least one name.
const std::string& LevelInUse(std::span<const std::string> names, std::span<const ir::Func> funcs);

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_HOST_LEVEL_H_
