// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/accel/lower_region.h"

#include <algorithm>

#include "base/check.h"
#include "compiler/ir/simplify.h"
#include "compiler/lower/accel/lowering.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::lower::accel {

Buffer Lowering::Global(const te::Tensor& tensor, GlobalBuffer::Use role) {
  for (size_t k = 0; k < out_.buffers.size(); ++k) {
    if (out_.buffers[k].tensor && out_.buffers[k].tensor == tensor &&
        out_.func.params[k]->scope == Scope::kGlobal)
      return out_.func.params[k];
  }
  const sched::Shape4 shape = sched::ToShape4(tensor.shape());
  const Buffer buffer = ir::MakeBuffer(
      {tensor.name(),
       DType::kInt8,
       {CeilDiv(shape[0], e_.rows), CeilDiv(shape[1], config_.block_out), shape[2], shape[3],
        tensor == region_.anchor.input ? e_.rows * e_.in_lanes : memory_tile_}});
  out_.func.params.push_back(buffer);
  out_.buffers.push_back({role, tensor, {}});
  return buffer;
}

Buffer Lowering::Resident(const te::Tensor& tensor, const sched::Halo& halo,
                          GlobalBuffer::Use role) {
  for (size_t k = 0; k < out_.buffers.size(); ++k) {
    const Buffer& known = out_.func.params[k];
    if (out_.buffers[k].tensor && out_.buffers[k].tensor == tensor && known->scope == Scope::kInp)
      return known;
  }
  const sched::Shape4 shape = sched::ToShape4(tensor.shape());
  const Buffer buffer = OnChip(tensor.name() + ".resident", Scope::kInp, DType::kInt8,
                               {CeilDiv(shape[0], e_.rows), CeilDiv(shape[1], config_.block_out),
                                halo.before[0] + shape[2] + halo.after[0],
                                halo.before[1] + shape[3] + halo.after[1], tile_});
  out_.func.params.push_back(buffer);
  out_.buffers.push_back({role, tensor, {}});
  return buffer;
}

Buffer Lowering::Constant(const std::string& name, DType dtype, std::vector<int64_t> shape,
                          std::vector<uint8_t> data) {
  const Buffer buffer = ir::MakeBuffer({name, dtype, std::move(shape)});
  out_.func.params.push_back(buffer);
  out_.buffers.push_back({GlobalBuffer::Use::kConstant, {}, std::move(data)});
  return buffer;
}

Buffer Lowering::OnChip(const std::string& name, Scope scope, DType dtype,
                        std::vector<int64_t> shape) const {
  ir::BufferNode node{name, dtype, std::move(shape)};
  node.scope = scope;
  node.rotates = true;  // LOAD runs ahead as far as the scratchpads have room
  return ir::MakeBuffer(node);
}

Stmt Lowering::Inside(const Work& w) {
  const Tile whole{Expr(0), Expr(0), w.o.size, 1}, none{Expr(0), Expr(0), Expr(1), 1};
  if (!anchored_) return Drain(w, whole, {});
  const Buffer acc = OnChip("acc", Scope::kAcc, DType::kInt32,
                            {plan_.channel_tile, plan_.y_tile, plan_.x_tile, tile_});
  const int64_t span_y = sched::ChipSpan(region_, e_, 0, plan_.y_tile),
                span_x = sched::ChipSpan(region_, e_, 1, plan_.x_tile);
  if (!contraction_) {
    const Buffer inp =
        OnChip("inp", Scope::kInp, DType::kInt8, {plan_.channel_tile, span_y, span_x, tile_});
    std::vector<Stmt> body;
    if (!resident_input_) body.push_back(InputLoad(inp, w, w.o.base, w.o.size));
    Buffer wgt = chip_weights_;
    if (weighted_) {
      if (plan_.weights == Residency::kPart) {
        wgt = OnChip("wgt", Scope::kWgt, DType::kInt8,
                     {plan_.channel_tile, 1, e_.weight_tiles, config_.wgt_tile_bytes()});
      }
      if (!weights_ahead_) body.insert(body.begin(), WeightLoad(wgt, w, whole, none));
      body.push_back(ChannelWindows(w, acc, inp, wgt));
    } else {
      body.push_back(Reduction(w, acc, inp));
    }
    Stmt fill = resident_input_ ? ir::Seq(body) : ir::Alloc(inp, ir::Seq(body));
    if (weighted_ && plan_.weights == Residency::kPart) fill = ir::Alloc(wgt, fill);
    return ir::Alloc(acc, ir::Seq({fill, Drain(w, whole, acc)}));
  }
  Expr first_block = Expr(0);
  const bool grouped = e_.in_blocks < e_.in_total;
  if (grouped) {
    const Expr group =
        ir::FloorDiv(w.o.base * Expr(config_.block_out), Expr(region_.anchor.group_out));
    first_block =
        ir::Min(ir::FloorDiv(group * Expr(region_.anchor.group_in), Expr(config_.block_in)),
                Expr(e_.in_total - e_.in_blocks));
  }
  return ir::Alloc(
      acc, ForTiles("i.o", e_.in_blocks, plan_.input_tile, [&](const Tile& i) {
        return Chunk(w, i, acc, first_block + i.base, {plan_.input_tile, span_y, span_x, tile_});
      }));
}

// One chunk of the reduction. The first part's weights are fetched before the input box: LOAD works
// in order, and the box may have to wait for the region before.
Stmt Lowering::Chunk(const Work& w, const Tile& i, const Buffer& acc, Expr first_block,
                     std::vector<int64_t> box_shape) {
  const bool shared = plan_.weights != Residency::kPart;
  const std::vector<int64_t> piece{plan_.channel_part, plan_.input_tile, e_.weight_tiles,
                                   config_.wgt_tile_bytes()};
  const int64_t piece_tiles = piece[0] * piece[1] * piece[2];
  const int64_t parts = CeilDiv(plan_.channel_tile, plan_.channel_part);
  // A first piece that stays while the others come and go needs room beside two of them.
  const bool ahead = !plan_.input_above &&
                     (shared || parts == 1 || 3 * piece_tiles <= config_.Depth(isa::Memory::kWgt));
  const Buffer inp = plan_.input_above
                         ? chip_input_
                         : OnChip("inp", Scope::kInp, DType::kInt8, std::move(box_shape));
  auto part_of = [&](Expr index) {
    Tile part{index, index * Expr(plan_.channel_part), Expr(plan_.channel_part), parts};
    // The last part, and the last o.o, may have fewer blocks.
    if (plan_.channel_tile % plan_.channel_part != 0 ||
        !ir::IsImmEqual(w.o.size, plan_.channel_tile)) {
      part.size = ir::Max(Expr(0), ir::Min(Expr(plan_.channel_part), w.o.size - part.base));
    }
    return part;
  };
  auto work = [&](const Tile& part, const Buffer& wgt) {
    const Stmt drain = Drain(w, part, acc);
    return ir::Seq({Products(w, part, i, acc, inp, wgt, first_block),
                    i.count == 1 ? drain : ir::If(ir::Eq(i.index, Expr(i.count - 1)), drain)});
  };
  auto own_weights = [&](const Tile& part) {
    const Buffer wgt = OnChip("wgt", Scope::kWgt, DType::kInt8, piece);
    return ir::Alloc(wgt, ir::Seq({WeightLoad(wgt, w, part, i), work(part, wgt)}));
  };
  auto later_parts = [&](const std::function<Stmt(const Tile&)>& body) -> Stmt {
    if (parts == 1) return ir::Seq({});
    const Expr var = ir::Var("o.w");
    return ir::For(var, Expr(1), Expr(parts - 1), ir::LoopKind::kSerial, body(part_of(var)));
  };
  const Tile first = part_of(Expr(0));
  auto with_box = [&](Stmt body) {
    return plan_.input_above || resident_input_
               ? body
               : ir::Alloc(inp, ir::Seq({InputLoad(inp, w, first_block, i.size), body}));
  };
  if (!shared && ahead) {
    const Buffer wgt = OnChip("wgt.first", Scope::kWgt, DType::kInt8, piece);
    return ir::Alloc(wgt,
                     ir::Seq({WeightLoad(wgt, w, first, i),
                              with_box(ir::Seq({work(first, wgt), later_parts(own_weights)}))}));
  }
  if (!shared) return with_box(ir::Seq({own_weights(first), later_parts(own_weights)}));
  auto load_shared = [&](const Tile& part) {
    return weights_ahead_ ? ir::Seq({}) : WeightLoad(chip_weights_, w, part, i);
  };
  auto shared_weights = [&](const Tile& part) {
    return ir::Seq({load_shared(part), work(part, chip_weights_)});
  };
  const Stmt first_load = load_shared(first);
  if (ahead) {
    return ir::Seq(
        {first_load, with_box(ir::Seq({work(first, chip_weights_), later_parts(shared_weights)}))});
  }
  // The box is above o.o: the very first weights were fetched there.
  const Stmt here = w.o.count == 1 ? ir::Seq({}) : ir::If(ir::Lt(Expr(0), w.o.index), first_load);
  return ir::Seq({here, work(first, chip_weights_), later_parts(shared_weights)});
}

Stmt Lowering::Nest() {
  auto channels = [&](const std::function<Stmt(const Tile&)>& body) {
    return ForTiles("o.o", e_.out_blocks, plan_.channel_tile, body);
  };
  auto spatial = [&](const std::function<Stmt(const Tile&, const Tile&, const Tile&)>& body) {
    return ForTiles("n", e_.batches, 1, [&](const Tile& n) {
      return ForTiles("y.o", e_.out_y, plan_.y_tile, [&](const Tile& y) {
        return ForTiles("x.o", e_.out_x, plan_.x_tile,
                        [&](const Tile& x) { return body(n, y, x); });
      });
    });
  };
  if (!plan_.spatial_outside) {
    return channels([&](const Tile& o) {
      if (weighted_ && plan_.weights == Residency::kChannel) {
        chip_weights_ =
            OnChip("wgt", Scope::kWgt, DType::kInt8,
                   {plan_.channel_tile, e_.in_blocks, e_.weight_tiles, config_.wgt_tile_bytes()});
      }
      const Stmt s = spatial([&](const Tile& n, const Tile& y, const Tile& x) {
        return Inside({o, n, y, x});
      });
      return weighted_ && plan_.weights == Residency::kChannel ? ir::Alloc(chip_weights_, s) : s;
    });
  }
  return spatial([&](const Tile& n, const Tile& y, const Tile& x) {
    if (plan_.input_above) {
      chip_input_ = OnChip("inp", Scope::kInp, DType::kInt8,
                           {e_.in_blocks, sched::ChipSpan(region_, e_, 0, plan_.y_tile),
                            sched::ChipSpan(region_, e_, 1, plan_.x_tile), tile_});
    }
    const Stmt s = channels([&](const Tile& o) { return Inside({o, n, y, x}); });
    if (!plan_.input_above) return s;
    if (resident_input_) return ir::Seq({FirstWeights({{}, n, y, x}), s});
    const Stmt load = InputLoad(chip_input_, {{}, n, y, x}, Expr(0), Expr(e_.in_blocks));
    return ir::Alloc(chip_input_, ir::Seq({FirstWeights({{}, n, y, x}), load, s}));
  });
}

// Every part's weights, in the order of their use, in transfers short enough to let others in
// between.
void Lowering::AllWeights(std::vector<Stmt>* out) const {
  constexpr int64_t kTiles = 16;
  const Tile none{Expr(0), Expr(0), Expr(1), 1};
  for (int64_t o = 0; o < e_.out_blocks; o += plan_.channel_tile) {
    const int64_t end = std::min(o + plan_.channel_tile, e_.out_blocks);
    for (int64_t w = o; w < end; w += plan_.channel_part) {
      // In device memory an output block's tiles lie together: some whole ones, or a part of one.
      const int64_t last = std::min(w + plan_.channel_part, end);
      const int64_t outs = std::max<int64_t>(1, kTiles / (e_.in_blocks * e_.weight_tiles));
      const int64_t ins =
          outs > 1 ? e_.in_blocks
                   : std::min(e_.in_blocks, std::max<int64_t>(1, kTiles / e_.weight_tiles));
      for (int64_t first = w; first < last; first += outs) {
        const Tile part{Expr(0), Expr(first), Expr(std::min(outs, last - first)), 1};
        for (int64_t i = 0; i < e_.in_blocks; i += ins) {
          const Tile inputs{Expr(0), Expr(i), Expr(std::min(ins, e_.in_blocks - i)), 1};
          out->push_back(WeightLoad(chip_weights_, {none, none, none, none}, part, inputs));
        }
      }
    }
  }
}

// With the box above o.o, the very first part's shared weights come before it.
Stmt Lowering::FirstWeights(Work w) const {
  if (plan_.weights == Residency::kPart || weights_ahead_) return ir::Seq({});
  w.o = {Expr(0), Expr(0), Expr(std::min(plan_.channel_tile, e_.out_blocks)), 1};
  const Tile part{Expr(0), Expr(0), Expr(std::min(plan_.channel_part, e_.out_blocks)), 1};
  return WeightLoad(chip_weights_, w, part, {Expr(0), Expr(0), Expr(e_.in_blocks), 1});
}

LoweredRegion Lowering::Run() {
  target::RegisterTileIntrinsics();
  out_.func.name = region_.output.name();
  if (on_chip_.input) {
    resident_input_ =
        Resident(region_.anchor.input, *on_chip_.input, GlobalBuffer::Use::kActivation);
  } else if (anchored_) {
    input_ = Global(region_.anchor.input, GlobalBuffer::Use::kActivation);
  }
  for (const sched::EpilogueStep& s : region_.steps) {
    if (s.kind != sched::EpilogueStepKind::kFetch) continue;
    if (const sched::Halo* halo = on_chip_.HaloOf(s.tensor)) {
      Resident(s.tensor, *halo, GlobalBuffer::Use::kActivation);
    } else {
      Global(s.tensor, GlobalBuffer::Use::kActivation);
    }
  }
  const int64_t record = target::RecordNumbers(config_);
  if (weighted_) {
    weight_ =
        Constant(region_.anchor.weight.name() + ".tiles", DType::kInt8,
                 {e_.out_blocks, e_.in_blocks, e_.weight_tiles, config_.wgt_tile_bytes()},
                 PackWeights(region_, e_, config_, *constants_.at(region_.anchor.weight.get())));
  }
  for (size_t t = 0; t < region_.tables.size(); ++t) {
    tables_.push_back(Constant(fmt::format("parameters{}", t), DType::kInt32,
                               {e_.out_blocks, record},
                               PackParams(region_, region_.tables[t], config_, constants_)));
  }
  if (on_chip_.stored) result_ = Global(region_.output, GlobalBuffer::Use::kResult);
  if (on_chip_.result)
    resident_result_ = Resident(region_.output, *on_chip_.result, GlobalBuffer::Use::kResult);
  if (plan_.params == Residency::kRegion) {
    for (size_t t = 0; t < tables_.size(); ++t) {
      chip_tables_.push_back(
          OnChip(fmt::format("prm{}", t), Scope::kPrm, DType::kInt32, {e_.out_blocks, record}));
      out_.resident.push_back(chip_tables_.back());
    }
  }
  if (weighted_ && plan_.weights == Residency::kRegion) {
    chip_weights_ =
        OnChip("wgt", Scope::kWgt, DType::kInt8,
               {e_.out_blocks, e_.in_blocks, e_.weight_tiles, config_.wgt_tile_bytes()});
    out_.resident.push_back(chip_weights_);
  }
  // What needs nothing of the regions before may be loaded while they run. The first region's input
  // comes first.
  weights_ahead_ = weighted_ && plan_.weights == Residency::kRegion && on_chip_.follows;
  std::vector<Stmt> body;
  if (plan_.params == Residency::kRegion) {
    for (size_t t = 0; t < tables_.size(); ++t) {
      const Tile all{Expr(0), Expr(0), Expr(e_.out_blocks), 1};
      out_.ahead.push_back(ParamLoad(t, chip_tables_[t], Expr(0), Expr(0), all));
    }
  }
  if (weights_ahead_) AllWeights(&out_.ahead);
  if (resident_result_ && fill_halo_) body.push_back(FillHalo());
  body.push_back(Nest());
  for (Stmt& s : out_.ahead) s = ir::Simplify(s);
  out_.body = ir::Simplify(ir::Seq(body));
  out_.func.body = ir::Seq({ir::Seq(out_.ahead), out_.body});
  for (size_t k = out_.resident.size(); k-- > 0;)
    out_.func.body = ir::Alloc(out_.resident[k], out_.func.body);
  return std::move(out_);
}

LoweredRegion LowerRegion(const sched::AnalyzedRegion& region, const sched::TilePlan& plan,
                          const isa::Config& config, const ConstantMap& constants,
                          const sched::OnChip& on_chip, bool fill_halo) {
  return Lowering(region, plan, config, constants, on_chip, fill_halo).Run();
}

}  // namespace tessera::lower::accel
