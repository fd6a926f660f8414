// SPDX-License-Identifier: Apache-2.0
//
// GEMM: matrix products on the array, with one micro-op per step of the reduction.
#include <algorithm>

#include "compiler/target/tile_emission.h"
#include "compiler/target/tile_math.h"
#include "isa/costs.h"
#include "isa/insns.h"

namespace tessera::target {
namespace {

Status TileGemm(Operands a) {
  const int64_t batch = a[4].value, block = a[5].value;
  TESSERA_TRY(Check(kTileGemm, a[0], batch * block));
  TESSERA_TRY(Check(kTileGemm, a[1], batch * block));
  TESSERA_TRY(Check(kTileGemm, a[2], block * block));
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t o = 0; o < block; ++o) {
      int64_t sum = a[3].value != 0 ? 0 : At(a[0], b * block + o);
      for (int64_t i = 0; i < block; ++i) sum += At(a[1], b * block + i) * At(a[2], o * block + i);
      Put(a[0], b * block + o, Low(sum));
    }
  }
  return {};
}

std::vector<TensorIntrin> GemmIntrinsics(const isa::Config& config) {
  const int64_t batch = config.batch, block = config.block_out;
  const Tensor inp = te::Placeholder("inp", DType::kInt8, {batch, config.block_in}),
               wgt = te::Placeholder("wgt", DType::kInt8, {block, config.block_in});
  const te::Axis k = te::ReduceAxis("k", config.block_in);
  const Tensor acc =
      te::Compute("acc", {batch, block}, {"b", "o"}, [&](const std::vector<Expr>& i) {
        return te::Sum(Wide(inp(i[0], k.var)) * Wide(wgt(i[1], k.var)), {k});
      });
  return {{.name = "tile.gemm",
           .call = kTileGemm,
           .behaviour = acc,
           .trailing = {FirstStep(), Expr(batch), Expr(block)},
           .scopes = {{"inp", {ir::Scope::kInp}},
                      {"wgt", {ir::Scope::kWgt}},
                      {"acc", {ir::Scope::kAcc}}},
           .cycles = static_cast<double>(isa::StepCycles<isa::Gemm>(config))}};
}

// Iteration counts, strides and micro-ops of one instruction.
constexpr int64_t kGemmFactor =
    isa::GreatestOfAll("Gemm.uop_count", "Gemm.iter_out", "Gemm.iter_in", "Gemm.dst_out",
                       "Gemm.dst_in", "Gemm.src_out", "Gemm.src_in", "Gemm.wgt_out", "Gemm.wgt_in");

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

Status EmitGemm(const TileEmission& e) {
  std::vector<LeafDim> parallel;
  std::vector<size_t> reduced;
  SplitReduction(e.solved, &parallel, &reduced);
  // The reduction steps in order, one micro-op each.
  std::vector<isa::Uop> uops;
  std::vector<int64_t> at(reduced.size(), 0);
  for (bool more = true; more;) {
    isa::Uop uop;
    for (size_t k = 0; k < reduced.size(); ++k) {
      uop.src += at[k] * e.solved.dims[reduced[k]].strides[1];
      uop.wgt += at[k] * e.solved.dims[reduced[k]].strides[2];
      e.env[e.solved.vars[reduced[k]].get()] = at[k];
    }
    uop.init = Evaluate(e.leaf.call->args[3], e.env);
    uops.push_back(uop);
    more = false;
    for (size_t k = reduced.size(); k-- > 0 && !more;) {
      more = ++at[k] < e.solved.dims[reduced[k]].extent;
      if (!more) at[k] = 0;
    }
  }
  for (size_t k : reduced) e.env[e.solved.vars[k].get()] = 0;

  Fold(parallel, false);
  // Half of UOP: two kernels should fit at a time.
  const auto capacity = static_cast<size_t>(
      std::clamp<int64_t>(e.config.Depth(isa::Memory::kUop) / 2, 1, kGemmFactor));
  const LoopLimits limits{2, kGemmFactor, {kGemmFactor, kGemmFactor, kGemmFactor}};
  return ForPieces(parallel, limits, 3,
                   [&](std::span<const int64_t> offset, std::span<const LeafDim> loops) -> Status {
                     isa::Gemm gemm;
                     gemm.dst_base = e.solved.operands[0].base + offset[0];
                     gemm.src_base = e.solved.operands[1].base + offset[1];
                     gemm.wgt_base = e.solved.operands[2].base + offset[2];
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
                       TESSERA_TRY(e.sink.EmitGemm(gemm, std::span(uops).subspan(first, count)));
                     }
                     return {};
                   });
}

}  // namespace

TileInstruction GemmTiles() {
  return {{{.meaning = {kTileGemm, {kU, kR, kR, kV, kV, kV}, TileGemm},
            .emit = EmitGemm,
            .unit = isa::Unit::kGemm,
            .has_micro_ops = true,
            .sums = true}},
          GemmIntrinsics};
}

}  // namespace tessera::target
