// SPDX-License-Identifier: Apache-2.0
#include "compiler/validate/explain.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/ir/layout.h"
#include "compiler/target/accelerator.h"
#include "compiler/validate/input_pieces.h"

namespace tessera::validate {

void Explainer::Made(size_t region, const ir::Buffer& buffer, int64_t index, Symbol result,
                     std::span<const Symbol> reads) {
  known_.insert(result);
  if (buffer->scope != ir::Scope::kAcc) names_.try_emplace(result, Name{region, buffer, index});
  if (layer_ != given_.regions[region].layer) return;
  for (size_t k = 0; k < reads.size(); ++k) {
    const auto [at, fresh] =
        missing_.try_emplace(WithoutOperand(k, reads), Missing{reads[k], true});
    if (!fresh && at->second.symbol != reads[k]) at->second.one = false;
  }
}

void Explainer::Made(uint32_t insn, MachinePlace place, Symbol result,
                     std::span<const MachineRead> reads) {
  makers_[result] = insn;
  // Pads may also fill tiles that nothing reads.
  const bool pad = reads.empty();
  if (bad_ || pad || known_.contains(result)) return;
  bad_ = BadStep{insn, place, {reads.begin(), reads.end()}};
}

Symbol Explainer::WithoutOperand(size_t operand, std::span<const Symbol> reads) {
  Symbol key = Join(operand, reads.size());
  for (size_t k = 0; k < reads.size(); ++k) key = k == operand ? key : Join(key, reads[k]);
  return key;
}

std::string Explainer::Text(const Name& name) const {
  const int64_t unit = name.buffer->scope == ir::Scope::kGlobal
                           ? 1
                           : target::TileElements(given_.config, name.buffer);
  int64_t rest = name.index * unit;
  std::vector<int64_t> indices;
  for (const int64_t stride : ir::PhysicalStrides(*name.buffer)) {
    indices.push_back(rest / stride);
    rest %= stride;
  }
  const std::string place = fmt::format("{} [{}]", name.buffer->name, fmt::join(indices, ", "));
  return name.region ? fmt::format("{} of {}", place, given_.regions[*name.region].op) : place;
}

std::string Explainer::Text(Symbol symbol) const {
  const auto name = names_.find(symbol);
  if (name == names_.end())
    return known_.contains(symbol) ? "a sum under way" : "what nothing has written";
  const auto maker = makers_.find(symbol);
  return Text(name->second) +
         (maker == makers_.end() ? "" : fmt::format(" (by instruction {})", maker->second));
}

Error Explainer::Explain(const UnitOrder& order, size_t need, int64_t piece) {
  const network::ProgramPlan& plan = given_.plan;
  const auto run_source = [&] {
    SourceRun source(plan, given_.regions, given_.config, given_.grain, this);
    (void)source.Run();  // the same run succeeded before
    return std::vector<Symbol>(source.MemoryOf(need).begin(), source.MemoryOf(need).end());
  };
  const std::vector<Symbol> want = run_source();
  for (size_t n = 0; n < plan.needs.size(); ++n) {
    const network::MemoryNeed& input = plan.needs[n];
    const int64_t bytes = input.packing.bytes();
    const ir::Buffer buffer =
        ir::MakeBuffer({.name = fmt::format("input {}", input.activation), .shape = {bytes}});
    for (const size_t k : InputPieces(plan, n, given_.grain)) {
      const Symbol symbol = InputPiece(n, k);
      known_.insert(symbol);
      names_.try_emplace(symbol,
                         Name{std::nullopt, buffer, static_cast<int64_t>(k) * given_.grain});
    }
  }
  MachineRun machine(given_.image, given_.program, given_.config, given_.grain, given_.arena, this);
  (void)machine.Run(order);
  if (!bad_) {
    const Symbol held =
        machine.arena()[static_cast<size_t>(given_.offsets[need] / given_.grain + piece)];
    return Error(Code::kDataLoss,
                 fmt::format("the program leaves {} in device memory where {} should be; an "
                             "instruction is missing, or writes elsewhere",
                             Text(held), Text(want[static_cast<size_t>(piece)])));
  }
  // Run the loop IR again to record the steps of the bad instruction's layer, with right operands.
  for (const isa::SourceRange& range : given_.image.source) {
    if (bad_->insn >= range.begin && bad_->insn < range.end) layer_ = range.layer;
  }
  run_source();
  std::vector<Symbol> reads;
  for (const MachineRead& read : bad_->reads) reads.push_back(read.symbol);
  std::string operands;
  for (size_t k = 0; k < reads.size(); ++k) {
    const MachinePlace& from = bad_->reads[k].from;
    operands += fmt::format("{}{} {} holds {}", k == 0 ? "" : ", ", isa::Text(from.space),
                            from.address, Text(reads[k]));
    const auto missing = missing_.find(WithoutOperand(k, reads));
    if (missing != missing_.end() && missing->second.one && missing->second.symbol != reads[k])
      operands += fmt::format(", where the loops read {}", Text(missing->second.symbol));
  }
  return Error(Code::kDataLoss,
               fmt::format("{} makes in {} {} what no loop of its layer makes: {}",
                           given_.program.Name(bad_->insn), isa::Text(bad_->place.space),
                           bad_->place.address, operands));
}

}  // namespace tessera::validate
