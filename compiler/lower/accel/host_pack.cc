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

// The dimensions of |values| in |order|.
template <typename T>
std::vector<T> InOrder(const std::vector<T>& values, const std::vector<int>& order) {
  if (order.empty()) return values;
  std::vector<T> out;
  for (const int d : order) out.push_back(values[static_cast<size_t>(d)]);
  return out;
}

Buffer TensorBuffer(const isa::Packing& p, const std::vector<int>& order = {}) {
  return ir::MakeBuffer(
      {"tensor", DType::kInt8, InOrder<int64_t>({p.shape.begin(), p.shape.end()}, order)});
}
Buffer PackedBuffer(const isa::Packing& p) {
  return ir::MakeBuffer(
      {"packed", DType::kInt8, {p.batches, p.blocks, p.out_y, p.out_x, p.rows, p.block}});
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

// packed[n, b, y, x, r, j] for given indices.
Stmt PackElement(const isa::Packing& p, const Buffer& tensor, const Buffer& packed,
                 const std::vector<int>& order, const std::vector<Expr>& at, Expr channel,
                 int64_t last_channel, int64_t dy, int64_t dx) {
  const Expr image = at[0] * Expr(p.rows) + at[4];
  const Expr y = at[2] * Expr(p.stride[0]) + Expr(dy), x = at[3] * Expr(p.stride[1]) + Expr(dx);
  const std::optional<Expr> conditions[] = {
      Inside(image, 0, p.batches * p.rows - 1, p.shape[0]),
      Inside(channel, 0, last_channel, p.shape[1]),
      Inside(y, dy, (p.out_y - 1) * p.stride[0] + dy, p.shape[2]),
      Inside(x, dx, (p.out_x - 1) * p.stride[1] + dx, p.shape[3])};
  // Branches, not selects: what is outside the tensor is never read.
  std::optional<Expr> inside;
  for (const std::optional<Expr>& c : conditions) {
    if (c) inside = inside ? ir::And(*inside, *c) : *c;
  }
  const Stmt copy =
      ir::Store(packed, at, ir::Load(tensor, InOrder<Expr>({image, channel, y, x}, order)));
  if (!inside) return copy;
  return ir::If(*inside, copy, ir::Store(packed, at, ir::Imm(DType::kInt8, p.fill)));
}

}  // namespace

ir::Func PackFunc(const isa::Packing& p, const std::string& name, const std::vector<int>& order) {
  const Buffer tensor = TensorBuffer(p, order), packed = PackedBuffer(p);
  ir::Func func{name, {tensor, packed}, {}};
  if (p.plain()) {
    func.body =
        Nest({{"n", p.batches},
              {"b", p.blocks},
              {"y", p.out_y},
              {"x", p.out_x},
              {"r", p.rows},
              {"j", p.block}},
             [&](const std::vector<Expr>& at) {
               return PackElement(p, tensor, packed, order, at, at[1] * Expr(p.block) + at[5],
                                  p.blocks * p.block - 1, 0, 0);
             });
    func.body = ir::Simplify(func.body);
    return func;
  }
  // One nest a lane.
  std::vector<Stmt> lanes;
  for (int64_t j = 0; j < p.blocks * p.block; ++j) {
    const isa::Packing::TapLane& lane = p.lanes[static_cast<size_t>(j)];
    lanes.push_back(Nest({{"n", p.batches}, {"y", p.out_y}, {"x", p.out_x}, {"r", p.rows}},
                         [&](const std::vector<Expr>& v) {
                           const std::vector<Expr> at{v[0], Expr(j / p.block), v[1], v[2],
                                                      v[3], Expr(j % p.block)};
                           if (lane.channel < 0)
                             return ir::Store(packed, at, ir::Imm(DType::kInt8, p.fill));
                           return PackElement(p, tensor, packed, order, at, Expr(lane.channel),
                                              lane.channel, lane.dy, lane.dx);
                         }));
  }
  func.body = ir::Simplify(ir::Seq(lanes));
  return func;
}

ir::Func UnpackFunc(const isa::Packing& p, const std::string& name) {
  TESSERA_CHECK(p.plain());
  const Buffer tensor = TensorBuffer(p), packed = PackedBuffer(p);
  ir::Func func{name, {packed, tensor}, {}};
  func.body = ir::Simplify(
      Nest({{"n", p.shape[0]}, {"c", p.shape[1]}, {"y", p.shape[2]}, {"x", p.shape[3]}},
           [&](const std::vector<Expr>& v) {
             const Expr rows(p.rows), block(p.block);
             return ir::Store(
                 tensor, v,
                 ir::Load(packed, {ir::FloorDiv(v[0], rows), ir::FloorDiv(v[1], block), v[2], v[3],
                                   ir::FloorMod(v[0], rows), ir::FloorMod(v[1], block)}));
           }));
  return func;
}

ir::Layout LayoutOf(const isa::Packing& p, size_t rank) {
  TESSERA_CHECK(p.plain() && rank >= 1 && rank <= 4);
  ir::Layout layout;
  layout.fill = p.fill;
  std::array<int, 4> dim{-1, -1, -1, -1};  // of each position
  for (size_t d = 0; d < rank; ++d) dim[schedule::accel::PositionOf(rank, d)] = static_cast<int>(d);
  const bool rows = dim[0] >= 0 && p.rows > 1;
  if (dim[0] >= 0) layout.dims.push_back({dim[0], p.rows, 0});
  layout.dims.push_back({dim[1], p.block, 0});
  for (size_t k : {size_t{2}, size_t{3}}) {
    if (dim[k] >= 0) layout.dims.push_back({dim[k], 1, 0});
  }
  if (rows) layout.dims.push_back({dim[0], 1, p.rows});
  layout.dims.push_back({dim[1], 1, p.block});
  return layout;
}

}  // namespace tessera::lower::accel
