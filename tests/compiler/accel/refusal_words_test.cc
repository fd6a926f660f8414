// SPDX-License-Identifier: Apache-2.0
//
// What is tested: each kind of refusal (schedule/accel/refusals.def) has a sentence in words of the
// machine. Space: tensor expressions or a small network for each kind, all kinds. Not tested here:
// which expressions are refused (refuse_test), the line that users see (tests/tools).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "compiler/network/place.h"
#include "tests/compiler/accel/expressions.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test::refusal_words_test {
namespace {

using ir::Expr;
using schedule::accel::kRefusalKinds;
using schedule::accel::Refusal;
using schedule::accel::RefusalKind;
using te::Axis;
using te::Tensor;

constexpr DType kI8 = DType::kInt8, kI32 = DType::kInt32;

Refusal Refused(const Tensor& output, const char* config = "default", int64_t tab_bytes = 256) {
  isa::Config machine = NamedConfig(config);
  machine.tab_bytes = tab_bytes;
  const auto accepted =
      lower::accel::CheckRegion(lower::accel::AnalysisOf(RegionOf(output), machine), machine);
  return accepted ? Refusal(RefusalKind::kNothing, "accepted") : accepted.error();
}

Tensor X(std::vector<int64_t> shape = {1, 8, 6, 6}) {
  return te::Placeholder("x", kI8, std::move(shape));
}
Tensor Weights(std::vector<int64_t> shape = {8, 8}, DType type = kI8) {
  return te::Placeholder("w", type, std::move(shape));
}

// sum over k of x[n, k, y, x] * w[c, k], with |value| making the product.
Tensor Product(const std::function<Expr(Expr x, Expr w)>& value, const Tensor& w = Weights()) {
  const Tensor x = X();
  return Finish(
      SumOf([&](auto& i, auto& k) { return value(x(i[0], k.var, i[2], i[3]), w(i[1], k.var)); },
            {1, 8, 6, 6}, 8));
}
// sum over k of x at |index| times w[c, k].
Tensor Indexed(const std::function<ExprList(const ExprList&, Expr k)>& index, int64_t images = 1) {
  const Tensor x = X({images, 8, 6, 6}), w = Weights();
  return Finish(
      SumOf([&](auto& i, auto& k) { return Wide(x(index(i, k.var))) * Wide(w(i[1], k.var)); },
            {images, 8, 6, 6}, 8));
}
// |value| for each element.
Tensor Each(const std::function<Expr(const Tensor& x, const ExprList& i)>& value,
            const Tensor& x = X()) {
  return te::Compute("y", {1, 8, 6, 6}, {}, [&](const ExprList& i) { return value(x, i); });
}
// A reduction by |reduce| of |value| over windows of x.
Tensor Windows(const std::function<Expr(Expr value, const std::vector<Axis>&)>& reduce,
               const std::function<Expr(Expr x)>& value) {
  const Tensor x = X();
  const Axis a = te::ReduceAxis("a", 2);
  return te::Compute("all", {1, 8, 5, 6}, {}, [&](const ExprList& i) {
    return reduce(value(x(i[0], i[1], i[2] + a.var, i[3])), {a});
  });
}

struct Case {
  RefusalKind kind;
  std::string machine;  // the whole sentence
  std::function<Refusal()> refused;
};

std::vector<Case> Expressions() {
  using enum RefusalKind;
  const auto plain = [](Expr x) { return x; };
  return {
      {kWeightType, "WGT holds int8, the weights without their zero point are int16",
       [] {
         return Refused(Product([](Expr x, Expr w) { return Wide(x) * Wide(w); },
                                Weights({8, 8}, DType::kInt16)));
       }},
      {kResultType, "OUT holds int8, the results are int32",
       [] { return Refused(Each([](auto& x, auto& i) { return Wide(x(i)); })); }},
      {kRank, "LOAD and STORE move tensors of 1 to 4 dimensions, not of 5",
       [] {
         const Tensor x = X({1, 2, 3, 4, 5});
         return Refused(te::Compute("y", x.shape(), {}, [&](const ExprList& i) { return x(i); }));
       }},
      {kBatchRows, "tiles of INP and OUT have rows of 4 images, and these tensors have no batch",
       [] {
         const Tensor x = X({40});
         return Refused(
             te::Compute("y", {40}, {}, [&](const ExprList& i) { return Narrow(Wide(x(i))); }),
             "batch4");
       }},
      {kRoom,
       "one row of one block of channels is more than INP (512 tiles), ACC (256), OUT (256) and "
       "WGT (256) hold",
       [] {
         const Tensor x = X({1, 4, 2, 600});
         const Axis a = te::ReduceAxis("a", 2), b = te::ReduceAxis("b", 600);
         return Refused(
             te::Compute("y", {1, 4, 1, 1}, {},
                         [&](const ExprList& i) {
                           return te::MaxOf(x(i[0], i[1], i[2] + a.var, i[3] + b.var), {a, b});
                         }),
             "tiny");
       }},
      {kTwoActivations,
       "GEMM multiplies by what lies as weights do, by channels, and these factors do not",
       [] {
         const Tensor x = X(), v = te::Placeholder("v", kI8, {8, 8});
         return Refused(Finish(
             SumOf([&](auto& i,
                       auto& k) { return Wide(x(i[0], i[1], i[2], k.var)) * Wide(v(i[3], k.var)); },
                   {1, 8, 6, 6}, 6)));
       }},
      {kImageWeights, "GEMM multiplies rows of 4 images by the same weights, here each has its own",
       [] {
         const Tensor a = te::Placeholder("a", kI8, {3, 8, 16}),
                      b = te::Placeholder("b", kI8, {3, 16, 6});
         return Refused(Finish(SumOf(
                            [&](auto& i, auto& k) {
                              return Wide(a(i[0], i[1], k.var)) * Wide(b(i[0], k.var, i[2]));
                            },
                            {3, 8, 6}, 16)),
                        "batch4");
       }},
      {kProducts, "GEMM adds its products up, it does not compare them",
       [] {
         const Tensor x = X(), w = Weights();
         const Axis k = te::ReduceAxis("k", 8);
         return Refused(Finish(te::Compute("most", {1, 8, 6, 6}, {}, [&](const ExprList& i) {
           return te::MaxOf(Wide(x(i[0], k.var, i[2], i[3])) * Wide(w(i[1], k.var)), {k});
         })));
       }},
      {kZeroPoint, "GEMM multiplies int8 values as they are, these have a zero point inside",
       [] {
         return Refused(Product([](Expr x, Expr w) { return Wide(x) * (Wide(w) - I32(3)); }));
       }},
      {kZeroPoint, "GEMM multiplies int8 values as they are, these have a zero point inside",
       [] {
         return Refused(Product([](Expr x, Expr w) { return (Wide(x) - I32(3)) * Wide(w); }));
       }},
      {kZeroPoint, "GEMM multiplies int8 values as they are, these have a zero point inside",
       [] {
         const Tensor zero = te::Placeholder("wz", kI8, {1});
         return Refused(
             Product([&](Expr x, Expr w) { return Wide(x) * (Wide(w) - Wide(zero(Expr(0)))); }));
       }},
      {kWeightOrder, "GEMM reads weights forwards, by channel and window",
       [] {
         const Tensor x = X(), w = Weights();
         return Refused(Finish(SumOf(
             [&](auto& i, auto& k) {
               return Wide(x(i[0], k.var, i[2], i[3])) * Wide(w(i[1], Expr(7) - k.var));
             },
             {1, 8, 6, 6}, 8)));
       }},
      {kWeightOrder, "GEMM reads weights forwards, by channel and window",
       [] {
         const Tensor x = X(), w = te::Placeholder("w", kI8, {6, 8});
         return Refused(Finish(
             SumOf([&](auto& i,
                       auto& k) { return Wide(x(i[0], k.var, i[2], i[3])) * Wide(w(i[2], k.var)); },
                   {1, 8, 6, 6}, 8)));
       }},
      {kSumStart, "GEMM and VECTOR begin sums at 0",
       [] {
         const Tensor x = X(), w = Weights(), b = te::Placeholder("wb", kI32, {8});
         const Axis k = te::ReduceAxis("k", 8);
         return Refused(Finish(te::Compute("sum", {1, 8, 6, 6}, {}, [&](const ExprList& i) {
           return te::Sum(Wide(x(i[0], k.var, i[2], i[3])) * Wide(w(i[1], k.var)), {k}, b(i[1]));
         })));
       }},
      {kComputedInput, "GEMM and VECTOR reduce INP's values as they are, these are computed first",
       [] {
         return Refused(Finish(Windows([](Expr v, auto& axes) { return te::Sum(v, axes); },
                                       [](Expr x) { return ir::Abs(Wide(x)); })));
       }},
      {kTwoReductions, "ACC holds one sum an element, and this reduces what is reduced",
       [] {
         const Tensor x = X();
         const Axis a = te::ReduceAxis("a", 2), b = te::ReduceAxis("b", 2);
         const Tensor first = te::Compute("first", {1, 8, 5, 6}, {}, [&](const ExprList& i) {
           return te::MaxOf(x(i[0], i[1], i[2] + a.var, i[3]), {a});
         });
         return Refused(te::Compute("second", {1, 8, 4, 6}, {}, [&](const ExprList& i) {
           return te::MaxOf(first(i[0], i[1], i[2] + b.var, i[3]), {b});
         }));
       }},
      {kOverChannels, "VECTOR reduces over windows of an image, not over channels",
       [] {
         const Tensor x = X();
         return Refused(Finish(SumOf(
             [&](auto& i, auto& k) { return Wide(x(i[0], k.var, i[2], i[3])); }, {1, 1, 6, 6}, 8)));
       }},
      {kProductOf, "VECTOR reduces to a sum, maximum or minimum, not to a product",
       [&] {
         return Refused(Windows([](Expr v, auto& axes) { return te::ProductOf(v, axes); }, plain));
       }},
      {kBatchOrder, "GEMM and VECTOR compute each image of a batch by itself",
       [] {
         return Refused(Indexed(
             [](auto& i, Expr k) {
               return ExprList{Expr(1) - i[0], k, i[2], i[3]};
             },
             2));
       }},
      {kChannelOrder, "GEMM and VECTOR read all input channels, or equal groups of them, in order",
       [] {
         return Refused(Indexed([](auto& i, Expr k) {
           return ExprList{i[0], Expr(7) - k, i[2], i[3]};
         }));
       }},
      {kWindow, "GEMM and VECTOR move a window over an image forwards, by one stride",
       [] {
         return Refused(Indexed([](auto& i, Expr k) {
           return ExprList{i[0], k, Expr(5) - i[2], i[3]};
         }));
       }},
      {kStrides, "LOAD, GEMM and VECTOR step through a tensor by fixed strides",
       [] {
         return Refused(Indexed([](auto& i, Expr k) { return ExprList{i[0], k, i[2], i[2]}; }));
       }},
      {kStrides, "LOAD, GEMM and VECTOR step through a tensor by fixed strides",
       [] {
         const Tensor at = te::Placeholder("at", kI8, {6});
         return Refused(Each([&](auto& x, auto& i) {
           return x(i[0], i[1], ir::Cast(DType::kInt64, at(i[2])), i[3]);
         }));
       }},
      {kPads, "LOAD pads an image outside of its edges, with one int8 value",
       [] {
         const Tensor x = X(), w = Weights();
         return Refused(Finish(SumOf(
             [&](auto& i, auto& k) {
               const Expr inside = ir::Lt(i[2], Expr(3));
               return Wide(ir::Select(inside, x(i[0], k.var, i[2], i[3]), ir::Imm(kI8, 0))) *
                      Wide(w(i[1], k.var));
             },
             {1, 8, 6, 6}, 8)));
       }},
      {kRepeated, "VECTOR reads operands of the result's shape, it repeats none",
       [] {
         const Tensor z = te::Placeholder("z", kI8, {1, 1, 6, 6});
         return Refused(Each([&](auto& x, auto& i) {
           return Narrow(Wide(x(i)) * Wide(z(i[0], Expr(0), i[2], i[3])));
         }));
       }},
      {kMoved, "VECTOR writes a value where it read it, and this moves values",
       [] { return Refused(Each([](auto& x, auto& i) { return x(i[0], i[1], i[3], i[2]); })); }},
      {kMoved, "VECTOR writes a value where it read it, and this moves values",
       [] {
         return Refused(Each([](auto& x, auto& i) { return x(i[0], i[1], i[2], i[3] + Expr(2)); },
                             X({1, 8, 6, 8})));
       }},
      {kByPosition, "VECTOR does the same to every element, and this goes by the position",
       [] {
         return Refused(Each([](auto& x, auto& i) {
           return ir::Select(ir::Lt(i[1], Expr(4)), x(i), ir::Imm(kI8, 1));
         }));
       }},
      {kByValue, "VECTOR does not choose by a comparison",
       [] {
         return Refused(Each([](auto& x, auto& i) {
           return Narrow(ir::Select(ir::Lt(x(i), ir::Imm(kI8, 0)), I32(0), Wide(x(i))));
         }));
       }},
      {kLookup, "VECTOR looks results up in one table of 256 int8 a layer",
       [] { return Refused(LookedUp(300)); }},
      {kNoTab, "VECTOR looks results up in TAB, and this machine has none: its tab_bytes is 0",
       [] { return Refused(LookedUp(256), "default", 0); }},
      {kOperation, "VECTOR has no absolute value",
       [] { return Refused(Each([](auto& x, auto& i) { return Narrow(ir::Abs(Wide(x(i)))); })); }},
      {kOperation, "VECTOR has no division",
       [] {
         return Refused(
             Each([](auto& x, auto& i) { return Narrow(ir::FloorDiv(I32(100), Wide(x(i)))); }));
       }},
      {kOperation, "VECTOR has no shift of int32 to the left",
       [] {
         return Refused(Each([](auto& x, auto& i) {
           return Narrow(ir::Bin(ir::BinOp::kShl, Wide(x(i)) * Wide(x(i)), I32(3)));
         }));
       }},
      {kWide, "VECTOR computes in int32, and this takes float32",
       [] {
         return Refused(Each([](auto& x, auto& i) {
           return ir::Cast(kI8, ir::Sqrt(ir::Cast(DType::kFloat32, x(i))));
         }));
       }},
      {kWide, "VECTOR computes in int32, and this takes more bits",
       [] {
         return Refused(Each([](auto& x, auto& i) {
           return Narrow(ir::Bin(ir::BinOp::kShl, Wide(x(i)), I32(30)) * Wide(x(i)));
         }));
       }},
      {kNarrow, "VECTOR clamps what it makes to int8, and this does not",
       [] {
         return Refused(Each([](auto& x, auto& i) { return ir::Cast(kI8, Wide(x(i)) + I32(1)); }));
       }},
      {kChangedSum, "VECTOR changes a sum in ACC in place, and this needs it unchanged too",
       [] {
         const Tensor x = X(), w = Weights();
         const Tensor sum =
             SumOf([&](auto& i,
                       auto& k) { return Wide(x(i[0], k.var, i[2], i[3])) * Wide(w(i[1], k.var)); },
                   {1, 8, 6, 6}, 8);
         return Refused(te::Compute("y", sum.shape(), {}, [&](const ExprList& i) {
           return Narrow(ir::Max(sum(i) * I32(3), sum(i)));
         }));
       }},
      {kParameters, "PRM holds one bias, multiplier and shift a channel, no other constants",
       [] {
         const Tensor w = te::Placeholder("w", DType::kInt32, {1, 8, 6, 6});
         return Refused(Each([&](auto& x, auto& i) { return Narrow(Wide(x(i)) + w(i)); }));
       }},
      {kNothing, "VECTOR has nothing to compute", [] { return Refused(X()); }},
  };
}

// A network whose last node runs on the host; returns the reason.
Refusal LastOf(Net& net, const network::RefusedRegions& refused = {},
               const network::Pins& pins = {}) {
  const network::Layers layers(net.graph(), NamedConfig("default"));
  const auto places = network::PlaceNodes(layers, {}, refused, pins);
  EXPECT_EQ(places.back().device, network::kHost);
  Refusal last(RefusalKind::kNothing, places.back().why_host);
  last.machine = places.back().machine;
  return last;
}

Refusal OfConv(const network::RefusedRegions& refused, bool pinned) {
  Net net(4);
  net.Output(net.Conv(net.Input({1, 16, 8, 8}), 16, Square(3)));
  const network::Pin pin{net.graph().nodes[0].name, network::kHost};
  return LastOf(net, refused, network::Pins(pinned ? 1 : 0, pin));
}
std::vector<Case> Networks() {
  using enum RefusalKind;
  return {
      {kInputType, "INP holds int8, the values are float32",
       [] {
         Net net(1);
         const auto x = net.Input({1, 16, 8, 8});
         net.Output(net.Rescale(x));
         net.graph().tensor(x).dtype = DType::kFloat32;
         net.graph().tensor(x).quant.reset();
         net.graph().nodes[0].op = graph::Op::kQuantize;
         return LastOf(net);
       }},
      {kNotWorth, "the host is faster: ",
       [] {
         Net net(2);
         net.Output(net.Conv(net.Input({1, 16, 8, 8}), 16, Square(3)));
         net.Output(net.Rescale(net.Input({1, 16, 8, 8})));
         Refusal last = LastOf(net);
         last.machine.resize(20);  // place_cost_test.cc has the figures
         return last;
       }},
      {kAsked, "the placement file keeps it from the machine", [] { return OfConv({}, true); }},
      {kView, "the machine's memories do not have the tensor that this shows",
       [] {
         Net net(3);
         net.Output(net.Reshape(net.Input({1, 16, 1, 8}), {1, 16, 8}));
         return LastOf(net);
       }},
      {kProgram, "no program of the machine does it: its boxes take 9 tiles",
       [] {
         return OfConv({{{0}, "its boxes take 9 tiles"}}, false);
       }},
  };
}

TEST(RefusalWords, EveryKindIsSaidInWordsOfTheMachine) {
  std::set<RefusalKind> seen;
  for (const Case& c : Expressions()) {
    const Refusal refusal = c.refused();
    EXPECT_EQ(refusal.machine, c.machine) << refusal.message;
    EXPECT_EQ(static_cast<int>(refusal.kind), static_cast<int>(c.kind)) << refusal.message;
    seen.insert(c.kind);
  }
  for (const Case& c : Networks()) {
    const Refusal refusal = c.refused();
    EXPECT_EQ(refusal.machine, c.machine) << refusal.message;
    seen.insert(c.kind);
  }
  EXPECT_EQ(std::ssize(seen), kRefusalKinds) << "a kind without a case";
}

}  // namespace
}  // namespace tessera::test::refusal_words_test
