// SPDX-License-Identifier: Apache-2.0
//
// ProgramBuilder: collects tile instructions without tokens, in an order in which running them one
// by one is right, and makes a program image of them: micro-op kernels placed, loads in front of
// those that wait, tokens inserted, FINISH added, everything encoded. Depends on: isa. Used by:
// code generation.
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
  int64_t instructions = 0;  // after Finish: of the image, FINISH included
  int64_t tokens = 0;
  int64_t kernels = 0;  // different ones
  int64_t kernel_loads = 0;
  int64_t gemm_steps = 0;    // tile products, and tile steps of Depthwise times its cycles a tile
  int64_t vector_steps = 0;  // tiles through VECTOR
  int64_t load_bytes = 0;    // bytes that LOAD reads, and STORE writes
  int64_t store_bytes = 0;
};

class ProgramBuilder {
 public:
  explicit ProgramBuilder(const isa::Config& config);

  // Instructions from here on implement |op| of layer |layer|. A layer may come back; Finish moves
  // loads of its micro-ops to where it first appears, since LOAD works in order and its products
  // wait for them.
  void BeginSource(uint32_t layer, std::string op);

  // Appends an instruction other than Gemm, Sync and Finish; its pop and push must be zero.
  void Emit(isa::Insn insn);

  // Appends a Gemm that runs |uops|, whose indices are relative to its bases; before it, a Load of
  // the micro-ops when they are not resident. uop_begin and uop_count are filled in here.
  //   errors  kOutOfRange  a micro-op's field, or more micro-ops than UOP holds
  Status EmitGemm(isa::Gemm gemm, std::span<const isa::Uop> uops);

  // Appends |bytes| to the constants at a multiple of |align|; their offset. Equal bytes are kept
  // once.
  int64_t AddConstants(std::span<const uint8_t> bytes, int64_t align);

  // Appends room for |bytes| of constants that nobody gives, at a multiple of |align|; its offset.
  int64_t ReserveConstants(int64_t bytes, int64_t align);

  // The segment's size; for the arena, input and output. The larger of two calls counts.
  void ReserveSegment(isa::Segment segment, int64_t bytes);

  // The image of all this, with loads in the order of OrderLoads where the counters of tokens hold
  // out for it. The builder is used up.
  //   errors  kOutOfRange  a field does not fit its bits: instruction number, source and field are
  //   named;
  //                        or InsertTokens'
  Result<isa::ProgramImage> Finish();

  const ProgramStats& stats() const { return stats_; }
  // What was emitted so far, and what each touches; before Finish.
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
  std::vector<size_t> movable_;  // instructions: loads of micro-ops to where nothing was before
  std::vector<uint8_t> constants_;
  std::multimap<uint64_t, std::pair<int64_t, int64_t>> constants_by_hash_;  // hash -> offset, bytes
  std::array<int64_t, isa::kSegments> reserved_{};
  ProgramStats stats_;
};

}  // namespace tessera::jit

#endif  // TESSERA_JIT_PROGRAM_BUILDER_H_
