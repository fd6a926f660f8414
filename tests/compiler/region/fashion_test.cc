// SPDX-License-Identifier: Apache-2.0
//
// The model of models/fashion through import, simplification, fusion and the tensor expressions of
// every region, on real test images. What comes out must be the label for most of them: the network
// gets 93.7 % right, so fewer than 3 of 4 means a wrong operator. Needs the images of Debian's
// dataset-fashion-mnist.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/graph/passes.h"
#include "compiler/import/onnx.h"
#include "compiler/quantize/params.h"
#include "runtime/tensor/npy.h"
#include "tests/compiler/graph_eval.h"

namespace tessera::fashion_test {
namespace {

constexpr int kImages = 4;

TEST(Fashion, PredictsLikeTheLabels) {
  const std::string folder = "/usr/share/datasets/fashion-mnist/t10k-";
  const auto images = ReadIdx(folder + "images-idx3-ubyte.gz"),
             labels = ReadIdx(folder + "labels-idx1-ubyte.gz");
  ASSERT_TRUE(images) << images.error().message;
  ASSERT_TRUE(labels) << labels.error().message;
  ASSERT_EQ(images->shape, (std::vector<int64_t>{10000, 28, 28}));
  auto graph = ImportOnnxFile("models/fashion/fashion_int8.onnx");
  ASSERT_TRUE(graph) << graph.error().message;
  graph::Simplify(*graph);
  ASSERT_TRUE(graph::Verify(*graph)) << graph::Verify(*graph).error().message;
  ASSERT_TRUE(quantize::AttachRequant(*graph));
  EXPECT_EQ(graph->inputs.size(), 1u);
  EXPECT_EQ(graph->outputs.size(), 1u);

  int right = 0;
  for (int i = 0; i < kImages; ++i) {
    std::vector<float> pixels;
    for (const uint8_t p : images->Slice(i, 1).bytes)
      pixels.push_back(static_cast<float>(p) / 255.0f);
    TensorBytes values;
    values[graph->inputs[0]] = Bytes(pixels);
    ASSERT_NO_FATAL_FAILURE(RunRegions(*graph, values));
    const std::vector<float> logits = As<float>(values.at(graph->outputs[0]));
    ASSERT_EQ(logits.size(), 10u);
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    right += best == labels->bytes[static_cast<size_t>(i)] ? 1 : 0;
  }
  EXPECT_GE(right, 3);
}

}  // namespace
}  // namespace tessera::fashion_test
