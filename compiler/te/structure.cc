// SPDX-License-Identifier: Apache-2.0
#include "compiler/te/structure.h"

#include <unordered_map>
#include <vector>

namespace tessera::te {
namespace {

// Tensors and variables are numbered in the order in which they are written first.
class StructureWriter {
 public:
  explicit StructureWriter(const std::set<const TensorNode*>& constants) : constants_(constants) {}

  std::string Run(const Tensor& output) && {
    for (const Tensor& tensor : TopologicalOrder({output})) {
      AddNumber(tensor.get());
      Add(tensor.dtype());
      Add(tensor.shape().size());
      for (const int64_t extent : tensor.shape()) Add(extent);
      Add(tensor->placeholder);
      Add(constants_.contains(tensor.get()));
      if (tensor->placeholder) continue;
      AddAxes(tensor->axes);
      AddExpr(tensor->body);
    }
    return std::move(bytes_);
  }

 private:
  template <typename T>
  void Add(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void AddNumber(const void* node) {
    Add(numbers_.try_emplace(node, static_cast<uint32_t>(numbers_.size())).first->second);
  }

  void AddAxes(const std::vector<Axis>& axes) {
    Add(axes.size());
    for (const Axis& axis : axes) {
      AddNumber(axis.var.get());
      Add(axis.min);
      Add(axis.extent);
    }
  }

  void AddExpr(const Expr& e) {
    Add(e->kind);
    Add(e.dtype());
    Add(e.lanes());
    Add(e->op);
    switch (e->kind) {
      case ir::ExprKind::kImm:
        Add(e->ivalue);
        Add(e->fvalue);
        break;
      case ir::ExprKind::kVar:
        AddNumber(e.get());
        break;
      case ir::ExprKind::kCall:
        Add(e->name.size());
        bytes_ += e->name;
        break;
      case ir::ExprKind::kTensorRead:
        AddNumber(e->tensor.get());
        break;
      case ir::ExprKind::kReduce:
        AddAxes(e->axes);
        break;
      default:
        break;
    }
    Add(e->args.size());
    for (const Expr& arg : e->args) AddExpr(arg);
  }

  const std::set<const TensorNode*>& constants_;
  std::unordered_map<const void*, uint32_t> numbers_;
  std::string bytes_;
};

}  // namespace

std::string StructureOf(const Tensor& output, const std::set<const TensorNode*>& constants) {
  return StructureWriter(constants).Run(output);
}

}  // namespace tessera::te
