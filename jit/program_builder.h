// SPDX-License-Identifier: Apache-2.0
//
// ProgramBuilder: collects tile instructions without tokens, in an order that is right when they
// run one by one, and makes a program image: places micro-op kernels, moves loads before those that
// wait, inserts tokens, adds FINISH, encodes everything. Depends on: isa. Used by: code generation.
#ifndef TESSERA_JIT_PROGRAM_BUILDER_H_
#define TESSERA_JIT_PROGRAM_BUILDER_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "isa/access.h"
#include "isa/config.h"
#include "isa/image.h"
#include "jit/kernel.h"
#include "jit/load_order.h"
#include "jit/tokens.h"

namespace tessera::jit {

// Counts of what a builder has emitted.
struct ProgramStats {
  int64_t instructions = 0;  // after Finish: those of the image, FINISH included
  int64_t tokens = 0;
  int64_t kernels = 0;  // without repetitions
  int64_t kernel_loads = 0;
  int64_t gemm_steps = 0;  // tile products, and tile steps of Depthwise times the cycles of a step
  int64_t vector_steps = 0;  // tiles through VECTOR
  int64_t load_bytes = 0;    // read by LOAD
  int64_t store_bytes = 0;   // written by STORE
};

class ProgramBuilder {
 public:
  explicit ProgramBuilder(const isa::Config& config);

  // Instructions from here on implement |op| of layer |layer|, which may come back later. Finish
  // moves loads of the layer's micro-ops to its first instruction, because LOAD works in order and
  // the layer's products wait for these loads.
  void BeginSource(uint32_t layer, std::string op);

  // Appends an instruction other than Gemm, Sync and Finish; its pop and push must be zero.
  void Emit(isa::Insn insn);

  // Appends a Gemm that runs |uops|, whose indices are relative to its bases. If the micro-ops are
  // not resident, appends a Load of them first. Fills in uop_begin and uop_count.
  //   errors  kOutOfRange  a micro-op's field, or more micro-ops than UOP holds
  Status EmitGemm(isa::Gemm gemm, std::span<const isa::Uop> uops);

  // Appends |bytes| to the constants at a multiple of |align|; returns their offset. Keeps equal
  // bytes once.
  int64_t AddConstants(std::span<const uint8_t> bytes, int64_t align);

  // Appends |bytes| unset bytes to the constants at a multiple of |align|; returns their offset.
  int64_t ReserveConstants(int64_t bytes, int64_t align);

  // Sets the size of a segment (arena, input or output). The larger of two calls counts.
  void ReserveSegment(isa::Segment segment, int64_t bytes);

  // Makes the image. Loads are in the order of OrderLoads, unless that needs more tokens than the
  // counters hold. Ends the use of this builder.
  //   errors  kOutOfRange  a field does not fit its bits (the message names instruction number,
  //                        source and field), or an error of InsertTokens
  Result<isa::ProgramImage> Finish();

  const ProgramStats& stats() const { return stats_; }
  // The instructions so far, and their accesses; before Finish.
  std::span<const isa::Insn> insns() const { return insns_; }
  std::span<const TokenNode> nodes() const { return nodes_; }

 private:
  void Append(isa::Insn insn, std::span<const isa::Uop> uops);
  std::string Where(size_t instruction) const;
  void MoveKernelLoads();
  void Take(LoadOrder order);
  void Count(const isa::Insn& insn);

  isa::Config config_;
  KernelTable kernels_;
  KernelResidency residency_;
  std::vector<isa::Insn> insns_;
  std::vector<TokenNode> nodes_;
  std::vector<isa::SourceRange> source_;
  std::vector<size_t> movable_;  // loads of micro-ops to places that were free before
  std::vector<uint8_t> constants_;
  std::multimap<uint64_t, std::pair<int64_t, int64_t>> constants_by_hash_;  // hash -> offset, bytes
  std::array<int64_t, isa::kSegments> reserved_{};
  ProgramStats stats_;
};

}  // namespace tessera::jit

#endif  // TESSERA_JIT_PROGRAM_BUILDER_H_
