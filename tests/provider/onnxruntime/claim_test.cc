// SPDX-License-Identifier: Apache-2.0
//
// What is tested: which nodes the provider takes. Space: random graphs of up to 40 nodes, whose
// groups must be convex, connected within the taken nodes, and together have each of these once; a
// network with an operator that the compiler lacks, by both rules; a float value that a convolution
// shares; a node that cannot be read or that the importer refuses; nodes that bring the items of a
// batch together. Not tested here: ONNX Runtime
// (wheel_test, provider_test.py).
#include "provider/onnxruntime/claim.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/rng.h"
#include "provider/onnxruntime/batch.h"
#include "tests/provider/onnxruntime/mixed_network.h"

namespace tessera::ort::claim_test {
namespace {

// Whether a path leads from |from| out of |group| and into it again.
bool ComesBack(const std::vector<NodeGroup>& makers, const NodeGroup& group) {
  std::vector<bool> outside(makers.size());  // after a node of the group, not in it
  for (size_t i = 0; i < makers.size(); ++i) {
    const bool in = std::ranges::binary_search(group, i);
    for (const size_t maker : makers[i]) {
      const bool after = std::ranges::binary_search(group, maker) || outside[maker];
      if (in && outside[maker]) return true;
      if (!in && after) outside[i] = true;
    }
  }
  return false;
}

TEST(Groups, AreConvexAndHaveEachTakenNodeOnce) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    const size_t count = static_cast<size_t>(rng.Range(1, 40));
    std::vector<NodeGroup> makers(count);
    std::vector<bool> taken(count);
    for (size_t i = 0; i < count; ++i) {
      taken[i] = rng.Range(0, 3) > 0;
      for (int64_t k = rng.Range(0, 2); k > 0 && i > 0; --k)
        makers[i].push_back(static_cast<size_t>(rng.Range(0, static_cast<int64_t>(i) - 1)));
    }
    const std::vector<NodeGroup> groups = GroupsOf(taken, makers);
    std::vector<size_t> group_of(count, SIZE_MAX);
    for (size_t g = 0; g < groups.size(); ++g) {
      EXPECT_TRUE(std::ranges::is_sorted(groups[g]));
      EXPECT_FALSE(ComesBack(makers, groups[g])) << "group " << g;
      for (const size_t i : groups[g]) {
        EXPECT_TRUE(taken[i]);
        EXPECT_EQ(group_of[i], SIZE_MAX) << "node " << i;
        group_of[i] = g;
      }
    }
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(taken[i], group_of[i] != SIZE_MAX);
    // As one node each, the groups have no cycle: each can run when its makers have run.
    std::set<size_t> done;
    for (size_t round = 0; round <= groups.size(); ++round) {
      for (size_t i = 0; i < count; ++i) {
        const auto ready = [&](size_t node) {
          return std::ranges::all_of(makers[node], [&](size_t maker) {
            return done.contains(maker) ||
                   (group_of[maker] == group_of[node] && group_of[node] != SIZE_MAX);
          });
        };
        if (!taken[i]) {
          if (ready(i)) done.insert(i);
        } else if (std::ranges::all_of(groups[group_of[i]], ready)) {
          done.insert(groups[group_of[i]].begin(), groups[group_of[i]].end());
        }
      }
    }
    EXPECT_EQ(done.size(), count);
  }
}

TEST(Groups, WeightsGoWithTheirFirstUser) {
  // 0 is not taken; 1 makes weights for 2, which also reads 0.
  EXPECT_EQ(GroupsOf({false, true, true}, {{}, {}, {0, 1}}), (std::vector<NodeGroup>{{1, 2}}));
  // Node 3, which is not taken, also reads the weights, so they cannot wait for node 2.
  EXPECT_EQ(GroupsOf({false, true, true, false}, {{}, {}, {0, 1}, {1}}),
            (std::vector<NodeGroup>{{1}, {2}}));
}

isa::Config Default() { return *isa::LoadConfig("default"); }

TEST(Claim, TheAcceleratorsNodesWithTheirScales) {
  const Claimed claimed = Claim(AsRead(MixedNetwork()), Default(), ClaimRule::kAccelerator);
  EXPECT_EQ(claimed.groups, (std::vector<NodeGroup>{{1, 2, 3, 4}, {8, 9, 10, 11}}));
  EXPECT_EQ(claimed.why, "node 6 (Einsum 'turned/Einsum'): the compiler has no such operator");
}

TEST(Claim, AllNodesThatTheCompilerTakes) {
  const Claimed claimed = Claim(AsRead(MixedNetwork()), Default(), ClaimRule::kAll);
  EXPECT_EQ(claimed.groups, (std::vector<NodeGroup>{{0, 1, 2, 3, 4, 5}, {7, 8, 9, 10, 11, 12}}));
}

TEST(Claim, NoConvolutionWhoseOperandIsAlsoReadAsAFloat) {
  onnx_model::OnnxModel model = MixedNetwork();
  model.nodes[6].inputs = {model.nodes[1].outputs[0]};  // Einsum reads the operand of the first one
  model.outputs.push_back({model.nodes[5].outputs[0], DType::kFloat32, std::nullopt});
  const Claimed claimed = Claim(AsRead(std::move(model)), Default(), ClaimRule::kAccelerator);
  EXPECT_EQ(claimed.groups, (std::vector<NodeGroup>{{8, 9, 10, 11}}));
}

TEST(Claim, NoNodeThatCannotBeRead) {
  ReadModel read = AsRead(MixedNetwork());
  read.unreadable[10] = "node 10 (Conv): has sub-graphs";
  const Claimed claimed = Claim(read, Default(), ClaimRule::kAccelerator);
  EXPECT_EQ(claimed.groups, (std::vector<NodeGroup>{{1, 2, 3, 4}}));
}

TEST(Claim, NoNodeThatTheImporterRefuses) {
  onnx_model::OnnxModel model = MixedNetwork();
  model.nodes[3].attributes["auto_pad"].s = "AROUND";
  const Claimed claimed = Claim(AsRead(std::move(model)), Default(), ClaimRule::kAccelerator);
  EXPECT_EQ(claimed.groups, (std::vector<NodeGroup>{{8, 9, 10, 11}}));
}

// MixedNetwork with an open first extent, and with a node of |type| in place of Einsum.
ReadModel OpenNetwork(const std::string& type) {
  onnx_model::OnnxModel model = MixedNetwork();
  model.nodes[6].op_type = type;
  model.nodes[6].attributes.clear();
  ReadModel read = AsRead(std::move(model));
  for (auto& [name, value] : read.values) {
    if (value.shape && !name.ends_with("w_real")) (*value.shape)[0] = -1;
  }
  return read;
}

NodeGroup Numbers(size_t first, size_t last) {
  NodeGroup numbers;
  for (size_t i = first; i <= last; ++i) numbers.push_back(i);
  return numbers;
}

TEST(Batch, ItsItemsMayNotMeetInANode) {
  const std::vector<NodeGroup> whole{Numbers(0, 12)}, parts{Numbers(0, 5), Numbers(7, 12)};
  const auto groups = [](const ReadModel& read) {
    return Claim(read, Default(), ClaimRule::kAll).groups;
  };
  EXPECT_EQ(groups(OpenNetwork("Sigmoid")), whole);
  ReadModel read = OpenNetwork("Softmax");
  EXPECT_EQ(groups(read), whole);
  for (const int64_t axis : {0, -4}) {
    read.model.nodes[6].attributes["axis"].i = axis;
    EXPECT_EQ(groups(read), parts) << axis;
  }
  EXPECT_EQ(
      Claim(read, Default(), ClaimRule::kAll).why,
      "node 6 (Softmax 'turned/Einsum'): may bring items of a batch together, whose extent is "
      "open");
  read = OpenNetwork("Sigmoid");
  read.values["turned"].shape = {{1, 16, -1, 8}};  // an open extent that is not the first
  EXPECT_NE(groups(read), whole);
  EXPECT_NE(MixesItems(read, 6), "");
  read = OpenNetwork("Sigmoid");
  read.values["turned"].shape.reset();
  EXPECT_NE(MixesItems(read, 6), "");
}

TEST(Batch, AxesMayBeInConstants) {
  const auto mixes = [](const std::string& type, size_t index, std::vector<int64_t> numbers) {
    ReadModel read = OpenNetwork(type);
    HostTensor constant = HostTensor::Zeros(DType::kInt64, {std::ssize(numbers)});
    std::ranges::copy(numbers, constant.as<int64_t>().begin());
    read.model.initializers.emplace("numbers", std::move(constant));
    read.model.nodes[6].inputs.resize(index + 1);
    read.model.nodes[6].inputs[index] = "numbers";
    return !MixesItems(read, 6).empty();
  };
  EXPECT_FALSE(mixes("Slice", 3, {1, 2}));
  EXPECT_TRUE(mixes("Slice", 3, {2, 0}));
  EXPECT_TRUE(mixes("Slice", 3, {-4}));
  EXPECT_TRUE(mixes("Slice", 2, {1, 2}));  // without axes: all
  EXPECT_FALSE(mixes("CumSum", 1, {1}));
  EXPECT_TRUE(mixes("CumSum", 1, {0}));
  EXPECT_FALSE(mixes("Pad", 1, {0, 1, 1, 1, 0, 1, 1, 1}));
  EXPECT_TRUE(mixes("Pad", 1, {0, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_TRUE(mixes("Tile", 1, {2, 1, 1, 1}));
  EXPECT_TRUE(mixes("ArgMax", 1, {}));  // its axis is 0 where none is given
}

}  // namespace
}  // namespace tessera::ort::claim_test
