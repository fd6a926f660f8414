// SPDX-License-Identifier: Apache-2.0
//
// Tensor expressions: define each element of a tensor, without loops. A tensor is a placeholder or
// a compute stage; stages form a DAG through the tensors they read. Depends on ir.h. Used by the
// graph's operator bodies (compiler/region), the schedule and the lowering.
//
//   Tensor x = Placeholder("x", DType::kInt8, {1, 3, 8, 8});
//   Axis k = ReduceAxis("k", 3);
//   Tensor y = Compute("y", {1, 8, 8}, {"n", "h", "w"}, [&](const auto& i) {
//     return Sum(ir::Cast(DType::kInt32, x(i[0], k.var, i[1], i[2])), {k});
//   });
//
// A reduction is the whole body of its stage; operations on its result are later stages. A sum may
// have a start value, which is added once. A read outside a tensor's bounds is allowed only in a
// branch of a select that is not taken.
#ifndef TESSERA_COMPILER_TE_TE_H_
#define TESSERA_COMPILER_TE_TE_H_

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "compiler/ir/array.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/ir.h"

namespace tessera::te {

using ir::Axis;
using ir::Expr;

struct TensorNode;

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(std::shared_ptr<const TensorNode> node) : node_(std::move(node)) {}

  // A read of one element; it takes one i64 index per dimension.
  Expr operator()(std::vector<Expr> indices) const;
  template <typename... Index>
  Expr operator()(Index... index) const {
    return (*this)(std::vector<Expr>{Expr(index)...});
  }

  const TensorNode* operator->() const { return node_.get(); }
  const TensorNode* get() const { return node_.get(); }
  const std::shared_ptr<const TensorNode>& node() const { return node_; }
  explicit operator bool() const { return node_ != nullptr; }
  bool operator==(const Tensor& other) const { return node_ == other.node_; }

  const std::string& name() const;
  DType dtype() const;
  const std::vector<int64_t>& shape() const;

 private:
  std::shared_ptr<const TensorNode> node_;
};

struct TensorNode : ir::TensorBase {
  bool placeholder = true;
  // Compute stages only.
  std::vector<Axis> axes;         // one per dimension, min 0
  std::vector<Axis> reduce_axes;  // of the reduction, if the body is one
  Expr body;
};

// |name| as a word of a schedule's text: white space, '#' and '$' become '_'. Names of tensors are
// such words; code that makes names unique must call Word first.
std::string Word(std::string name);

// A tensor that the caller provides, an input or a constant; it is called Word(name).
Tensor Placeholder(std::string name, DType dtype, std::vector<int64_t> shape);

// |axis_names| name the dimensions ("i0", "i1", ... if empty). Axis names of a stage are made
// unique. |body| gets one i64 variable per dimension.
Tensor Compute(std::string name, std::vector<int64_t> shape, std::vector<std::string> axis_names,
               const std::function<Expr(const std::vector<Expr>&)>& body);

Axis ReduceAxis(std::string name, int64_t extent);
// A sum of products of f32 is a kFusedSum. A null |start| is 0.
Expr Sum(Expr value, std::vector<Axis> axes, Expr start = Expr());
Expr MaxOf(Expr value, std::vector<Axis> axes);
Expr MinOf(Expr value, std::vector<Axis> axes);
Expr ProductOf(Expr value, std::vector<Axis> axes);

// The tensors that |tensor|'s body reads, in order of first appearance.
std::vector<Tensor> Inputs(const Tensor& tensor);

// The tensor that a TensorRead reads.
Tensor TensorOf(const Expr& read);

// Every tensor that |outputs| need, including placeholders; producers come first.
std::vector<Tensor> TopologicalOrder(const std::vector<Tensor>& outputs);

// |output| with the body of each stage replaced by |body_of|(stage), an expression of the stage's
// axes and of old or new tensors. A stage keeps its name and its data axes; its reduction is the
// one in the new body.
Tensor WithBodies(const Tensor& output, const std::function<Expr(const Tensor& stage)>& body_of);

// The stages as text, one line each, for --dump te.
std::string Print(const std::vector<Tensor>& outputs);

// Refuses expressions that the rest of the compiler does not support: two tensors of one name, a
// body whose type is not the tensor's, a reduction inside an expression, a start of another type or
// that changes along its reduction, free variables.
Status Verify(const std::vector<Tensor>& outputs);

// Values of tensors, row-major logical order.
using Values = std::unordered_map<const TensorNode*, ir::Array>;

// Evaluates stage by stage from the definition, without generated loops: the oracle of the
// lowering. |values| holds the placeholders and receives every stage. errors: kInvalidArgument a
// placeholder is missing or of the wrong size; kOutOfRange a read outside a tensor, named.
Status Evaluate(const std::vector<Tensor>& outputs, Values* values);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_TE_H_
