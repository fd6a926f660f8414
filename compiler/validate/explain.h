// SPDX-License-Identifier: Apache-2.0
//
// Explains where a program goes wrong: repeats both runs and records everything they make. Depends
// on: source_run.h, machine_run.h. Used by: validate.cc.
#ifndef TESSERA_COMPILER_VALIDATE_EXPLAIN_H_
#define TESSERA_COMPILER_VALIDATE_EXPLAIN_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "compiler/validate/machine_run.h"
#include "compiler/validate/source_run.h"

namespace tessera::validate {

class Explainer : private SourceListener, private MachineListener {
 public:
  struct Given {
    const network::ProgramPlan& plan;
    const std::vector<lower::accel::AccelRegion>& regions;
    const isa::Config& config;
    const std::vector<int64_t>& offsets;
    int64_t grain;
    const std::vector<Symbol>& arena;
    const isa::ProgramImage& image;
    const isa::InsnStream& program;
  };
  explicit Explainer(const Given& given) : given_(given) {}

  // The program, run in |order|, leaves a wrong piece |piece| of plan.needs[|need|]. The error
  // names the first instruction whose result the loop IR never makes, with its operands. If no
  // instruction is wrong, it names the actual and the expected contents of the piece.
  Error Explain(const UnitOrder& order, size_t need, int64_t piece);

 private:
  // The place that a symbol names: in a buffer of a region, or, without a region, in an input of
  // the program.
  struct Name {
    std::optional<size_t> region;
    ir::Buffer buffer;
    int64_t index = 0;
  };
  struct BadStep {
    uint32_t insn = 0;
    MachinePlace place;
    std::vector<MachineRead> reads;
  };
  // The operand left out of a step (WithoutOperand).
  struct Missing {
    Symbol symbol = 0;
    bool one = true;  // the same in all such steps
  };

  void Made(size_t region, const ir::Buffer& buffer, int64_t index, Symbol result,
            std::span<const Symbol> reads) override;
  void Made(uint32_t insn, MachinePlace place, Symbol result,
            std::span<const MachineRead> reads) override;
  static Symbol WithoutOperand(size_t operand, std::span<const Symbol> reads);
  std::string Text(Symbol symbol) const;
  std::string Text(const Name& name) const;

  const Given given_;
  std::unordered_set<Symbol> known_;
  std::unordered_map<Symbol, Name> names_;
  std::unordered_map<Symbol, Missing> missing_;  // for the regions of |layer_|
  std::unordered_map<Symbol, uint32_t> makers_;  // the last instruction that made the symbol
  std::optional<BadStep> bad_;
  std::optional<uint32_t> layer_;
};

}  // namespace tessera::validate

#endif  // TESSERA_COMPILER_VALIDATE_EXPLAIN_H_
