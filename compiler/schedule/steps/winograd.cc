// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/winograd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/editor.h"
#include "compiler/te/roles.h"

namespace tessera::schedule {
namespace {

using ir::Expr;
using te::AxisRole;
using te::Role;
using Indices = std::vector<Expr>;

// A data axis along which the window moves, and the axis of the window.
struct MovedWindow {
  AxisRole data, tap;
};

class WinogradStages {
 public:
  WinogradStages(const WinogradStep& step, const Stage& stage, const Stage& source,
                 const te::Roles& roles, int64_t results)
      : step_(step),
        stage_(stage),
        source_(source),
        roles_(roles),
        by_(results, !IsFloat(stage.dtype)) {}

  // errors: kInvalidArgument an axis that is none of a window of three with steps of one
  Status FindWindows() {
    TESSERA_ASSIGN(y_, WindowAlong(step_.y));
    TESSERA_ASSIGN(x_, WindowAlong(step_.x));
    if (y_.data.input_dim != x_.data.input_dim) return {};
    return Bad("{} and {} move along the same dimension", step_.y, step_.x);
  }

  // The greatest size of the input's elements, which are int8 unless nobody says so.
  int64_t GreatestInput() const {
    const bool byte = !source_.placeholder && source_.body->kind == ir::ExprKind::kUn &&
                      source_.body->un() == ir::UnOp::kCast &&
                      source_.body->args[0].dtype() == DType::kInt8;
    return byte ? kGreatestInt8 : -int64_t{std::numeric_limits<int16_t>::min()};
  }

  // Of integers: whether no factor leaves int16 and each sum has the bits for divisor()^2 times it.
  // errors: kInvalidArgument a factor or a sum may be too great
  Status CheckRange() const {
    if (IsFloat(stage_.dtype)) return {};
    int64_t sums = 1;
    for (const AxisRole& r : roles_.reduced) sums *= r.axis.extent;
    const int64_t input = GreatestInput(), weight = kGreatestInt8;
    const auto squared = [](int64_t n) { return n * n; };
    const int64_t factor =
        std::max(input * squared(by_.GreatestInput()), weight * squared(by_.GreatestWeight()));
    if (factor > std::numeric_limits<int16_t>::max()) {
      return Bad("its factors may be {}, of squares of {} results, and int16 has to hold them",
                 factor, by_.results());
    }
    const int shift = std::countr_zero(static_cast<uint32_t>(squared(by_.divisor())));
    if (sums * input * weight > (std::numeric_limits<int32_t>::max() >> shift)) {
      return Bad("its {} products may sum up to {}, and squares of {} results leave {} bits", sums,
                 sums * input * weight, by_.results(), 32 - shift);
    }
    return {};
  }

  // Makes |stages|, producers first; the last one has the results.
  void Make() {
    const te::Tensor in = Input();
    const te::Tensor in_tiles = InputTiles(in), w_tiles = WeightTiles();
    const te::Tensor products = Products(in_tiles, w_tiles);
    Results(products);
  }

  // Element |i| of the stage. Of integers the last stage has it times divisor()^2 modulo 2^32, so
  // it is found from its inverse modulo 2^32 without the powers of 2, and a shift.
  Expr ElementAt(const Indices& i) const {
    const Expr made = SquareAt(i);
    if (IsFloat(stage_.dtype)) return made;
    auto odd = static_cast<uint32_t>(by_.divisor() * by_.divisor());
    const int bits = std::countr_zero(odd);
    odd >>= bits;
    uint32_t inverse = odd;  // Newton's steps: each doubles the bits that are right, at first three
    for (int k = 0; k < 4; ++k) inverse *= 2 - odd * inverse;
    const Expr scaled =
        inverse == 1 ? made : made * ir::Imm(DType::kInt32, static_cast<int32_t>(inverse));
    const Expr element = ir::Bin(ir::BinOp::kShr, scaled, ir::Imm(DType::kInt32, bits));
    return stage_.body->start() ? element + stage_.body->start() : element;
  }

 private:
  Expr SquareAt(const Indices& i) const {
    const Expr m(by_.results());
    Indices at{ir::FloorMod(i[Dim(y_)], m), ir::FloorMod(i[Dim(x_)], m)};
    for (size_t d = 0; d < i.size(); ++d) {
      if (d != Dim(y_) && d != Dim(x_)) at.push_back(i[d]);
    }
    at.push_back(ir::FloorDiv(i[Dim(y_)], m));
    at.push_back(ir::FloorDiv(i[Dim(x_)], m));
    return made_.back()(at);
  }

  template <typename... Args>
  std::unexpected<Error> Bad(fmt::format_string<Args...> why, Args&&... args) const {
    return Fail(Code::kInvalidArgument, "{}: {}; winograd is for windows of 3 x 3 with steps of 1",
                step_.stage, fmt::format(why, std::forward<Args>(args)...));
  }

  Result<MovedWindow> WindowAlong(const std::string& name) const {
    const auto data =
        std::ranges::find_if(roles_.data, [&](const AxisRole& a) { return a.axis.name() == name; });
    if (data == roles_.data.end())
      return Bad("{} is none of its data axes: {}", name, AxisList(stage_));
    const AxisRole* tap = nullptr;
    int beside = 0;
    for (const AxisRole& r : roles_.reduced) {
      if (data->input_dim < 0 || r.input_dim != data->input_dim) continue;
      tap = &r;
      ++beside;
    }
    for (const AxisRole& other : roles_.data)
      beside += other.input_dim == data->input_dim && &other != &*data ? 2 : 0;
    if (data->role != Role::kSpatial || beside != 1 || tap->role != Role::kWindow)
      return Bad("no window moves along {}", name);
    if (data->coeff != 1 || tap->coeff != 1 || tap->axis.min != 0 ||
        tap->axis.extent != Winograd::kTaps) {
      return Bad("the window along {} has {} elements {} apart and moves by {}", name,
                 tap->axis.extent, tap->coeff, data->coeff);
    }
    if (tap->weight_dim < 0) return Bad("the factors do not differ along {}", tap->axis.name());
    return MovedWindow{*data, *tap};
  }

  static bool Is(const ir::Axis& axis, const MovedWindow& window) {
    return axis.var.get() == window.data.axis.var.get() ||
           axis.var.get() == window.tap.axis.var.get();
  }
  size_t Dim(const MovedWindow& window) const {
    const auto at = std::ranges::find_if(roles_.data, [&](const AxisRole& a) {
      return a.axis.var.get() == window.data.axis.var.get();
    });
    return static_cast<size_t>(at - roles_.data.begin());
  }
  int64_t Tiles(const MovedWindow& window) const {
    return CeilDiv(window.data.axis.extent, by_.results());
  }
  int64_t Reach(const MovedWindow& window) const {
    return Tiles(window) * by_.results() + Winograd::kTaps - 1;
  }

  // The axes of |of|, an operand, or of all data, without those of the windows: a stage's further
  // dimensions.
  std::vector<ir::Axis> Others(const Expr* of) const {
    std::vector<ir::Axis> axes;
    for (const std::vector<AxisRole>* roles : {&roles_.data, &roles_.reduced}) {
      for (const AxisRole& a : *roles) {
        const bool wanted = of == nullptr ? roles == &roles_.data : ir::UsesVar(*of, a.axis.var);
        if (wanted && !Is(a.axis, y_) && !Is(a.axis, x_)) axes.push_back(a.axis);
      }
    }
    return axes;
  }

  // A tensor with dimensions [a, b], |others| and, with |tiles|, the tiles along Y and X. |body|
  // gets the indices of the first and the last two; |own| has the values of |others|.
  using Body = std::function<Expr(const Indices& ends, const ir::VarMap& own)>;
  te::Tensor Add(const std::string& suffix, std::array<int64_t, 2> first,
                 const std::vector<ir::Axis>& others, bool tiles, const Body& body) {
    std::vector<int64_t> shape(first.begin(), first.end());
    std::vector<std::string> names{"a", "b"};
    for (const ir::Axis& axis : others) {
      shape.push_back(axis.extent);
      names.push_back(axis.name());
    }
    for (const auto& [name, window] : {std::pair("ty", &y_), std::pair("tx", &x_)}) {
      if (!tiles) break;
      shape.push_back(Tiles(*window));
      names.emplace_back(name);
    }
    return Keep(te::Compute(step_.stage + suffix, shape, names, [&](const Indices& i) {
      ir::VarMap own;
      for (size_t k = 0; k < others.size(); ++k) {
        const Expr& at = i[2 + k];
        own[others[k].var.get()] = others[k].min == 0 ? at : at + others[k].min;
      }
      Indices ends{i[0], i[1]};
      if (tiles) ends.insert(ends.end(), i.end() - 2, i.end());
      return body(ends, own);
    }));
  }
  te::Tensor Keep(const te::Tensor& made) {
    made_.push_back(te::Placeholder(made.name(), made.dtype(), made.shape()));
    stages.push_back(StageOf(made));
    return made_.back();
  }

  // The indices of a stage of Add's, whose other dimensions have the values |own|.
  static Indices At(Expr a, Expr b, const std::vector<ir::Axis>& others, const ir::VarMap& own,
                    const Indices& tiles = {}) {
    Indices at{std::move(a), std::move(b)};
    for (const ir::Axis& axis : others) {
      const Expr& value = own.at(axis.var.get());
      at.push_back(axis.min == 0 ? value : value - axis.min);
    }
    at.insert(at.end(), tiles.begin(), tiles.end());
    return at;
  }

  // What all squares read, from the window's first place on. Behind the input's end there are 0s,
  // on which no result depends.
  te::Tensor Input() {
    std::vector<int64_t> shape = source_.shape;
    Expr inside;
    for (const MovedWindow* window : {&y_, &x_})
      shape[static_cast<size_t>(window->data.input_dim)] = Reach(*window);
    return Keep(te::Compute(step_.stage + ".in", shape, {}, [&](Indices i) {
      for (const MovedWindow* window : {&y_, &x_}) {
        const auto d = static_cast<size_t>(window->data.input_dim);
        const int64_t end = source_.shape[d] - roles_.offsets[d];
        if (Reach(*window) > end) {
          const Expr before = ir::Lt(i[d], Expr(end));
          inside = inside ? ir::And(inside, before) : before;
        }
        if (roles_.offsets[d] != 0) i[d] = i[d] + roles_.offsets[d];
      }
      const Expr read = ir::TensorRead(TensorLike(source_, source_.name), i);
      return inside ? ir::Select(inside, read, Zero(read.dtype())) : read;
    }));
  }

  static Expr Zero(DType type) { return IsFloat(type) ? ir::ImmF32(0) : ir::Imm(type, 0); }

  te::Tensor InputTiles(const te::Tensor& in) {
    const int64_t n = by_.products();
    const std::vector<ir::Axis> others = Others(&roles_.input);
    const Expr m(by_.results());
    const te::Tensor rows =
        Add(".in.rows", {n, n}, others, true, [&](const Indices& e, const ir::VarMap& own) {
          return by_.Input(e[0], [&](int64_t k) {
            Indices at;
            for (const Expr& index : roles_.input->args) at.push_back(ir::Substitute(index, own));
            at[static_cast<size_t>(y_.data.input_dim)] = e[2] * m + Expr(k);
            at[static_cast<size_t>(x_.data.input_dim)] = e[3] * m + e[1];
            return in(at);
          });
        });
    return Add(".in.tiles", {n, n}, others, true, [&](const Indices& e, const ir::VarMap& own) {
      return by_.Input(e[1], [&](int64_t k) {
        return rows(At(e[0], Expr(k), others, own, {e[2], e[3]}));
      });
    });
  }

  te::Tensor WeightTiles() {
    const int64_t n = by_.products();
    const Expr& weight = *roles_.weight;
    const bool ints = !IsFloat(stage_.dtype);
    const std::vector<ir::Axis> others = Others(&weight);
    const te::Tensor rows = Add(".w.rows", {n, Winograd::kTaps}, others, false,
                                [&](const Indices& e, const ir::VarMap& own) {
                                  return by_.Weight(e[0], [&](int64_t k) {
                                    ir::VarMap at = own;
                                    at[y_.tap.axis.var.get()] = Expr(k);
                                    at[x_.tap.axis.var.get()] = e[1];
                                    const Expr w = ir::Substitute(weight, at);
                                    return ints ? ir::Cast(DType::kInt16, w) : w;
                                  });
                                });
    return Add(".w.tiles", {n, n}, others, false, [&](const Indices& e, const ir::VarMap& own) {
      return by_.Weight(e[1], [&](int64_t k) { return rows(At(e[0], Expr(k), others, own)); });
    });
  }

  te::Tensor Products(const te::Tensor& in, const te::Tensor& weights) {
    const int64_t n = by_.products();
    std::vector<ir::Axis> sums;
    for (const AxisRole& r : roles_.reduced) {
      if (!Is(r.axis, y_) && !Is(r.axis, x_))
        sums.push_back({ir::Var(r.axis.name()), r.axis.min, r.axis.extent});
    }
    const auto factors = [&](const Indices& e, ir::VarMap own) {
      size_t k = 0;
      for (const AxisRole& r : roles_.reduced) {
        if (!Is(r.axis, y_) && !Is(r.axis, x_)) own[r.axis.var.get()] = sums[k++].var;
      }
      const DType wide = stage_.dtype;
      const Expr product =
          ir::Cast(wide, in(At(e[0], e[1], Others(&roles_.input), own, {e[2], e[3]}))) *
          ir::Cast(wide, weights(At(e[0], e[1], Others(&*roles_.weight), own)));
      return sums.empty() ? product : te::Sum(product, sums);
    };
    return Add(".products", {n, n}, Others(nullptr), true, factors);
  }

  void Results(const te::Tensor& products) {
    const int64_t n = by_.products(), m = by_.results();
    const std::vector<ir::Axis> others = Others(nullptr);
    const te::Tensor rows =
        Add(".out.rows", {m, n}, others, true, [&](const Indices& e, const ir::VarMap& own) {
          return by_.Result(e[0], [&](int64_t k) {
            return products(At(Expr(k), e[1], others, own, {e[2], e[3]}));
          });
        });
    Add(".out.tiles", {m, m}, others, true, [&](const Indices& e, const ir::VarMap& own) {
      return by_.Result(e[1], [&](int64_t k) {
        return rows(At(e[0], Expr(k), others, own, {e[2], e[3]}));
      });
    });
  }

  static constexpr int64_t kGreatestInt8 = -int64_t{std::numeric_limits<int8_t>::min()};

  const WinogradStep& step_;
  const Stage& stage_;
  const Stage& source_;
  const te::Roles& roles_;
  const Winograd by_;
  MovedWindow y_, x_;
  std::vector<te::Tensor> made_;

 public:
  std::vector<Stage> stages;  // of what Make has made
};

// errors: kInvalidArgument a step before this one would be lost
Status RequireFresh(const WinogradStep& step, const Stage& stage, const Editor& editor) {
  bool fresh = stage.attach == Attach::kRoot && stage.relations.empty() &&
               stage.conditions.empty() && stage.skips.empty() && stage.tensorize_axis.empty() &&
               stage.prefetches.empty();
  for (const LoopAxis& leaf : stage.leaves) fresh = fresh && leaf.kind == ir::LoopKind::kSerial;
  for (const Stage& other : editor.schedule().stages())
    fresh = fresh && editor.schedule().OuterOf(other) != &stage;
  if (fresh) return {};
  return Fail(Code::kInvalidArgument, "{} has been scheduled; winograd comes first", step.stage);
}

// Whether |stage| sums products of the types that have transforms.
bool TakesProducts(const Stage& stage, const te::Roles& roles) {
  if (stage.body->kind != ir::ExprKind::kReduce || !ir::IsSum(stage.body->reduce())) return false;
  const DType x = roles.input.dtype(), w = roles.weight->dtype();
  if (ir::FusedFactors(*stage.body)) return x == DType::kFloat32 && w == DType::kFloat32;
  return x == DType::kInt16 && w == DType::kInt8 && stage.dtype == DType::kInt32;
}

}  // namespace

Status Apply(const WinogradStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  TESSERA_ASSIGN(const int64_t results, editor.Value(step.results));
  if (!Winograd::Takes(results)) {
    return Fail(Code::kInvalidArgument,
                "squares of {0} x {0} results have no transform here; 2, 4 and 6 have", results);
  }
  if (!IsFloat(stage->dtype) && results == 6) {
    return Fail(
        Code::kInvalidArgument,
        "squares of 6 x 6 results have fractions in their transform; integers have 2 and 4");
  }
  TESSERA_TRY(RequireFresh(step, *stage, editor));
  const auto roles = te::FindRoles(stage->axes, stage->reduce_axes, stage->body);
  if (!roles || !roles->weight || !TakesProducts(*stage, *roles)) {
    return Fail(Code::kInvalidArgument,
                "{} is no sum of products of two float32 elements, or of int16 and int8; winograd "
                "is for those",
                step.stage);
  }
  if (stage->body->start() && IsFloat(stage->dtype)) {
    return Fail(Code::kInvalidArgument, "the sum {} starts at a value; add it in a stage behind",
                step.stage);
  }
  TESSERA_ASSIGN(const Stage* source, editor.FindStage(roles->input->tensor->name));
  WinogradStages made(step, *stage, *source, *roles, results);
  TESSERA_TRY(made.FindWindows());
  TESSERA_TRY(made.CheckRange());
  made.Make();
  for (const Stage& one : made.stages) TESSERA_TRY(editor.NewStageName(one.name));
  Indices at;
  for (const ir::Axis& a : stage->axes) at.push_back(a.var);
  stage->body = made.ElementAt(at);
  stage->reduce_axes.clear();
  std::erase_if(stage->leaves, [](const LoopAxis& leaf) { return leaf.reduce; });
  for (Stage& one : made.stages) editor.InsertBefore(*stage, std::move(one));
  return {};
}

}  // namespace tessera::schedule
