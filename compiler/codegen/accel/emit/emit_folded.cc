// SPDX-License-Identifier: Apache-2.0
//
// Instructions that touch folded tensors. The place of a row depends on the set that it is in.
#include <algorithm>
#include <utility>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/codegen/accel/emit/emit.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::codegen::accel {
namespace {

// |solved| with only iterations [first, last) of loop |d|.
SolvedLeaf Part(const SolvedLeaf& solved, size_t d, int64_t first, int64_t last) {
  SolvedLeaf part = solved;
  target::LeafDim& dim = part.dims[d];
  for (size_t op = 0; op < part.operands.size(); ++op)
    part.operands[op].base += first * dim.strides[op];
  dim.extent = last - first;
  dim.first = 0, dim.last = dim.extent;
  if (dim.extent > 1) return part;
  part.dims.erase(part.dims.begin() + static_cast<std::ptrdiff_t>(d));
  part.vars.erase(part.vars.begin() + static_cast<std::ptrdiff_t>(d));
  return part;
}

// How many rows of |row| elements an instruction's tile reads below its first row.
int64_t RowsBelow(const Leaf& leaf, const SolvedLeaf& solved, int64_t row) {
  const target::TileCall* call = target::FindTileCall(leaf.call->name);
  return call == nullptr || call->rows_below == nullptr ? 0 : call->rows_below(solved) / row;
}

}  // namespace

Status LeafEmitter::EmitRows(const Leaf& leaf, const SolvedLeaf& solved, Env& env) {
  const FoldedPlace& place = *PlaceOf(solved.operands[0]).folded;
  std::vector<size_t> rows;  // loops over rows
  for (size_t d = 0; d < solved.dims.size(); ++d) {
    const int64_t stride = solved.dims[d].strides[0];
    if (stride >= place.pitch && stride < place.plane) rows.push_back(d);
  }
  const auto refuse = [&] {
    return Fail(Code::kUnsupported, "{}: rows of it that are not whole tiles of work",
                solved.operands[0].buffer->name);
  };
  for (const size_t d : rows) {
    if (!solved.dims[d].whole() || solved.dims[d].strides[0] % place.pitch != 0) return refuse();
  }
  if (rows.size() > 1) {
    for (int64_t k = 0; k < solved.dims[rows[0]].extent; ++k)
      TESSERA_TRY(EmitRows(leaf, Part(solved, rows[0], k, k + 1), env));
    return {};
  }
  const int64_t row = solved.operands[0].base % place.plane / place.pitch,
                before = place.SetOf(solved.operands[0].base) * place.times,
                count = rows.empty() ? 1 : solved.dims[rows[0]].extent,
                step = rows.empty() ? 1 : solved.dims[rows[0]].strides[0] / place.pitch;
  for (int64_t time = 0; time < place.times; ++time) {
    const int64_t begin = time * place.step, end = begin + place.rows;
    const int64_t first = CeilDiv(std::max<int64_t>(begin - row, 0), step),
                  last = std::min(count, CeilDiv(std::max<int64_t>(end - row, 0), step));
    if (first >= last) continue;
    TESSERA_TRY(EmitAt(before + time, leaf,
                       rows.empty() ? solved : Part(solved, rows[0], first, last), env));
  }
  return {};
}

Status LeafEmitter::Fold(int64_t time, const Leaf& leaf, size_t op, SolvedLeaf& solved) {
  target::LeafOperand& operand = solved.operands[op];
  const BufferAddress& address = PlaceOf(operand);
  const FoldedPlace& place = *address.folded;
  const int64_t kept = place.rows * place.pitch;  // tiles of a block that are on chip
  const int64_t at = operand.base % place.plane, row = at / place.pitch,
                set = place.SetOf(operand.base);
  int64_t far = at, block = operand.base / place.plane;  // the last ones that it touches
  for (target::LeafDim& d : solved.dims) {
    int64_t& stride = d.strides[op];
    if (stride >= place.plane) {
      TESSERA_CHECK(stride % place.plane == 0, "{}", operand.buffer->name);
      block += stride / place.plane * (d.extent - 1);
      stride = stride / place.plane * kept;
    } else {
      far += stride * (d.extent - 1);
    }
  }
  if (block / place.planes != set) {
    return Fail(Code::kUnsupported,
                "{}: blocks of channels {} to {} are not there together: {} are (fold_storage); "
                "choose tiles of so many channels",
                operand.buffer->name, operand.base / place.plane, block, place.planes);
  }
  if (time < 0) time = set * place.times + std::min(row / place.step, place.times - 1);
  const int64_t begin = (time - set * place.times) * place.step,
                last = far / place.pitch +
                       RowsBelow(leaf, solved, place.pitch * TileElements(config_, operand.buffer));
  if (far >= place.plane || row < begin || last >= begin + place.rows) {
    return Fail(Code::kUnsupported,
                "{}: rows {} to {} are not there together: {} are, from multiples of {} on "
                "(fold_storage); choose tiles of rows that divide its step",
                operand.buffer->name, row, last, place.rows, place.step);
  }
  const FoldedAccess access{place.activation, address.base,     place.tiles, time,
                            row - begin,      last + 1 - begin, op == 0};
  if (log_ != nullptr && (log_->empty() || log_->back() != access)) log_->push_back(access);
  operand.base =
      address.base + operand.base / place.plane % place.planes * kept + at - begin * place.pitch;
  return {};
}

}  // namespace tessera::codegen::accel
