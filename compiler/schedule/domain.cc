// SPDX-License-Identifier: Apache-2.0
//
// Domains of decisions: what the steps so far leave of them.
#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {
namespace {

// Every divisor of |total|, or every ceil(total / k), in any order, some twice.
std::vector<int64_t> Candidates(DomainKind kind, int64_t total) {
  std::vector<int64_t> values;
  for (int64_t k = 1; (k - 1) * (k - 1) < total; ++k) {
    if (kind == DomainKind::kTiles) {
      // With all k of up to the root, rounded up, each size above the root is there; below it all
      // sizes are.
      values.insert(values.end(), {CeilDiv(total, k), k});
    } else if (total % k == 0) {
      values.insert(values.end(), {total / k, k});
    }
  }
  return values;
}

}  // namespace

Result<std::vector<int64_t>> Editor::Numbers(const Domain& domain) {
  if (domain.kind == DomainKind::kList) return domain.values;
  TESSERA_ASSIGN(const Stage* stage, FindCompute(domain.stage));
  TESSERA_ASSIGN(const int leaf, FindLeaf(*stage, domain.axis));
  const int64_t total =
      stage->Iterations(stage->shape).at(stage->leaves[static_cast<size_t>(leaf)].var.get());
  std::vector<int64_t> values = Candidates(domain.kind, total);
  std::ranges::sort(values);
  const auto twice = std::ranges::unique(values);
  values.erase(twice.begin(), twice.end());
  std::erase_if(values, [](int64_t v) { return v > kMostAmount; });
  if (domain.kind == DomainKind::kTiles) {
    std::erase_if(values,
                  [&](int64_t v) { return v > 1 && CeilDiv(total, v) == CeilDiv(total, v - 1); });
  }
  if (!domain.most) return values;

  int64_t most = domain.most->number;
  std::string why = fmt::format("at most {} are wanted", most);
  if (domain.most->room) {
    const ir::Scope scope = *domain.most->room;
    TESSERA_TRY(RequireMemory(scope));
    const int64_t bytes = s_->target().FindMemory(scope)->bytes;
    if (bytes == 0) return values;  // of any size
    most = bytes;
    why = fmt::format("{} has {} bytes, by", ir::ScopeName(scope), bytes);
    for (const Amount& amount : domain.most->per) {
      TESSERA_ASSIGN(const int64_t by, Value(amount));
      most /= by;
      why += fmt::format(" {}", by);
    }
  }
  std::erase_if(values, [&](int64_t v) { return v > most; });
  if (!values.empty()) return values;
  return Fail(Code::kOutOfRange, "no tile of the {} iterations of {} is small enough: {}", total,
              domain.axis, why);
}

bool Editor::Accepts(const Step& step) const {
  Schedule trial = *s_;
  return trial.Apply(step).has_value() && trial.ReadersReach();
}

Result<std::vector<Choice>> Editor::Places(const Domain& domain) {
  TESSERA_TRY(FindCompute(domain.stage));
  std::vector<Choice> places;
  const auto add = [&](const LoopPlace& place, std::vector<std::string> words) {
    if (Accepts(ComputeAtStep{.stage = domain.stage, .place = place}))
      places.emplace_back(std::move(words));
  };
  add({}, {kRootPlace});
  for (const Stage& outer : s_->stages_) {
    if (outer.placeholder || outer.attach == Attach::kInline) continue;
    for (const LoopAxis& leaf : outer.leaves) {
      if (leaf.name == outer.tensorize_axis) break;  // inside it is one instruction
      add({outer.name, leaf.name, ""}, {outer.name, leaf.name});
    }
  }
  if (!places.empty()) return places;
  return Fail(Code::kOutOfRange,
              "no place of {} is legal: what reads it, or is computed with it, is out of reach",
              domain.stage);
}

Result<std::vector<Choice>> Editor::Orders(const Domain& domain,
                                           const std::vector<std::string>& axes) {
  TESSERA_ASSIGN(const Stage* stage, FindCompute(domain.stage));
  if (axes.size() < 2 || axes.size() > kMostOrdered) {
    return Fail(Code::kInvalidArgument, "an order is of 2 to {} loops, {} are named", kMostOrdered,
                axes.size());
  }
  std::vector<int> loops;
  for (const std::string& axis : axes) {
    TESSERA_ASSIGN(const int at, FindLeaf(*stage, axis));
    if (std::ranges::count(loops, at) != 0)
      return Fail(Code::kInvalidArgument, "loop '{}' is named twice", axis);
    const int instruction = stage->LeafIndex(stage->tensorize_axis);
    if (instruction >= 0 && at >= instruction) {
      return Fail(Code::kInvalidArgument, "loop {} is part of one instruction, from {} on", axis,
                  stage->tensorize_axis);
    }
    loops.push_back(at);
  }
  std::ranges::sort(loops);
  std::vector<Choice> orders;
  do {
    std::vector<std::string> names;
    for (const int loop : loops) names.push_back(stage->leaves[static_cast<size_t>(loop)].name);
    if (Accepts(ReorderStep{.stage = domain.stage, .axes = names}))
      orders.emplace_back(std::move(names));
  } while (std::ranges::next_permutation(loops).found);
  if (!orders.empty()) return orders;
  return Fail(Code::kOutOfRange, "no order of these loops of {} keeps every reader in reach",
              domain.stage);
}

Result<std::vector<Choice>> Editor::ValuesOf(const DecideStep& step) {
  if (step.domain.kind == DomainKind::kPlaces) return Places(step.domain);
  if (step.domain.kind == DomainKind::kOrders) return Orders(step.domain, step.value.words);
  TESSERA_ASSIGN(const std::vector<int64_t> numbers, Numbers(step.domain));
  return std::vector<Choice>(numbers.begin(), numbers.end());
}

}  // namespace tessera::schedule
