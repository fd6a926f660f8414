// SPDX-License-Identifier: Apache-2.0
//
// Targets as data: the features of a machine that a schedule may use, and their costs. A step that
// uses more is refused; the error names the target and lists its features. Depends on: compiler/te.
// Used by: compiler/schedule, the generators. Each target is one file here.
#ifndef TESSERA_COMPILER_TARGET_TARGET_H_
#define TESSERA_COMPILER_TARGET_TARGET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/target/tensor_intrin.h"

namespace tessera::target {

// A kind of memory in which buffers may live.
struct TargetMemory {
  ir::Scope scope = ir::Scope::kGlobal;
  int64_t bytes = 0;     // capacity for all live buffers of one instance; 0: not counted
  int64_t banks = 1;     // if several, a buffer takes whole banks (Taken)
  bool rotates = false;  // a buffer may have several copies that take turns
  bool keeps = false;    // holds inputs of a function at its start and results at its end
  // Costs; 0: unknown.
  double bytes_a_cycle = 0;  // for reads, and as many for writes
  double shared = 0;         // the share of these bytes if reads and writes share a path
  double start_cycles = 0;   // of a transfer

  int64_t Taken(int64_t buffer_bytes) const;  // bytes that a buffer occupies
};

// The greatest number of iterations for one kind of loop.
struct LoopLimit {
  ir::LoopKind kind = ir::LoopKind::kSerial;
  int64_t most = 0;
};

// A cache of a processor, or one that all share.
struct TargetCache {
  int64_t bytes = 0;
  int64_t line_bytes = 64;
  double bytes_a_cycle = 0;  // from the memory behind it
  bool each = true;          // each processor has one
  // Addresses this far apart share |bytes| / |way_bytes| places.
  int64_t way_bytes = 4096;
};

struct Target {
  std::string name;                      // in messages: "host"
  std::vector<TargetMemory> memories;    // one for each scope
  std::vector<ir::LoopKind> loops;       // the kinds of loops that its back end supports
  std::vector<LoopLimit> limits = {};    // for the kinds that have a limit
  std::vector<TensorIntrin> intrinsics;  // names are unique
  int64_t max_threads = 0;               // of one group; 0: no limit
  int64_t max_lanes = 64;                // of a vector; half of it, and so on, too
  int64_t line_bytes = 0;                // of a cache that programs can prefetch into; 0: none
  int64_t least_shared_work = 0;         // innermost iterations from which a second processor pays

  // Figures for the generators; 0: unknown, or absent.
  int64_t processors = 0;        // among which a stage should be divided
  int64_t group_threads = 0;     // of one group; enough that one can always proceed
  int64_t vector_registers = 0;  // of a processor
  int64_t vector_bytes = 0;      // of one of them
  int64_t lines_ahead = 0;       // cache lines in flight before a processor waits
  // A processor's instructions in a cycle. A host's work on registers, a GPU's on the values of
  // |group_lanes| threads.
  double ops_a_cycle = 0, loads_a_cycle = 0, stores_a_cycle = 0;
  bool fma = false;                      // one of them multiplies and adds f32
  int64_t group_lanes = 0;               // 0: a host
  std::vector<TargetCache> caches = {};  // the nearest first
  double cycles_a_second = 0;

  const TargetMemory* FindMemory(ir::Scope scope) const;  // null if absent
  bool Takes(ir::LoopKind kind) const;
  int64_t MostOf(ir::LoopKind kind) const;  // iterations of one loop; INT64_MAX: no limit
  const TensorIntrin* FindIntrinsic(const std::string& name) const;  // null if absent
  const TensorIntrin* FindCall(const std::string& call) const;       // one with that call, or null
};

// The target of schedules for no particular machine: the interpreter of the loop IR. It has every
// scope with any size, every kind of loop, and no intrinsic.
std::shared_ptr<const Target> Interpreter();

// Host processors through LLVM, with the figures of a server core with VNNI. host_level.h has the
// other levels, which take the same schedules.
std::shared_ptr<const Target> Host();

// GPUs, with limits that every GPU meets.
std::shared_ptr<const Target> Gpu();

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_TARGET_H_
