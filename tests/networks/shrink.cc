// SPDX-License-Identifier: Apache-2.0
#include "tests/networks/shrink.h"

#include <algorithm>

namespace tessera::networks {
namespace {

// Keeps and renumbers the steps that outputs need, and drops unread inputs.
Recipe WithoutDead(const Recipe& recipe) {
  std::vector<bool> used(recipe.steps.size());
  for (const int id : recipe.outputs) used[static_cast<size_t>(id)] = true;
  for (size_t i = recipe.steps.size(); i-- > 0;) {
    if (!used[i]) continue;
    for (const int id : recipe.steps[i].from) used[static_cast<size_t>(id)] = true;
  }
  Recipe kept;
  kept.seed = recipe.seed;
  std::vector<int> moved(recipe.steps.size(), -1);
  for (size_t i = 0; i < recipe.steps.size(); ++i) {
    if (!used[i]) continue;
    Step step = recipe.steps[i];
    for (int& id : step.from) id = moved[static_cast<size_t>(id)];
    moved[i] = static_cast<int>(kept.steps.size());
    kept.steps.push_back(std::move(step));
  }
  for (const int id : recipe.outputs) {
    const int to = moved[static_cast<size_t>(id)];
    if (std::ranges::count(kept.outputs, to) == 0) kept.outputs.push_back(to);
  }
  return kept;
}

class Candidates {
 public:
  explicit Candidates(const Recipe& recipe) : recipe_(recipe) {}

  std::vector<Recipe> Run() {
    OtherOutputs();
    for (size_t i = recipe_.steps.size(); i-- > 0;) LeaveOut(i);
    for (size_t i = 0; i < recipe_.steps.size(); ++i) LaterInput(i);
    for (size_t i = 0; i < recipe_.steps.size(); ++i) SameOperand(i);
    for (const bool halve : {true, false}) {
      for (size_t i = 0; i < recipe_.steps.size(); ++i) Sizes(i, halve);
    }
    for (size_t i = 0; i < recipe_.steps.size(); ++i) UsualFields(i);
    return std::move(list_);
  }

 private:
  void Offer(const Recipe& recipe) {
    Recipe alive = WithoutDead(recipe);
    if (alive != recipe_) list_.push_back(std::move(alive));
  }

  void OtherOutputs() {
    for (size_t i = 0; i < recipe_.steps.size(); ++i) {
      if (recipe_.steps[i].kind == Kind::kInput) continue;
      Recipe r = recipe_;
      r.outputs = {static_cast<int>(i)};
      Offer(r);
    }
    for (size_t k = 0; recipe_.outputs.size() > 1 && k < recipe_.outputs.size(); ++k) {
      Recipe r = recipe_;
      r.outputs.erase(r.outputs.begin() + static_cast<std::ptrdiff_t>(k));
      Offer(r);
    }
  }

  // Users of step |i| take one of its operands instead; or step |i| takes one operand less.
  void LeaveOut(size_t i) {
    for (const int operand : recipe_.steps[i].from) {
      Recipe r = recipe_;
      for (Step& step : r.steps) std::ranges::replace(step.from, static_cast<int>(i), operand);
      std::ranges::replace(r.outputs, static_cast<int>(i), operand);
      Offer(r);
    }
    const Step& step = recipe_.steps[i];
    for (size_t k = 0; step.from.size() > OperandsOf(step.kind).least && k < step.from.size();
         ++k) {
      Recipe r = recipe_;
      r.steps[i].from.erase(r.steps[i].from.begin() + static_cast<std::ptrdiff_t>(k));
      Offer(r);
    }
  }

  // Step |i| becomes an input: the steps before it are dropped.
  void LaterInput(size_t i) {
    if (recipe_.steps[i].kind == Kind::kInput ||
        std::ranges::count(recipe_.outputs, static_cast<int>(i)) > 0)
      return;
    for (const Step& first : recipe_.steps) {
      if (first.kind != Kind::kInput) continue;
      Recipe r = recipe_;
      r.steps[i] = first;
      Offer(r);
      const bool row =
          recipe_.steps[i].kind == Kind::kFlatten || recipe_.steps[i].kind == Kind::kDense;
      auto& shape = r.steps[i][Field::kShape];
      if (row) shape[2] = 0, shape[3] = 1;
      if (Has(recipe_.steps[i].kind, Field::kOuts)) shape[1] = recipe_.steps[i][Field::kOuts][0];
      Offer(r);
    }
  }

  // Step |i| takes one operand twice, so that the other may be dropped.
  void SameOperand(size_t i) {
    const std::vector<int>& from = recipe_.steps[i].from;
    for (size_t k = 0; k < from.size(); ++k) {
      Recipe r = recipe_;
      std::ranges::fill(r.steps[i].from, from[k]);
      Offer(r);
    }
  }

  void Sizes(size_t i, bool halve) {
    for (const Field field :
         {Field::kShape, Field::kOuts, Field::kKernel, Field::kStride, Field::kPads}) {
      if (!Has(recipe_.steps[i].kind, field)) continue;
      const FieldInfo& info = InfoOf(field);
      for (size_t k = 0; k < info.count; ++k) {
        const int64_t value = recipe_.steps[i][field][k];
        const int64_t less = halve ? value / 2 : value - 1;
        // y = 0 would mean another kind of input.
        const int64_t least = field == Field::kPads ? 0 : 1;
        if (less < least || less == value) continue;
        Recipe r = recipe_;
        r.steps[i][field][k] = less;
        Offer(r);
      }
    }
  }

  void UsualFields(size_t i) {
    for (size_t f = 0; f < kFields; ++f) {
      const Field field = static_cast<Field>(f);
      if (!Has(recipe_.steps[i].kind, field) || field == Field::kShape) continue;
      const FieldInfo& info = InfoOf(field);
      if (recipe_.steps[i][field] == info.usual) continue;
      Recipe r = recipe_;
      r.steps[i][field] = info.usual;
      Offer(r);
      for (size_t k = 0; info.count > 1 && k < info.count; ++k) {
        Recipe one = recipe_;
        one.steps[i][field][k] = info.usual[k];
        Offer(one);
      }
    }
  }

  const Recipe& recipe_;
  std::vector<Recipe> list_;
};

}  // namespace

std::vector<Recipe> Simpler(const Recipe& recipe) { return Candidates(recipe).Run(); }

Recipe Shrink(Recipe recipe, const Fails& fails, int attempts) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (Recipe& candidate : Simpler(recipe)) {
      if (attempts-- <= 0) return recipe;
      if (!fails(candidate)) continue;
      recipe = std::move(candidate);
      smaller = true;
      break;
    }
  }
  return recipe;
}

}  // namespace tessera::networks
