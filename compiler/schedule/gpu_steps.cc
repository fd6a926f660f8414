// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/gpu_steps.h"

#include <algorithm>

namespace tessera::schedule {

int64_t PowerUpTo(int64_t n, int64_t limit) {
  int64_t p = 1;
  while (2 * p <= std::min(n, limit)) p *= 2;
  return p;
}

Status GpuSteps::Decide(const std::string& name, const TileSize& size, int64_t unit) {
  std::vector<int64_t> values;
  for (int64_t v = 1; v <= size.most; v *= 2) values.push_back(v * unit);
  return s.Apply(DecideStep{name, {.values = std::move(values)}, size.pick * unit});
}

std::vector<std::string> GpuSteps::Live() const {
  std::vector<std::string> names;
  for (const Stage& st : s.stages()) {
    if (!st.placeholder && !st.prepared && st.attach != Attach::kInline) names.push_back(st.name);
  }
  return names;
}

Status GpuSteps::InlineElementwise(const std::set<std::string>& but) {
  for (const std::string& name : Live()) {
    const Stage* st = s.Find(name);
    if (!st->output && st->reduce_axes.empty() && !but.contains(name))
      TESSERA_TRY(s.Apply(InlineStep{name}));
  }
  return {};
}

Status GpuSteps::InlineBehind(const std::string& anchor) {
  std::vector<std::string> behind{anchor}, inlined;
  for (const Stage& st : s.stages()) {
    if (std::ranges::none_of(behind, [&](const std::string& name) { return st.Reads(name); }))
      continue;
    behind.push_back(st.name);
    if (!st.output && st.reduce_axes.empty() && st.attach != Attach::kInline)
      inlined.push_back(st.name);
  }
  for (const std::string& name : inlined) TESSERA_TRY(s.Apply(InlineStep{name}));
  return {};
}

Result<std::string> GpuSteps::FuseAll(const std::string& stage, const std::string& behind) {
  std::string all = s.Find(stage)->leaves[0].name;
  for (;;) {
    const std::vector<LoopAxis>& leaves = s.Find(stage)->leaves;
    if (leaves.size() == 1 || leaves[1].name == behind) return all;
    const std::string next = leaves[1].name, fused = all + "." + next;
    TESSERA_TRY(s.Apply(FuseStep{stage, all, next, fused}));
    all = fused;
  }
}

Status GpuSteps::OneThreadAnElement(const std::string& name) {
  if (s.Find(name)->leaves.empty()) return {};
  TESSERA_ASSIGN(const std::string all, FuseAll(name));
  TESSERA_TRY(Split(name, all, s.target().group_threads, ".g", ".t"));
  TESSERA_TRY(s.Apply(BindStep{name, all + ".g", ir::LoopKind::kGridX}));
  return s.Apply(BindStep{name, all + ".t", ir::LoopKind::kThreadX});
}

Status GpuSteps::Split(const std::string& stage, const std::string& axis, const Amount& factor,
                       const char* outer, const char* inner, Tail tail) {
  return s.Apply(SplitStep{stage, axis, factor, axis + outer, axis + inner, tail});
}

std::array<ir::LoopKind, 3> GpuSteps::GridAxes(const std::array<int64_t, 3>& most) const {
  std::array<ir::LoopKind, 3> kinds{ir::LoopKind::kGridX, ir::LoopKind::kGridY,
                                    ir::LoopKind::kGridZ};
  for (size_t k = 1; k < 3; ++k) {
    if (most[k] <= s.target().MostOf(kinds[k])) continue;
    std::swap(kinds[0], kinds[k]);
    break;
  }
  return kinds;
}

bool GpuSteps::OutputFollows(const std::string& anchor) const {
  const std::string& output = s.outputs()[0].name();
  if (anchor == output || s.Find(output)->leaves.empty()) return false;
  const std::vector<size_t> read = s.Find(output)->AxesOfReads(anchor);
  bool follows = read.size() == s.Find(output)->axes.size();
  for (size_t d = 0; d < read.size(); ++d) follows = follows && read[d] == d;
  return follows;
}

}  // namespace tessera::schedule
