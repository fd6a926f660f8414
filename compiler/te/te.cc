// SPDX-License-Identifier: Apache-2.0
#include "compiler/te/te.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/check.h"
#include "compiler/ir/print.h"
#include "compiler/ir/visit.h"

namespace tessera::te {
namespace {

// Gives every axis of a stage a unique name; nodes are kept where possible.
void UniqueNames(TensorNode* node) {
  std::set<std::string> taken;
  ir::VarMap renamed;
  for (std::vector<Axis>* axes : {&node->axes, &node->reduce_axes}) {
    for (Axis& a : *axes) {
      std::string name = a.name();
      for (int n = 1; !taken.insert(name).second; ++n) name = fmt::format("{}{}", a.name(), n);
      if (name == a.name()) continue;
      const Expr fresh = ir::Var(name);
      renamed[a.var.get()] = fresh;
      a.var = fresh;
    }
  }
  if (renamed.empty()) return;
  node->body = ir::Rewrite(node->body, [&](const Expr& e) {
    if (e->kind == ir::ExprKind::kReduce)
      return ir::Reduce(e->reduce(), e->args[0], node->reduce_axes, e->start());
    auto it = renamed.find(e.get());
    return it == renamed.end() ? e : it->second;
  });
}

Status VerifyStart(const Tensor& t) {
  const Expr start = t->body->start();
  if (start.type() != t->body.type()) {
    return Fail(Code::kInvalidArgument, "{}: it sums {} and starts at {}; cast the start", t.name(),
                ir::TypeName(t->body.type()), ir::TypeName(start.type()));
  }
  for (const Axis& a : t->reduce_axes) {
    if (!ir::UsesVar(start, a.var)) continue;
    return Fail(Code::kInvalidArgument,
                "{}: its start changes along {}, which it sums; what changes there is summed",
                t.name(), a.name());
  }
  return {};
}

void Collect(const Tensor& t, std::set<const TensorNode*>* seen, std::vector<Tensor>* order) {
  if (!seen->insert(t.get()).second) return;
  for (const Tensor& in : Inputs(t)) Collect(in, seen, order);
  order->push_back(t);
}

}  // namespace

std::string Word(std::string name) {
  for (char& c : name) {
    if (std::isspace(static_cast<unsigned char>(c)) || c == '#' || c == '$') c = '_';
  }
  return name.empty() ? "_" : name;
}

Expr Tensor::operator()(std::vector<Expr> indices) const {
  return ir::TensorRead(node_, std::move(indices));
}

const std::string& Tensor::name() const { return node_->name; }
DType Tensor::dtype() const { return node_->dtype; }
const std::vector<int64_t>& Tensor::shape() const { return node_->shape; }

Tensor Placeholder(std::string name, DType dtype, std::vector<int64_t> shape) {
  auto node = std::make_shared<TensorNode>();
  node->name = Word(std::move(name));
  node->dtype = dtype;
  node->shape = std::move(shape);
  for (int64_t n : node->shape) TESSERA_CHECK(n >= 1, "{} has an extent of {}", node->name, n);
  return Tensor(std::move(node));
}

Tensor Compute(std::string name, std::vector<int64_t> shape, std::vector<std::string> axis_names,
               const std::function<Expr(const std::vector<Expr>&)>& body) {
  TESSERA_CHECK(axis_names.empty() || axis_names.size() == shape.size(), "axis names of {}", name);
  auto node = std::make_shared<TensorNode>();
  node->name = Word(std::move(name));
  node->shape = std::move(shape);
  node->placeholder = false;
  std::vector<Expr> vars;
  for (size_t d = 0; d < node->shape.size(); ++d) {
    TESSERA_CHECK(node->shape[d] >= 1, "{} has an extent of {}", node->name, node->shape[d]);
    vars.push_back(ir::Var(axis_names.empty() ? fmt::format("i{}", d) : axis_names[d]));
    node->axes.push_back({vars.back(), 0, node->shape[d]});
  }
  node->body = body(vars);
  node->dtype = node->body.dtype();
  if (node->body->kind == ir::ExprKind::kReduce) node->reduce_axes = node->body->axes;
  UniqueNames(node.get());
  return Tensor(std::move(node));
}

Axis ReduceAxis(std::string name, int64_t extent) {
  TESSERA_CHECK(extent >= 1, "{} has an extent of {}", name, extent);
  return {ir::Var(std::move(name)), 0, extent};
}

Expr Sum(Expr value, std::vector<Axis> axes, Expr start) {
  const bool products = value.dtype() == DType::kFloat32 && value->kind == ir::ExprKind::kBin &&
                        value->bin() == ir::BinOp::kMul;
  return ir::Reduce(products ? ir::ReduceOp::kFusedSum : ir::ReduceOp::kSum, std::move(value),
                    std::move(axes), std::move(start));
}
Expr MaxOf(Expr value, std::vector<Axis> axes) {
  return ir::Reduce(ir::ReduceOp::kMax, std::move(value), std::move(axes));
}
Expr MinOf(Expr value, std::vector<Axis> axes) {
  return ir::Reduce(ir::ReduceOp::kMin, std::move(value), std::move(axes));
}
Expr ProductOf(Expr value, std::vector<Axis> axes) {
  return ir::Reduce(ir::ReduceOp::kProd, std::move(value), std::move(axes));
}

Tensor TensorOf(const Expr& read) {
  TESSERA_CHECK(read->kind == ir::ExprKind::kTensorRead);
  return Tensor(std::static_pointer_cast<const TensorNode>(read->tensor));
}

std::vector<Tensor> Inputs(const Tensor& tensor) {
  std::vector<Tensor> inputs;
  if (tensor->placeholder) return inputs;
  ir::Visit(tensor->body, [&](const Expr& e) {
    if (e->kind != ir::ExprKind::kTensorRead) return;
    const Tensor t = TensorOf(e);
    if (std::find(inputs.begin(), inputs.end(), t) == inputs.end()) inputs.push_back(t);
  });
  return inputs;
}

std::vector<Tensor> TopologicalOrder(const std::vector<Tensor>& outputs) {
  std::vector<Tensor> order;
  std::set<const TensorNode*> seen;
  for (const Tensor& t : outputs) Collect(t, &seen, &order);
  return order;
}

Tensor WithBodies(const Tensor& output, const std::function<Expr(const Tensor&)>& body_of) {
  std::unordered_map<const TensorNode*, Tensor> made;
  for (const Tensor& tensor : TopologicalOrder({output})) {
    made[tensor.get()] = tensor;
    if (tensor->placeholder) continue;
    const Expr body = ir::Rewrite(body_of(tensor), [&](const Expr& e) {
      if (e->kind != ir::ExprKind::kTensorRead) return e;
      const auto now = made.find(TensorOf(e).get());
      if (now == made.end() || now->second == TensorOf(e)) return e;
      return ir::TensorRead(now->second.node(), e->args);
    });
    if (body.get() == tensor->body.get()) continue;
    TESSERA_CHECK(body.dtype() == tensor.dtype(), "{} of {} as {}", tensor.name(),
                  ir::DTypeName(tensor.dtype()), ir::DTypeName(body.dtype()));
    auto node = std::make_shared<TensorNode>(*tensor.get());
    node->body = body;
    node->reduce_axes = body->axes;
    made[tensor.get()] = Tensor(std::move(node));
  }
  return made.at(output.get());
}

std::string Print(const std::vector<Tensor>& outputs) {
  std::string text;
  for (const Tensor& t : TopologicalOrder(outputs)) {
    if (t->placeholder) {
      text += fmt::format("{}: {}[{}] placeholder\n", t.name(), ir::DTypeName(t.dtype()),
                          fmt::join(t.shape(), ", "));
      continue;
    }
    std::string axes;
    for (const Axis& a : t->axes) axes += (axes.empty() ? "" : ", ") + a.name();
    text += fmt::format("{}: {}[{}] ({}) = {}\n", t.name(), ir::DTypeName(t.dtype()),
                        fmt::join(t.shape(), ", "), axes, ir::Print(t->body));
  }
  return text;
}

Status Verify(const std::vector<Tensor>& outputs) {
  std::set<std::string> names;
  for (const Tensor& t : TopologicalOrder(outputs)) {
    if (!names.insert(t.name()).second) {
      return Fail(Code::kInvalidArgument, "two tensors are called '{}'; names tell stages apart",
                  t.name());
    }
    if (t->placeholder) continue;
    if (t->body.lanes() != 1) {
      return Fail(Code::kInvalidArgument,
                  "{}: the body is a vector; vectors come from the schedule", t.name());
    }
    std::set<const ir::ExprNode*> bound;
    for (const Axis& a : t->axes) bound.insert(a.var.get());
    for (const Axis& a : t->reduce_axes) bound.insert(a.var.get());
    Status status;
    ir::Visit(t->body, [&](const Expr& e) {
      if (e->kind == ir::ExprKind::kReduce && e.get() != t->body.get()) {
        status =
            Fail(Code::kInvalidArgument,
                 "{}: a reduction must be the whole body; give the rest its own stage", t.name());
      }
    });
    TESSERA_TRY(status);
    if (!t->reduce_axes.empty() && t->body->start()) TESSERA_TRY(VerifyStart(t));
    ir::Visit(t->body, [&](const Expr& e) {
      if (!status) return;
      if (e->kind == ir::ExprKind::kVar && !bound.contains(e.get())) {
        status = Fail(Code::kInvalidArgument, "{}: '{}' is not an axis of this stage", t.name(),
                      e->name);
      } else if (e->kind == ir::ExprKind::kLoad || e->kind == ir::ExprKind::kVec) {
        status =
            Fail(Code::kInvalidArgument, "{}: buffers and vectors belong to the loop IR", t.name());
      }
    });
    TESSERA_TRY(status);
  }
  return {};
}

}  // namespace tessera::te
