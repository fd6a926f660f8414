// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/user_order.h"

#include "compiler/ir/simplify.h"
#include "compiler/region/region.h"

namespace tessera::compiler {

std::vector<int64_t> UserShape(const graph::GraphTensor& tensor) {
  if (tensor.order.empty()) return tensor.shape;
  std::vector<int64_t> shape;
  for (const int d : tensor.order) shape.push_back(tensor.shape[static_cast<size_t>(d)]);
  return shape;
}

ir::Func OrderFunc(const graph::GraphTensor& tensor, bool to_user, const std::string& name) {
  const DType dtype = tensor.dtype;
  const ir::Buffer user = ir::MakeBuffer({"user", dtype, UserShape(tensor)}),
                   own = ir::MakeBuffer({"own", dtype, tensor.shape});
  std::vector<ir::Expr> at_own;
  for (size_t d = 0; d < tensor.shape.size(); ++d) at_own.push_back(ir::Var(fmt::format("i{}", d)));
  std::vector<ir::Expr> at_user;
  for (const int d : tensor.order) at_user.push_back(at_own[static_cast<size_t>(d)]);
  ir::Stmt body = to_user ? ir::Store(user, at_user, ir::Load(own, at_own))
                          : ir::Store(own, at_own, ir::Load(user, at_user));
  for (size_t d = tensor.shape.size(); d-- > 0;) {
    body = ir::For(at_own[d], ir::Expr(0), ir::Expr(tensor.shape[d]), ir::LoopKind::kSerial, body);
  }
  return {name, to_user ? std::vector{own, user} : std::vector{user, own}, ir::Simplify(body)};
}

}  // namespace tessera::compiler
