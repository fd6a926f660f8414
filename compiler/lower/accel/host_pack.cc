// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/accel/host_pack.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "base/check.h"
#include "compiler/ir/simplify.h"
#include "compiler/schedule/accel/region.h"

namespace tessera::lower::accel {
namespace {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;
using schedule::accel::Im2col;
using schedule::accel::Packing;

// The dimensions of |values| in |order|.
template <typename T>
std::vector<T> InOrder(const std::vector<T>& values, const std::vector<int>& order) {
  if (order.empty()) return values;
  std::vector<T> out;
  for (const int d : order) out.push_back(values[static_cast<size_t>(d)]);
  return out;
}

Buffer TensorBuffer(const Packing& p, const std::vector<int>& order = {}) {
  return ir::MakeBuffer(
      {"tensor", DType::kInt8, InOrder<int64_t>({p.shape.begin(), p.shape.end()}, order)});
}

struct PackLoop {
  const char* name;
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

// at in [0, extent), given that it is in [lo, hi]; nothing when that says it all.
std::optional<Expr> Inside(Expr at, int64_t lo, int64_t hi, int64_t extent) {
  std::optional<Expr> inside;
  if (lo < 0) inside = ir::Le(Expr(0), at);
  if (hi >= extent) {
    const Expr below = ir::Lt(at, Expr(extent));
    inside = inside ? ir::And(*inside, below) : below;
  }
  return inside;
}

// The loops of PackFunc. A plain packing runs over the physical dimensions of the layout. After
// im2col the channel axis is three loops, over channels and taps, outside of the others, and what
// the layout adds to the axis is filled by a loop of its own.
class PackNest {
 public:
  PackNest(const Packing& p, const std::vector<int>& order)
      : p_(p),
        order_(order),
        extents_(PhysicalShape(p.packed_shape(), p.layout)),
        tensor_(TensorBuffer(p, order)),
        packed_(ir::MakeBuffer({"packed", DType::kInt8, extents_})) {}

  const Buffer& tensor() const { return tensor_; }
  const Buffer& packed() const { return packed_; }

  Stmt Make() const {
    if (p_.plain()) {
      return OverPlaces(std::nullopt, [&](const Places& at) { return Element(at, {}); });
    }
    const Im2col& r = *p_.im2col;
    const Stmt lanes =
        Nest({{"c", p_.shape[1]}, {"ty", r.taps[0]}, {"tx", r.taps[1]}},
             [&](const std::vector<Expr>& v) {
               const Expr lane = schedule::accel::LaneOf(r.taps, v[0], v[1], v[2]);
               return OverPlaces(lane, [&](const Places& at) { return Element(at, v); });
             });
    // Lanes of the last block that hold nothing.
    int64_t count = 1;
    for (size_t k = 0; k < extents_.size(); ++k) count *= OnChannelAxis(k) ? extents_[k] : 1;
    if (count == r.shape[1]) return lanes;
    const Stmt rest = Nest({{"lane", count - r.shape[1]}}, [&](const std::vector<Expr>& v) {
      return OverPlaces(v[0] + Expr(r.shape[1]), [&](const Places& at) { return Fill(at); });
    });
    return ir::Seq({lanes, rest});
  }

 private:
  using Places = std::vector<Expr>;  // physical index

  bool OnChannelAxis(size_t k) const { return p_.layout.dims[k].dim == 1; }

  // Loops over the physical dimensions; given |lane|, over those that are not of the channel axis.
  Stmt OverPlaces(const std::optional<Expr>& lane,
                  const std::function<Stmt(const Places&)>& body) const {
    static constexpr const char* kNames[] = {"p0", "p1", "p2", "p3", "p4", "p5"};
    std::vector<PackLoop> loops;
    for (size_t k = 0; k < extents_.size(); ++k) {
      if (!lane || !OnChannelAxis(k)) loops.push_back({kNames[k], extents_[k]});
    }
    return Nest(loops, [&](const std::vector<Expr>& vars) {
      Places at;
      size_t next = 0;
      for (size_t k = 0; k < extents_.size(); ++k) {
        if (!lane || !OnChannelAxis(k)) {
          at.push_back(vars[next++]);
          continue;
        }
        const LayoutDim& d = p_.layout.dims[k];
        const Expr block = d.div == 1 ? *lane : ir::FloorDiv(*lane, Expr(d.div));
        at.push_back(d.mod > 0 ? ir::FloorMod(block, Expr(d.mod)) : block);
      }
      return body(at);
    });
  }

  Stmt Fill(const Places& at) const {
    return ir::Store(packed_, at, ir::Imm(DType::kInt8, static_cast<int64_t>(p_.layout.fill)));
  }

  // packed[at]: its place in the tensor, or the fill. |lane|: channel and taps after im2col.
  Stmt Element(const Places& at, const std::vector<Expr>& lane) const {
    std::vector<Expr> index(4, Expr(0));
    std::array<int64_t, 4> lo{}, hi{};
    std::array<bool, 4> seen{};
    for (size_t k = 0; k < at.size(); ++k) {
      if (!lane.empty() && OnChannelAxis(k)) continue;
      const int64_t div = p_.layout.dims[k].div;
      const auto d = static_cast<size_t>(p_.layout.dims[k].dim);
      const Expr part = div == 1 ? at[k] : at[k] * Expr(div);
      index[d] = seen[d] ? index[d] + part : part;
      seen[d] = true;
      hi[d] += (extents_[k] - 1) * div;
    }
    if (!lane.empty()) {
      const Im2col& r = *p_.im2col;
      index[1] = lane[0];
      hi[1] = p_.shape[1] - 1;
      for (size_t d = 0; d < 2; ++d) {
        const size_t k = 2 + d;
        index[k] =
            index[k] * Expr(r.stride[d]) + lane[1 + d] * Expr(r.dilation[d]) - Expr(r.before[d]);
        lo[k] = -r.before[d];
        hi[k] = hi[k] * r.stride[d] + (r.taps[d] - 1) * r.dilation[d] - r.before[d];
      }
    }
    // Branches, not selects: what is outside the tensor is never read.
    std::optional<Expr> inside;
    for (size_t d = 0; d < 4; ++d) {
      const std::optional<Expr> condition = Inside(index[d], lo[d], hi[d], p_.shape[d]);
      if (condition) inside = inside ? ir::And(*inside, *condition) : *condition;
    }
    const Stmt copy = ir::Store(packed_, at, ir::Load(tensor_, InOrder<Expr>(index, order_)));
    return inside ? ir::If(*inside, copy, Fill(at)) : copy;
  }

  const Packing& p_;
  const std::vector<int>& order_;
  const std::vector<int64_t> extents_;
  const Buffer tensor_, packed_;
};

}  // namespace

ir::Func PackFunc(const Packing& p, const std::string& name, const std::vector<int>& order) {
  const PackNest nest(p, order);
  return {name, {nest.tensor(), nest.packed()}, ir::Simplify(nest.Make())};
}

ir::Func UnpackFunc(const Packing& p, const std::string& name) {
  TESSERA_CHECK(p.plain());
  const Buffer tensor = TensorBuffer(p);
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
  std::array<int, 4> dim{-1, -1, -1, -1};  // of each position
  for (size_t d = 0; d < rank; ++d) dim[schedule::accel::PositionOf(rank, d)] = static_cast<int>(d);
  Layout out;
  out.fill = layout.fill;
  for (const LayoutDim& d : layout.dims) {
    const int to = dim[static_cast<size_t>(d.dim)];
    if (to >= 0) out.dims.push_back({to, d.div, d.mod, d.before, d.after});
  }
  return out;
}

}  // namespace tessera::lower::accel
