// SPDX-License-Identifier: Apache-2.0
//
// Domains of decisions: the values that the steps so far allow.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/bits.h"
#include "base/number.h"
#include "compiler/schedule/editor.h"
#include "compiler/te/roles.h"

namespace tessera::schedule {

Result<Amount> ParseAmount(const std::string& word) {
  if (word.starts_with('$')) return Amount::Of(word.substr(1));
  if (const auto value = NumberIn<int64_t>(word)) return Amount(*value);
  return Fail(Code::kInvalidArgument, "'{}' is neither a number nor a $decision", word);
}

namespace {

// Every divisor of |total|, or every ceil(total / k), in any order, some twice.
std::vector<int64_t> Candidates(DomainKind kind, int64_t total) {
  std::vector<int64_t> values;
  for (int64_t k = 1; (k - 1) * (k - 1) < total; ++k) {
    if (kind == DomainKind::kTiles) {
      // k runs up to the root of |total|, rounded up. CeilDiv(total, k) gives every size above the
      // root, k every size below it.
      values.insert(values.end(), {CeilDiv(total, k), k});
    } else if (total % k == 0) {
      values.insert(values.end(), {total / k, k});
    }
  }
  return values;
}

// |a| * |b| and |a| + |b|; on overflow the greatest int64, which is more than any memory has.
int64_t Product(int64_t a, int64_t b) {
  int64_t c = 0;
  return __builtin_mul_overflow(a, b, &c) ? std::numeric_limits<int64_t>::max() : c;
}
int64_t Plus(int64_t a, int64_t b) {
  int64_t c = 0;
  return __builtin_add_overflow(a, b, &c) ? std::numeric_limits<int64_t>::max() : c;
}

}  // namespace

// The bytes that |need|'s buffers take if |value| is the value of |decision|.
Result<int64_t> Editor::BytesOf(const RoomNeed& need, const std::string& decision,
                                int64_t value) const {
  const target::TargetMemory& memory = *s_->target().FindMemory(need.memory);
  int64_t sum = 0;
  for (const std::vector<BoxSide>& sides : need.buffers) {
    int64_t bytes = 1;
    for (const BoxSide& side : sides) {
      int64_t picked = value;
      if (!side.decision.empty() && side.decision != decision) {
        TESSERA_ASSIGN(picked, Value(Amount::Of(side.decision)));
      }
      const int64_t length = side.decision.empty() ? 0 : Product(side.times, picked);
      bytes = Product(bytes, std::max<int64_t>(Plus(length, side.plus), 0));
    }
    sum = Plus(sum, bytes > memory.bytes ? bytes : memory.Taken(bytes));
  }
  return sum;
}

Result<std::vector<int64_t>> Editor::Numbers(const std::string& decision, const Domain& domain) {
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
  std::string why;
  if (domain.most) {
    TESSERA_ASSIGN(const int64_t most, Value(*domain.most));
    std::erase_if(values, [&](int64_t v) { return v > most; });
    why = fmt::format("at most {} are wanted", most);
  }
  for (const RoomNeed& need : domain.room) {
    if (values.empty()) break;
    TESSERA_TRY(RequireMemory(need.memory));
    const int64_t bytes = s_->target().FindMemory(need.memory)->bytes;
    if (bytes == 0) continue;  // 0: no limit
    std::vector<int64_t> fitting;
    for (const int64_t v : values) {
      TESSERA_ASSIGN(const int64_t taken, BytesOf(need, decision, v));
      if (v == values[0])
        why = fmt::format("with {} in each it takes {} bytes of {}, which has {} (room {})", v,
                          taken, ir::ScopeName(need.memory), bytes, Print(need));
      if (taken <= bytes) fitting.push_back(v);
    }
    values = std::move(fitting);
  }
  if (!values.empty()) return values;
  return Fail(Code::kOutOfRange, "no tile of the {} iterations of {} is small enough: {}", total,
              domain.axis, why);
}

bool Editor::Accepts(const Step& step) {
  const StageList before = s_->stages_;
  const bool accepts = s_->Try(step).has_value() && s_->ReadersReach();
  s_->stages_ = before;
  return accepts;
}

Result<std::vector<Choice>> Editor::Places(const Domain& domain) {
  TESSERA_TRY(FindCompute(domain.stage));
  std::vector<Choice> places;
  const auto add = [&](const LoopPlace& place, std::vector<std::string> words) {
    if (Accepts(ComputeAtStep{.stage = domain.stage, .place = place}))
      places.emplace_back(std::move(words));
  };
  add({}, {kRootPlace});
  const StageList stages = s_->stages_;
  for (const Stage& outer : stages) {
    if (outer.placeholder || outer.attach == Attach::kInline) continue;
    for (const LoopAxis& leaf : outer.leaves) {
      if (leaf.name == outer.tensorize_axis) break;  // the loops inside it are one instruction
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

Result<std::vector<Choice>> Editor::Loops(const Domain& domain) {
  TESSERA_ASSIGN(const Stage* stage, FindCompute(domain.stage));
  const std::vector<LoopAxis> leaves = stage->leaves;
  const auto iterations = stage->Iterations(stage->shape);
  std::vector<Choice> loops{Choice({kNoLoop})};
  for (const LoopAxis& leaf : leaves) {
    if (leaf.reduce || leaf.name == stage->tensorize_axis) break;
    if (leaf.name != kNoLoop && iterations.at(leaf.var.get()) > 1 &&
        Accepts(ParallelStep{domain.stage, leaf.name}))
      loops.push_back(Choice({leaf.name}));
  }
  return loops;
}

Result<std::vector<Choice>> Editor::Intrinsics(const Domain& domain) {
  TESSERA_ASSIGN(const Stage* stage, FindCompute(domain.stage));
  TESSERA_ASSIGN(const int leaf, FindLeaf(*stage, domain.axis));
  const int64_t count =
      stage->Iterations(stage->shape).at(stage->leaves[static_cast<size_t>(leaf)].var.get());
  const auto roles = te::FindRoles(stage->axes, stage->reduce_axes, stage->body);
  if (!roles || !roles->weight || !ir::IsSum(stage->body->reduce())) {
    return Fail(Code::kInvalidArgument, "{} is no sum of products of two tensors", domain.stage);
  }
  const bool own = std::ranges::any_of(roles->data, [&](const te::AxisRole& a) {
    return a.role == te::Role::kChannelwise && a.axis.name() == domain.axis;
  });
  TESSERA_ASSIGN(const Stage* left, FindStage(roles->input->tensor->name));
  TESSERA_ASSIGN(const Stage* right, FindStage((*roles->weight)->tensor->name));
  struct Fitting {
    const target::TensorIntrin* intrin;
    int64_t lanes;
  };
  std::vector<Fitting> fitting;
  for (const target::TensorIntrin& intrin : s_->target().intrinsics) {
    const std::optional<target::ProductTile> tile = target::ProductsOf(intrin);
    if (tile && tile->shape.size() == 1 && tile->left == left->dtype &&
        tile->right == right->dtype && tile->sums == stage->dtype && tile->own == own)
      fitting.push_back({&intrin, tile->shape[0]});
  }
  std::vector<Choice> intrinsics;
  for (const Fitting& one : fitting) {
    const bool wasteful = std::ranges::any_of(fitting, [&](const Fitting& other) {
      return other.lanes < one.lanes && other.lanes >= count;
    });
    if (!wasteful) intrinsics.push_back(Choice({one.intrin->name}));
  }
  if (!intrinsics.empty()) return intrinsics;
  return Fail(Code::kOutOfRange, "{} has no intrinsic that sums {} x {} as {}; leave tensorize out",
              s_->target().name, ir::DTypeName(left->dtype), ir::DTypeName(right->dtype),
              ir::DTypeName(stage->dtype));
}

Result<std::vector<Choice>> Editor::ValuesOf(const DecideStep& step) {
  if (step.domain.kind == DomainKind::kPlaces) return Places(step.domain);
  if (step.domain.kind == DomainKind::kOrders) return Orders(step.domain, step.value.words);
  if (step.domain.kind == DomainKind::kLoops) return Loops(step.domain);
  if (step.domain.kind == DomainKind::kIntrinsics) return Intrinsics(step.domain);
  TESSERA_ASSIGN(const std::vector<int64_t> numbers, Numbers(step.name, step.domain));
  return std::vector<Choice>(numbers.begin(), numbers.end());
}

}  // namespace tessera::schedule
