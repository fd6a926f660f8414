// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/stage.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/bits.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

int Stage::LeafIndex(const std::string& axis) const {
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].name == axis) return static_cast<int>(i);
  }
  return -1;
}

bool Stage::Reads(const std::string& tensor) const { return !placeholder && body.Reads(tensor); }

ir::Expr Stage::ValueAt(const std::vector<ir::Expr>& indices) const {
  ir::VarMap at;
  for (size_t d = 0; d < indices.size(); ++d) at[axes[d].var.get()] = indices[d];
  return ir::Substitute(body, at);
}

bool Stage::StartReads(const std::string& tensor) const {
  const ir::Expr start = placeholder ? ir::Expr() : body->start();
  return start && ReadsTensor(start, tensor);
}

void Relation::AddTo(ir::FormMap* values, const LoopCounts& iterations,
                     const ir::Ranges& ranges) const {
  const int64_t in_part = iterations.at(inner.get());
  ir::Linear whole;
  if (!is_split) {
    ir::AddVar(&whole, parent, 1, *values, ranges);
    const ir::Expr fused = ir::FromLinear(whole);
    values->emplace(outer.get(), ir::ToLinear(ir::FloorDiv(fused, ir::Expr(in_part)), ranges));
    values->emplace(inner.get(), ir::ToLinear(ir::FloorMod(fused, ir::Expr(in_part)), ranges));
    return;
  }
  const int64_t all = iterations.at(parent.get());
  ir::AddVar(&whole, outer, in_part, *values, ranges);
  if (overlap && all % in_part != 0)
    whole = ir::ToLinear(ir::Min(ir::FromLinear(whole), ir::Expr(all - in_part)), ranges);
  ir::AddVar(&whole, inner, 1, *values, ranges);
  values->emplace(parent.get(), std::move(whole));
}

LoopCounts Stage::Iterations(const std::vector<int64_t>& counts) const {
  LoopCounts extents;
  extents.reserve(axes.size() + reduce_axes.size() + 2 * relations.size());
  for (size_t d = 0; d < axes.size(); ++d) extents[axes[d].var.get()] = counts[d];
  for (const ir::Axis& a : reduce_axes) extents[a.var.get()] = a.extent;
  for (const Relation& r : relations) {
    if (r.is_split) {
      const int64_t parent = extents.at(r.parent.get());
      const int64_t inner = r.pad ? r.factor : std::min(r.factor, parent);
      extents[r.inner.get()] = inner;
      extents[r.outer.get()] = CeilDiv(parent, inner);
    } else {
      extents[r.parent.get()] = extents.at(r.outer.get()) * extents.at(r.inner.get());
    }
  }
  return extents;
}

ir::FormMap Stage::AxesOfLeaves(const LoopCounts& iterations, const ir::Ranges& ranges) const {
  ir::FormMap values;
  values.reserve(axes.size() + reduce_axes.size() + 2 * relations.size());
  for (const Relation& r : relations | std::views::reverse) r.AddTo(&values, iterations, ranges);
  return values;
}

std::vector<ir::Expr> Stage::GuardsOf(const ir::FormMap& forms,
                                      const LoopCounts& iterations) const {
  std::vector<ir::Expr> guards;
  for (const Relation& r : relations | std::views::reverse) {
    const int64_t parent = iterations.at(r.parent.get());
    const bool rounds = r.is_split && parent % iterations.at(r.inner.get()) != 0;
    if (rounds && !r.pad && !r.overlap)
      guards.push_back(ir::Lt(ir::FromLinear(forms.at(r.parent.get())), ir::Expr(parent)));
  }
  return guards;
}

ir::VarMap Stage::ReductionOfLeaves(const LoopCounts& iterations,
                                    std::vector<ir::Expr>* guards) const {
  const ir::FormMap forms = AxesOfLeaves(iterations);
  *guards = GuardsOf(forms, iterations);
  ir::VarMap values = ir::FromLinear(forms);
  for (const ir::Axis& a : axes) values.erase(a.var.get());
  for (const ir::Axis& a : reduce_axes) {
    const auto it = values.find(a.var.get());
    values[a.var.get()] = ir::Expr(a.min) + (it == values.end() ? a.var : it->second);
  }
  for (const ir::Expr& c : conditions) guards->push_back(ir::Substitute(c, values));
  return values;
}

std::vector<ir::Expr> Stage::PaddedEnds(const LoopCounts& iterations) const {
  std::vector<ir::Expr> ends;
  const ir::FormMap values = AxesOfLeaves(iterations);
  for (const Relation& r : relations) {
    const int64_t all = iterations.at(r.parent.get());
    if (r.is_split && r.pad && all % r.factor != 0)
      ends.push_back(ir::Lt(ir::FromLinear(values.at(r.parent.get())), ir::Expr(all)));
  }
  return ends;
}

std::vector<size_t> Stage::AxesOfReads(const std::string& tensor) const {
  std::vector<size_t> all;
  for (const ir::ExprNode* read : body.reads()) {
    if (read->tensor->name != tensor) continue;
    const bool first = all.empty();
    all.reserve(read->args.size());
    for (size_t d = 0; d < read->args.size(); ++d) {
      const ir::ExprNode* index = read->args[d].get();
      const auto axis =
          std::ranges::find(axes, index, [](const ir::Axis& a) { return a.var.get(); });
      const auto at = static_cast<size_t>(axis - axes.begin());
      if (axis == axes.end() || (first ? std::ranges::count(all, at) != 0 : all[d] != at))
        return {};
      if (first) all.push_back(at);
    }
  }
  return all;
}

}  // namespace tessera::schedule
