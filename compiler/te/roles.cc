// SPDX-License-Identifier: Apache-2.0
#include "compiler/te/roles.h"

#include "compiler/ir/affine.h"
#include "compiler/ir/visit.h"

namespace tessera::te {
namespace {

using ir::Axis;
using ir::Expr;
using ir::ExprKind;

// |e| without casts around it.
Expr Bare(Expr e) {
  while (e->kind == ExprKind::kUn && e->un() == ir::UnOp::kCast) e = e->args[0];
  return e;
}

// How |var| enters the indices of a read.
struct AxisUse {
  int dim = -1;
  int64_t coeff = 0;
  int64_t group = 0;    // divisor of the floor division around the axis
  bool beside = false;  // an axis of the other kind is in the same index
  bool linear = true;
};

AxisUse UseOf(const Expr& read, const Expr& var, const ir::Ranges& ranges,
              const std::vector<Axis>& others) {
  AxisUse use;
  for (size_t d = 0; d < read->args.size(); ++d) {
    if (!ir::UsesVar(read->args[d], var)) continue;
    use.linear = use.linear && use.dim < 0;  // the axis occurs in two indices: a diagonal
    use.dim = static_cast<int>(d);
    const ir::Linear form = ir::ToLinear(read->args[d], ranges);
    use.coeff = form.CoeffOf(var);
    for (const ir::Linear::Term& t : form.terms) {
      if (t.atom.get() == var.get() || !ir::UsesVar(t.atom, var)) continue;
      int64_t k = 0;
      const bool group = t.atom->kind == ExprKind::kBin && t.atom->bin() == ir::BinOp::kDiv &&
                         t.atom->args[0].get() == var.get() && ir::IsImm(t.atom->args[1], &k);
      use.linear = use.linear && group && use.coeff == 0;
      use.group = k;
      use.coeff = t.coeff;
    }
    for (const Axis& o : others) use.beside |= ir::UsesVar(read->args[d], o.var);
  }
  return use;
}

int DataAxes(const Expr& read, const std::vector<Axis>& axes) {
  int n = 0;
  for (const Axis& a : axes) n += ir::UsesVar(read, a.var);
  return n;
}

}  // namespace

const AxisRole* Roles::Find(Role role) const {
  for (const std::vector<AxisRole>* axes : {&data, &reduced}) {
    for (const AxisRole& a : *axes) {
      if (a.role == role) return &a;
    }
  }
  return nullptr;
}

const AxisRole* Roles::InputChannel() const {
  const AxisRole* found = nullptr;
  for (const AxisRole& a : reduced) {
    if (a.role != Role::kInputChannel || a.input_dim < 0) continue;
    if (found) return nullptr;
    found = &a;
  }
  return found;
}

std::optional<Roles> FindRoles(const std::vector<Axis>& axes, const std::vector<Axis>& reduce_axes,
                               const Expr& body) {
  if (!body || body->kind != ExprKind::kReduce) return std::nullopt;
  const Expr value = Bare(body->args[0]);
  if (value->kind == ExprKind::kTensorRead) return RolesOf(axes, reduce_axes, value, std::nullopt);
  if (value->kind != ExprKind::kBin || value->bin() != ir::BinOp::kMul) return std::nullopt;
  Expr a = Bare(value->args[0]), b = Bare(value->args[1]);
  if (a->kind != ExprKind::kTensorRead || b->kind != ExprKind::kTensorRead) return std::nullopt;
  if (DataAxes(a, axes) < DataAxes(b, axes)) std::swap(a, b);
  return RolesOf(axes, reduce_axes, a, b);
}

std::optional<Roles> RolesOf(const std::vector<Axis>& axes, const std::vector<Axis>& reduce_axes,
                             const Expr& input, const std::optional<Expr>& weight) {
  Roles roles{.input = input, .weight = weight};
  ir::Ranges ranges;
  // Ranges of axes of one iteration stay unknown, so that the analysis does not drop such axes.
  for (const std::vector<Axis>* list : {&axes, &reduce_axes}) {
    for (const Axis& a : *list) {
      if (a.extent > 1) ranges.Set(a);
    }
  }
  for (const Expr& index : input->args)
    roles.offsets.push_back(ir::ToLinear(index, ranges).constant);
  for (const Axis& a : axes) {
    AxisRole r{.axis = a};
    const AxisUse in = UseOf(roles.input, a.var, ranges, reduce_axes);
    const AxisUse w = roles.weight ? UseOf(*roles.weight, a.var, ranges, reduce_axes) : AxisUse{};
    if (!in.linear || !w.linear) return std::nullopt;
    r.input_dim = in.dim;
    r.weight_dim = w.dim;
    r.coeff = in.coeff;
    r.group = in.group;
    if (w.dim >= 0 && (in.dim < 0 || in.group > 0)) {
      r.role = Role::kOutputChannel;
    } else if (w.dim >= 0) {
      r.role = Role::kChannelwise;
    } else if (in.dim >= 0 && (in.beside || in.coeff != 1)) {
      r.role = Role::kSpatial;
    } else {
      r.role = Role::kBatch;
    }
    roles.data.push_back(r);
  }
  for (const Axis& a : reduce_axes) {
    AxisRole r{.axis = a};
    const AxisUse in = UseOf(roles.input, a.var, ranges, axes);
    const AxisUse w = roles.weight ? UseOf(*roles.weight, a.var, ranges, axes) : AxisUse{};
    if (!in.linear || !w.linear) return std::nullopt;
    r.input_dim = in.dim;
    r.weight_dim = w.dim;
    r.coeff = in.coeff;
    // An input channel may share its index with a grouped output channel.
    bool spatial = false;
    for (const AxisRole& d : roles.data)
      spatial |= d.input_dim == in.dim && d.role == Role::kSpatial;
    r.role = spatial ? Role::kWindow : Role::kInputChannel;
    roles.reduced.push_back(r);
  }
  // Without weights, one data axis in front of the windows is channelwise: the axis directly before
  // the first spatial one. Others are batch.
  if (!roles.weight && roles.Find(Role::kWindow)) {
    for (size_t d = 1; d < roles.data.size(); ++d) {
      if (roles.data[d].role == Role::kSpatial && roles.data[d - 1].role == Role::kBatch) {
        roles.data[d - 1].role = Role::kChannelwise;
        break;
      }
    }
  }
  return roles;
}

}  // namespace tessera::te
