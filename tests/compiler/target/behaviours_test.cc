// SPDX-License-Identifier: Apache-2.0
//
// What is tested: what the accelerator's intrinsics say they compute is what their tile calls do in
// the interpreter. Each behaviour is evaluated by te::Evaluate, its call runs on the same tiles; a
// later step of a reduction gives the accumulator joined with the behaviour. Space: every
// intrinsic of three accelerators; seeded parameters that meet its conditions, and tiles with the
// extreme values of their types and those around 2^30; copies with fewer elements than a tile.
// Not tested here: which parameters the conditions refuse (tests/compiler/accel/cover_test,
// steps_bad_test), that the machine does what the calls do (region_test, rtl_test).
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "base/rng.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/lane.h"
#include "compiler/ir/visit.h"
#include "compiler/target/accelerator.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::target::behaviours_test {
namespace {

using ir::Expr;
using ir::ExprKind;

constexpr int64_t kLeast = std::numeric_limits<int32_t>::min(),
                  kMost = std::numeric_limits<int32_t>::max(), kHalf = kMost / 2 + 1;
constexpr int64_t kExtremes[] = {kLeast, kLeast + 1, -kHalf - 1, -kHalf,    -kHalf + 1, -1,   0,
                                 1,      kHalf - 1,  kHalf,      kHalf + 1, kMost - 1,  kMost};

struct Span {
  int64_t lo = 0, hi = 0;
};

int64_t RandomElement(Rng& rng, DType dtype) {
  if (dtype == DType::kInt8) {
    const int64_t ends[] = {-128, -127, 0, 127};
    return rng.OneIn(3) ? ends[rng.Range(0, 3)] : rng.Range(-128, 127);
  }
  if (rng.OneIn(3)) return kExtremes[rng.Range(0, std::ssize(kExtremes) - 1)];
  return rng.OneIn(2) ? rng.Range(-300, 300) : rng.Range(kLeast, kMost);
}
int64_t Inside(Rng& rng, const Span& span) {
  if (rng.OneIn(4)) return rng.OneIn(2) ? span.lo : span.hi;
  return rng.Range(span.lo, span.hi);
}

int64_t CountOf(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

// Elements of a tile between others that no call may change.
struct Tile {
  static constexpr int64_t kBefore = 3, kBehind = 2;

  Tile() = default;
  Tile(DType dtype, int64_t count) : all(dtype, kBefore + count + kBehind) {}
  int64_t count() const { return all.size() - kBefore - kBehind; }
  int64_t At(int64_t i) const { return all.Int(kBefore + i); }
  void Set(int64_t i, int64_t value) { all.SetInt(kBefore + i, value); }
  ir::Array Inner() const {
    ir::Array inner(all.dtype(), count());
    for (int64_t i = 0; i < count(); ++i) inner.SetInt(i, At(i));
    return inner;
  }
  std::vector<int64_t> Around() const {
    std::vector<int64_t> around;
    for (int64_t i = 0; i < all.size(); ++i) {
      if (i < kBefore || i >= kBefore + count()) around.push_back(all.Int(i));
    }
    return around;
  }

  ir::Array all;
};

// One intrinsic with random parameters and tiles.
class Trial {
 public:
  Trial(const TensorIntrin& intrin, const isa::Config& config, uint64_t seed)
      : intrin_(intrin), config_(config), rng_(seed) {}

  // Whether the call did what the behaviour says.
  bool Run() {
    FindParameters();
    DrawParameters();
    SCOPED_TRACE(Text());
    stage_ = te::WithBodies(intrin_.behaviour, [&](const te::Tensor&) { return Body(); });
    DrawTiles();
    const Tile before = result_;
    return Call() && Compare(before);
  }

 private:
  // The parameters in order of appearance, and those values for which requant is defined.
  void FindParameters() {
    const te::TensorNode& behaviour = *intrin_.behaviour.get();
    std::set<const ir::ExprNode*> known{FirstStep().get(), TileCount().get()};
    for (const auto& axes : {behaviour.axes, behaviour.reduce_axes})
      for (const ir::Axis& axis : axes) known.insert(axis.var.get());
    const auto find = [&](const Expr& e) {
      if (e->kind == ExprKind::kVar && known.insert(e.get()).second) parameters_.push_back(e);
      if (e->kind != ExprKind::kCall || e->name != "requant") return;
      const Span spans[] = {{0, kMost}, {-32, 31}, {0, 2}};  // ir/scalar_math.h, isa::Round
      for (size_t k = 0; k < std::size(spans); ++k) {
        const Expr& operand = e->args[k + 1];
        if (operand->kind == ExprKind::kVar) spans_[operand.get()] = spans[k];
        if (operand->kind == ExprKind::kTensorRead)
          rows_[{operand->tensor->name, operand->args[0]->ivalue}] = spans[k];
      }
    };
    ir::Visit(behaviour.body, find);
    for (const AxisCount& count : intrin_.counts) find(count.count);
    for (const ParamCondition& condition : intrin_.conditions) ir::Visit(condition.holds, find);
    // A row of a tile of weights holds the taps of a window.
    int64_t room = config_.block_in;
    for (const AxisCount& count : intrin_.counts) {
      const auto axis = std::ranges::find(behaviour.reduce_axes, count.axis, &ir::Axis::name);
      const int64_t drawn = rng_.Range(1, std::min(room, axis->extent));
      spans_[count.count.get()] = {drawn, drawn};
      counts_[count.axis] = drawn;
      room /= drawn;
    }
  }

  void Draw(const Expr& parameter) {
    int64_t value = 0;
    if (const auto span = spans_.find(parameter.get()); span != spans_.end()) {
      value = Inside(rng_, span->second);
    } else if (parameter.dtype() == DType::kInt64) {
      value = rng_.Range(0, 3 * config_.lanes());  // a step in elements
    } else if (parameter.dtype() == DType::kInt8 || rng_.OneIn(3)) {
      value = RandomElement(rng_, parameter.dtype());
    } else {
      value = rng_.OneIn(2) ? rng_.Range(-128, 127) : rng_.Range(0, 31);
    }
    values_[parameter.get()] = ir::Imm(parameter.dtype(), value);
  }

  // Draws anew what a condition reads until all conditions hold.
  void DrawParameters() {
    for (const Expr& parameter : parameters_) Draw(parameter);
    for (bool again = true; again;) {
      again = false;
      for (const ParamCondition& condition : intrin_.conditions) {
        while (*ir::EvalInt(ir::Substitute(condition.holds, values_)) == 0) {
          again = true;
          ir::Visit(condition.holds, [&](const Expr& e) {
            if (e->kind == ExprKind::kVar) Draw(e);
          });
        }
      }
    }
    first_ = !intrin_.FlagsStart() || rng_.OneIn(2);
    values_[FirstStep().get()] = Expr(first_ ? 1 : 0);
    compared_ = intrin_.behaviour.shape().back();
    const bool counts = std::ranges::any_of(
        intrin_.trailing, [](const Expr& e) { return ir::UsesVar(e, TileCount()); });
    if (counts) compared_ = rng_.Range(1, compared_);
    values_[TileCount().get()] = Expr(compared_);
  }

  std::string Text() const {
    std::string text = first_ ? "first step" : "later step";
    for (const Expr& p : parameters_)
      text += fmt::format(", {} {}", p->name, values_.at(p.get())->ivalue);
    return text + fmt::format(", {} elements", compared_);
  }

  // The behaviour's body with these parameters. A read beyond the tile that the parameters place
  // there reads a placeholder that is as large.
  Expr Body() const {
    const te::TensorNode& behaviour = *intrin_.behaviour.get();
    ir::VarMap last;
    for (const ir::Axis& axis : behaviour.axes) last[axis.var.get()] = Expr(axis.extent - 1);
    for (const ir::Axis& axis : Counted(behaviour.reduce_axes))
      last[axis.var.get()] = Expr(axis.extent - 1);
    return ir::Rewrite(ir::Substitute(behaviour.body, values_), [&](const Expr& e) {
      if (e->kind == ExprKind::kReduce)
        return ir::Reduce(e->reduce(), e->args[0], Counted(e->axes));
      if (e->kind != ExprKind::kTensorRead || intrin_.counts.empty()) return e;
      const int64_t reach = *ir::EvalInt(ir::Substitute(e->args[0], last)) + 1;
      if (reach <= e->tensor->shape[0]) return e;
      return te::Placeholder(e->tensor->name, e.dtype(), {reach})(e->args);
    });
  }
  std::vector<ir::Axis> Counted(std::vector<ir::Axis> axes) const {
    for (ir::Axis& axis : axes) {
      if (const auto count = counts_.find(axis.name()); count != counts_.end())
        axis.extent = count->second;
    }
    return axes;
  }

  void DrawTiles() {
    result_ = Tile(stage_.dtype(), CountOf(stage_.shape()));
    for (int64_t i = 0; i < result_.all.size(); ++i)
      result_.all.SetInt(i, RandomElement(rng_, stage_.dtype()));
    for (const te::Tensor& input : te::Inputs(stage_)) {
      if (input.name() == intrin_.updates) {
        tensors_[input.get()] = result_.Inner();
        continue;
      }
      Tile& tile = operands_.emplace_back(input.dtype(), CountOf(input.shape()));
      for (int64_t i = 0; i < tile.count(); ++i) {
        const auto row = rows_.find({input.name(), i / input.shape().back()});
        tile.Set(
            i, row != rows_.end() ? Inside(rng_, row->second) : RandomElement(rng_, input.dtype()));
      }
      tensors_[input.get()] = tile.Inner();
    }
  }

  bool Call() {
    std::vector<ir::TileOperand> operands{{.array = &result_.all, .offset = Tile::kBefore}};
    for (Tile& tile : operands_) operands.push_back({.array = &tile.all, .offset = Tile::kBefore});
    for (const Expr& operand : intrin_.trailing)
      operands.push_back({.value = *ir::EvalInt(ir::Substitute(operand, values_))});
    const TileCall* call = FindTileCall(intrin_.call);
    EXPECT_EQ(operands.size(), call->meaning.operands.size());
    const Status status = call->meaning.interpret(operands);
    EXPECT_TRUE(status) << status.error().message;
    return status.has_value();
  }

  bool Compare(const Tile& before) {
    const Status status = te::Evaluate({stage_}, &tensors_);
    EXPECT_TRUE(status) << status.error().message;
    if (!status) return false;
    const ir::Array& values = tensors_.at(stage_.get());
    for (int64_t i = 0; i < result_.count(); ++i) {
      if (i % stage_.shape().back() >= compared_) continue;
      ir::LaneValue expected{values.Int(i)};
      if (!first_) {
        const ir::BinOp joins = ir::ReduceCombiner(stage_->body->reduce());
        ir::ApplyBin(joins, stage_.dtype(), {before.At(i)}, expected, &expected);
      }
      EXPECT_EQ(result_.At(i), expected.i) << "element " << i << ", " << before.At(i) << " before";
      if (result_.At(i) != expected.i) return false;
    }
    EXPECT_EQ(result_.Around(), before.Around()) << "elements beside the tile";
    return result_.Around() == before.Around();
  }

  const TensorIntrin& intrin_;
  const isa::Config& config_;
  Rng rng_;
  std::vector<Expr> parameters_;
  std::map<const ir::ExprNode*, Span> spans_;             // parameters with a domain
  std::map<std::pair<std::string, int64_t>, Span> rows_;  // of a record, with a domain
  std::map<std::string, int64_t> counts_;                 // iterations of axes
  ir::VarMap values_;
  bool first_ = true;
  int64_t compared_ = 0;  // elements of a row of the tile
  te::Tensor stage_;
  te::Values tensors_;
  Tile result_;
  std::vector<Tile> operands_;
};

TEST(Behaviours, TileCallsDoWhatTheBehavioursSay) {
  constexpr uint64_t kTrials = 100;
  for (const char* name : {"default", "tiny", "batch4"}) {
    const auto config = isa::LoadConfig(name);
    ASSERT_TRUE(config);
    const auto target = Accelerator(*config);
    size_t of_vector = 0;
    for (const TensorIntrin& intrin : target->intrinsics) {
      of_vector += FindTileCall(intrin.call)->unit == isa::Unit::kVector ? 1 : 0;
      for (uint64_t seed = 0; seed < kTrials; ++seed) {
        SCOPED_TRACE(fmt::format("{} of {}, seed {}", intrin.name, name, seed));
        if (!Trial(intrin, *config, seed).Run()) break;
      }
    }
    EXPECT_GE(of_vector, 30u);
  }
}

}  // namespace
}  // namespace tessera::target::behaviours_test
