// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/schedule/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <type_traits>

namespace tessera::test {
namespace {

using schedule::Alignment;
using schedule::Decision;
using schedule::Lookahead;
using schedule::LoopAxis;
using schedule::Relation;
using schedule::Schedule;
using schedule::Stage;

// The fields of a struct. Each list has to name all of them: one that is added does not compile.
auto Fields(const ir::Axis& a) {
  const auto& [var, min, extent] = a;
  return std::tie(var, min, extent);
}
auto Fields(const LoopAxis& a) {
  const auto& [name, var, reduce, kind] = a;
  return std::tie(name, var, reduce, kind);
}
auto Fields(const Relation& r) {
  const auto& [is_split, parent, outer, inner, factor, pad, overlap] = r;
  return std::tie(is_split, parent, outer, inner, factor, pad, overlap);
}
auto Fields(const Alignment& a) {
  const auto& [dim, factor, offset] = a;
  return std::tie(dim, factor, offset);
}
auto Fields(const Lookahead& l) {
  const auto& [tensor, axis, distance, of] = l;
  return std::tie(tensor, axis, distance, of);
}
auto Fields(const Decision& d) {
  const auto& [name, kind, domain, value] = d;
  return std::tie(name, kind, domain, value);
}

template <typename T>
bool Same(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, ir::Expr> || std::is_same_v<T, schedule::StageBody>) {
    const ir::Expr &was = a, &is = b;
    return was.get() == is.get();  // nodes do not change
  } else if constexpr (requires { Fields(a); }) {
    return [&]<size_t... k>(std::index_sequence<k...>) {
      return (Same(std::get<k>(Fields(a)), std::get<k>(Fields(b))) && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(Fields(a))>>());
  } else {
    return a == b;
  }
}
template <typename T>
bool Same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](const T& x, const T& y) { return Same(x, y); });
}

std::string Difference(const Stage& a, const Stage& b) {
  const auto& [name, dtype, shape, placeholder, output, prepared, body, axes, reduce_axes, leaves,
               relations, conditions, skips, attach, at_stage, at_axis, scope, layout, folded,
               alignments, double_buffer, in_place_of, prefetches, tensorize_axis, intrinsics] = a;
  std::string all;
  const auto compare = [&](const char* field, const auto& was, const auto& is) {
    if (!Same(was, is)) all += fmt::format(" {}", field);
  };
  compare("name", name, b.name);
  compare("dtype", dtype, b.dtype);
  compare("shape", shape, b.shape);
  compare("placeholder", placeholder, b.placeholder);
  compare("output", output, b.output);
  compare("prepared", prepared, b.prepared);
  compare("body", body, b.body);
  compare("axes", axes, b.axes);
  compare("reduce_axes", reduce_axes, b.reduce_axes);
  compare("leaves", leaves, b.leaves);
  compare("relations", relations, b.relations);
  compare("conditions", conditions, b.conditions);
  compare("skips", skips, b.skips);
  compare("attach", attach, b.attach);
  compare("at_stage", at_stage, b.at_stage);
  compare("at_axis", at_axis, b.at_axis);
  compare("scope", scope, b.scope);
  compare("layout", layout, b.layout);
  compare("folded", folded, b.folded);
  compare("alignments", alignments, b.alignments);
  compare("double_buffer", double_buffer, b.double_buffer);
  compare("in_place_of", in_place_of, b.in_place_of);
  compare("prefetches", prefetches, b.prefetches);
  compare("tensorize_axis", tensorize_axis, b.tensorize_axis);
  compare("intrinsics", intrinsics, b.intrinsics);
  return all.empty() ? "" : fmt::format("stage {}:{}", name, all);
}

}  // namespace

ScheduleState::ScheduleState(const Schedule& s)
    : schedule(s), stages(s.stages().begin(), s.stages().end()) {}

std::string StateDifference(const ScheduleState& state, const Schedule& after) {
  const Schedule& before = state.schedule;
  if (before.trace() != after.trace()) return "the trace";
  if (before.outputs() != after.outputs()) return "the outputs";
  if (&before.target() != &after.target()) return "the target";
  if (!Same(before.decisions(), after.decisions())) return "what was decided";
  if (state.stages.size() != after.stages().size()) return "how many stages there are";
  for (size_t n = 0; n < state.stages.size(); ++n) {
    const std::string why = Difference(state.stages[n], after.stages()[n]);
    if (!why.empty()) return why;
  }
  return "";
}

}  // namespace tessera::test
