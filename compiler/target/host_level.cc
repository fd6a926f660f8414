// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/host_level.h"

#include <algorithm>

#include "base/check.h"
#include "compiler/ir/visit.h"

namespace tessera::target {
namespace {

constexpr HostLevel kLevels[] = {
    {"x86-64-v2", {.pair_bits = 128}, 16, 16},
    {"x86-64-v3", {.fma = true, .half = true, .pair_bits = 256}, 16, 32},
    {"x86-64-v4", {.fma = true, .directed = true, .half = true, .pair_bits = 512}, 32, 64},
    {"x86-64-v4-vnni",
     {.fma = true, .directed = true, .half = true, .pair_bits = 512, .quads = true},
     32,
     64},
    {"x86-64-v4-amx",
     {.fma = true, .directed = true, .half = true, .pair_bits = 512, .tiles = true, .quads = true},
     32,
     64,
     &CpuUnits::tiles},
    {"armv7", {.neon_pairs = true}, 16, 16},
    {"aarch64", {.fma = true, .half = true, .neon_pairs = true}, 32, 16},
    {"aarch64-dotprod",
     {.fma = true, .half = true, .neon_pairs = true, .neon_quads = true},
     32,
     16},
    {"aarch64-i8mm",
     {.fma = true, .half = true, .neon_pairs = true, .neon_quads = true, .neon_mixed_quads = true},
     32,
     16}};

// Whether |func| calls an intrinsic that needs |unit|.
bool Uses(const ir::Func& func, bool CpuUnits::*unit) {
  bool uses = false;
  ir::VisitStmts(func.body, [&](const ir::Stmt& s) {
    if (s->kind != ir::StmtKind::kEval) return;
    const TensorIntrin* intrin = Host()->FindCall(s->value->name);
    uses = uses || (intrin != nullptr && intrin->unit == unit);
  });
  return uses;
}

}  // namespace

std::span<const HostLevel> HostLevels() { return kLevels; }

const HostLevel* FindHostLevel(std::string_view name) {
  const auto it = std::ranges::find(kLevels, name, &HostLevel::name);
  return it == std::end(kLevels) ? nullptr : it;
}

const HostLevel* WidestLevel(std::span<const std::string> names) {
  const HostLevel* widest = nullptr;
  const auto bytes = [](const HostLevel& l) { return l.vector_registers * l.vector_bytes; };
  for (const std::string& name : names) {
    const HostLevel* level = FindHostLevel(name);
    if (level && (!widest || bytes(*level) > bytes(*widest))) widest = level;
  }
  return widest;
}

const std::string& LevelInUse(std::span<const std::string> names, std::span<const ir::Func> funcs) {
  TESSERA_CHECK(!names.empty());
  for (const std::string& name : names) {
    const HostLevel* level = FindHostLevel(name);
    const auto uses = [&](const ir::Func& func) { return Uses(func, level->extra); };
    if (!level || !level->extra || std::ranges::any_of(funcs, uses)) return name;
  }
  return names.front();
}

}  // namespace tessera::target
