// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/accel/host_pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/accel/region.h"

namespace tessera::lower::accel {
namespace {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;
using schedule::accel::Packing;

// The entries of |values| in |order|.
template <typename T>
std::vector<T> InOrder(const std::vector<T>& values, const std::vector<int>& order) {
  if (order.empty()) return values;
  std::vector<T> out;
  for (const int d : order) out.push_back(values[static_cast<size_t>(d)]);
  return out;
}

Buffer TensorBuffer(const Packing& p, const std::vector<int>& order, const Layout& layout) {
  return ir::MakeBuffer(
      {"tensor", DType::kInt8, InOrder<int64_t>({p.shape.begin(), p.shape.end()}, order), layout});
}

struct PackLoop {
  std::string name;
  int64_t extent;
};
Stmt Nest(const std::vector<PackLoop>& loops,
          const std::function<Stmt(const std::vector<Expr>&)>& body) {
  std::vector<Expr> vars;
  for (const PackLoop& l : loops) vars.push_back(ir::Var(l.name));
  Stmt s = body(vars);
  for (size_t k = loops.size(); k-- > 0;) {
    s = ir::For(vars[k], Expr(0), Expr(loops[k].extent), ir::LoopKind::kSerial, s);
  }
  return s;
}

// The loops of PackFunc over the physical dimensions of the layout. Dimensions whose index the
// prepared expression divides are outermost, so that the inner loops do not repeat the division.
class PackNest {
 public:
  PackNest(const Packing& p, const std::vector<int>& order, const Layout& layout)
      : p_(p),
        order_(order),
        dims_(PhysicalDims(p)),
        extents_(PhysicalShape(p.packed_shape(), p.layout)),
        tensor_(TensorBuffer(p, order, layout)),
        packed_(ir::MakeBuffer({"packed", DType::kInt8, extents_})) {}

  const Buffer& tensor() const { return tensor_; }
  const Buffer& packed() const { return packed_; }

  Stmt Make() const {
    std::vector<PackLoop> loops;
    std::vector<size_t> order;  // physical dimensions
    for (const bool outside : {true, false}) {
      for (size_t k = 0; k < dims_.size(); ++k) {
        if (Divided(static_cast<size_t>(dims_[k].dim)) != outside) continue;
        order.push_back(k);
        loops.push_back({fmt::format("p{}", k), extents_[k]});
      }
    }
    return Nest(loops, [&](const std::vector<Expr>& vars) {
      std::vector<Expr> at(dims_.size(), Expr(0));
      for (size_t k = 0; k < order.size(); ++k) at[order[k]] = vars[k];
      return Element(at);
    });
  }

 private:
  static std::vector<LayoutDim> PhysicalDims(const Packing& p) {
    if (!p.layout.empty()) return p.layout.dims;
    std::vector<LayoutDim> dims;
    for (size_t d = 0; d < p.packed_shape().size(); ++d) dims.push_back({static_cast<int>(d)});
    return dims;
  }

  // Whether the prepared expression divides its index in dimension |d|.
  bool Divided(size_t d) const {
    bool divided = false;
    if (p_.plain()) return divided;
    ir::Visit(p_.prepared->body, [&](const Expr& e) {
      if (e->kind != ir::ExprKind::kBin) return;
      const bool divides = e->bin() == ir::BinOp::kDiv || e->bin() == ir::BinOp::kMod;
      divided |= divides && ir::UsesVar(e, p_.prepared->axes[d].var);
    });
    return divided;
  }

  // packed[at] = an element of the tensor or of the prepared expression; outside of it, the fill.
  Stmt Element(const std::vector<Expr>& at) const {
    const std::span<const int64_t> shape = p_.packed_shape();
    std::vector<Expr> index(shape.size(), Expr(0));
    std::vector<int64_t> least(shape.size(), 0), most(shape.size(), 0);
    std::vector<bool> seen(shape.size(), false);
    for (size_t k = 0; k < at.size(); ++k) {
      const auto d = static_cast<size_t>(dims_[k].dim);
      Expr part = dims_[k].div == 1 ? at[k] : at[k] * Expr(dims_[k].div);
      if (dims_[k].before > 0) part = part - Expr(dims_[k].before);
      index[d] = seen[d] ? index[d] + part : part;
      seen[d] = true;
      least[d] -= dims_[k].before;
      most[d] += (extents_[k] - 1) * dims_[k].div - dims_[k].before;
    }
    std::optional<Expr> inside;
    const auto holds = [&](const Expr& condition) {
      inside = inside ? ir::And(*inside, condition) : condition;
    };
    for (size_t d = 0; d < shape.size(); ++d) {
      if (least[d] < 0) holds(ir::Le(Expr(0), index[d]));
      if (most[d] >= shape[d]) holds(ir::Lt(index[d], Expr(shape[d])));
    }
    const Stmt copy = Value(at, index);
    const Stmt fill = ir::Store(packed_, at, ir::Imm(DType::kInt8, p_.layout.fill));
    return inside ? ir::If(*inside, copy, fill) : copy;
  }

  // packed[at] = the element at |index|.
  Stmt Value(const std::vector<Expr>& at, const std::vector<Expr>& index) const {
    const auto load = [&](const std::vector<Expr>& of) {
      std::vector<Expr> whole(4, Expr(0));  // [batch, channel, y, x]
      for (size_t d = 0; d < of.size(); ++d)
        whole[schedule::accel::PositionOf(of.size(), d)] = of[d];
      return ir::Load(tensor_, InOrder<Expr>(whole, order_));
    };
    if (p_.plain()) return ir::Store(packed_, at, load(index));
    ir::VarMap axes;
    for (size_t d = 0; d < index.size(); ++d) axes[p_.prepared->axes[d].var.get()] = index[d];
    const Expr body = ir::Rewrite(ir::Substitute(p_.prepared->body, axes), [&](const Expr& e) {
      return e->kind == ir::ExprKind::kTensorRead ? load(e->args) : e;
    });
    return Branches(at, body);
  }

  // Writes branches instead of selects, so that no load reads outside of the tensor.
  Stmt Branches(const std::vector<Expr>& at, const Expr& value) const {
    if (value->kind != ir::ExprKind::kSelect) return ir::Store(packed_, at, value);
    return ir::If(value->args[0], Branches(at, value->args[1]), Branches(at, value->args[2]));
  }

  const Packing& p_;
  const std::vector<int>& order_;
  const std::vector<LayoutDim> dims_;
  const std::vector<int64_t> extents_;
  const Buffer tensor_, packed_;
};

}  // namespace

ir::Func PackFunc(const Packing& p, const std::string& name, const std::vector<int>& order,
                  const Layout& layout) {
  const PackNest nest(p, order, layout);
  return {name, {nest.tensor(), nest.packed()}, ir::Simplify(nest.Make())};
}

ir::Func UnpackFunc(const Packing& p, const std::string& name, const Layout& layout) {
  TESSERA_CHECK(p.plain());
  const Buffer tensor = TensorBuffer(p, {}, layout);
  const Buffer packed =
      ir::MakeBuffer({"packed", DType::kInt8, {p.shape.begin(), p.shape.end()}, p.layout});
  ir::Func func{name, {packed, tensor}, {}};
  func.body = ir::Simplify(
      Nest({{"n", p.shape[0]}, {"c", p.shape[1]}, {"y", p.shape[2]}, {"x", p.shape[3]}},
           [&](const std::vector<Expr>& v) { return ir::Store(tensor, v, ir::Load(packed, v)); }));
  return func;
}

Layout LayoutForRank(const Layout& layout, size_t rank) {
  TESSERA_CHECK(rank >= 1 && rank <= 4);
  std::array<int, 4> dim{-1, -1, -1, -1};  // dimension at each position
  for (size_t d = 0; d < rank; ++d) dim[schedule::accel::PositionOf(rank, d)] = static_cast<int>(d);
  Layout out;
  out.fill = layout.fill;
  for (size_t k = 0; k < layout.dims.size(); ++k) {
    const LayoutDim& d = layout.dims[k];
    const int to = dim[static_cast<size_t>(d.dim)];
    if (to < 0) continue;
    out.dims.push_back({to, d.div, d.mod, d.before, d.after});
    if (!layout.strides.empty()) out.strides.push_back(layout.strides[k]);
  }
  return out;
}

}  // namespace tessera::lower::accel
