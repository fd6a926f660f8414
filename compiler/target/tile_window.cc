// SPDX-License-Identifier: Apache-2.0
//
// DEPTHWISE: applies a window to each channel with its own weights.
#include "base/bits.h"
#include "compiler/target/tile_emission.h"
#include "compiler/target/tile_math.h"
#include "isa/costs.h"
#include "isa/field_values.h"
#include "isa/insns.h"

namespace tessera::target {
namespace {

Status TileWindow(Operands a) {
  const int64_t kh = a[4].value, kw = a[5].value, win_y = a[6].value, win_x = a[7].value;
  const int64_t batch = a[8].value, block = a[9].value;
  TESSERA_TRY(Check(kTileWindow, a[0], batch * block));
  TESSERA_TRY(Check(kTileWindow, a[1], (kh - 1) * win_y + (kw - 1) * win_x + batch * block));
  TESSERA_TRY(Check(kTileWindow, a[2], CeilDiv(kh * kw, block) * block * block));
  for (int64_t lane = 0; lane < batch * block; ++lane) {
    int64_t sum = a[3].value != 0 ? 0 : At(a[0], lane);
    for (int64_t y = 0; y < kh; ++y) {
      for (int64_t x = 0; x < kw; ++x) {
        const int64_t tap = y * kw + x;
        const int64_t row = tap / block * block + lane % block;
        sum += At(a[1], y * win_y + x * win_x + lane) * At(a[2], row * block + tap % block);
      }
    }
    Put(a[0], lane, Low(sum));
  }
  return {};
}

// A tile of WGT holds one row of taps per channel.
TensorIntrin Window(const isa::Config& config) {
  const int64_t batch = config.batch, block = config.block_out;
  constexpr int64_t kTaps = isa::GreatestOfAll("Depthwise.kh", "Depthwise.kw");
  const auto number = [](const char* name) { return ir::Var(name, DType::kInt64); };
  const Expr kh = number("kh"), kw = number("kw"), win_y = number("win_y"), win_x = number("win_x");
  const Tensor inp = te::Placeholder("inp", DType::kInt8, {batch * block}),
               wgt = te::Placeholder("wgt", DType::kInt8, {block * block});
  const te::Axis y = te::ReduceAxis("ky", kTaps), x = te::ReduceAxis("kx", kTaps);
  const Tensor acc =
      te::Compute("acc", {batch, block}, {"b", "c"}, [&](const std::vector<Expr>& i) {
        const Expr lane = i[0] * Expr(block) + i[1];
        return te::Sum(Wide(inp(y.var * win_y + x.var * win_x + lane)) *
                           Wide(wgt(i[1] * Expr(block) + y.var * kw + x.var)),
                       {y, x});
      });
  return {.name = "tile.window",
          .call = kTileWindow,
          .behaviour = acc,
          .trailing = {FirstStep(), kh, kw, win_y, win_x, Expr(batch), Expr(block)},
          .partial = true,
          .counts = {{"ky", kh}, {"kx", kw}},
          .scopes = {{"inp", {ir::Scope::kInp}},
                     {"wgt", {ir::Scope::kWgt}},
                     {"acc", {ir::Scope::kAcc}}},
          .cycles = static_cast<double>(isa::StepCycles<isa::Depthwise>(config, kTaps * kTaps))};
}

std::vector<TensorIntrin> WindowIntrinsics(const isa::Config& config) {
  if (!isa::HasInsn(isa::Depthwise::kName, config)) return {};
  return {Window(config)};
}

// Iteration counts and strides of one instruction.
constexpr int64_t kWindowFactor = isa::GreatestOfAll(
    "Depthwise.iter_out", "Depthwise.iter_in", "Depthwise.dst_out", "Depthwise.dst_in",
    "Depthwise.src_out", "Depthwise.src_in", "Depthwise.dst_z", "Depthwise.src_z");

// Indices into |leaf.values|.
enum WindowValue : uint8_t { kInit, kTapRows, kTapColumns, kWindowY, kWindowX };

// The tensor's rows lie further apart than its columns. Either may be the lines of the window.
int64_t RowsBelow(const SolvedLeaf& leaf) {
  const auto& v = leaf.values;
  return v[kWindowY] > v[kWindowX] ? (v[kTapRows] - 1) * v[kWindowY]
                                   : (v[kTapColumns] - 1) * v[kWindowX];
}

Status EmitWindow(const TileEmission& e) {
  // The pieces of a window accumulate, in order.
  std::vector<LeafDim> dims, pieces;
  for (const LeafDim& d : e.solved.dims) (d.strides[0] == 0 ? pieces : dims).push_back(d);
  Fold(dims, false);
  // The loop that moves the weights becomes z; at most one can.
  std::vector<LeafDim> inner;
  LeafDim z{1, {0, 0, 0}, 0, 1};
  bool z_taken = false;
  std::vector<LeafDim> unrolled;
  constexpr int64_t kIterZ = isa::GreatestOf("Depthwise.iter_z");
  constexpr int64_t kWgtZ = isa::GreatestOf("Depthwise.wgt_z");
  for (const LeafDim& d : dims) {
    if (d.strides[2] == 0) {
      inner.push_back(d);
    } else if (!z_taken && d.strides[2] <= kWgtZ && d.extent <= kIterZ &&
               d.strides[0] <= kWindowFactor && d.strides[1] <= kWindowFactor) {
      z = d, z_taken = true;
    } else {
      unrolled.push_back(d);
    }
  }
  const LoopLimits none{0, 1, {}};
  const LoopLimits limits{2, kWindowFactor, {kWindowFactor, kWindowFactor, kWindowFactor}};
  const int64_t tile = e.config.batch * e.config.block_out;
  int64_t init = e.solved.values[kInit];
  const auto piece = [&](std::span<const int64_t> at, std::span<const LeafDim>) -> Status {
    const Status emitted = ForPieces(
        unrolled, none, 3, [&](std::span<const int64_t> base, std::span<const LeafDim>) -> Status {
          return ForPieces(
              inner, limits, 3,
              [&](std::span<const int64_t> offset, std::span<const LeafDim> loops) -> Status {
                isa::Depthwise v;
                v.init = init;
                v.kh = e.solved.values[kTapRows], v.kw = e.solved.values[kTapColumns];
                v.win_y = e.solved.values[kWindowY] / tile;
                v.win_x = e.solved.values[kWindowX] / tile;
                v.dst_base = e.solved.operands[0].base + at[0] + base[0] + offset[0];
                v.src_base = e.solved.operands[1].base + at[1] + base[1] + offset[1];
                v.wgt_base = e.solved.operands[2].base + at[2] + base[2] + offset[2];
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
                e.sink.Emit(v);
                return {};
              });
        });
    init = 0;
    return emitted;
  };
  return ForPieces(pieces, none, 3, piece);
}

// INP gives two positions of a window a cycle, from different banks.
int64_t CallCycles(const isa::Config& config, int64_t sums, int64_t fresh) {
  return std::max(isa::StepCycles<isa::Depthwise>(config, sums), CeilDiv(fresh, 2));
}

}  // namespace

TileInstruction WindowTiles() {
  return {{{.meaning = {kTileWindow, {kU, kR, kR, kV, kV, kV, kV, kV, kV, kV}, TileWindow},
            .emit = EmitWindow,
            .unit = isa::Unit::kGemm,
            .call_cycles = CallCycles,
            .sums = true,
            .rows_below = RowsBelow}},
          WindowIntrinsics};
}

}  // namespace tessera::target
