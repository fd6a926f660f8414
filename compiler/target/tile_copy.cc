// SPDX-License-Identifier: Apache-2.0
//
// LOAD with its pads, and STORE. Both move boxes: x, y and z are the innermost loops whose
// scratchpad side has no gaps.
#include <algorithm>
#include <array>

#include "base/bits.h"
#include "compiler/target/accelerator.h"
#include "compiler/target/tile_emission.h"
#include "compiler/target/tile_math.h"

namespace tessera::target {
namespace {

Status TileLoad(Operands a) {
  const int64_t count = a[2].value;
  TESSERA_TRY(Check(kTileLoad, a[0], a[3].value));
  TESSERA_TRY(Check(kTileLoad, a[1], count));
  for (int64_t i = 0; i < count; ++i) Put(a[0], i, At(a[1], i));
  return {};
}

Status TileFill(Operands a) {
  TESSERA_TRY(Check(kTileFill, a[0], a[1].value));
  for (int64_t i = 0; i < a[1].value; ++i) Put(a[0], i, a[2].value);
  return {};
}

Status TileStore(Operands a) {
  TESSERA_TRY(Check(kTileStore, a[0], a[2].value));
  TESSERA_TRY(Check(kTileStore, a[1], a[2].value));
  for (int64_t i = 0; i < a[2].value; ++i) Put(a[0], i, At(a[1], i));
  return {};
}

// Copies |elements| of |dtype|, or fewer, into |scope|.
TensorIntrin Load(const char* name, DType dtype, int64_t elements, ir::Scope scope) {
  const Tensor src = te::Placeholder("src", dtype, {elements});
  const Tensor dst =
      te::Compute("dst", {elements}, {"i"}, [&](const std::vector<Expr>& i) { return src(i[0]); });
  return {.name = name,
          .call = kTileLoad,
          .behaviour = dst,
          .trailing = {TileCount(), Expr(elements)},
          .partial = true,
          .scopes = {{"src", {ir::Scope::kGlobal}}, {"dst", {scope}}}};
}

// Fills a tile with one value.
TensorIntrin Fill(const char* name, int64_t elements, ir::Scope scope) {
  const Expr value = ir::Var("value", DType::kInt8);
  const Tensor dst = te::Compute("dst", {elements}, {"i"}, [&](const auto&) { return value; });
  return {.name = name,
          .call = kTileFill,
          .behaviour = dst,
          .trailing = {Expr(elements), value},
          .partial = true,
          .scopes = {{"dst", {scope}}}};
}

TensorIntrin Store(int64_t elements) {
  TensorIntrin store = Load("tile.store", DType::kInt8, elements, ir::Scope::kGlobal);
  store.call = kTileStore;
  store.trailing = {TileCount()};
  store.scopes = {{"src", {ir::Scope::kOut}}, {"dst", {ir::Scope::kGlobal}}};
  return store;
}

std::vector<TensorIntrin> CopyIntrinsics(const isa::Config& config) {
  const int64_t tile = config.batch * config.block_out;
  return {Load("tile.load_inp", DType::kInt8, tile, ir::Scope::kInp),
          Fill("tile.fill_inp", tile, ir::Scope::kInp),
          Load("tile.load_out", DType::kInt8, tile, ir::Scope::kOut),
          Load("tile.load_wgt", DType::kInt8, config.wgt_tile_bytes(), ir::Scope::kWgt),
          Fill("tile.fill_wgt", config.wgt_tile_bytes(), ir::Scope::kWgt),
          Load("tile.load_prm", DType::kInt32, RecordNumbers(config), ir::Scope::kPrm),
          Load("tile.load_tab", DType::kInt8, config.TileBytes(isa::Memory::kTab), ir::Scope::kTab),
          Store(tile)};
}

constexpr int64_t kSizeLimit = isa::GreatestOfAll("Load.x_size", "Load.y_size", "Load.z_size",
                                                  "Store.x_size", "Store.y_size", "Store.z_size");
constexpr int64_t kStepLimit =
    isa::GreatestOfAll("Load.x_step", "Load.y_step", "Store.x_step", "Store.y_step");
constexpr int64_t kPadLimit =
    isa::GreatestOfAll("Load.x_pad_0", "Load.x_pad_1", "Load.y_pad_0", "Load.y_pad_1");

// The number of loops of one box, counted from the end of |dims| (sorted by their stride on chip,
// greatest first); |chip| and |memory| are the numbers of the operands. The caller unrolls the
// other loops.
size_t BoxLoops(const std::vector<LeafDim>& dims, size_t chip, size_t memory) {
  int64_t expected = 1;
  size_t loops = 0;
  while (loops < 3 && loops < dims.size()) {
    const LeafDim& d = dims[dims.size() - 1 - loops];
    const bool step = loops == 2 || d.strides[memory] <= kStepLimit;
    const bool pads = loops < 2 ? std::max(d.first, d.extent - d.last) <= kPadLimit : d.whole();
    if (d.strides[chip] != expected || d.extent > kSizeLimit || !step || !pads ||
        d.strides[memory] < 0)
      break;
    expected *= d.extent;
    ++loops;
  }
  return loops;
}

// Sorts loops by stride on chip and merges neighbours that continue each other.
std::vector<LeafDim> BoxDims(std::vector<LeafDim> dims, size_t chip) {
  std::stable_sort(dims.begin(), dims.end(), [&](const LeafDim& a, const LeafDim& b) {
    return a.strides[chip] > b.strides[chip];
  });
  Fold(dims, true);
  return dims;
}

// Sets up a box of pads with |box|'s extents in x and y; LOAD reads nothing.
Status OnlyPads(const std::vector<LeafDim>& box, isa::Load* load) {
  const int64_t extent_x = box.empty() ? 1 : box.back().extent;
  const int64_t extent_y = box.size() < 2 ? 1 : box[box.size() - 2].extent;
  if (extent_y > 2 * kPadLimit)
    return Fail(Code::kUnsupported, "a box of {} rows of pads", extent_y);
  load->x_size = extent_x, load->x_pad_0 = load->x_pad_1 = 0;
  load->y_size = 0;
  load->y_pad_0 = std::min(extent_y, kPadLimit), load->y_pad_1 = extent_y - load->y_pad_0;
  load->dram_base = 0;
  return {};
}

Status EmitFill(const TileEmission& e) {
  std::vector<LeafDim> dims = BoxDims(e.solved.dims, 0);
  const size_t loops =
      !dims.empty() && dims.back().strides[0] == 1 && dims.back().extent <= kSizeLimit ? 1 : 0;
  isa::Load load;
  load.memory = static_cast<int64_t>(MemoryOf(e.solved.operands[0].buffer->scope));
  load.pad_value = e.solved.values[1];
  load.x_bytes = 1;  // without effect: the box has no columns
  load.z_size = 1;
  TESSERA_TRY(OnlyPads({dims.end() - static_cast<std::ptrdiff_t>(loops), dims.end()}, &load));
  dims.resize(dims.size() - loops);
  return ForPieces(dims, {0, 1, {}}, 1,
                   [&](std::span<const int64_t> at, std::span<const LeafDim>) -> Status {
                     isa::Load piece = load;
                     piece.sram_base = e.solved.operands[0].base + at[0];
                     e.sink.Emit(piece);
                     return {};
                   });
}

// The box |load| of the loops |box|, in each iteration of the loops |outer|. |pads|: it reads
// nothing.
struct Boxes {
  isa::Load load;
  std::vector<LeafDim> outer, box;
  bool pads = false;
};

Status EmitBoxes(Boxes boxes, const TileEmission& e) {
  // A loop around the box may have iterations of pads alone, in front and behind.
  const auto partial =
      std::ranges::find_if(boxes.outer, [](const LeafDim& d) { return !d.whole(); });
  if (partial != boxes.outer.end()) {
    const LeafDim whole = *partial;
    const std::array<int64_t, 4> ends{0, whole.first, std::max(whole.first, whole.last),
                                      whole.extent};
    for (size_t k = 0; k < 3; ++k) {
      if (ends[k] == ends[k + 1]) continue;
      Boxes part = boxes;
      part.load.sram_base += ends[k] * whole.strides[0];
      part.load.dram_base += ends[k] * whole.strides[1];
      part.pads = boxes.pads || k != 1;
      LeafDim& dim = part.outer[static_cast<size_t>(partial - boxes.outer.begin())];
      dim.extent = ends[k + 1] - ends[k];
      dim.first = 0, dim.last = dim.extent;
      TESSERA_TRY(EmitBoxes(std::move(part), e));
    }
    return {};
  }
  if (boxes.pads) TESSERA_TRY(OnlyPads(boxes.box, &boxes.load));
  return ForPieces(boxes.outer, {0, 1, {}}, 2,
                   [&](std::span<const int64_t> at, std::span<const LeafDim>) -> Status {
                     isa::Load piece = boxes.load;
                     piece.sram_base += at[0];
                     if (!boxes.pads) piece.dram_base += at[1];
                     e.sink.Emit(piece);
                     return {};
                   });
}

Status EmitLoad(const TileEmission& e) {
  const ir::Buffer& dst = e.solved.operands[0].buffer;
  int64_t pad_value = 0;
  if (e.leaf.condition) {
    const auto& fill = e.leaf.fill->args;
    if (e.leaf.fill->name != kTileFill ||
        Evaluate(fill[1], e.env) != Evaluate(e.leaf.call->args[3], e.env)) {
      return Fail(Code::kUnsupported, "pads that are not tiles of the copy");
    }
    pad_value = Evaluate(fill[2], e.env);
  }
  std::vector<LeafDim> dims = BoxDims(e.solved.dims, 0);
  const size_t loops = BoxLoops(dims, 0, 1);
  const std::vector<LeafDim> outer(dims.begin(), dims.end() - static_cast<std::ptrdiff_t>(loops));
  const std::vector<LeafDim> box(dims.end() - static_cast<std::ptrdiff_t>(loops), dims.end());

  isa::Load load;
  load.memory = static_cast<int64_t>(MemoryOf(dst->scope));
  load.segment = static_cast<int64_t>(e.solved.operands[1].segment);
  load.x_bytes = dst->scope == ir::Scope::kPrm ? e.config.prm_tile_bytes() : e.solved.values[0];
  load.pad_value = pad_value;
  load.x_size = load.y_size = load.z_size = 1;
  load.sram_base = e.solved.operands[0].base;
  load.dram_base = e.solved.operands[1].base;
  for (size_t k = 0; k < box.size(); ++k) {
    const LeafDim& d = box[box.size() - 1 - k];
    const int64_t step = d.strides[1];
    if (k == 0)
      load.x_size = d.last - d.first, load.x_step = step, load.x_pad_0 = d.first,
      load.x_pad_1 = d.extent - d.last;
    if (k == 1)
      load.y_size = d.last - d.first, load.y_step = step, load.y_pad_0 = d.first,
      load.y_pad_1 = d.extent - d.last;
    if (k == 2) load.z_size = d.extent, load.z_step = step;
    load.dram_base += d.first * step;
  }
  return EmitBoxes({load, outer, box, e.solved.outside}, e);
}

Status EmitStore(const TileEmission& e) {
  std::vector<LeafDim> dims = BoxDims(e.solved.dims, 1);
  const size_t loops = BoxLoops(dims, 1, 0);
  const std::vector<LeafDim> outer(dims.begin(), dims.end() - static_cast<std::ptrdiff_t>(loops));
  const std::vector<LeafDim> box(dims.end() - static_cast<std::ptrdiff_t>(loops), dims.end());
  isa::Store store;
  store.segment = static_cast<int64_t>(e.solved.operands[0].segment);
  store.x_bytes = e.solved.values[0];
  store.x_size = store.y_size = store.z_size = 1;
  for (size_t k = 0; k < box.size(); ++k) {
    const LeafDim& d = box[box.size() - 1 - k];
    if (k == 0) store.x_size = d.extent, store.x_step = d.strides[0];
    if (k == 1) store.y_size = d.extent, store.y_step = d.strides[0];
    if (k == 2) store.z_size = d.extent, store.z_step = d.strides[0];
  }
  const LoopLimits limits{0, 1, {}};
  return ForPieces(outer, limits, 2,
                   [&](std::span<const int64_t> at, std::span<const LeafDim>) -> Status {
                     isa::Store piece = store;
                     piece.dram_base = e.solved.operands[0].base + at[0];
                     piece.sram_base = e.solved.operands[1].base + at[1];
                     e.sink.Emit(piece);
                     return {};
                   });
}

}  // namespace

ir::Stmt FillTile(const ir::Expr& place, int64_t elements, int64_t value) {
  return ir::Eval(ir::TileCall(kTileFill, {place, Expr(elements), Expr(value)}));
}

TileInstruction CopyTiles() {
  return {{{.meaning = {kTileLoad, {kW, kR, kV, kV}, TileLoad},
            .emit = EmitLoad,
            .unit = isa::Unit::kLoad,
            .pads = true,
            .loads = true},
           {.meaning = {kTileFill, {kW, kV, kV}, TileFill},
            .emit = EmitFill,
            .unit = isa::Unit::kLoad,
            .pads = true},
           {{kTileStore, {kW, kR, kV}, TileStore}, EmitStore, isa::Unit::kStore}},
          CopyIntrinsics};
}

}  // namespace tessera::target
