// SPDX-License-Identifier: Apache-2.0
//
// What is tested: each reason for which a tensor cannot stay on chip, as the planner says it to who
// asks for it by a network trace; and that the tensor stays without the reason. Space: a layer with
// one or two readers, whose schedules are given, one case a reason; networks whose readers bring
// the tensor from device memory themselves. Not tested here: what the planner chooses
// (tests/compiler/accel), traces of turns (tests/compiler/accel/network_trace_test).
#include "compiler/network/residency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/quantize/params.h"
#include "tests/compiler/accel/net.h"

namespace tessera::network::residency_test {
namespace {

using test::Net;
using ::testing::HasSubstr;

// Layer "a", whose result a trace wants to stay, and two readers of it with windows of 3 x 3.
class Reasons : public ::testing::Test {
 protected:
  Reasons() {
    for (int k = 0; k < 3; ++k) {
      ResidencyRegion& region = regions_[static_cast<size_t>(k)];
      region.name = std::string(1, static_cast<char>('a' + k));
      region.shape = {1, 16, 8, 8};
      region.result = k;
      region.steps.emplace();
      region.steps->kept[0] = std::nullopt;
      if (k > 0) region.reads = {{.activation = 0, .halo = {{1, 1}, {1, 1}}, .pad = 3}};
      region.activation_of = [](const te::Tensor&) { return -1; };
    }
    regions_[0].given = &stay_;
  }
  std::string Said() const {
    const isa::Config config = test::NamedConfig("default");
    const auto plan = PlanResidency(regions_, config, {std::vector<bool>(3), false});
    if (!plan) return plan.error().message;
    return plan->Of(0) != nullptr ? "stays" : "goes";
  }

  schedule::NetworkTrace stay_{schedule::StayStep{}};
  std::vector<ResidencyRegion> regions_{3};
};

TEST_F(Reasons, NoneLetsItStay) { EXPECT_EQ(Said(), "stays"); }

TEST_F(Reasons, OfItsOwnLayer) {
  auto given = regions_;
  regions_[0].copies = true;
  EXPECT_EQ(Said(), "a: stay, but its region only copies, by way of device memory");
  regions_ = given;
  regions_[0].steps->kept.clear();
  EXPECT_EQ(Said(), "a: stay, but its steps write it to device memory");
  regions_ = given;
  regions_[1].reads.clear(), regions_[2].reads.clear();
  EXPECT_EQ(Said(), "a: stay, but no region reads it");
  regions_[0].resident = false;
  EXPECT_EQ(Said(), "a: stay: it has to go to device memory");
}

TEST_F(Reasons, OfItsReaders) {
  auto given = regions_;
  regions_[2].reads[0].pad = 4;
  EXPECT_EQ(Said(), "a: stay, but its readers pad it with different values");
  regions_[2].reads[0].halo = {};  // a reader without pads agrees with any
  EXPECT_EQ(Said(), "stays");
  regions_ = given;
  regions_[1].copies = true;
  EXPECT_EQ(Said(), "a: stay, but a region that only copies reads it from device memory");
  regions_ = given;
  regions_[1].steps->kept.clear();
  EXPECT_EQ(Said(),
            "a: stay, but a region whose schedule says each step reads it from device memory");
  regions_ = given;
  regions_[2].reads[0].in_memory = "the reader's own reason";
  EXPECT_EQ(Said(), "a: stay, but the reader's own reason");
  regions_ = given;
  regions_[2].reads[0].rank = 2;
  EXPECT_EQ(Said(),
            "a: stay, but a layer has it under a shape without the axis that another one pads");
}

TEST_F(Reasons, OfRowsAtATime) {
  const char* apart =
      "a: stay, but rows of it at a time (fold_storage) are for its layer and the next one, which "
      "both have a schedule that says so";
  const sched::FoldedRows rows{.rows = 4, .step = 2};
  regions_[0].steps->kept[0] = rows;
  EXPECT_EQ(Said(), apart);  // the readers have all rows
  regions_[1].steps->kept[0] = regions_[2].steps->kept[0] = rows;
  EXPECT_EQ(Said(), apart);  // two layers behind it read it
  regions_[2].reads.clear();
  EXPECT_EQ(Said(), "stays");
}

TEST_F(Reasons, OfRoom) {
  for (ResidencyRegion& region : regions_) region.shape = {1, 16, 64, 64};
  EXPECT_EQ(Said(), "a: stay, but INP is too small for it");
}

// The error of a network trace that lets the result of node |n| of |net| stay.
std::string StayOf(Net& net, size_t n) {
  const isa::Config config = test::NamedConfig("default");
  auto compiled = test::Compile(net.graph(), config);
  if (!compiled) return compiled.error().message;
  for (auto& region : compiled->regions) {
    if (region.result == net.graph().nodes[n].output)
      region.network = schedule::NetworkTrace{schedule::StayStep{}};
  }
  const auto made = test::CompileAlone(compiled->activations, compiled->regions, config);
  return made ? "compiled" : made.error().message;
}

TEST(Residency, WhatLoadRepeatsIsInDeviceMemory) {
  Net net(4);
  const auto x = net.Input({1, 16, 12, 12});
  const auto small = net.Conv(x, 16, test::Square(3, 2)), fine = net.Conv(x, 16, test::Square(3));
  graph::Graph& g = net.graph();
  graph::GraphTensor twice = g.tensor(small);
  twice.name = "twice", twice.shape = {1, 16, 12, 12};
  graph::ResizeAttributes from;
  for (int64_t k = 0; k < 12; ++k) from.rows.push_back(k / 2), from.columns.push_back(k / 2);
  g.nodes.push_back({.op = graph::Op::kResize,
                     .name = "resize",
                     .inputs = {small},
                     .output = g.AddTensor(std::move(twice)),
                     .attributes = from});
  net.Output(net.Add(g.nodes.back().output, fine));
  EXPECT_THAT(StayOf(net, 0), HasSubstr("stay, but LOAD repeats its rows or columns, from device "
                                        "memory"));
}

// Of a product of two activations one is weights, and both have a zero point, which LOAD fills in.
TEST(Residency, OperandsOfAProductAreInDeviceMemory) {
  Net net(5);
  const auto weights = net.Rescale(net.Input({1, 32, 16})),
             moving = net.Rescale(net.Input({1, 32, 16}));
  graph::Graph& g = net.graph();
  graph::Node product{.op = graph::Op::kMatMul,
                      .name = "product",
                      .inputs = {weights, moving},
                      .attributes = graph::ProductAttributes{.columns = true},
                      .round = isa::Round::kEven};
  product.output =
      g.AddTensor({.name = "scores", .shape = {1, 16, 16}, .quant = graph::Quant{{0.5}, {0}, -1}});
  for (const graph::TensorId id : {weights, moving}) {
    g.tensor(id).quant = graph::Quant{{0.05}, {7}, -1};
  }
  ASSERT_TRUE(quantize::AttachRequant(g, product));
  g.nodes.push_back(product);
  net.Output(product.output);
  EXPECT_THAT(StayOf(net, 0), HasSubstr("stay, but LOAD brings it to WGT, from device memory"));
  EXPECT_THAT(StayOf(net, 1), HasSubstr("stay, but LOAD fills terms of its elements beside it, "
                                        "from device memory"));
}

}  // namespace
}  // namespace tessera::network::residency_test
