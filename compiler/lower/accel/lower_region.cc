// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/accel/lower_region.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/ir/intrin.h"
#include "compiler/lower/accel/tile_intrin.h"

namespace tessera::lower::accel {
namespace {

using ir::Buffer;
using ir::DType;
using ir::Expr;
using ir::LoopKind;
using ir::Scope;
using ir::Stmt;
using sched::AnchorKind;
using sched::Residency;

// Tile |index| of an axis: elements base .. base + size - 1.
struct Tile {
  Expr index = Expr(0), base = Expr(0), size = Expr(1);
  int64_t count = 1;
};

// Loops over |tile|-sized tiles of |total|; the last one may be smaller.
Stmt ForTiles(const char* name, int64_t total, int64_t tile, const std::function<Stmt(const Tile&)>& body) {
  const int64_t count = CeilDiv(total, tile);
  if (count == 1) return body({Expr(0), Expr(0), Expr(total), 1});
  const Expr var = ir::Var(name);
  const Expr base = var * Expr(tile);
  const Expr size = total % tile == 0 ? Expr(tile) : ir::Min(Expr(tile), Expr(total) - base);
  return ir::For(var, Expr(0), Expr(count), LoopKind::kSerial, body({var, base, size, count}));
}

// A perfect nest; extents that are the constant 1 get no loop.
struct LeafAxis {
  const char* name;
  Expr extent;
};
Stmt Leaf(const std::vector<LeafAxis>& axes, const std::function<Stmt(const std::vector<Expr>&)>& body) {
  std::vector<Expr> vars;
  for (const LeafAxis& a : axes) vars.push_back(ir::IsImmEqual(a.extent, 1) ? Expr(0) : ir::Var(a.name));
  Stmt s = body(vars);
  for (size_t k = axes.size(); k-- > 0;) {
    if (!ir::IsImmEqual(axes[k].extent, 1)) s = ir::For(vars[k], Expr(0), axes[k].extent, LoopKind::kSerial, s);
  }
  return s;
}

Expr Value(int64_t v) { return Expr(v); }
Stmt Call(const char* name, std::vector<Expr> args) { return ir::Eval(ir::TileCall(name, std::move(args))); }

// |condition| may be empty: always.
Stmt When(const std::optional<Expr>& condition, Stmt s) { return condition ? ir::If(*condition, s) : s; }
std::optional<Expr> Both(std::optional<Expr> a, std::optional<Expr> b) {
  if (!a) return b;
  if (!b) return a;
  return ir::And(*a, *b);
}
std::optional<Expr> IsFirst(const Tile& t) {
  if (t.count == 1) return std::nullopt;
  return ir::Eq(t.index, Expr(0));
}

class Lowering {
 public:
  Lowering(const sched::Region& region, const sched::Plan& plan, const isa::Config& config, const ConstantMap& constants)
      : region_(region), plan_(plan), config_(config), constants_(constants), e_(sched::ExtentsOf(region, config)) {
    tile_ = config.batch * config.block_out;
    memory_tile_ = e_.rows * config.block_out;
    anchored_ = region.anchor.kind != AnchorKind::kNone;
    contraction_ = region.anchor.kind == AnchorKind::kContraction;
    weighted_ = contraction_ || region.anchor.kind == AnchorKind::kChannelwise;
  }

  LoweredRegion Run();

 private:
  // Where in the tensor a tile of work is.
  struct Work {
    Tile o, n, y, x;
  };

  Buffer Global(const te::Tensor& tensor, GlobalBuffer::Role role);
  Buffer Constant(const std::string& name, DType dtype, std::vector<int64_t> shape, std::vector<uint8_t> data);
  Buffer OnChip(const std::string& name, Scope scope, DType dtype, std::vector<int64_t> shape) const;

  Stmt Nest();
  Stmt Inside(const Work& w);                         // one tile of work
  Stmt InputLoad(const Buffer& box, const Work& w, Expr first_block, Expr blocks) const;
  Stmt WeightLoad(const Buffer& dst, const Work& w, const Tile& part, const Tile& i) const;
  Stmt Products(const Work& w, const Tile& part, const Tile& i, const Buffer& acc, const Buffer& inp, const Buffer& wgt) const;
  Stmt ChannelWindows(const Work& w, const Buffer& acc, const Buffer& inp, const Buffer& wgt) const;
  Stmt Reduction(const Work& w, const Buffer& acc, const Buffer& inp) const;
  Stmt Drain(const Work& w, const Tile& part, const Buffer& acc);
  Stmt StepNest(const sched::Step& step, const Work& w, const Tile& part, const Buffer& acc, const std::vector<Buffer>& prm);
  Expr Slot(const sched::Place& place, const Tile& part, const Buffer& acc, const std::vector<Expr>& at) const;
  std::optional<Expr> FirstUse(const Work& w) const { return Both(IsFirst(w.n), Both(IsFirst(w.y), IsFirst(w.x))); }
  // Indices of a channel block and an input block in the weight buffer.
  Expr WeightBlock(const Work& w, const Tile& part) const;
  Expr WeightInput(const Tile& i) const { return plan_.weights == Residency::kPart ? Expr(0) : i.base; }

  const sched::Region& region_;
  const sched::Plan& plan_;
  const isa::Config& config_;
  const ConstantMap& constants_;
  sched::Extents e_;
  int64_t tile_ = 0, memory_tile_ = 0;
  bool anchored_ = false, contraction_ = false, weighted_ = false;
  LoweredRegion out_;
  Buffer input_, weight_, result_;
  std::vector<Buffer> tables_;              // global
  std::vector<Buffer> chip_tables_;         // whole region
  Buffer chip_weights_;                     // kRegion or kChannel
  Buffer chip_input_;                       // input_above
  std::vector<Buffer> acc_slots_, out_slots_;
};

Buffer Lowering::Global(const te::Tensor& tensor, GlobalBuffer::Role role) {
  for (size_t k = 0; k < out_.buffers.size(); ++k) {
    if (out_.buffers[k].tensor && out_.buffers[k].tensor == tensor) return out_.func.params[k];
  }
  const sched::Shape4 shape = sched::ToShape4(tensor.shape());
  const Buffer buffer = ir::MakeBuffer(
      {tensor.name(), DType::kI8, {CeilDiv(shape[0], e_.rows), CeilDiv(shape[1], config_.block_out), shape[2], shape[3], memory_tile_}});
  out_.func.params.push_back(buffer);
  out_.buffers.push_back({role, tensor, {}});
  return buffer;
}

Buffer Lowering::Constant(const std::string& name, DType dtype, std::vector<int64_t> shape, std::vector<uint8_t> data) {
  const Buffer buffer = ir::MakeBuffer({name, dtype, std::move(shape)});
  out_.func.params.push_back(buffer);
  out_.buffers.push_back({GlobalBuffer::Role::kConstant, {}, std::move(data)});
  return buffer;
}

Buffer Lowering::OnChip(const std::string& name, Scope scope, DType dtype, std::vector<int64_t> shape) const {
  ir::BufferNode node{name, dtype, std::move(shape)};
  node.scope = scope;
  return ir::MakeBuffer(node);
}

// The input box of a tile: rows and columns that its windows need, pads where the tensor ends.
Stmt Lowering::InputLoad(const Buffer& box, const Work& w, Expr first_block, Expr blocks) const {
  const sched::Anchor& a = region_.anchor;
  const int64_t spans[] = {box->shape[1], box->shape[2]};
  const Tile* tiles[] = {&w.y, &w.x};
  return Leaf({{"z", blocks}, {"y", Expr(spans[0])}, {"x", Expr(spans[1])}}, [&](const std::vector<Expr>& v) {
    Expr at[2];
    std::optional<Expr> inside;
    for (size_t d = 0; d < 2; ++d) {
      const sched::WindowAxis& win = a.window[d];
      const Expr local = v[d + 1];
      at[d] = win.taps == 1 ? (tiles[d]->base + local) * Expr(win.stride) - Expr(win.before)
                            : tiles[d]->base * Expr(win.stride) + local - Expr(win.before);
      const int64_t tile = d == 0 ? plan_.y_tile : plan_.x_tile;
      const int64_t last = (tiles[d]->count - 1) * tile * win.stride +
                           (win.taps == 1 ? (spans[d] - 1) * win.stride : spans[d] - 1) - win.before;
      if (win.before > 0) inside = Both(inside, ir::Le(Expr(0), at[d]));
      if (last >= win.in) inside = Both(inside, ir::Lt(at[d], Expr(win.in)));
    }
    const Expr dst = ir::Load(box, {v[0], v[1], v[2], Expr(0)});
    const Stmt load = Call(kTileLoad, {dst, ir::Load(input_, {w.n.index, first_block + v[0], at[0], at[1], Expr(0)}),
                                       Value(memory_tile_), Value(tile_), Value(a.pad_value)});
    if (!inside) return load;
    return ir::If(*inside, load, Call(kTileFill, {dst, Value(tile_), Value(a.pad_value)}));
  });
}

Expr Lowering::WeightBlock(const Work& w, const Tile& part) const {
  switch (plan_.weights) {
    case Residency::kPart: return Expr(0);
    case Residency::kChannel: return part.base;
    case Residency::kRegion: return w.o.base + part.base;
  }
  TESSERA_CHECK(false);
}

Stmt Lowering::WeightLoad(const Buffer& dst, const Work& w, const Tile& part, const Tile& i) const {
  const int64_t bytes = config_.wgt_tile_bytes();
  const Stmt load = Leaf({{"o", part.size}, {"i", i.size}, {"t", Expr(e_.weight_tiles)}}, [&](const std::vector<Expr>& v) {
    return Call(kTileLoad, {ir::Load(dst, {WeightBlock(w, part) + v[0], WeightInput(i) + v[1], v[2], Expr(0)}),
                            ir::Load(weight_, {w.o.base + part.base + v[0], i.base + v[1], v[2], Expr(0)}), Value(bytes),
                            Value(bytes), Value(0)});
  });
  return plan_.weights == Residency::kPart ? load : When(FirstUse(w), load);
}

Stmt Lowering::Products(const Work& w, const Tile& part, const Tile& i, const Buffer& acc, const Buffer& inp,
                        const Buffer& wgt) const {
  const sched::WindowAxis &wy = region_.anchor.window[0], &wx = region_.anchor.window[1];
  return Leaf({{"o", part.size}, {"y", w.y.size}, {"x", w.x.size}, {"i", i.size}, {"ty", Expr(wy.taps)}, {"tx", Expr(wx.taps)}},
              [&](const std::vector<Expr>& v) {
                Expr step = i.index;  // zero at the first reduction step and only there
                for (size_t k = 3; k < 6; ++k) step = step + v[k];
                const Expr y = v[1] * Expr(e_.chip_stride[0]) + v[4] * Expr(wy.dilation);
                const Expr x = v[2] * Expr(e_.chip_stride[1]) + v[5] * Expr(wx.dilation);
                return Call(kTileGemm,
                            {ir::Load(acc, {part.base + v[0], v[1], v[2], Expr(0)}), ir::Load(inp, {v[3], y, x, Expr(0)}),
                             ir::Load(wgt, {WeightBlock(w, part) + v[0], WeightInput(i) + v[3], v[4] * Expr(wx.taps) + v[5], Expr(0)}),
                             ir::Select(ir::Eq(step, Expr(0)), Expr(1), Expr(0)), Value(config_.batch), Value(config_.block_out)});
              });
}

// Windows larger than 3x3 are pieces that accumulate.
Stmt Lowering::ChannelWindows(const Work& w, const Buffer& acc, const Buffer& inp, const Buffer& wgt) const {
  const sched::WindowAxis &wy = region_.anchor.window[0], &wx = region_.anchor.window[1];
  const Tile whole{Expr(0), Expr(0), w.o.size, 1};
  std::vector<Stmt> pieces;
  int64_t first = 0;
  for (int64_t py = 0; py < wy.taps; py += 3) {
    for (int64_t px = 0; px < wx.taps; px += 3) {
      const int64_t kh = std::min<int64_t>(3, wy.taps - py), kw = std::min<int64_t>(3, wx.taps - px);
      pieces.push_back(Leaf({{"o", w.o.size}, {"y", w.y.size}, {"x", w.x.size}}, [&](const std::vector<Expr>& v) {
        const Expr y = v[1] * Expr(e_.chip_stride[0]) + Expr(py * wy.dilation);
        const Expr x = v[2] * Expr(e_.chip_stride[1]) + Expr(px * wx.dilation);
        return Call(kTileWindow,
                    {ir::Load(acc, {v[0], v[1], v[2], Expr(0)}), ir::Load(inp, {v[0], y, x, Expr(0)}),
                     ir::Load(wgt, {WeightBlock(w, whole) + v[0], Expr(0), Expr(first), Expr(0)}), Value(pieces.empty()), Value(kh),
                     Value(kw), Value(wy.dilation * inp->shape[2] * tile_), Value(wx.dilation * tile_), Value(config_.batch),
                     Value(config_.block_out)});
      }));
      first += CeilDiv(kh * kw, config_.block_out);
    }
  }
  return ir::Seq(pieces);
}

Stmt Lowering::Reduction(const Work& w, const Buffer& acc, const Buffer& inp) const {
  const sched::WindowAxis &wy = region_.anchor.window[0], &wx = region_.anchor.window[1];
  return Leaf({{"o", w.o.size}, {"y", w.y.size}, {"x", w.x.size}, {"ty", Expr(wy.taps)}, {"tx", Expr(wx.taps)}},
              [&](const std::vector<Expr>& v) {
                const Expr y = v[1] * Expr(e_.chip_stride[0]) + v[3] * Expr(wy.dilation);
                const Expr x = v[2] * Expr(e_.chip_stride[1]) + v[4] * Expr(wx.dilation);
                return Call(kTileAlu, {ir::Load(acc, {v[0], v[1], v[2], Expr(0)}), ir::Load(inp, {v[0], y, x, Expr(0)}),
                                       Value(static_cast<int64_t>(region_.anchor.reduce)),
                                       ir::Select(ir::Eq(v[3] + v[4], Expr(0)), Expr(1), Expr(0)),
                                       Value(region_.anchor.src_zero), Value(tile_)});
              });
}

// The first element of a tile of a slot; slot 0 of ACC under an anchor is a part of the anchor's result.
Expr Lowering::Slot(const sched::Place& place, const Tile& part, const Buffer& acc, const std::vector<Expr>& at) const {
  if (place.memory == isa::VectorMemory::kAcc && place.slot == 0 && anchored_) {
    return ir::Load(acc, {part.base + at[0], at[1], at[2], Expr(0)});
  }
  const Buffer& buffer = (place.memory == isa::VectorMemory::kAcc ? acc_slots_ : out_slots_)[static_cast<size_t>(place.slot)];
  return ir::Load(buffer, {at[0], at[1], at[2], Expr(0)});
}

Stmt Lowering::StepNest(const sched::Step& s, const Work& w, const Tile& part, const Buffer& acc, const std::vector<Buffer>& prm) {
  const Expr block = w.o.base + part.base;
  return Leaf({{"o", part.size}, {"y", w.y.size}, {"x", w.x.size}}, [&](const std::vector<Expr>& v) {
    const Expr dst = Slot(s.dst, part, acc, v);
    const Expr round = Value(static_cast<int64_t>(s.round));
    switch (s.kind) {
      case sched::StepKind::kFetch:
        return Call(kTileLoad, {dst,
                                ir::Load(Global(s.tensor, GlobalBuffer::Role::kActivation),
                                         {w.n.index, block + v[0], w.y.base + v[1], w.x.base + v[2], Expr(0)}),
                                Value(memory_tile_), Value(tile_), Value(0)});
      case sched::StepKind::kRequant: {
        const Expr src = Slot(s.src, part, acc, v);
        if (s.table < 0) {
          return Call(kTileRequant, {dst, src, Value(s.multiplier), Value(s.shift), round, Value(s.src_zero), Value(s.src_shift),
                                     Value(s.out_zero), Value(s.lo), Value(s.hi), Value(tile_)});
        }
        const Expr record = plan_.params == Residency::kRegion ? block + v[0] : v[0];
        return Call(kTileRequantPrm, {dst, src, ir::Load(prm[static_cast<size_t>(s.table)], {record, Expr(0)}), round,
                                      Value(s.src_zero), Value(s.src_shift), Value(s.out_zero), Value(s.lo), Value(s.hi),
                                      Value(config_.batch), Value(config_.block_out)});
      }
      case sched::StepKind::kAdd:
        return Call(kTileAdd, {dst, Slot(s.src, part, acc, v), Slot(s.acc, part, acc, v), Value(s.multiplier), Value(s.shift), round,
                               Value(s.src_zero), Value(s.src_shift), Value(s.out_zero), Value(s.lo), Value(s.hi), Value(tile_)});
      case sched::StepKind::kAlu:
        if (s.use_imm) return Call(kTileAluImm, {dst, Value(s.imm), Value(static_cast<int64_t>(s.op)), Value(tile_)});
        return Call(kTileAlu, {dst, Slot(s.src, part, acc, v), Value(static_cast<int64_t>(s.op)), Value(0), Value(s.src_zero), Value(tile_)});
    }
    TESSERA_CHECK(false);
  });
}

// Epilogue and store of one part of a tile of work.
Stmt Lowering::Drain(const Work& w, const Tile& part, const Buffer& acc) {
  const std::vector<int64_t> shape{plan_.channel_part, plan_.y_tile, plan_.x_tile, tile_};
  acc_slots_.assign(static_cast<size_t>(region_.acc_slots), {});
  out_slots_.clear();
  std::vector<Buffer> allocated;
  for (int k = anchored_ ? 1 : 0; k < region_.acc_slots; ++k) {
    acc_slots_[static_cast<size_t>(k)] = OnChip(fmt::format("acc{}", k), Scope::kAcc, DType::kI32, shape);
    allocated.push_back(acc_slots_[static_cast<size_t>(k)]);
  }
  for (int k = 0; k < region_.out_slots; ++k) {
    out_slots_.push_back(OnChip(fmt::format("out{}", k), Scope::kOut, DType::kI8, shape));
    allocated.push_back(out_slots_.back());
  }
  const int64_t record = config_.prm_tile_bytes();
  std::vector<Stmt> body;
  std::vector<Buffer> prm = chip_tables_;
  for (size_t t = 0; t < tables_.size(); ++t) {
    const bool whole = plan_.params == Residency::kRegion;
    if (!whole) {
      prm.push_back(OnChip(fmt::format("prm{}", t), Scope::kPrm, DType::kU8, {plan_.channel_part, record}));
      allocated.push_back(prm.back());
    }
    const Expr block = w.o.base + part.base;
    const Stmt load = Leaf({{"o", part.size}}, [&](const std::vector<Expr>& v) {
      return Call(kTileLoad, {ir::Load(prm[t], {whole ? block + v[0] : v[0], Expr(0)}), ir::Load(tables_[t], {block + v[0], Expr(0)}),
                              Value(record), Value(record), Value(0)});
    });
    body.push_back(whole ? When(FirstUse(w), load) : load);
  }
  for (const sched::Step& s : region_.steps) body.push_back(StepNest(s, w, part, acc, prm));
  body.push_back(Leaf({{"o", part.size}, {"y", w.y.size}, {"x", w.x.size}}, [&](const std::vector<Expr>& v) {
    return Call(kTileStore, {ir::Load(result_, {w.n.index, w.o.base + part.base + v[0], w.y.base + v[1], w.x.base + v[2], Expr(0)}),
                             Slot(region_.result, part, acc, v), Value(memory_tile_)});
  }));
  Stmt s = ir::Seq(body);
  for (size_t k = allocated.size(); k-- > 0;) s = ir::Alloc(allocated[k], s);
  return s;
}

Stmt Lowering::Inside(const Work& w) {
  const Tile whole{Expr(0), Expr(0), w.o.size, 1}, none{Expr(0), Expr(0), Expr(1), 1};
  if (!anchored_) return Drain(w, whole, {});
  const Buffer acc = OnChip("acc", Scope::kAcc, DType::kI32, {plan_.channel_tile, plan_.y_tile, plan_.x_tile, tile_});
  const int64_t span_y = sched::ChipSpan(region_, e_, 0, plan_.y_tile), span_x = sched::ChipSpan(region_, e_, 1, plan_.x_tile);
  if (!contraction_) {
    const Buffer inp = OnChip("inp", Scope::kInp, DType::kI8, {plan_.channel_tile, span_y, span_x, tile_});
    std::vector<Stmt> body{InputLoad(inp, w, w.o.base, w.o.size)};
    Buffer wgt = chip_weights_;
    if (weighted_) {
      if (plan_.weights == Residency::kPart) {
        wgt = OnChip("wgt", Scope::kWgt, DType::kI8, {plan_.channel_tile, 1, e_.weight_tiles, config_.wgt_tile_bytes()});
      }
      body.insert(body.begin(), WeightLoad(wgt, w, whole, none));
      body.push_back(ChannelWindows(w, acc, inp, wgt));
    } else {
      body.push_back(Reduction(w, acc, inp));
    }
    Stmt fill = ir::Alloc(inp, ir::Seq(body));
    if (weighted_ && plan_.weights == Residency::kPart) fill = ir::Alloc(wgt, fill);
    return ir::Alloc(acc, ir::Seq({fill, Drain(w, whole, acc)}));
  }
  Expr first_block = Expr(0);
  const bool grouped = e_.in_blocks < e_.in_total;
  if (grouped) {
    const Expr group = ir::FloorDiv(w.o.base * Expr(config_.block_out), Expr(region_.anchor.group_out));
    first_block = ir::Min(ir::FloorDiv(group * Expr(region_.anchor.group_in), Expr(config_.block_in)), Expr(e_.in_total - e_.in_blocks));
  }
  return ir::Alloc(acc, ForTiles("i.o", e_.in_blocks, plan_.input_tile, [&](const Tile& i) {
    const Buffer inp = plan_.input_above ? chip_input_ : OnChip("inp", Scope::kInp, DType::kI8, {plan_.input_tile, span_y, span_x, tile_});
    const Stmt parts = ForTiles("o.w", plan_.channel_tile, plan_.channel_part, [&](const Tile& p) {
      // The last o.o may have fewer blocks than a whole tile.
      Tile part = p;
      if (!ir::IsImmEqual(w.o.size, plan_.channel_tile)) {
        part.size = ir::Max(Expr(0), ir::Min(Expr(plan_.channel_part), w.o.size - p.base));
      }
      Buffer wgt = chip_weights_;
      if (plan_.weights == Residency::kPart) {
        wgt = OnChip("wgt", Scope::kWgt, DType::kI8, {plan_.channel_part, plan_.input_tile, e_.weight_tiles, config_.wgt_tile_bytes()});
      }
      Stmt s = ir::Seq({WeightLoad(wgt, w, part, i), Products(w, part, i, acc, inp, wgt)});
      if (plan_.weights == Residency::kPart) s = ir::Alloc(wgt, s);
      const Stmt drain = Drain(w, part, acc);
      return ir::Seq({s, i.count == 1 ? drain : ir::If(ir::Eq(i.index, Expr(i.count - 1)), drain)});
    });
    if (plan_.input_above) return parts;
    return ir::Alloc(inp, ir::Seq({InputLoad(inp, w, first_block + i.base, i.size), parts}));
  }));
}

Stmt Lowering::Nest() {
  auto channels = [&](const std::function<Stmt(const Tile&)>& body) {
    return ForTiles("o.o", e_.out_blocks, plan_.channel_tile, body);
  };
  auto spatial = [&](const std::function<Stmt(const Tile&, const Tile&, const Tile&)>& body) {
    return ForTiles("n", e_.batches, 1, [&](const Tile& n) {
      return ForTiles("y.o", e_.out_y, plan_.y_tile, [&](const Tile& y) {
        return ForTiles("x.o", e_.out_x, plan_.x_tile, [&](const Tile& x) { return body(n, y, x); });
      });
    });
  };
  if (!plan_.spatial_outside) {
    return channels([&](const Tile& o) {
      if (weighted_ && plan_.weights == Residency::kChannel) {
        chip_weights_ = OnChip("wgt", Scope::kWgt, DType::kI8,
                               {plan_.channel_tile, e_.in_blocks, e_.weight_tiles, config_.wgt_tile_bytes()});
      }
      const Stmt s = spatial([&](const Tile& n, const Tile& y, const Tile& x) { return Inside({o, n, y, x}); });
      return weighted_ && plan_.weights == Residency::kChannel ? ir::Alloc(chip_weights_, s) : s;
    });
  }
  return spatial([&](const Tile& n, const Tile& y, const Tile& x) {
    if (plan_.input_above) {
      chip_input_ = OnChip("inp", Scope::kInp, DType::kI8,
                           {e_.in_blocks, sched::ChipSpan(region_, e_, 0, plan_.y_tile), sched::ChipSpan(region_, e_, 1, plan_.x_tile), tile_});
    }
    const Stmt s = channels([&](const Tile& o) { return Inside({o, n, y, x}); });
    if (!plan_.input_above) return s;
    return ir::Alloc(chip_input_, ir::Seq({InputLoad(chip_input_, {{}, n, y, x}, Expr(0), Expr(e_.in_blocks)), s}));
  });
}

LoweredRegion Lowering::Run() {
  RegisterTileIntrinsics();
  out_.func.name = region_.output.name();
  if (anchored_) input_ = Global(region_.anchor.input, GlobalBuffer::Role::kActivation);
  for (const sched::Step& s : region_.steps) {
    if (s.kind == sched::StepKind::kFetch) Global(s.tensor, GlobalBuffer::Role::kActivation);
  }
  const int64_t record = config_.prm_tile_bytes();
  if (weighted_) {
    weight_ = Constant(region_.anchor.weight.name() + ".tiles", DType::kI8,
                       {e_.out_blocks, e_.in_blocks, e_.weight_tiles, config_.wgt_tile_bytes()},
                       PackWeights(region_, e_, config_, *constants_.at(region_.anchor.weight.get())));
  }
  for (size_t t = 0; t < region_.tables.size(); ++t) {
    tables_.push_back(Constant(fmt::format("parameters{}", t), DType::kU8, {e_.out_blocks, record},
                               PackParams(region_, region_.tables[t], config_, constants_)));
  }
  result_ = Global(region_.output, GlobalBuffer::Role::kResult);
  std::vector<Buffer> resident;
  if (plan_.params == Residency::kRegion) {
    for (size_t t = 0; t < tables_.size(); ++t) {
      chip_tables_.push_back(OnChip(fmt::format("prm{}", t), Scope::kPrm, DType::kU8, {e_.out_blocks, record}));
      resident.push_back(chip_tables_.back());
    }
  }
  if (weighted_ && plan_.weights == Residency::kRegion) {
    chip_weights_ = OnChip("wgt", Scope::kWgt, DType::kI8, {e_.out_blocks, e_.in_blocks, e_.weight_tiles, config_.wgt_tile_bytes()});
    resident.push_back(chip_weights_);
  }
  out_.func.body = Nest();
  for (size_t k = resident.size(); k-- > 0;) out_.func.body = ir::Alloc(resident[k], out_.func.body);
  return std::move(out_);
}

}  // namespace

LoweredRegion LowerRegion(const sched::Region& region, const sched::Plan& plan, const isa::Config& config,
                          const ConstantMap& constants) {
  return Lowering(region, plan, config, constants).Run();
}

}  // namespace tessera::lower::accel
