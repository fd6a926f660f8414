// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/host_func.h"

#include <unordered_map>

#include "base/check.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"

namespace tessera::compiler {
namespace {
using ir::Expr;
}

Result<HostFunc> MakeHostFunc(const te::RegionTe& region, const std::string& name) {
  HostFunc host;
  std::unordered_map<const te::TensorNode*, ir::Buffer> buffers;
  std::vector<ir::Stmt> stages;
  std::vector<ir::Buffer> inner;
  const auto replace = [&](const Expr& e) {
    return ir::Rewrite(e, [&](const Expr& node) {
      if (node->kind != ir::ExprKind::kTensorRead) return node;
      return ir::Load(buffers.at(te::TensorOf(node).get()), node->args);
    });
  };
  for (const te::Tensor& t : te::TopologicalOrder({region.output})) {
    ir::BufferNode node;
    node.name = t.name();
    node.dtype = t.dtype();
    node.shape = t.shape();
    const ir::Buffer buffer = ir::MakeBuffer(node);
    buffers[t.get()] = buffer;
    if (t->placeholder || t == region.output) {
      host.func.params.push_back(buffer);
      host.tensors.push_back(t);
    } else {
      inner.push_back(buffer);
    }
    if (t->placeholder) continue;
    std::vector<Expr> index;
    for (const ir::Axis& a : t->axes) index.push_back(a.var);
    const auto loops = [](const std::vector<ir::Axis>& axes, ir::Stmt s) {
      for (size_t i = axes.size(); i-- > 0;) s = ir::For(axes[i].var, Expr(axes[i].min), Expr(axes[i].extent), ir::LoopKind::kSerial, s);
      return s;
    };
    if (t->body->kind != ir::ExprKind::kReduce) {
      stages.push_back(loops(t->axes, ir::Store(buffer, index, replace(t->body))));
      continue;
    }
    const ir::Stmt init = ir::Store(buffer, index, ir::ReduceIdentity(t->body->reduce(), t.dtype()));
    const ir::Stmt update = ir::Store(buffer, index, ir::Bin(ir::ReduceCombiner(t->body->reduce()), ir::Load(buffer, index), replace(t->body->args[0])));
    std::vector<ir::Axis> outer(t->axes.begin(), t->axes.end() - 1), last{t->axes.back()};
    stages.push_back(loops(outer, ir::Seq({loops(last, init), loops(t->reduce_axes, loops(last, update))})));
  }
  host.func.name = name;
  host.func.body = ir::Seq(stages);
  for (const ir::Buffer& b : inner) host.func.body = ir::Alloc(b, host.func.body);
  return host;
}

}  // namespace tessera::compiler
