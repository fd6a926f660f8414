// SPDX-License-Identifier: Apache-2.0
//
// What a program computes: its instructions over symbols, in an order that the tokens allow. Knows
// what an instruction does from isa/insns.def's words alone, and nothing of how programs are made.
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

// Where an operand is: a tile of a scratchpad, or byte of the arena (Segment::kArena).
struct MachinePlace {
  isa::Space space;
  int64_t address = 0;
};
struct MachineRead {
  MachinePlace from;
  Symbol symbol = 0;
};

// Told of each step of each instruction, with what it read, and of what it made where.
class MachineListener {
 public:
  virtual ~MachineListener() = default;
  virtual void Made(uint32_t insn, MachinePlace place, Symbol result,
                    std::span<const MachineRead> reads) = 0;
};

// Which of the units that can go on does: the one that is named first.
using UnitOrder = std::array<isa::Unit, isa::kUnits>;
// LOAD as far ahead of STORE as tokens let it, and the other way around.
inline constexpr UnitOrder kLoadsFirst{isa::Unit::kLoad, isa::Unit::kGemm, isa::Unit::kVector,
                                       isa::Unit::kStore};
inline constexpr UnitOrder kStoresFirst{isa::Unit::kStore, isa::Unit::kVector, isa::Unit::kGemm,
                                        isa::Unit::kLoad};

// Bytes of the arena in which a program's accesses are whole: what divides all of their places and
// sizes, and |align|.
int64_t GrainOf(const isa::InsnStream& program, const isa::Config& config, int64_t align);

class MachineRun {
 public:
  // |arena|: what is there before, in pieces of |grain| bytes; segments kArena and kInput are both
  // this memory.
  MachineRun(const isa::ProgramImage& image, const isa::InsnStream& program,
             const isa::Config& config, int64_t grain, std::vector<Symbol> arena,
             MachineListener* listener = nullptr);

  //   errors  kUnsupported  an instruction that programs of the compiler do not have
  //           kOutOfRange   a tile or byte that is not there
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
  // What is there, noted as read.
  Symbol Read(isa::Memory memory, int64_t tile) {
    const Symbol symbol = At(memory, tile).symbol();
    if (listener_ != nullptr && read_ < reads_.size())
      reads_[read_++] = {{isa::Space::Of(memory), tile}, symbol};
    return symbol;
  }
  void Write(isa::Memory memory, int64_t tile, Symbol symbol);
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
  uint32_t number_ = 0;  // of the instruction that runs
  std::array<MachineRead, 3> reads_;
  size_t read_ = 0;
  std::optional<Error> wrong_;
  int64_t steps_ = 0;
};

}  // namespace tessera::validate

#endif  // TESSERA_COMPILER_VALIDATE_MACHINE_RUN_H_
