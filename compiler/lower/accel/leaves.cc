// SPDX-License-Identifier: Apache-2.0
//
// The leaf nests of a lowered region: copies, products, epilogue steps.
#include <algorithm>

#include "base/check.h"
#include "compiler/ir/intrin.h"
#include "compiler/lower/accel/lowering.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::lower::accel {
namespace {

Expr Value(int64_t v) { return Expr(v); }
Stmt Call(const char* name, std::vector<Expr> args) {
  return ir::Eval(ir::TileCall(name, std::move(args)));
}

}  // namespace

// The input box of a tile: rows and columns that its windows need, pads where the tensor ends.
Stmt Lowering::InputLoad(const Buffer& box, const Work& w, Expr first_block, Expr blocks) const {
  const sched::Anchor& a = region_.anchor;
  const int64_t spans[] = {box->shape[1], box->shape[2]};
  const Tile* tiles[] = {&w.y, &w.x};
  return Leaf({{"z", blocks}, {"y", Expr(spans[0])}, {"x", Expr(spans[1])}}, [&](const std::vector<
                                                                                 Expr>& v) {
    Expr at[2];
    std::optional<Expr> inside;
    for (size_t d = 0; d < 2; ++d) {
      const sched::WindowAxis& win = a.window[d];
      const Expr local = v[d + 1];
      at[d] = win.taps == 1 ? (tiles[d]->base + local) * Expr(win.stride) - Expr(win.before)
                            : tiles[d]->base * Expr(win.stride) + local - Expr(win.before);
      const int64_t tile = d == 0 ? plan_.y_tile : plan_.x_tile;
      const int64_t last = (tiles[d]->count - 1) * tile * win.stride +
                           (win.taps == 1 ? (spans[d] - 1) * win.stride : spans[d] - 1) -
                           win.before;
      if (win.before > 0) inside = Both(inside, ir::Le(Expr(0), at[d]));
      if (last >= win.in) inside = Both(inside, ir::Lt(at[d], Expr(win.in)));
    }
    const Expr dst = ir::Load(box, {v[0], v[1], v[2], Expr(0)});
    const Stmt load =
        Call(target::kTileLoad,
             {dst, ir::Load(input_, {w.n.index, first_block + v[0], at[0], at[1], Expr(0)}),
              Value(e_.rows * e_.in_lanes), Value(tile_)});
    if (!inside) return load;
    return ir::If(*inside, load, Call(target::kTileFill, {dst, Value(tile_), Value(a.pad_value)}));
  });
}

Expr Lowering::WeightBlock(const Work& w, const Tile& part) const {
  switch (plan_.weights) {
    case Residency::kPart:
      return Expr(0);
    case Residency::kChannel:
      return part.base;
    case Residency::kRegion:
      return w.o.base + part.base;
  }
  TESSERA_CHECK(false);
}

Stmt Lowering::WeightLoad(const Buffer& dst, const Work& w, const Tile& part, const Tile& i) const {
  const Stmt load = Leaf(
      {{"o", part.size}, {"i", i.size}, {"t", Expr(e_.weight_tiles)}},
      [&](const std::vector<Expr>& v) {
        return Call(
            target::kTileLoad,
            {ir::Load(dst, {WeightBlock(w, part) + v[0], WeightInput(i) + v[1], v[2], Expr(0)}),
             ir::Load(weight_, {w.o.base + part.base + v[0], i.base + v[1], v[2], Expr(0)}),
             Value(config_.wgt_tile_bytes()), Value(config_.wgt_tile_bytes())});
      });
  return plan_.weights == Residency::kPart ? load : When(FirstUse(w), load);
}

Expr Lowering::ResidentTile(const Buffer& buffer, const sched::Halo& halo, Expr n, Expr block,
                            Expr y, Expr x) {
  return ir::Load(buffer, {n, block, y + Expr(halo.before[0]), x + Expr(halo.before[1]), Expr(0)});
}

// All of the resident result, in one sweep: the values come after it.
Stmt Lowering::FillHalo() const {
  if (!on_chip_.result->any()) return ir::Seq({});
  const std::vector<int64_t>& shape = resident_result_->shape;
  return Leaf(
      {{"n", Expr(shape[0])}, {"z", Expr(shape[1])}, {"y", Expr(shape[2])}, {"x", Expr(shape[3])}},
      [&](const std::vector<Expr>& v) {
        return Call(target::kTileFill,
                    {ir::Load(resident_result_, {v[0], v[1], v[2], v[3], Expr(0)}), Value(tile_),
                     Value(on_chip_.result_pad)});
      });
}

Expr Lowering::InputTile(const Work& w, const Buffer& inp, Expr block,
                         const std::array<Expr, 4>& at) const {
  const Tile* tiles[] = {&w.y, &w.x};
  Expr place[2];
  for (size_t d = 0; d < 2; ++d) {
    const sched::WindowAxis& win = region_.anchor.window[d];
    const Expr tap = at[d + 2] * Expr(win.dilation);
    place[d] = resident_input_
                   ? (tiles[d]->base + at[d]) * Expr(win.stride) + tap - Expr(win.before)
                   : at[d] * Expr(e_.chip_stride[d]) + tap;
  }
  if (resident_input_)
    return ResidentTile(resident_input_, *on_chip_.input, w.n.index, block, place[0], place[1]);
  return ir::Load(inp, {block, place[0], place[1], Expr(0)});
}

int64_t Lowering::InputPitch(const Buffer& inp) const {
  return (resident_input_ ? resident_input_->shape[3] : inp->shape[2]) * tile_;
}

Stmt Lowering::Products(const Work& w, const Tile& part, const Tile& i, const Buffer& acc,
                        const Buffer& inp, const Buffer& wgt, Expr first_block) const {
  const sched::WindowAxis &wy = region_.anchor.window[0], &wx = region_.anchor.window[1];
  return Leaf({{"o", part.size},
               {"y", w.y.size},
               {"x", w.x.size},
               {"i", i.size},
               {"ty", Expr(wy.taps)},
               {"tx", Expr(wx.taps)}},
              [&](const std::vector<Expr>& v) {
                Expr step = i.index;  // zero at the first reduction step and only there
                for (size_t k = 3; k < 6; ++k) step = step + v[k];
                // A box has its chunk's blocks, what stays has all.
                const Expr block = resident_input_ ? first_block + v[3] : v[3];
                return Call(target::kTileGemm,
                            {ir::Load(acc, {part.base + v[0], v[1], v[2], Expr(0)}),
                             InputTile(w, inp, block, {v[1], v[2], v[4], v[5]}),
                             ir::Load(wgt, {WeightBlock(w, part) + v[0], WeightInput(i) + v[3],
                                            v[4] * Expr(wx.taps) + v[5], Expr(0)}),
                             ir::Select(ir::Eq(step, Expr(0)), Expr(1), Expr(0)),
                             Value(config_.batch), Value(config_.block_out)});
              });
}

// Windows larger than 3x3 are pieces that accumulate.
Stmt Lowering::ChannelWindows(const Work& w, const Buffer& acc, const Buffer& inp,
                              const Buffer& wgt) const {
  const sched::WindowAxis &wy = region_.anchor.window[0], &wx = region_.anchor.window[1];
  const Tile whole{Expr(0), Expr(0), w.o.size, 1};
  std::vector<Stmt> pieces;
  int64_t first = 0;
  for (int64_t py = 0; py < wy.taps; py += sched::kWindowTaps) {
    for (int64_t px = 0; px < wx.taps; px += sched::kWindowTaps) {
      const int64_t kh = std::min(sched::kWindowTaps, wy.taps - py),
                    kw = std::min(sched::kWindowTaps, wx.taps - px);
      pieces.push_back(Leaf(
          {{"o", w.o.size}, {"y", w.y.size}, {"x", w.x.size}}, [&](const std::vector<Expr>& v) {
            const Expr block = resident_input_ ? w.o.base + v[0] : v[0];
            return Call(
                target::kTileWindow,
                {ir::Load(acc, {v[0], v[1], v[2], Expr(0)}),
                 InputTile(w, inp, block, {v[1], v[2], Expr(py), Expr(px)}),
                 ir::Load(wgt, {WeightBlock(w, whole) + v[0], Expr(0), Expr(first), Expr(0)}),
                 Value(pieces.empty()), Value(kh), Value(kw), Value(wy.dilation * InputPitch(inp)),
                 Value(wx.dilation * tile_), Value(config_.batch), Value(config_.block_out)});
          }));
      first += CeilDiv(kh * kw, config_.block_out);
    }
  }
  return ir::Seq(pieces);
}

Stmt Lowering::Reduction(const Work& w, const Buffer& acc, const Buffer& inp) const {
  const sched::WindowAxis &wy = region_.anchor.window[0], &wx = region_.anchor.window[1];
  return Leaf({{"o", w.o.size},
               {"y", w.y.size},
               {"x", w.x.size},
               {"ty", Expr(wy.taps)},
               {"tx", Expr(wx.taps)}},
              [&](const std::vector<Expr>& v) {
                const Expr block = resident_input_ ? w.o.base + v[0] : v[0];
                return Call(target::kTileAlu,
                            {ir::Load(acc, {v[0], v[1], v[2], Expr(0)}),
                             InputTile(w, inp, block, {v[1], v[2], v[3], v[4]}),
                             Value(static_cast<int64_t>(region_.anchor.reduce)),
                             ir::Select(ir::Eq(v[3] + v[4], Expr(0)), Expr(1), Expr(0)),
                             Value(region_.anchor.src_zero), Value(tile_)});
              });
}

// The first element of a tile of a slot; slot 0 of ACC under an anchor is a part of its result.
Expr Lowering::Slot(const sched::TileSlot& place, const Tile& part, const Buffer& acc,
                    const std::vector<Expr>& at) const {
  if (place.memory == isa::VectorMemory::kAcc && place.slot == 0 && anchored_) {
    return ir::Load(acc, {part.base + at[0], at[1], at[2], Expr(0)});
  }
  const Buffer& buffer =
      (place.memory == isa::VectorMemory::kAcc ? acc_slots_
                                               : out_slots_)[static_cast<size_t>(place.slot)];
  return ir::Load(buffer, {at[0], at[1], at[2], Expr(0)});
}

Stmt Lowering::StepNest(const sched::EpilogueStep& s, const Work& w, const Tile& part,
                        const Buffer& acc, const std::vector<Buffer>& prm, bool resident) {
  const Expr block = w.o.base + part.base;
  const auto source = [&](const std::vector<Expr>& v) {
    const auto slot = s.src.memory == isa::VectorMemory::kOut ? resident_slots_.find(s.src.slot)
                                                              : resident_slots_.end();
    if (slot == resident_slots_.end()) return Slot(s.src, part, acc, v);
    const sched::Halo& halo = *on_chip_.HaloOf(slot->second);
    return ResidentTile(Resident(slot->second, halo, GlobalBuffer::Use::kActivation), halo,
                        w.n.index, block + v[0], w.y.base + v[1], w.x.base + v[2]);
  };
  return Leaf(
      {{"o", part.size}, {"y", w.y.size}, {"x", w.x.size}}, [&](const std::vector<Expr>& v) {
        const Expr dst = resident ? ResidentTile(resident_result_, *on_chip_.result, w.n.index,
                                                 block + v[0], w.y.base + v[1], w.x.base + v[2])
                                  : Slot(s.dst, part, acc, v);
        const Expr round = Value(static_cast<int64_t>(s.round));
        switch (s.kind) {
          case sched::EpilogueStepKind::kFetch:
            return Call(
                target::kTileLoad,
                {dst,
                 ir::Load(Global(s.tensor, GlobalBuffer::Use::kActivation),
                          {w.n.index, block + v[0], w.y.base + v[1], w.x.base + v[2], Expr(0)}),
                 Value(memory_tile_), Value(tile_)});
          case sched::EpilogueStepKind::kRequant: {
            const Expr src = source(v);
            if (s.table < 0) {
              return Call(
                  target::kTileRequant,
                  {dst, src, Value(s.multiplier), Value(s.shift), round, Value(s.src_zero),
                   Value(s.src_shift), Value(s.out_zero), Value(s.lo), Value(s.hi), Value(tile_)});
            }
            const Expr record = plan_.params == Residency::kRegion ? block + v[0] : v[0];
            return Call(target::kTileRequantPrm,
                        {dst, src, ir::Load(prm[static_cast<size_t>(s.table)], {record, Expr(0)}),
                         round, Value(s.src_zero), Value(s.src_shift), Value(s.out_zero),
                         Value(s.lo), Value(s.hi), Value(config_.batch), Value(config_.block_out)});
          }
          case sched::EpilogueStepKind::kAdd:
            return Call(target::kTileAdd,
                        {dst, source(v), Slot(s.acc, part, acc, v), Value(s.multiplier),
                         Value(s.shift), round, Value(s.src_zero), Value(s.src_shift),
                         Value(s.out_zero), Value(s.lo), Value(s.hi), Value(tile_)});
          case sched::EpilogueStepKind::kAlu:
            if (s.use_imm)
              return Call(target::kTileAluImm,
                          {dst, Value(s.imm), Value(static_cast<int64_t>(s.op)), Value(tile_)});
            return Call(target::kTileAlu, {dst, source(v), Value(static_cast<int64_t>(s.op)),
                                           Value(0), Value(s.src_zero), Value(tile_)});
        }
        TESSERA_CHECK(false);
        return Stmt();
      });
}

Stmt Lowering::ParamLoad(size_t t, const Buffer& prm, Expr to, Expr from, const Tile& part) const {
  const int64_t record = target::RecordNumbers(config_);
  return Leaf({{"o", part.size}}, [&](const std::vector<Expr>& v) {
    return Call(target::kTileLoad,
                {ir::Load(prm, {to + v[0], Expr(0)}), ir::Load(tables_[t], {from + v[0], Expr(0)}),
                 Value(record), Value(record)});
  });
}

// Epilogue and store of one part of a tile of work.
Stmt Lowering::Drain(const Work& w, const Tile& part, const Buffer& acc) {
  const std::vector<int64_t> shape{plan_.channel_part, plan_.y_tile, plan_.x_tile, tile_};
  acc_slots_.assign(static_cast<size_t>(region_.acc_slots), {});
  out_slots_.clear();
  std::vector<Buffer> allocated;
  for (int k = anchored_ ? 1 : 0; k < region_.acc_slots; ++k) {
    acc_slots_[static_cast<size_t>(k)] =
        OnChip(fmt::format("acc{}", k), Scope::kAcc, DType::kInt32, shape);
    allocated.push_back(acc_slots_[static_cast<size_t>(k)]);
  }
  for (int k = 0; k < region_.out_slots; ++k) {
    out_slots_.push_back(OnChip(fmt::format("out{}", k), Scope::kOut, DType::kInt8, shape));
    allocated.push_back(out_slots_.back());
  }
  std::vector<Stmt> body;
  std::vector<Buffer> prm = chip_tables_;
  if (plan_.params != Residency::kRegion) {
    for (size_t t = 0; t < tables_.size(); ++t) {
      prm.push_back(OnChip(fmt::format("prm{}", t), Scope::kPrm, DType::kInt32,
                           {plan_.channel_part, target::RecordNumbers(config_)}));
      allocated.push_back(prm.back());
      body.push_back(ParamLoad(t, prm.back(), Expr(0), w.o.base + part.base, part));
    }
  }
  resident_slots_.clear();
  for (const sched::EpilogueStep& s : region_.steps) {
    if (s.kind == sched::EpilogueStepKind::kFetch && on_chip_.HaloOf(s.tensor)) {
      resident_slots_[s.dst.slot] = s.tensor;
      continue;
    }
    const bool last = &s == &region_.steps.back();
    // What stays is written first: the step may replace its own source in OUT.
    if (last && resident_result_) body.push_back(StepNest(s, w, part, acc, prm, true));
    if (!last || on_chip_.stored) body.push_back(StepNest(s, w, part, acc, prm, false));
    if (s.dst.memory == isa::VectorMemory::kOut) resident_slots_.erase(s.dst.slot);
  }
  if (on_chip_.stored)
    body.push_back(
        Leaf({{"o", part.size}, {"y", w.y.size}, {"x", w.x.size}}, [&](const std::vector<Expr>& v) {
          return Call(target::kTileStore,
                      {ir::Load(result_, {w.n.index, w.o.base + part.base + v[0], w.y.base + v[1],
                                          w.x.base + v[2], Expr(0)}),
                       Slot(region_.result, part, acc, v), Value(memory_tile_)});
        }));
  Stmt s = ir::Seq(body);
  for (size_t k = allocated.size(); k-- > 0;) s = ir::Alloc(allocated[k], s);
  return s;
}

}  // namespace tessera::lower::accel
