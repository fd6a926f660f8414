// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/pack_func.h"

#include <functional>
#include <vector>

#include "base/check.h"

namespace tessera::compiler {
namespace {

using ir::Expr;

ir::Buffer Flat(const std::string& name, int64_t elements) {
  ir::BufferNode node;
  node.name = name;
  node.dtype = ir::DType::kI8;
  node.shape = {elements};
  return ir::MakeBuffer(node);
}

// Loops over |extents|, outermost first, around body(indices).
ir::Stmt Loops(const std::vector<std::pair<const char*, int64_t>>& extents,
               const std::function<ir::Stmt(const std::vector<Expr>&)>& body) {
  std::vector<Expr> vars;
  for (const auto& [name, extent] : extents) vars.push_back(ir::Var(name));
  ir::Stmt s = body(vars);
  for (size_t i = extents.size(); i-- > 0;) {
    s = ir::For(vars[i], Expr(0), Expr(extents[i].second), ir::LoopKind::kSerial, s);
  }
  return s;
}

// Row-major offset of |index| in an array of |extents|.
Expr Offset(const std::vector<Expr>& index, const std::vector<int64_t>& extents) {
  TESSERA_CHECK(index.size() == extents.size());
  Expr offset = index[0];
  for (size_t d = 1; d < index.size(); ++d) offset = offset * Expr(extents[d]) + index[d];
  return offset;
}

// lo <= e < hi as far as it is not certain from e in [least, most].
void Within(Expr e, int64_t least, int64_t most, int64_t lo, int64_t hi, Expr* condition) {
  const auto add = [&](Expr c) { *condition = *condition ? ir::And(*condition, c) : c; };
  if (least < lo) add(ir::Le(Expr(lo), e));
  if (most >= hi) add(ir::Lt(e, Expr(hi)));
}

}  // namespace

ir::Func PackFunc(const std::string& name, const isa::Packing& p) {
  const auto [images, channels, height, width] = p.shape;
  const ir::Buffer tensor = Flat("tensor", p.elements()), packed = Flat("packed", p.bytes());
  const std::vector<int64_t> to{p.batches, p.blocks, p.out_y, p.out_x, p.rows, p.block};
  // One statement a lane, since each has its own channel and offsets.
  std::vector<ir::Stmt> blocks;
  for (int64_t block = 0; block < p.blocks; ++block) {
    blocks.push_back(Loops({{"n", p.batches}, {"y", p.out_y}, {"x", p.out_x}, {"r", p.rows}}, [&](const std::vector<Expr>& i) {
      std::vector<ir::Stmt> lanes;
      const Expr image = i[0] * Expr(p.rows) + i[3];
      for (int64_t j = 0; j < p.block; ++j) {
        const isa::Packing::Lane& lane = p.lanes[static_cast<size_t>(block * p.block + j)];
        const Expr fill = ir::Imm(ir::DType::kI8, p.fill);
        Expr value = fill;
        if (lane.channel >= 0) {
          const Expr y = i[1] * Expr(p.stride[0]) + Expr(lane.dy), x = i[2] * Expr(p.stride[1]) + Expr(lane.dx);
          const Expr read = ir::Load(tensor, {Offset({image, Expr(lane.channel), y, x}, {images, channels, height, width})});
          Expr inside;
          Within(image, 0, p.batches * p.rows - 1, 0, images, &inside);
          Within(y, lane.dy, (p.out_y - 1) * p.stride[0] + lane.dy, 0, height, &inside);
          Within(x, lane.dx, (p.out_x - 1) * p.stride[1] + lane.dx, 0, width, &inside);
          value = inside ? ir::Select(inside, read, fill) : read;
        }
        lanes.push_back(ir::Store(packed, {Offset({i[0], Expr(block), i[1], i[2], i[3], Expr(j)}, to)}, value));
      }
      return ir::Seq(lanes);
    }));
  }
  return {name, {tensor, packed}, ir::Seq(blocks)};
}

ir::Func UnpackFunc(const std::string& name, const isa::Packing& p) {
  TESSERA_CHECK(p.plain());
  const auto [images, channels, height, width] = p.shape;
  const ir::Buffer tensor = Flat("tensor", p.elements()), packed = Flat("packed", p.bytes());
  const std::vector<int64_t> from{p.batches, p.blocks, p.out_y, p.out_x, p.rows, p.block};
  const ir::Stmt body = Loops({{"n", images}, {"c", channels}, {"y", height}, {"x", width}}, [&](const std::vector<Expr>& i) {
    const Expr place = Offset({ir::FloorDiv(i[0], Expr(p.rows)), ir::FloorDiv(i[1], Expr(p.block)), i[2], i[3],
                               ir::FloorMod(i[0], Expr(p.rows)), ir::FloorMod(i[1], Expr(p.block))}, from);
    return ir::Store(tensor, {Offset(i, {images, channels, height, width})}, ir::Load(packed, {place}));
  });
  return {name, {packed, tensor}, body};
}

}  // namespace tessera::compiler
