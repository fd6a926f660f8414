// SPDX-License-Identifier: Apache-2.0
//
// Says where a program goes wrong: both runs again, with everything that they make noted down.
// Depends on: source_run.h, machine_run.h. Used by: validate.cc.
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
    const std::vector<network::AccelRegion>& regions;
    const isa::Config& config;
    const std::vector<int64_t>& offsets;
    int64_t grain;
    const std::vector<Symbol>& arena;
    const isa::ProgramImage& image;
    const isa::InsnStream& program;
  };
  explicit Explainer(const Given& given) : given_(given) {}

  // The program, run in |order|, leaves a wrong piece |piece| of plan.needs[|need|]. The error
  // names the first instruction that makes what the loop IR never makes, with its operands. When no
  // instruction does, it names what the piece holds and what it should hold.
  Error Explain(const UnitOrder& order, size_t need, int64_t piece);

 private:
  // What a symbol is: a place of a buffer of a region; of none: of an input of the program.
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
  // A step with one operand left out: which that is.
  struct Missing {
    Symbol symbol = 0;
    bool one = true;  // all such steps read the same
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
  std::unordered_map<Symbol, Missing> missing_;  // of the regions of |layer_|
  std::unordered_map<Symbol, uint32_t> makers_;  // the instruction that made it last
  std::optional<BadStep> bad_;
  std::optional<uint32_t> layer_;
};

}  // namespace tessera::validate

#endif  // TESSERA_COMPILER_VALIDATE_EXPLAIN_H_
