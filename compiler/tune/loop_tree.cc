// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/loop_tree.h"

#include <cmath>

namespace tessera::tune {
namespace {

float Scaled(double count) { return static_cast<float>(std::log2(count) / 8); }

// The iterations of the loops of other stages around |stage|.
double RunsOf(const schedule::Schedule& schedule, const schedule::Stage& stage) {
  double runs = 1;
  const schedule::Stage* inner = &stage;
  for (size_t depth = 0; depth < schedule.stages().size(); ++depth) {
    const schedule::Stage* outer = schedule.OuterOf(*inner);
    if (outer == nullptr) break;
    const std::vector<int64_t> loops = LoopsOf(*outer);
    const int last = outer->LeafIndex(inner->at_axis);
    for (int k = 0; k <= last; ++k) runs *= static_cast<double>(loops[static_cast<size_t>(k)]);
    inner = outer;
  }
  return runs;
}

}  // namespace

std::vector<int64_t> LoopsOf(const schedule::Stage& stage) {
  std::vector<int64_t> counts;
  for (const ir::Axis& axis : stage.axes) counts.push_back(axis.extent);
  const auto iterations = stage.Iterations(counts);
  std::vector<int64_t> loops;
  for (const schedule::LoopAxis& leaf : stage.leaves) {
    const auto found = iterations.find(leaf.var.get());
    loops.push_back(found == iterations.end() ? 1 : found->second);
  }
  return loops;
}

LoopTree TreeOf(const schedule::Schedule& schedule) {
  LoopTree tree;
  for (const schedule::Stage& stage : schedule.stages()) {
    if (stage.placeholder || stage.attach == schedule::Attach::kInline) continue;
    const std::vector<int64_t> loops = LoopsOf(stage);
    double runs = RunsOf(schedule, stage), elements = 1, reuse = 1;
    for (const int64_t n : loops) runs *= static_cast<double>(n);
    const ir::Scope scope = stage.scope;
    std::vector<LoopNode> nodes;
    for (size_t k = loops.size(); k-- > 0;) {
      if (loops[k] <= 1) continue;
      const schedule::LoopAxis& leaf = stage.leaves[k];
      const auto count = static_cast<double>(loops[k]);
      runs /= count;
      (leaf.reduce ? reuse : elements) *= count;
      LoopNode& node = nodes.emplace_back();
      const auto set = [&node](LoopNumber what, float value) {
        node[static_cast<size_t>(what)] = value;
      };
      const auto flag = [&set](LoopNumber what, bool value) { set(what, value ? 1.0f : 0.0f); };
      set(LoopNumber::kExtent, Scaled(count));
      set(LoopNumber::kElements, Scaled(elements));
      set(LoopNumber::kReuse, Scaled(reuse));
      set(LoopNumber::kRuns, Scaled(runs));
      flag(LoopNumber::kReduce, leaf.reduce);
      flag(LoopNumber::kVector, leaf.kind == ir::LoopKind::kVector);
      flag(LoopNumber::kUnroll, leaf.kind == ir::LoopKind::kUnroll);
      flag(LoopNumber::kParallel, leaf.kind >= ir::LoopKind::kParallel);
      flag(LoopNumber::kInput, scope == ir::Scope::kInp || scope == ir::Scope::kWgt);
      flag(LoopNumber::kSum,
           scope == ir::Scope::kAcc || scope == ir::Scope::kLocal || scope == ir::Scope::kReg);
      flag(LoopNumber::kDouble, stage.double_buffer);
      flag(LoopNumber::kInside, stage.attach != schedule::Attach::kRoot);
    }
    if (!nodes.empty()) tree.push_back(std::move(nodes));
  }
  return tree;
}

}  // namespace tessera::tune
