// SPDX-License-Identifier: Apache-2.0
//
// The levels for which host code is compiled, under the names of runtime/host/cpu_level.h, with the
// properties of their processors. Depends on: value_builder.h. Used by: host*.cc, codegen/llvm, the
// compile driver.
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
  // The only unit that this level adds to the previous one in the table: code that does not use it
  // is the same for both levels. Null: the levels differ in more.
  bool CpuUnits::*extra = nullptr;
};

// From "x86-64-v2" on.
std::span<const HostLevel> HostLevels();
const HostLevel* FindHostLevel(std::string_view name);  // null if unknown

// Host() with the registers of |level| and its costs of intrinsics.
std::shared_ptr<const Target> Host(const HostLevel& level);

// Of |names|, the level with the most bytes of registers: its figures are used for a schedule that
// all levels share. Null if |names| holds no level.
const HostLevel* WidestLevel(std::span<const std::string> names);

// The first of |names|, which are sorted best first, after skipping levels whose extra unit |funcs|
// do not use: the same code then runs on more processors. |names| is not empty.
const std::string& LevelInUse(std::span<const std::string> names, std::span<const ir::Func> funcs);

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_HOST_LEVEL_H_
