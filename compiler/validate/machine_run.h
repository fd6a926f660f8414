// SPDX-License-Identifier: Apache-2.0
//
// Runs a program's instructions over symbols, in an order that the tokens allow, to find what it
// computes. It follows the wording of isa/insns.def and knows nothing about how programs are made.
// Depends on: symbol.h, isa. Used by: validate.cc.
#ifndef TESSERA_COMPILER_VALIDATE_MACHINE_RUN_H_
#define TESSERA_COMPILER_VALIDATE_MACHINE_RUN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "compiler/validate/symbol.h"
#include "isa/config.h"
#include "isa/image.h"
#include "isa/nest.h"
#include "isa/semantics/stream.h"

namespace tessera::validate {

// The place of an operand: a tile of a scratchpad, or a byte of the arena (Segment::kArena).
struct MachinePlace {
  isa::Space space;
  int64_t address = 0;
};
struct MachineRead {
  MachinePlace from;
  Symbol symbol = 0;
};

// Receives each step of each instruction: its operands, its result and the place of the result.
class MachineListener {
 public:
  virtual ~MachineListener() = default;
  virtual void Made(uint32_t insn, MachinePlace place, Symbol result,
                    std::span<const MachineRead> reads) = 0;
};

// The priority of units: of those that can proceed, the first one named runs.
using UnitOrder = std::array<isa::Unit, isa::kUnits>;
// LOAD as far ahead of STORE as tokens allow, and the opposite.
inline constexpr UnitOrder kLoadsFirst{isa::Unit::kLoad, isa::Unit::kGemm, isa::Unit::kVector,
                                       isa::Unit::kStore};
inline constexpr UnitOrder kStoresFirst{isa::Unit::kStore, isa::Unit::kVector, isa::Unit::kGemm,
                                        isa::Unit::kLoad};

// The granularity of a program's accesses to the arena, in bytes: it divides all their places and
// sizes, and |align|.
int64_t GrainOf(const isa::InsnStream& program, const isa::Config& config, int64_t align);

class MachineRun {
 public:
  // |arena|: its initial contents in pieces of |grain| bytes. Segments kArena and kInput are both
  // here.
  MachineRun(const isa::ProgramImage& image, const isa::InsnStream& program,
             const isa::Config& config, int64_t grain, std::vector<Symbol> arena,
             MachineListener* listener = nullptr);

  //   errors  kUnsupported  an instruction that the compiler does not emit
  //           kOutOfRange   a tile or byte that does not exist
  //           kDeadlock     units wait for each other
  Status Run(const UnitOrder& order);

  std::span<const Symbol> arena() const { return arena_; }
  int64_t steps() const { return steps_; }

 private:
  Status Execute(uint32_t number);
  void Load(const isa::Load& insn);
  void LoadUops(const isa::Load& insn);
  Symbol LoadedFrom(const isa::Load& insn, int64_t offset);
  void Store(const isa::Store& insn);
  void Gemm(const isa::Gemm& insn);
  void Depthwise(const isa::Depthwise& insn);
  void Requant(const isa::Requant& insn);
  void Add(const isa::Add& insn);
  void Alu(const isa::Alu& insn);

  std::vector<SymbolCell>& CellsOf(isa::Memory memory) {
    return cells_[static_cast<size_t>(memory)];
  }
  SymbolCell& At(isa::Memory memory, int64_t tile) {
    std::vector<SymbolCell>& cells = CellsOf(memory);
    const auto index = static_cast<uint64_t>(tile);
    return index < cells.size() ? cells[index] : Nowhere(memory, tile);
  }
  SymbolCell& Nowhere(isa::Memory memory, int64_t tile);
  // The contents of a tile; records the read for the listener.
  Symbol Read(isa::Memory memory, int64_t tile) {
    const Symbol symbol = At(memory, tile).symbol();
    if (listener_ != nullptr && read_ < reads_.size())
      reads_[read_++] = {{isa::Space::Of(memory), tile}, symbol};
    return symbol;
  }
  void Write(isa::Memory memory, int64_t tile, Symbol symbol);
  // Writes |result|, or what |table|, the symbol of TAB, has for it.
  void Finish(isa::Memory memory, int64_t tile, Symbol result, std::optional<Symbol> table);
  void Sum(int64_t tile, bool first, Operation operation, Symbol term);
  void Tell(MachinePlace place, Symbol result);

  const isa::ProgramImage& image_;
  const isa::InsnStream& program_;
  const isa::Config config_;
  const int64_t grain_;
  MachineListener* const listener_;
  std::array<std::vector<SymbolCell>, isa::kMemories> cells_;
  std::vector<isa::Uop> uops_;
  std::vector<Symbol> arena_;
  uint32_t number_ = 0;  // of the current instruction
  std::array<MachineRead, 4> reads_;
  size_t read_ = 0;
  std::optional<Error> wrong_;
  int64_t steps_ = 0;
};

}  // namespace tessera::validate

#endif  // TESSERA_COMPILER_VALIDATE_MACHINE_RUN_H_
