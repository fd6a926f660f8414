// SPDX-License-Identifier: Apache-2.0
//
// The lowering of one region, in two files: lower_region.cc has the loops over tiles of work,
// leaves.cc the leaf nests inside them. Internal to compiler/lower/accel.
#ifndef TESSERA_COMPILER_LOWER_ACCEL_LOWERING_H_
#define TESSERA_COMPILER_LOWER_ACCEL_LOWERING_H_

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bits.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/accel/lower_region.h"

namespace tessera::lower::accel {

using ir::Buffer;
using ir::Expr;
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
inline Stmt ForTiles(const char* name, int64_t total, int64_t tile,
                     const std::function<Stmt(const Tile&)>& body) {
  const int64_t count = CeilDiv(total, tile);
  if (count == 1) return body({Expr(0), Expr(0), Expr(total), 1});
  const Expr var = ir::Var(name);
  const Expr base = var * Expr(tile);
  const Expr size = total % tile == 0 ? Expr(tile) : ir::Min(Expr(tile), Expr(total) - base);
  return ir::For(var, Expr(0), Expr(count), ir::LoopKind::kSerial, body({var, base, size, count}));
}

// A perfect nest; extents that are the constant 1 get no loop.
struct LeafAxis {
  const char* name;
  Expr extent;
};
inline Stmt Leaf(const std::vector<LeafAxis>& axes,
                 const std::function<Stmt(const std::vector<Expr>&)>& body) {
  std::vector<Expr> vars;
  for (const LeafAxis& a : axes)
    vars.push_back(ir::IsImmEqual(a.extent, 1) ? Expr(0) : ir::Var(a.name));
  Stmt s = body(vars);
  for (size_t k = axes.size(); k-- > 0;) {
    if (!ir::IsImmEqual(axes[k].extent, 1))
      s = ir::For(vars[k], Expr(0), axes[k].extent, ir::LoopKind::kSerial, s);
  }
  return s;
}

// |condition| may be empty: always.
inline Stmt When(const std::optional<Expr>& condition, Stmt s) {
  return condition ? ir::If(*condition, s) : s;
}
inline std::optional<Expr> Both(std::optional<Expr> a, std::optional<Expr> b) {
  if (!a) return b;
  if (!b) return a;
  return ir::And(*a, *b);
}
inline std::optional<Expr> IsFirst(const Tile& t) {
  if (t.count == 1) return std::nullopt;
  return ir::Eq(t.index, Expr(0));
}

class Lowering {
 public:
  Lowering(const sched::AnalyzedRegion& region, const sched::TilePlan& plan,
           const isa::Config& config, const ConstantMap& constants, const sched::OnChip& on_chip,
           bool fill_halo)
      : region_(region),
        plan_(plan),
        config_(config),
        constants_(constants),
        on_chip_(on_chip),
        fill_halo_(fill_halo),
        e_(sched::ExtentsOf(region, config)) {
    tile_ = config.batch * config.block_out;
    memory_tile_ = e_.rows * e_.out_lanes;
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

  Buffer Global(const te::Tensor& tensor, GlobalBuffer::Use role);
  Buffer Resident(const te::Tensor& tensor, const sched::Halo& halo, GlobalBuffer::Use role);
  // The tile of a resident tensor at a position of the tensor itself.
  static Expr ResidentTile(const Buffer& buffer, const sched::Halo& halo, Expr n, Expr block,
                           Expr y, Expr x);
  Stmt FillHalo() const;
  Buffer Constant(const std::string& name, DType dtype, std::vector<int64_t> shape,
                  std::vector<uint8_t> data);
  Buffer OnChip(const std::string& name, Scope scope, DType dtype,
                std::vector<int64_t> shape) const;

  Stmt Nest();
  Stmt FirstWeights(Work w) const;
  void AllWeights(std::vector<Stmt>* out) const;
  // Records |from| and on of parameter table |t| to |prm| from record |to| on.
  Stmt ParamLoad(size_t t, const Buffer& prm, Expr to, Expr from, const Tile& part) const;
  Stmt Inside(const Work& w);  // one tile of work
  Stmt Chunk(const Work& w, const Tile& i, const Buffer& acc, Expr first_block,
             std::vector<int64_t> box_shape);
  Stmt InputLoad(const Buffer& box, const Work& w, Expr first_block, Expr blocks) const;
  Stmt WeightLoad(const Buffer& dst, const Work& w, const Tile& part, const Tile& i) const;
  // The input tile of block |block| that output (y, x) of the tile of work reads for tap (ty, tx).
  Expr InputTile(const Work& w, const Buffer& inp, Expr block, const std::array<Expr, 4>& at) const;
  // Elements between rows of the input on chip.
  int64_t InputPitch(const Buffer& inp) const;
  Stmt Products(const Work& w, const Tile& part, const Tile& i, const Buffer& acc,
                const Buffer& inp, const Buffer& wgt, Expr first_block) const;
  Stmt ChannelWindows(const Work& w, const Buffer& acc, const Buffer& inp, const Buffer& wgt) const;
  Stmt Reduction(const Work& w, const Buffer& acc, const Buffer& inp) const;
  Stmt Drain(const Work& w, const Tile& part, const Buffer& acc);
  // |resident|: the result goes to its resident buffer.
  Stmt StepNest(const sched::EpilogueStep& step, const Work& w, const Tile& part, const Buffer& acc,
                const std::vector<Buffer>& prm, bool resident);
  Expr Slot(const sched::TileSlot& place, const Tile& part, const Buffer& acc,
            const std::vector<Expr>& at) const;
  std::optional<Expr> FirstUse(const Work& w) const {
    return Both(IsFirst(w.n), Both(IsFirst(w.y), IsFirst(w.x)));
  }
  // Indices of a channel block and an input block in the weight buffer.
  Expr WeightBlock(const Work& w, const Tile& part) const;
  Expr WeightInput(const Tile& i) const {
    return plan_.weights == Residency::kPart ? Expr(0) : i.base;
  }

  const sched::AnalyzedRegion& region_;
  const sched::TilePlan& plan_;
  const isa::Config& config_;
  const ConstantMap& constants_;
  const sched::OnChip& on_chip_;
  bool fill_halo_;
  sched::Extents e_;
  int64_t tile_ = 0, memory_tile_ = 0;
  bool anchored_ = false, contraction_ = false, weighted_ = false;
  bool weights_ahead_ = false;  // all weights are loaded before the nest
  LoweredRegion out_;
  Buffer input_, weight_, result_;
  std::vector<Buffer> tables_;       // global
  std::vector<Buffer> chip_tables_;  // whole region
  Buffer chip_weights_;              // kRegion or kChannel
  Buffer chip_input_;                // input_above
  Buffer resident_input_, resident_result_;
  // Which slots of OUT stand for a fetched tensor that stays in INP instead.
  std::map<int, te::Tensor> resident_slots_;
  std::vector<Buffer> acc_slots_, out_slots_;
};

}  // namespace tessera::lower::accel

#endif  // TESSERA_COMPILER_LOWER_ACCEL_LOWERING_H_
