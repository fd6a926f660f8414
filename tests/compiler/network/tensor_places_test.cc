// SPDX-License-Identifier: Apache-2.0
//
// What is tested: which slices and concatenations need no instruction because their tensors lie in
// one another, and at which byte, against the places of all elements in the two packings; chains of
// such tensors; and that operands get copies where they need them, with the integers of the graph
// as it was. Space: random shapes, axes and cuts on three configurations. Not tested here: that
// programs read and write the right bytes (tests/networks).
#include "compiler/network/tensor_places.h"

#include <gtest/gtest.h>

#include <optional>

#include "compiler/network/join_parts.h"
#include "compiler/quantize/params.h"
#include "compiler/schedule/accel/plan.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/network/parts.h"

namespace tessera::network::tensor_places_test {
namespace {

// Checks that every element of the slice is where the packing of its operand has it.
void CheckSlice(const Graph& g, const Node& slice, const isa::Config& config) {
  const TensorPlaces places(g, config, {true});
  const Shape &in = g.tensor(slice.inputs[0]).shape, &out = g.tensor(slice.output).shape;
  const auto& cuts = slice.As<graph::SliceAttributes>().axes;
  const std::vector<int64_t> whole = PlacesOf(places.PackingOf(slice.inputs[0])),
                             part = PlacesOf(places.PackingOf(slice.output));
  const int64_t offset = places.OffsetOf(slice.output);
  for (size_t k = 0; k < part.size(); ++k) {
    int64_t rest = static_cast<int64_t>(k), from = 0, step = 1;
    for (size_t d = out.size(); d-- > 0;) {
      from += (cuts[d].begin + rest % out[d] * cuts[d].step) * step;
      rest /= out[d];
      step *= in[d];
    }
    ASSERT_EQ(offset + part[k], whole[static_cast<size_t>(from)]) << "element " << k;
  }
  EXPECT_LE(offset + places.PackingOf(slice.output).bytes(),
            places.PackingOf(slice.inputs[0]).bytes());
}

// Images of whole blocks of channels, and rows as columns; others have other bytes.
TEST(TensorPlaces, AReshapeIsAViewIfItKeepsTheBytes) {
  Rng rng(13);
  int lying = 0;
  for (int round = 0; round < 600; ++round) {
    const isa::Config config = test::NamedConfig(round % 3 == 0   ? "tiny"
                                                 : round % 3 == 1 ? "default"
                                                                  : "batch4");
    const int64_t a = rng.Range(1, 3), b = rng.Range(1, 3) * (rng.OneIn(3) ? 5 : config.block_out),
                  y = rng.Range(1, 4), x = rng.Range(1, 4);
    const std::vector<Shape> shapes{{a, b, y, x},     {1, a * b, y, x}, {1, a * b, 1, y * x},
                                    {a, b, 1, y * x}, {a, b, y * x},    {a * b, y, x}};
    const Shape from = shapes[static_cast<size_t>(rng.Range(0, 5))],
                to = shapes[static_cast<size_t>(rng.Range(0, 5))];
    Parts parts;
    const TensorId in = parts.Input(from), out = parts.Apply(Op::kReshape, {in}, {}, to);
    const TensorId again =
        parts.Apply(Op::kReshape, {out}, {}, {to[0], to[1], a * b * y * x / (to[0] * to[1])});
    SCOPED_TRACE(fmt::format("round {}: {} to {}, {}", round, fmt::join(from, "x"),
                             fmt::join(to, "x"), config.name));
    const bool found = !LyingOf(parts.graph, parts.graph.nodes[0], config).empty();
    const TensorPlaces places(parts.graph, config, {true, true});
    const bool same = PlacesOf(places.PackingOf(in)) == PlacesOf(places.PackingOf(out));
    EXPECT_TRUE(same || !found);
    // Of one position, images and channels may be the same bytes without whole blocks.
    if (y * x > 1) {
      EXPECT_EQ(found, same);
    }
    if (!found) continue;
    ++lying;
    EXPECT_EQ(places.Of(out).in, in);
    EXPECT_EQ(places.OffsetOf(out), 0);
    if (LyingOf(parts.graph, parts.graph.nodes[1], config).empty()) continue;
    EXPECT_EQ(places.Of(again).in, in);
    EXPECT_TRUE(places.Overlap(in, again));
  }
  EXPECT_GT(lying, 150);
}

TEST(TensorPlaces, ASliceLiesWhereItsElementsAre) {
  Rng rng(11);
  int lying = 0;
  for (int round = 0; round < 800; ++round) {
    const isa::Config config = test::NamedConfig(round % 3 == 0   ? "tiny"
                                                 : round % 3 == 1 ? "default"
                                                                  : "batch4");
    Parts parts;
    const int64_t rank = rng.Range(2, 4);
    Shape shape{rng.OneIn(3) ? rng.Range(1, 5) : 1, rng.Range(1, 60)};
    for (int64_t d = 2; d < rank; ++d) shape.push_back(rng.Range(1, 7));
    graph::SliceAttributes cuts;
    Shape made;
    for (size_t d = 0; d < shape.size(); ++d) {
      const int64_t block = d == 1 && !rng.OneIn(4) ? config.block_out : 1;
      const int64_t begin = rng.OneIn(2) ? 0 : rng.Range(0, (shape[d] - 1) / block) * block;
      const int64_t step = d >= 2 && rng.OneIn(2) ? rng.Range(1, 3) : 1;
      const int64_t most = (shape[d] - 1 - begin) / step + 1;
      cuts.axes.push_back({begin, step, rng.OneIn(2) ? most : rng.Range(1, most)});
      made.push_back(cuts.axes.back().count);
    }
    parts.Apply(Op::kSlice, {parts.Input(shape)}, cuts, made);
    const Node& slice = parts.graph.nodes[0];
    SCOPED_TRACE(fmt::format("round {}: {} of {}, {}", round, fmt::join(made, "x"),
                             fmt::join(shape, "x"), config.name));
    const bool found = !LyingOf(parts.graph, slice, config).empty();
    lying += found ? 1 : 0;
    if (found) CheckSlice(parts.graph, slice, config);
    // Whole blocks of channels of one image, and any rows and columns.
    const graph::AxisCut channels = cuts.axes[1];
    if (shape[0] == 1 && channels.begin % config.block_out == 0 &&
        channels.count >= config.block_out) {
      EXPECT_TRUE(found);
    }
  }
  EXPECT_GT(lying, 200);
}

TEST(TensorPlaces, PartsOfPartsAddUp) {
  const isa::Config config = test::NamedConfig("default");
  Parts p;
  const TensorId x = p.Input({1, 16, 4, 4});
  const TensorId a = p.Rescale(x), b = p.Rescale(x), c = p.Rescale(x);
  const TensorId ab = p.Concat({a, b}), all = p.Concat({c, ab});
  const TensorId again = p.Slice(all, 1, 32, 16);
  const TensorPlaces places(p.graph, config, std::vector<bool>(p.graph.nodes.size(), true));
  EXPECT_EQ(places.Of(b).in, all);
  EXPECT_EQ(places.OffsetOf(b), 2 * 256);
  EXPECT_EQ(places.OffsetOf(again), 2 * 256);
  EXPECT_TRUE(places.Overlap(again, b));
  EXPECT_TRUE(places.Overlap(ab, b));
  EXPECT_FALSE(places.Overlap(a, b));
  EXPECT_FALSE(places.Overlap(x, a));
}

TEST(TensorPlaces, ATensorLiesInOneOther) {
  const isa::Config config = test::NamedConfig("default");
  Parts p;
  const TensorId x = p.Input({1, 16, 4, 4});
  const TensorId a = p.Rescale(x), b = p.Rescale(x);
  p.Concat({a, b});
  p.Concat({b, a});
  p.Concat({p.Slice(a, 2, 0, 2), p.Slice(b, 2, 0, 2)}, 2);
  TensorPlaces places(p.graph, config);
  EXPECT_TRUE(places.LayAll(LyingOf(p.graph, p.graph.nodes[2], config)));
  EXPECT_FALSE(places.LayAll(LyingOf(p.graph, p.graph.nodes[3], config)));
  EXPECT_EQ(places.OffsetOf(a), 0);
  EXPECT_EQ(places.OffsetOf(b), 256);
}

struct Joined {
  int copies = 0;
  bool lies = false;  // the concatenation, the last node
};

// What JoinParts makes of |p|, whose last node is a concatenation, after a comparison of the values
// for random inputs.
Joined JoinedOf(Parts& p) {
  const isa::Config config = test::NamedConfig("default");
  p.graph.outputs = {p.graph.nodes.back().output};
  EXPECT_TRUE(quantize::AttachRequant(p.graph));
  TensorBytes before;
  for (const TensorId id : p.graph.inputs) {
    for (int64_t k = 0; k < p.graph.tensor(id).count(); ++k)
      before[id].push_back(static_cast<uint8_t>(p.rng.Range(0, 255)));
  }
  TensorBytes after = before;
  RunRegions(p.graph, before);
  const size_t nodes = p.graph.nodes.size();
  JoinParts(p.graph, config);
  const Status sound = graph::Verify(p.graph);
  EXPECT_TRUE(sound) << sound.error().message;
  RunRegions(p.graph, after);
  EXPECT_EQ(before.at(p.graph.outputs[0]), after.at(p.graph.outputs[0]));
  TensorPlaces places(p.graph, config);
  for (const Node& node : p.graph.nodes) {
    const std::vector<Lying> parts = LyingOf(p.graph, node, config);
    if (!places.LayAll(parts)) return {-1, false};
    if (&node == &p.graph.nodes.back())
      return {static_cast<int>(p.graph.nodes.size() - nodes), !parts.empty()};
  }
  return {};
}

TEST(JoinParts, AnOperandThatFitsGetsNoCopy) {
  Parts p;
  const TensorId x = p.Input({1, 16, 4, 4});
  p.Concat({p.Rescale(x), p.Rescale(x)});
  const Joined joined = JoinedOf(p);
  EXPECT_EQ(joined.copies, 0);
  EXPECT_TRUE(joined.lies);
}

TEST(JoinParts, AnOperandOfAnotherScaleIsRequantisedInFront) {
  Parts p;
  const TensorId x = p.Input({1, 16, 4, 4});
  p.Concat({p.Rescale(x, 0.25), p.Rescale(x), p.Rescale(x, 0.7)});
  const Joined joined = JoinedOf(p);
  EXPECT_EQ(joined.copies, 2);
  EXPECT_TRUE(joined.lies);
}

TEST(JoinParts, TheBoundsOfTheResultGoInFrontToo) {
  Parts p;
  const TensorId x = p.Input({1, 16, 4, 4});
  p.Concat({p.Rescale(x), p.Rescale(x)});
  p.graph.nodes.back().lo = -20, p.graph.nodes.back().hi = 50;
  const Joined joined = JoinedOf(p);
  EXPECT_EQ(joined.copies, 2);
  EXPECT_TRUE(joined.lies);
}

TEST(JoinParts, OperandsThatLieElsewhereAreCopied) {
  Parts p;
  const TensorId x = p.Input({1, 32, 4, 4});
  const TensorId a = p.Rescale(x), half = p.Slice(a, 1, 16, 16);
  // a twice, a part of it, and what no operator makes
  p.Concat({a, a, half, x});
  const Joined joined = JoinedOf(p);
  EXPECT_EQ(joined.copies, 3);
  EXPECT_TRUE(joined.lies);
}

TEST(JoinParts, AnOperandThatEndsInsideABlockStaysAsItIs) {
  Parts p;
  const TensorId x = p.Input({1, 24, 4, 4});
  p.Concat({p.Rescale(x, 0.25), p.Rescale(x)});
  const Joined joined = JoinedOf(p);
  EXPECT_EQ(joined.copies, 0);
  EXPECT_FALSE(joined.lies);
}

}  // namespace
}  // namespace tessera::network::tensor_places_test
