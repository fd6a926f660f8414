// SPDX-License-Identifier: Apache-2.0
//
// Runs a graph region by region through te::Evaluate: the meaning of its operators, without
// schedule or code.
#ifndef TESSERA_TESTS_COMPILER_GRAPH_EVAL_H_
#define TESSERA_TESTS_COMPILER_GRAPH_EVAL_H_

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "compiler/graph/fuse.h"
#include "compiler/graph/graph.h"
#include "compiler/region/region.h"
#include "compiler/te/te.h"

namespace tessera {

using TensorBytes = std::map<graph::TensorId, std::vector<uint8_t>>;

// |values| holds the graph inputs and gets the output of every region. AttachRequant has run on
// |g|.
inline void RunRegions(const graph::Graph& g, TensorBytes& values) {
  for (const graph::Region& region : graph::Fuse(g)) {
    const te::RegionTe built = te::BuildRegion(g, region);
    te::Values tensors;
    for (const te::Binding& binding : built.bindings) {
      const bool constant = binding.activation < 0;
      ASSERT_TRUE(constant || values.contains(binding.activation)) << region.name;
      tensors[binding.placeholder.get()] = ir::Array(
          binding.placeholder.dtype(), constant ? binding.constant : values.at(binding.activation));
    }
    const Status status = te::Evaluate({built.output}, &tensors);
    ASSERT_TRUE(status) << region.name << ": " << status.error().message;
    values[built.output_id] = tensors.at(built.output.get()).bytes();
  }
}

// The bytes of |values| as T.
template <typename T>
std::vector<T> As(const std::vector<uint8_t>& bytes) {
  const T* begin = reinterpret_cast<const T*>(bytes.data());
  return {begin, begin + bytes.size() / sizeof(T)};
}
template <typename T>
std::vector<uint8_t> Bytes(const std::vector<T>& values) {
  const uint8_t* begin = reinterpret_cast<const uint8_t*>(values.data());
  return {begin, begin + values.size() * sizeof(T)};
}

}  // namespace tessera

#endif  // TESSERA_TESTS_COMPILER_GRAPH_EVAL_H_
