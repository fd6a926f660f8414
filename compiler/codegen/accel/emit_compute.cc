// SPDX-License-Identifier: Apache-2.0
//
// Products: GEMM with micro-ops, and DEPTHWISE.
#include <algorithm>

#include "base/check.h"
#include "compiler/codegen/accel/emit.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::codegen::accel {
namespace {

// Iteration counts, strides and micro-ops of one instruction.
constexpr int64_t kFactor = isa::GreatestOfAll(
    "Gemm.uop_count", "Gemm.iter_out", "Gemm.iter_in", "Gemm.dst_out", "Gemm.dst_in",
    "Gemm.src_out", "Gemm.src_in", "Gemm.wgt_out", "Gemm.wgt_in", "Depthwise.iter_out",
    "Depthwise.iter_in", "Depthwise.dst_out", "Depthwise.dst_in", "Depthwise.src_out",
    "Depthwise.src_in", "Depthwise.dst_z", "Depthwise.src_z");

void SplitReduction(const SolvedLeaf& solved, std::vector<LeafDim>* parallel,
                    std::vector<size_t>* reduced) {
  for (size_t k = 0; k < solved.dims.size(); ++k) {
    if (solved.dims[k].strides[0] == 0) {
      reduced->push_back(k);
    } else {
      parallel->push_back(solved.dims[k]);
    }
  }
}

}  // namespace

Status LeafEmitter::EmitGemm(const Leaf& leaf, const SolvedLeaf& solved, Env& env) {
  std::vector<LeafDim> parallel;
  std::vector<size_t> reduced;
  SplitReduction(solved, &parallel, &reduced);
  // Reduction steps in order, each a micro-op.
  std::vector<isa::Uop> uops;
  std::vector<int64_t> at(reduced.size(), 0);
  for (bool more = true; more;) {
    isa::Uop uop;
    for (size_t k = 0; k < reduced.size(); ++k) {
      uop.src += at[k] * solved.dims[reduced[k]].strides[1];
      uop.wgt += at[k] * solved.dims[reduced[k]].strides[2];
      env[solved.vars[reduced[k]].get()] = at[k];
    }
    uop.init = Evaluate(leaf.call->args[3], env);
    uops.push_back(uop);
    more = false;
    for (size_t k = reduced.size(); k-- > 0 && !more;) {
      more = ++at[k] < solved.dims[reduced[k]].extent;
      if (!more) at[k] = 0;
    }
  }
  for (size_t k : reduced) env[solved.vars[k].get()] = 0;

  Fold(parallel, false);
  // Two kernels should fit at a time.
  const auto capacity =
      static_cast<size_t>(std::clamp<int64_t>(config_.Depth(isa::Memory::kUop) / 2, 1, kFactor));
  const LoopLimits limits{2, kFactor, {kFactor, kFactor, kFactor}};
  return ForPieces(parallel, limits, 3,
                   [&](std::span<const int64_t> offset, std::span<const LeafDim> loops) -> Status {
                     isa::Gemm gemm;
                     gemm.dst_base = solved.operands[0].base + offset[0];
                     gemm.src_base = solved.operands[1].base + offset[1];
                     gemm.wgt_base = solved.operands[2].base + offset[2];
                     gemm.iter_out = gemm.iter_in = 1;
                     if (!loops.empty()) {
                       const LeafDim& in = loops.back();
                       gemm.iter_in = in.extent;
                       gemm.dst_in = in.strides[0], gemm.src_in = in.strides[1],
                       gemm.wgt_in = in.strides[2];
                     }
                     if (loops.size() == 2) {
                       const LeafDim& out = loops.front();
                       gemm.iter_out = out.extent;
                       gemm.dst_out = out.strides[0], gemm.src_out = out.strides[1],
                       gemm.wgt_out = out.strides[2];
                     }
                     for (size_t first = 0; first < uops.size(); first += capacity) {
                       const size_t count = std::min(capacity, uops.size() - first);
                       TESSERA_TRY(builder_.EmitGemm(gemm, std::span(uops).subspan(first, count)));
                     }
                     return {};
                   });
}

Status LeafEmitter::EmitWindow(const SolvedLeaf& solved) {
  std::vector<LeafDim> dims = solved.dims;
  Fold(dims, false);
  // The loop that moves the weights is z; at most one does.
  std::vector<LeafDim> inner;
  LeafDim z{1, {0, 0, 0}, 0, 1};
  bool z_taken = false;
  std::vector<LeafDim> unrolled;
  constexpr int64_t kIterZ = isa::GreatestOf("Depthwise.iter_z");
  constexpr int64_t kWgtZ = isa::GreatestOf("Depthwise.wgt_z");
  for (const LeafDim& d : dims) {
    if (d.strides[2] == 0) {
      inner.push_back(d);
    } else if (!z_taken && d.strides[2] <= kWgtZ && d.extent <= kIterZ && d.strides[0] <= kFactor &&
               d.strides[1] <= kFactor) {
      z = d, z_taken = true;
    } else {
      unrolled.push_back(d);
    }
  }
  const LoopLimits none{0, 1, {}};
  const LoopLimits limits{2, kFactor, {kFactor, kFactor, kFactor}};
  // values: init, kh, kw, win_y, win_x (elements), batch, block
  const int64_t tile = solved.operands[1].buffer->shape.back();
  return ForPieces(
      unrolled, none, 3, [&](std::span<const int64_t> base, std::span<const LeafDim>) -> Status {
        return ForPieces(
            inner, limits, 3,
            [&](std::span<const int64_t> offset, std::span<const LeafDim> loops) -> Status {
              isa::Depthwise v;
              v.init = solved.values[0];
              v.kh = solved.values[1], v.kw = solved.values[2];
              v.win_y = solved.values[3] / tile, v.win_x = solved.values[4] / tile;
              v.dst_base = solved.operands[0].base + base[0] + offset[0];
              v.src_base = solved.operands[1].base + base[1] + offset[1];
              v.wgt_base = solved.operands[2].base + base[2] + offset[2];
              v.iter_z = z.extent;
              v.dst_z = z.strides[0], v.src_z = z.strides[1], v.wgt_z = z.strides[2];
              v.iter_out = v.iter_in = 1;
              if (!loops.empty()) {
                v.iter_in = loops.back().extent;
                v.dst_in = loops.back().strides[0], v.src_in = loops.back().strides[1];
              }
              if (loops.size() == 2) {
                v.iter_out = loops.front().extent;
                v.dst_out = loops.front().strides[0], v.src_out = loops.front().strides[1];
              }
              builder_.Emit(v);
              return {};
            });
      });
}

Status LeafEmitter::Locate(SolvedLeaf& solved) const {
  for (size_t op = 0; op < solved.operands.size(); ++op) {
    Operand& operand = solved.operands[op];
    const auto place = places_.find(operand.buffer.get());
    TESSERA_CHECK(place != places_.end(), "buffer {} has no place", operand.buffer->name);
    // Elements of a tile or, in device memory, a byte; there |bytes| are a record's.
    const bool records = place->second.global && operand.buffer->dtype == DType::kInt32;
    const int64_t unit = records                ? target::RecordNumbers(config_)
                         : place->second.global ? 1
                                                : TileElements(config_, operand.buffer);
    const int64_t bytes = records ? config_.prm_tile_bytes() : 1;
    bool whole = operand.base % unit == 0;
    for (LeafDim& d : solved.dims) {
      whole &= d.strides[op] % unit == 0 && d.strides[op] >= 0;
      d.strides[op] = d.strides[op] / unit * bytes;
    }
    if (!whole)
      return Fail(Code::kUnsupported, "{}: an access that is not of whole tiles",
                  operand.buffer->name);
    operand.base = operand.base / unit * bytes + place->second.base;
  }
  return {};
}

Status LeafEmitter::Emit(const Leaf& leaf, Env& env) {
  TESSERA_ASSIGN(SolvedLeaf solved, Solve(leaf, env));
  if (solved.empty) return {};
  TESSERA_TRY(Locate(solved));
  const std::string& name = leaf.call->name;
  if (name == target::kTileLoad) return EmitLoad(leaf, solved, env);
  if (name == target::kTileFill) return EmitFill(solved);
  if (leaf.condition) return Fail(Code::kUnsupported, "{} under a condition", name);
  if (name == target::kTileStore) return EmitStore(solved);
  if (name == target::kTileGemm) return EmitGemm(leaf, solved, env);
  if (name == target::kTileWindow) return EmitWindow(solved);
  if (name == target::kTileRequant) return EmitRequant(solved, false);
  if (name == target::kTileRequantPrm) return EmitRequant(solved, true);
  if (name == target::kTileAdd) return EmitAdd(solved);
  if (name == target::kTileAlu) return EmitAlu(leaf, solved, env);
  if (name == target::kTileAluImm) return EmitAluImm(solved);
  return Fail(Code::kUnsupported, "no instruction does what {} does", name);
}

}  // namespace tessera::codegen::accel
