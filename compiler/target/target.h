// SPDX-License-Identifier: Apache-2.0
//
// Targets as data: what a schedule may ask of the machine that runs it, and what it costs there. A
// step that asks for more is refused by the step, with the target's name and what it has. Depends
// on: compiler/te. Used by: compiler/schedule, the generators. One target is one file here.
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
  int64_t bytes = 0;     // what is in use at one time in one place; 0: not counted
  int64_t banks = 1;     // a buffer takes whole ones, of several (Taken)
  bool rotates = false;  // a buffer may have several copies in turn
  bool keeps = false;    // a function may find its inputs there, and leave its results
  // Costs; 0: not known.
  double bytes_a_cycle = 0;  // read, and as many written
  double shared = 0;         // the part of them that is left where reads and writes share a path
  double start_cycles = 0;   // of a transfer

  int64_t Taken(int64_t buffer_bytes) const;  // bytes of it that a buffer of so many takes
};

// How many iterations a loop of one kind may have.
struct LoopLimit {
  ir::LoopKind kind = ir::LoopKind::kSerial;
  int64_t most = 0;
};

struct Target {
  std::string name;                      // in messages: "host"
  std::vector<TargetMemory> memories;    // every scope that it has
  std::vector<ir::LoopKind> loops;       // every kind of loop that its back end takes
  std::vector<LoopLimit> limits = {};    // of the kinds that have one
  std::vector<TensorIntrin> intrinsics;  // names are unique
  int64_t max_threads = 0;               // of one group; 0: no limit
  int64_t max_lanes = 64;                // of a vector: it, its half, and so on
  int64_t line_bytes = 0;                // of a cache that a program can fill ahead; 0: none
  int64_t least_shared_work = 0;         // innermost iterations that pay for a second processor

  // What generators count with; 0: not known, or there is none.
  int64_t processors = 0;        // that the pieces of a stage should keep at work
  int64_t group_threads = 0;     // of one group, enough for a processor to have one that can go on
  int64_t vector_registers = 0;  // of a processor
  int64_t vector_bytes = 0;      // of one of them
  int64_t near_bytes = 0;        // of the cache next to a processor
  int64_t lines_ahead = 0;       // that may be on their way to it before it waits for one
  double loads_a_cycle = 0;      // of whole vectors, or of one value for all lanes

  const TargetMemory* FindMemory(ir::Scope scope) const;  // null: none
  bool Takes(ir::LoopKind kind) const;
  int64_t MostOf(ir::LoopKind kind) const;  // iterations of one loop; INT64_MAX: no limit
  const TensorIntrin* FindIntrinsic(const std::string& name) const;  // null: none
  const TensorIntrin* FindCall(const std::string& call) const;       // one of it; null: none
};

// What the interpreter of the loop IR runs: every scope, of any size, and every kind of loop, no
// intrinsic. Schedules of no particular machine are for it.
std::shared_ptr<const Target> Interpreter();

// Host processors through LLVM: a server's core with VNNI. host_level.h has those of the levels,
// which take the same schedules.
std::shared_ptr<const Target> Host();

// GPUs, by limits that every one of them has.
std::shared_ptr<const Target> Gpu();

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_TARGET_H_
